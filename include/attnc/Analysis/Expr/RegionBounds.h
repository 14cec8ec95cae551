//===- RegionBounds.h - Bound scalar regions with unknown entries ---------===//
//
// Like EvaluateRegion.h, where a table may hold anything: the values are
// intervals, and a truth value is [0, 1] where it may be either. So the keys
// that a block may see are a superset, those that it surely sees a subset.
// Tests: test/Unit/Analysis/RegionBoundsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_REGIONBOUNDS_H
#define ATTNC_ANALYSIS_EXPR_REGIONBOUNDS_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

#include <limits>
#include <optional>

namespace attnc {

/// The least and the greatest value of an integer; anything unless told. A real
/// is one, as the bits of a double, or anything.
struct ValueBounds {
  int64_t lo = std::numeric_limits<int64_t>::min();
  int64_t hi = std::numeric_limits<int64_t>::max();

  static ValueBounds of(int64_t value) { return {value, value}; }
  bool isOne() const { return lo == hi; }
};

/// Of an op that computes nothing: attn.size, or one that looks at a table.
using LeafBounds = llvm::function_ref<std::optional<ValueBounds>(
    mlir::Operation *, llvm::ArrayRef<ValueBounds>)>;

/// Bounds of the operands of the terminator of `block` for these arguments;
/// nothing where an op or a leaf is not known, or a divisor is zero.
std::optional<llvm::SmallVector<ValueBounds>>
boundRegion(mlir::Block &block, llvm::ArrayRef<int64_t> arguments,
            LeafBounds leaf);

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_REGIONBOUNDS_H
