//===- Platforms.cpp - The table of platforms -----------------------------===//
//
// Tests: test/Unit/Target/PlatformTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Target/Platform.h"

#include "Levels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <functional>

using namespace attnc;
using namespace llvm;

ArrayRef<Platform> attnc::getPlatforms() {
  static const Platform platforms[] = {
      {
          .triple = "x86_64-unknown-linux-gnu",
          .levels = getX86Levels(),
          .devices = getX86Devices(),
          .defaultLevels = "x86-64-v3,x86-64-v4",
          .systemSymbols = "_GLOBAL_OFFSET_TABLE_",
          .hasGpus = true,
      },
      {
          .triple = "aarch64-unknown-linux-gnu",
          .levels = getAArch64Levels(),
          .defaultLevels = "armv8-a",
          .systemSymbols = "getauxval",
          .emulator = "qemu-aarch64",
          .linker = "aarch64-linux-gnu-gcc",
          .packages =
              "qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross",
          .hasGpus = true,
      },
      {
          .triple = "riscv64-unknown-linux-gnu",
          .levels = getRiscV64Levels(),
          .defaultLevels = "rv64gcv",
          .baselineFeatures = "+m,+a,+f,+d,+c",
          .abi = "lp64d",
          .systemSymbols = "getauxval",
          .emulator = "qemu-riscv64",
          .linker = "riscv64-linux-gnu-gcc",
          .packages =
              "qemu-user, gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross",
      },
      // The stack is probed page by page; _fltused links what formats floats.
      {
          .triple = "x86_64-pc-windows-msvc",
          .levels = getX86Levels(),
          .devices = getWindowsDevices(),
          .defaultLevels = "x86-64-v3,x86-64-v4",
          .systemSymbols = "__chkstk _fltused",
      },
      {
          .triple = "x86_64-pc-windows-gnu",
          .levels = getX86Levels(),
          .defaultLevels = "x86-64-v3,x86-64-v4",
          .systemSymbols = "___chkstk_ms _fltused",
      },
      // Versions are the oldest that the objects run on; the system has bzero,
      // which LLVM calls where memory becomes zero.
      {
          .triple = "arm64-apple-macosx11.0.0",
          .levels = getAppleLevels(),
          .devices = getAppleDevices(),
          .defaultLevels = "apple-m1",
          .systemSymbols = "bzero",
      },
      {
          .triple = "x86_64-apple-macosx10.15.0",
          .levels = getX86Levels(),
          .defaultLevels = "x86-64-v3,x86-64-v4",
          .systemSymbols = "__bzero",
      },
      {
          .triple = "wasm32-unknown-unknown",
          .levels = getWasmLevels(),
          .devices = getWasmDevices(),
          .defaultLevels = "simd128",
          .systemSymbols =
              "__linear_memory __stack_pointer __indirect_function_table",
          .isPositionIndependent = false,
          .emulator = "node",
          .linker = "clang-22",
          .packages = "nodejs, clang-22 and lld-22",
          .isHosted = false,
      },
      {
          .triple = "nvptx64-nvidia-cuda",
          .levels = getNvidiaLevels(),
          .defaultLevels = "sm_80",
          .emulator = "nvptx-emulator",
      },
  };
  return platforms;
}

/// Whether a triple names a version of macOS that is older than the platform's.
static bool isTooOld(const Triple &triple, const Triple &platform) {
  VersionTuple wanted, oldest;
  return triple.getOSMajorVersion() != 0 && triple.getMacOSXVersion(wanted) &&
         platform.getMacOSXVersion(oldest) && wanted < oldest;
}

const Platform *attnc::findPlatform(StringRef text) {
  Triple triple(Triple::normalize(text));
  for (const Platform &platform : getPlatforms()) {
    Triple own(platform.triple);
    bool isMac = own.isMacOSX() && triple.isMacOSX(); // also called darwin
    if (own.getArch() == triple.getArch() &&
        (isMac ? !isTooOld(triple, own) : own.getOS() == triple.getOS()) &&
        own.getEnvironment() == triple.getEnvironment() &&
        own.getObjectFormat() == triple.getObjectFormat())
      return &platform;
  }
  return nullptr;
}

const Platform &attnc::platformOf(const Target &level) {
  for (const Platform &platform : getPlatforms())
    if (platform.findLevel(level.name))
      return platform;
  llvm_unreachable("a level of no platform");
}

const Platform &attnc::getHostPlatform() {
  for (const Platform &platform : getPlatforms())
    if (platform.isHost())
      return platform;
  return getPlatforms().front();
}

