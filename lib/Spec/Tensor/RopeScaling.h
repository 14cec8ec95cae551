//===- RopeScaling.h - Frequencies of rotary embeddings -------------------===//
//
// Pair c of n features turns by position * frequency(c) * ..., where
// frequency(c) = base ** (-2 c / n), changed as the scaling says:
//
//   linear    positions divided by a factor (Chen et al. 2023)
//   llama3    long waves are slowed down, those in between blend (Llama 3.1)
//   yarn      slow ones are divided, fast ones kept, a ramp between, and cos
//             and sin get a factor (Peng et al. 2023, as in DeepSeek, gpt-oss)
//   longrope  each pair has its own divisor, another one for long sequences,
//             and cos and sin get a factor (Ding et al. 2024, as in Phi-3)
//
// Numbers that are known are computed in f64. Tests:
// test/Spec/Layers/Rope/rope*
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_TENSOR_ROPESCALING_H
#define ATTNC_LIB_SPEC_TENSOR_ROPESCALING_H

#include "attnc/Spec/Expr.h"

#include <cmath>

namespace attnc::spec {

struct RopeScaling {
  enum Kind : uint8_t { None, Linear, Llama3, Yarn, LongRope };
  Kind kind = None;
  double factor = 1;
  double low = 1, high = 4;   // llama3: turns over the original length
  double fast = 32, slow = 1; // yarn: the same, the ends of the ramp
  double original = 1;        // length that the model was trained with
  double attention = 0;       // yarn: factor of cos and sin; 0: its default
  bool truncate = true;       // yarn: the ramp ends at whole pairs

  /// The factor of cos and sin.
  double magnitude() const;
};

/// The frequency of the pair that the int formula `pair` says, of `pairs`
/// pairs; but for longrope's divisors.
ExprPtr frequencyOf(const RopeScaling &scaling, double base, int64_t pairs,
                    const ExprPtr &pair);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_TENSOR_ROPESCALING_H
