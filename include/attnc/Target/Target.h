//===- Target.h - What the compiler knows of a machine ----------*- C++ -*-===//
//
// Data, no code generation: one Target per processor that -mcpu names. The
// numbers that every stage may ask for (units, memory, the roofline) stand in
// Target; those of a kind of machine, such as registers, in a struct of its own
// (CpuTraits, GpuTraits, DeviceTraits), for Schedule and Codegen of that kind.
// Emit takes LLVM's names. Platforms.h groups processors by --target. A new one
// is another entry of a table in lib/Target.
// Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_TARGET_H
#define ATTNC_TARGET_TARGET_H

#include "attnc/Support/DType.h"
#include "attnc/Target/CpuTraits.h"
#include "attnc/Target/DeviceTraits.h"
#include "attnc/Target/GpuTraits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace attnc {

enum class TargetKind : uint8_t {
  Cpu,
  Gpu,   // of one architecture, with code for it
  Device // whatever an interface to launch kernels through reaches
};

enum class UnitKind : uint8_t {
  Fma,        // lanes that each multiply and add
  DotProduct, // lanes that each add a product of several pairs
  Matrix      // a tile of sums at once
};

/// What multiplies and adds, for one pair of types.
struct Unit {
  UnitKind kind;
  /// Of the elements that are multiplied, and of the sums.
  DType operand, accumulate;
  /// The peak of one core; a multiply-add counts as two.
  unsigned flopsPerCycle;
  /// An instruction makes rows x columns sums of `depth` products each.
  unsigned rows, columns, depth;
};

/// Products of 8-bit integers that a sum of 32 bits holds: each is less than
/// 2 ** 15 in magnitude.
inline constexpr int64_t mostProductsOf8Bits = (1 << 16) - 1;

/// A level of the memory as one core sees it.
struct MemoryLevel {
  llvm::StringRef name;
  /// What a core has of it; the last level has no limit.
  int64_t bytes;
  /// What a core reads of it in one cycle.
  double bytesPerCycle;
};

/// The two limits of a computation (Williams, Waterman, Patterson: Roofline,
/// CACM 2009).
struct Roofline {
  double flopsPerCycle;
  llvm::ArrayRef<MemoryLevel> memory;

  /// From where something reads that goes through so many bytes once: L2,
  /// unless they fill it.
  double bytesPerCycle(double bytes) const;
  /// Cycles that `flops` and one pass through `bytes` take at least.
  double cycles(double flops, double bytes) const {
    return std::max(flops / flopsPerCycle, bytes / bytesPerCycle(bytes));
  }
};

/// One processor. Sizes are per core; the core of a GPU is a streaming
/// multiprocessor. What differs between the machines of a
/// level is given for the smallest of them, so that a choice fits all.
struct Target {
  /// The value of -mcpu, for example "x86-64-v4".
  llvm::StringRef name;
  /// One line for lists of targets.
  llvm::StringRef description;
  TargetKind kind = TargetKind::Cpu;

  /// For llvm::TargetMachine and the attributes of functions. The features come
  /// on top of those that the CPU name implies.
  llvm::StringRef llvmCpu;
  llvm::StringRef llvmFeatures;
  /// What the host must have to run the code, in LLVM's names, one blank
  /// between two.
  llvm::StringRef requiredFeatures;
  /// What a part requires besides if a kernel of it uses the matrix unit: the
  /// processor or its system may deny the unit alone.
  llvm::StringRef matrixFeatures = {};
  /// The vscale that the code assumes at least; 0: it has no scalable vectors.
  /// Code for one length also runs where vectors are longer.
  unsigned vscale = 0;
  /// The -cpu of the platform's emulator that supports this level and not the
  /// next one; empty where the platform has none.
  llvm::StringRef emulatorCpu = {};

  /// The best unit of each pair of types that code is generated for.
  llvm::ArrayRef<Unit> units;
  /// From the nearest to the farthest: L1, L2, memory.
  llvm::ArrayRef<MemoryLevel> memory;
  /// At most this of rows that L1 does not hold and of which each element is
  /// filled into a vector by itself, as keys and values are: each line is
  /// waited for.
  unsigned rowBytesPerCycle = 0;
  /// Operations on elements that an exp2 takes: the polynomial of degree 6, and
  /// what brings the argument near zero and the exponent back.
  unsigned exp2Operations = 0;

  /// Of kind Cpu.
  CpuTraits cpu;
  /// Of kind Gpu.
  GpuTraits gpu = {};
  /// Of kind Device.
  DeviceTraits device = {};

  /// The unit that multiplies `operand` and sums in `accumulate`, or null.
  const Unit *findUnit(DType operand, DType accumulate) const;
  /// The same of one kind: a level may have several units for a pair of types.
  const Unit *findUnit(UnitKind kind, DType operand, DType accumulate) const;
  /// The fastest unit that sums in `accumulate`, F32 or F64; of a CPU no matrix
  /// unit, which Schedule chooses for single kernels.
  const Unit &unitFor(DType accumulate) const;
  Roofline roofline(DType accumulate) const {
    return {double(unitFor(accumulate).flopsPerCycle), memory};
  }
  /// See Roofline.
  double bytesPerCycle(double bytes) const {
    return roofline(DType::F32).bytesPerCycle(bytes);
  }
  int64_t l1Bytes() const { return memory[0].bytes; }
  int64_t l2Bytes() const { return memory[1].bytes; }
};

/// The level called `name` of any platform, or null; names are unique. "native"
/// is no level: see `Platform::selectLevel`.
const Target *lookupTarget(llvm::StringRef name);

/// The level of a tool that runs its code, and of a pass, when the user names
/// none.
const Target &getDefaultTarget();

/// The traits of the first level with this vector instruction set, for what all
/// such levels have in common; null if there is none.
const CpuTraits *lookupIsa(llvm::StringRef isa);

/// "x86-64-v3,x86-64-v4": as -mcpu takes them.
std::string joinTargetNames(llvm::ArrayRef<const Target *> targets);

/// "x86-64, x86-64-v3, ..." of all platforms, for diagnostics.
std::string listTargetNames();

/// What a pass says of a CPU that `lookupTarget` does not find.
std::string describeUnknownCpu(llvm::StringRef name);

/// The first feature of `target.requiredFeatures` that `features` lacks, or an
/// empty string when code for the target runs there.
llvm::StringRef findMissingFeature(const Target &target,
                                   const llvm::StringMap<bool> &features);

/// The features of this machine by CPUID. The model's name is of no use here: a
/// virtual machine may report another one than it runs on.
llvm::StringMap<bool> getHostFeatures();

} // namespace attnc

#endif // ATTNC_TARGET_TARGET_H