bool attnc::isWeaker(const Target *a, const Target *b) {
  auto placeOf = [](TargetKind kind) {
    return kind == TargetKind::Device ? 0 : kind == TargetKind::Cpu ? 1 : 2;
  };
  return a->kind != b->kind ? placeOf(a->kind) < placeOf(b->kind)
                            : std::less<>()(a, b);
}

std::string attnc::listPlatforms() {
  return join(
      map_range(getPlatforms(), [](const Platform &p) { return p.triple; }),
      ", ");
}

bool Platform::isHost() const {
  Triple own(triple), host(sys::getProcessTriple());
  return own.getArch() == host.getArch() && own.getOS() == host.getOS();
}

const Target *Platform::findLevel(StringRef name) const {
  for (ArrayRef<Target> table : {levels, devices})
    for (const Target &target : table)
      if (target.name == name)
        return &target;
  return nullptr;
}

const Target *Platform::findPart(StringRef name) const {
  if (const Target *own = findLevel(name))
    return own;
  const Target *other = hasGpus ? lookupTarget(name) : nullptr;
  return other && other->kind == TargetKind::Gpu ? other : nullptr;
}

std::vector<const Target *> Platform::getDefaultLevels() const {
  std::vector<const Target *> targets;
  for (StringRef name : split(defaultLevels, ','))
    targets.push_back(findLevel(name));
  return targets;
}

std::string Platform::listLevels() const {
  return join(map_range(concat<const Target>(levels, devices),
                        [](const Target &t) { return t.name; }),
              ", ");
}

/// The level of a processor that LLVM knows ("skylake", "znver3"), or of an
/// instruction set ("avx2", "avx512"); else empty.
static StringRef findProcessorLevel(const Platform &platform, StringRef name) {
  if (Triple(platform.triple).getArch() != Triple::x86_64)
    return "";
  std::string llvmName = name.str();
  if (name.starts_with("zen")) // zen3: znver3
    llvmName = "znver" + name.drop_front(3).str();
  if (X86::parseArchX86(llvmName, /*Only64Bit=*/true) != X86::CK_None) {
    SmallVector<StringRef> names;
    X86::getFeaturesForCPU(llvmName, names);
    StringMap<bool> features;
    for (StringRef feature : names) {
      features[feature] = true;
      X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
    }
    return platform.selectLevel(features).name;
  }
  if (name.starts_with("sse")) // its processors do not run code for v3
    return platform.levels[0].name;
  std::string feature = name.str();
  llvm::erase(feature, '-');
  for (const Target &target : platform.levels) // the weakest that requires it
    for (StringRef list : {target.requiredFeatures, target.matrixFeatures})
      for (StringRef required : split(list, ' '))
        if (feature.size() > 2 && required.starts_with(feature))
          return target.name;
  return "";
}

StringRef Platform::findProduct(StringRef name) const {
  for (const Target &target : concat<const Target>(levels, devices))
    for (StringRef word : split(target.description.split(':').first, ' '))
      if (word.trim(',').equals_insensitive(name) && any_of(name, isDigit))
        return target.name;
  return "";
}

StringRef Platform::findSimilarLevel(StringRef name) const {
  // Other tools' spellings of the same level.
  std::string folded = name.lower();
  llvm::replace(folded, '_', '-');
  if ((folded == "x86-64-v1" || folded == "x86-64-v2") && findLevel("x86-64"))
    return "x86-64"; // these machines do not run code for v3
  auto isNamed = [&](const Target &target) { // sm_90: sm_90a
    std::string own = target.name.lower();
    llvm::replace(own, '_', '-');
    return folded.size() > 3 && StringRef(own).starts_with(folded);
  };
  for (const Target &target : concat<const Target>(levels, devices))
    if (isNamed(target))
      return target.name;
  if (StringRef processor = findProcessorLevel(*this, folded);
      !processor.empty())
    return processor;
  if (StringRef product = findProduct(name); !product.empty())
    return product;
  StringRef best;
  unsigned bestDistance = 4; // more edits than 3 are another word
  for (const Target &target : concat<const Target>(levels, devices)) {
    unsigned distance = StringRef(folded).edit_distance(
        target.name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      best = target.name;
      bestDistance = distance;
    }
  }
  return best;
}

const Target &Platform::selectLevel(const StringMap<bool> &features) const {
  for (const Target &target : reverse(levels)) {
    bool hasUnit = all_of(split(target.matrixFeatures, ' '), [&](StringRef f) {
      return f.empty() || features.lookup(f);
    });
    if (hasUnit && findMissingFeature(target, features).empty())
      return target;
  }
  return levels[0]; // what every processor of the platform has
}
