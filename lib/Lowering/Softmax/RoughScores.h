//===- RoughScores.h - Approximate functions in formulas --------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_SOFTMAX_ROUGHSCORES_H
#define ATTNC_LIB_LOWERING_SOFTMAX_ROUGHSCORES_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::lowering {

/// What the result of a formula is for weights that are rounded to bf16.
enum class RoughResult {
  Exponent, // its absolute error is a weight's relative error
  Weight
};

/// Marks functions of a formula as approximate (fastmath<afn>) while the
/// errors that they may have add up to a small part of the rounding.
void markRough(tile::MapOp formula, RoughResult result);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_SOFTMAX_ROUGHSCORES_H
