//===- CompensatedSum.h - Sums with what rounding lost ----------*- C++ -*-===//
//
// Tests: test/Lowering/chunked.mlir, test/Lowering/Side/in-product.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_LOWERING_FORMULA_COMPENSATEDSUM_H
#define ATTNC_LIB_LOWERING_FORMULA_COMPENSATEDSUM_H

#include "attnc/Dialect/Tile/Tile.h"

#include <utility>

namespace attnc::lowering {

/// The sum s * ratio + x as s' and, in the second tile, what its rounding lost
/// so far (the two-sum of Knuth): thousands of terms add up without losing
/// digits. `ratio` is a number, a tile of fewer dims, or null for 1.
std::pair<mlir::Value, mlir::Value> emitSum(mlir::OpBuilder &builder,
                                            mlir::Location loc, mlir::Value s,
                                            mlir::Value lost, mlir::Value ratio,
                                            mlir::Value x);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_FORMULA_COMPENSATEDSUM_H
