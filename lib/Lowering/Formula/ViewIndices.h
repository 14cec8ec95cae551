//===- ViewIndices.h - Memory indices of a kernel's letters -----*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_FORMULA_VIEWINDICES_H
#define ATTNC_LIB_LOWERING_FORMULA_VIEWINDICES_H

#include "Plan/Scope.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::lowering {

/// The digits with other letters.
TensorDigits renamed(TensorDigits digits,
                     llvm::function_ref<char(char)> nameOf);

/// Indices of the element at the places that `valueOf` gives to the letters.
llvm::SmallVector<mlir::Value>
indicesOf(mlir::OpBuilder &builder, mlir::Location loc, const Scope &scope,
          const TensorDigits &digits,
          llvm::function_ref<mlir::Value(char)> valueOf);

/// The buffer with these axes; a tiled letter (q, k, d, e) names its axis and
/// must be the fastest digit of it
/// that varies. Emits an error at `loc` otherwise, unless `report` is false.
mlir::FailureOr<tile::BufType> bufferOf(mlir::Location loc,
                                        const TensorDigits &digits,
                                        mlir::Type element, bool report = true);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_FORMULA_VIEWINDICES_H
