//===- SteadyMaximum.h - Weights before the maximum is known ----*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_STEADYMAXIMUM_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_STEADYMAXIMUM_H

#include "Plan/Item.h"

namespace attnc::cpu {

/// A running maximum that most tiles leave as it is (SteadyMaximum.cpp).
struct SteadyMaximum {
  /// Weights exp2((x - m) c) of which only sums and bf16 are used
  /// (FixedPointWeights.cpp).
  struct FixedPoint {
    static constexpr double units = 256; // numbers in one power of two
    tile::MapOp weights, rounded;
    mlir::Value score, maximum; // x and m
    double scale = 1;           // c
    /// Where the scores are factor tanh(scale input), the map that makes them,
    /// maybe with masks between it and the weights (RangedTanh.cpp).
    struct Tanh {
      tile::MapOp map;
      mlir::Value input;
      double scale = 1, factor = 1;
      llvm::SmallVector<tile::SelectMaskedOp> masks;
      bool isBounded = false; // no exponent is below that of 0
    };
    std::optional<Tanh> tanh;
  };
  /// Of the weights of a row. Sums of ordinary weights, which are at most 1 or
  /// e^2, stay below.
  static constexpr double mostSum = 0x1p29;

  mlir::Value largest; // a reduction of the scores
  mlir::Value sum;     // a reduction of the weights
  mlir::Value before;  // the maximum that the loop carries
  mlir::Value next;    // and what it carries after the tile
  size_t nest = 0;     // the item of `largest`
  std::optional<FixedPoint> fixedPoint;
  Item fused;  // the paced nest with the ops of `nest`, except the reduction
  Item sample; // `nest` for some keys, without results but the reduction's
};

/// Whether scores depend on the distance of key and query.
bool dependOnDistance(tile::ForOp loop);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_STEADYMAXIMUM_H
