//===- ReadElement.h - Read an element of a function's tensor ---*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_FORMULA_READELEMENT_H
#define ATTNC_LIB_LOWERING_FORMULA_READELEMENT_H

#include "Plan/Scope.h"

#include "mlir/Support/LLVM.h"

namespace attnc::lowering {

/// Emits an error at `user` unless emitRead can read `tensor`: the sizes of
/// axes that views split or merge are known.
mlir::LogicalResult checkElements(mlir::Operation *user, mlir::Value tensor,
                                  const Scope &scope);

/// The element of `tensor` at `indices` as a scalar of `type`. Views become
/// arithmetic on the indices, a mask becomes its formula. An index out of the
/// range of the tensor behind the views is clamped.
mlir::Value emitRead(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tensor, mlir::ValueRange indices,
                     mlir::Type type, const Scope &scope);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_FORMULA_READELEMENT_H
