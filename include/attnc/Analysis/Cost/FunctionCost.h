//===- FunctionCost.h - Cost of a function's products -----------*- C++ -*-===//
//
// Two ways to write one function are compared by all that they multiply and put
// together, each product in the order as it stands.
//
// Tests: test/Graph/split-regimes.mlir, distribute-terms.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_FUNCTIONCOST_H
#define ATTNC_ANALYSIS_COST_FUNCTIONCOST_H

#include "attnc/Analysis/Product/ProductOrder.h"
#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

/// The products of a function and what is put together for them.
class FunctionCost {
public:
  FunctionCost(mlir::func::FuncOp function, const OrderRequest &request);
  double cyclesAt(const Regime &at) const;
  /// The regime with several values for each size that it does not list.
  llvm::SmallVector<Regime> varyOpenSizes(const Regime &regime) const;

private:
  OrderRequest request;
  std::vector<ProductTree> trees;
  llvm::SmallVector<attn::ConcatOp> copies;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_FUNCTIONCOST_H
