//===- CpuTraits.h - Registers and instructions of a CPU --------*- C++ -*-===//
//
// The part of a Target that only lib/Schedule/Cpu and lib/Codegen/CPU may ask
// for; tools/dev/check_layering.py checks that.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_CPUTRAITS_H
#define ATTNC_TARGET_CPUTRAITS_H

#include "llvm/ADT/StringRef.h"

namespace attnc {

struct CpuTraits {
  /// The vector instruction set, as `#tile.cpu<isa = ...>` spells it.
  llvm::StringRef isa;
  unsigned vectorBits = 0;
  unsigned vectorRegisters = 0;

  bool hasFma = false;
  /// A load that fills a vector with one scalar and takes no other unit.
  bool hasBroadcastLoad = false;
  /// A rounding instruction (roundps or vrndscaleps); else int conversions.
  bool hasRound = false;
  /// vscalefps and vreduceps: exp2 without clamping and shifts.
  bool hasScalef = false;
  /// Conversions between f32 and f16, or f32 to bf16, in hardware.
  bool hasF16Conversion = false;
  bool hasBf16Conversion = false;
  /// Loads of one element per lane, of 32 or 64 bits, from as many addresses.
  bool hasGather = false;

  /// Floating-point vector instructions that start in one cycle (of a kind: an
  /// fma, or an addition or a multiplication), and the cycles until the result
  /// of one is there: `fmaPerCycle * fmaLatency` independent accumulators keep
  /// the units busy.
  unsigned fmaPerCycle = 0;
  unsigned fmaLatency = 0;
  /// Vector loads that start in one cycle when the data are in L1.
  unsigned loadsPerCycle = 0;

  /// Elements of `bits` bits in one vector register.
  unsigned lanes(unsigned bits) const { return vectorBits / bits; }
};

} // namespace attnc

#endif // ATTNC_TARGET_CPUTRAITS_H
