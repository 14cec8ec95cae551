//===- RegionEvaluator.h - Runs the scalar code of a region -----*- C++ -*-===//
//
// Score, mask, range and map regions are straight-line scalar code. This runs
// one for many lanes at once (Column.h).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_SCALAR_REGIONEVALUATOR_H
#define ATTNC_LIB_REFERENCE_SCALAR_REGIONEVALUATOR_H

#include "Scalar/Scalar.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace attnc::reference {

template <typename Real> class RegionEvaluator {
public:
  using Columns = llvm::SmallVector<Column<Real>>;
  /// The value of an SSA value from outside the region; null if unknown.
  using Outer = std::function<const Column<Real> *(mlir::Value)>;
  /// Ops of our dialects (sizes, table reads): the column of their result.
  using OwnOp = std::function<mlir::FailureOr<Column<Real>>(
      mlir::Operation *, llvm::ArrayRef<const Column<Real> *>)>;

  RegionEvaluator(Arithmetic arithmetic, Outer outer, OwnOp ownOp)
      : arithmetic(arithmetic), outer(std::move(outer)),
        ownOp(std::move(ownOp)) {}

  /// Runs `block` with the given arguments; the columns of the terminator's
  /// operands.
  mlir::FailureOr<Columns> run(mlir::Block &block,
                               llvm::ArrayRef<Column<Real>> arguments);

  /// The column of the one result of a scalar op outside any region.
  mlir::FailureOr<Column<Real>> evaluate(mlir::Operation *op);

private:
  const Column<Real> *find(mlir::Value value) const;

  Arithmetic arithmetic;
  Outer outer;
  OwnOp ownOp;
  llvm::DenseMap<mlir::Value, Column<Real>> values;
};

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_SCALAR_REGIONEVALUATOR_H
