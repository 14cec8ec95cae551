//===- Target.h - What the compiler knows of a machine ----------*- C++ -*-===//
//
// Data, no code generation: one CpuTarget per micro-architecture level that
// -mcpu names. Schedule decides from these numbers, Codegen asks for the
// features, Emit takes LLVM's names. A new level is one more entry of the table
// in lib/Target/CpuTargets.cpp.
// Tests: test/Unit/Target/CpuTargetTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_TARGET_H
#define ATTNC_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace attnc {

/// One CPU level. Sizes are per core. What differs between the machines of a
/// level is given for the smallest of them, so that a choice fits all.
struct CpuTarget {
  /// The value of -mcpu, for example "x86-64-v4".
  llvm::StringRef name;
  /// One line for lists of targets.
  llvm::StringRef description;
  /// The vector instruction set, as `#tile.cpu<isa = ...>` spells it.
  llvm::StringRef isa;

  /// For llvm::TargetMachine and the attributes of functions. The features come
  /// on top of those that the CPU name implies.
  llvm::StringRef llvmCpu;
  llvm::StringRef llvmFeatures;
  /// What the host must have to run the code, in LLVM's names, one blank
  /// between two.
  llvm::StringRef requiredFeatures;

  unsigned vectorBits;
  unsigned vectorRegisters;

  bool hasFma;
  /// A load that fills a vector with one scalar and takes no other unit.
  bool hasBroadcastLoad;
  /// A rounding instruction (roundps or vrndscaleps); else int conversions.
  bool hasRound;
  /// vscalefps and vreduceps: exp2 without clamping and shifts.
  bool hasScalef;
  /// Conversions between f32 and f16, or f32 to bf16, in hardware.
  bool hasF16Conversion;
  bool hasBf16Conversion;

  int64_t l1dBytes;
  int64_t l2Bytes;

  /// Floating-point vector instructions that start in one cycle (of a kind: an
  /// fma, or an addition or a multiplication), and the cycles until the result
  /// of one is there: `fmaPerCycle * fmaLatency` independent accumulators keep
  /// the units busy.
  unsigned fmaPerCycle;
  unsigned fmaLatency;
  /// Vector loads that start in one cycle when the data are in L1.
  unsigned loadsPerCycle;
  /// What a core reads in one cycle from its L2, and from memory.
  unsigned l2BytesPerCycle;
  unsigned memoryBytesPerCycle;
  /// At most this of rows that L1 does not hold and of which each element is
  /// filled into a vector by itself, as keys and values are: each line is
  /// waited for.
  unsigned rowBytesPerCycle;

  /// Elements of `bits` bits in one vector register.
  unsigned lanes(unsigned bits) const { return vectorBits / bits; }
  unsigned lanesF32() const { return lanes(32); }
  unsigned lanesF64() const { return lanes(64); }

  /// The peak of one core in FLOP per cycle for elements of `bits` bits. An fma
  /// counts as two.
  unsigned flopsPerCycle(unsigned bits) const {
    return fmaPerCycle * lanes(bits) * (hasFma ? 2 : 1);
  }
  /// From where something reads that goes through so many bytes once: its L2,
  /// unless they fill it.
  double bytesPerCycle(double bytes) const {
    return bytes <= 0.75 * double(l2Bytes) ? l2BytesPerCycle
                                           : memoryBytesPerCycle;
  }
};

/// All levels, each a superset of the one before it.
llvm::ArrayRef<CpuTarget> getCpuTargets();

/// The level called `name`, or null. "native" is no level: see
/// `selectCpuTarget`.
const CpuTarget *lookupCpuTarget(llvm::StringRef name);

/// The level that -mcpu names when the user names none.
const CpuTarget &getDefaultCpuTarget();

/// "x86-64, x86-64-v3, ...", for diagnostics and help texts.
std::string listCpuTargetNames();

/// What a pass says of a CPU that `lookupCpuTarget` does not find.
std::string describeUnknownCpu(llvm::StringRef name);

/// The level that `name` is probably a misspelling of, for "did you mean", or
/// an empty string.
llvm::StringRef findSimilarCpuTarget(llvm::StringRef name);

/// The first feature of `target.requiredFeatures` that `features` lacks, or an
/// empty string when code for the target runs there.
llvm::StringRef findMissingFeature(const CpuTarget &target,
                                   const llvm::StringMap<bool> &features);

/// The last level whose code runs on a host with these features: `native`.
const CpuTarget &selectCpuTarget(const llvm::StringMap<bool> &features);

/// The features of this machine by CPUID. The model's name is of no use here: a
/// virtual machine may report another one than it runs on.
llvm::StringMap<bool> getHostFeatures();

} // namespace attnc

#endif // ATTNC_TARGET_TARGET_H
