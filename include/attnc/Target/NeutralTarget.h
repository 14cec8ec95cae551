//===- NeutralTarget.h - One machine for decisions before parts -*- C++ -*-===//
//
// Stage `fused` is one text for every target, so what is decided before it is
// decided for one machine: the order of products for a core with vectors of 256
// bits, whose ridge the user can set. Tests:
// test/Unit/Target/NeutralTargetTest.cpp, test/Pipeline/neutral-fused.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_NEUTRALTARGET_H
#define ATTNC_TARGET_NEUTRALTARGET_H

#include "attnc/Target/Target.h"

#include <array>

namespace attnc {

/// FLOP in f32 that a core computes in the time in which it reads one byte of
/// memory: about that of the level x86-64-v3. GPUs have 10 to 20 without and
/// 150 to 300 with matrix units.
inline constexpr double kDefaultRidge = 5.33;

class NeutralTarget {
public:
  /// `ridge` is positive; reading L2 is 16/3 times as fast as memory.
  explicit NeutralTarget(double ridge = kDefaultRidge);
  NeutralTarget(const NeutralTarget &) = delete;
  NeutralTarget &operator=(const NeutralTarget &) = delete;

  const Target &get() const { return target; }

private:
  std::array<MemoryLevel, 3> memory;
  Target target;
};

} // namespace attnc

#endif // ATTNC_TARGET_NEUTRALTARGET_H
