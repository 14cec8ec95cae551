//===- Platform.h - Systems that attnc compiles for -------------*- C++ -*-===//
//
// A platform is a value of --target: a triple, its levels of -mcpu, and how its
// objects are run elsewhere. A new platform is an entry in
// lib/Target/Platforms.cpp with a table of levels.
// Tests: test/Unit/Target/PlatformTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_PLATFORM_H
#define ATTNC_TARGET_PLATFORM_H

#include "attnc/Target/Target.h"

#include <vector>

namespace attnc {

struct Platform {
  /// "x86_64-unknown-linux-gnu"
  llvm::StringRef triple;
  /// Each a superset of the one before it.
  llvm::ArrayRef<Target> levels;
  /// Devices that its programs can use, each a level of -mcpu, too.
  llvm::ArrayRef<Target> devices = {};
  /// What attnc compiles for without -mcpu, as -mcpu takes it. Tools that run
  /// code take the first one.
  llvm::StringRef defaultLevels;

  /// What all levels have, in LLVM's words: the entry is compiled for it.
  llvm::StringRef baselineFeatures = {};
  /// The name of the calling convention; empty: LLVM's default.
  llvm::StringRef abi = {};
  /// What an object may ask of the linker besides what every libc has (malloc,
  /// memcpy, ...), as C spells it, one blank between two.
  llvm::StringRef systemSymbols = {};
  /// Whether the code runs at any address; a module of WebAssembly has one.
  bool isPositionIndependent = true;

  /// Programs that run and link objects of this platform on another one, and
  /// the Debian packages that have them; empty where there are none.
  llvm::StringRef emulator = {}, linker = {}, packages = {};
  /// Whether programs of this platform have a libc and arguments; else the
  /// emulator runs a script that calls a module.
  bool isHosted = true;

  /// Whether programs can load NVIDIA's driver: then objects may have parts for
  /// GPUs.
  bool hasGpus = false;

  /// The level or device called `name`, or null.
  const Target *findLevel(llvm::StringRef name) const;
  /// The level, the device, or the GPU that objects may have parts for, or
  /// null.
  const Target *findPart(llvm::StringRef name) const;
  std::vector<const Target *> getDefaultLevels() const;
  /// "x86-64, x86-64-v3, ..., opencl"
  std::string listLevels() const;
  /// The level whose description lists the product `name`, or an empty string.
  llvm::StringRef findProduct(llvm::StringRef name) const;
  /// The level that `name` is probably a misspelling of, for "did you mean", or
  /// an empty string.
  llvm::StringRef findSimilarLevel(llvm::StringRef name) const;
  /// The last level whose code runs on a host with these features: `native`.
  const Target &selectLevel(const llvm::StringMap<bool> &features) const;
  bool isHost() const;
};

llvm::ArrayRef<Platform> getPlatforms();

/// The platform of a triple, whatever vendor it names ("aarch64-linux-gnu"), or
/// null.
const Platform *findPlatform(llvm::StringRef triple);

/// The first platform that has this level; several may share a table of levels.
const Platform &platformOf(const Target &level);

/// The one that this program runs on, if attnc compiles for it, else the first.
const Platform &getHostPlatform();

/// Orders the parts of an object, weakest first: devices, which serve tensors
/// of the host as CPUs do, then CPUs, then GPUs, all as in their tables.
bool isWeaker(const Target *a, const Target *b);

/// "aarch64-unknown-linux-gnu, ..."
std::string listPlatforms();

} // namespace attnc

#endif // ATTNC_TARGET_PLATFORM_H
