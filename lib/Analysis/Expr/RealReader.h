//===- RealReader.h - Read floats of a mask as expressions ------*- C++ -*-===//

#ifndef ATTNC_LIB_ANALYSIS_EXPR_REALREADER_H
#define ATTNC_LIB_ANALYSIS_EXPR_REALREADER_H

#include "Expr/IndexReader.h"

#include "attnc/Analysis/Expr/RealExpr.h"

namespace attnc {

/// Reads the reals of a region whose integers `integers` reads.
class RealReader {
public:
  RealReader(RealExprs &reals, IndexReader &integers)
      : reals(reals), integers(integers) {}

  /// Null where the value is not understood.
  RealExpr getReal(mlir::Value v);

private:
  RealExpr read(mlir::Value v);
  RealExpr readOp(mlir::Operation *op);

  RealExprs &reals;
  IndexReader &integers;
  llvm::DenseMap<mlir::Value, RealExpr> known;
};

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_EXPR_REALREADER_H
