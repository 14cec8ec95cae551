//===- RowOrder.h - Features of rows of K and V in lanes --------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_FEATURES_ROWORDER_H
#define ATTNC_LIB_CODEGEN_CPU_FEATURES_ROWORDER_H

#include "Emit/Rows.h"

#include <array>

namespace attnc::cpu {

/// Steps of the summed dim per turn of an inner loop: a step is an instruction
/// or two per accumulator.
inline constexpr int64_t kFeatureSteps = 4;

/// Which features two vectors of a row have in their lanes. What is left of a
/// row, less than two vectors, is always in order.
enum class RowOrder {
  Plain,   // in order
  EvenOdd, // of bf16, one has every other feature, the other those between
  Pairs,   // in order, each lane has a pair (one vector)
  Zipped,  // of two rows: each lane has a feature of both (as VPUNPCK gives)
};

/// The operands of a product with features in its lanes.
Value queriesOf(tile::DotOp dot);
Value rowsOf(tile::DotOp dot);

/// The order in which a product reads its rows. All products of the same
/// queries with features along the lanes read them in one order.
RowOrder rowOrderOf(tile::DotOp dot, const Plan &plan);

/// The feature in lane `lane` of vector `number`, counted from the first of
/// `count` features.
int64_t featureAt(RowOrder order, int64_t number, int64_t lane, int64_t lanes,
                  int64_t count);

/// `lanes` pairs of 16-bit elements of a row as 32-bit lanes.
Value loadPairs(Ops &ops, int64_t lanes, Value pointer);

/// The elements of such pairs in f32: the lower, and the upper halves.
std::array<Value, 2> splitPairs(Ops &ops, Value pairs);

/// Pairs from their elements, which are bf16 in f32.
Value joinPairs(Ops &ops, Value low, Value high);

/// Two vectors of pairs, a feature of each row: `count` features, one vector or
/// two. `second` is null where there is no second row.
SmallVector<Value> zipRows(Ops &ops, int64_t lanes, int64_t count, Value first,
                           Value second);

/// `count` adjacent elements of a row in their type, and zeros; nothing past
/// the row's end is read.
Value loadElements(Ops &ops, int64_t lanes, Type memory, Value pointer,
                   int64_t count);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_FEATURES_ROWORDER_H
