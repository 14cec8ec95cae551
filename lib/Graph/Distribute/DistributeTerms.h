//===- DistributeTerms.h - Distribute biases between products ---*- C++ -*-===//
//
// A bias ends a tree of products, and so the best order of those on both its
// sides may not be found. Terms are distributed (PushTerms.h) where what
// follows, all products in their best orders, costs less.
//
// Tests: test/Graph/distribute-terms.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_DISTRIBUTE_DISTRIBUTETERMS_H
#define ATTNC_LIB_GRAPH_DISTRIBUTE_DISTRIBUTETERMS_H

#include "attnc/Analysis/Product/ProductOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::graph {

/// Takes the products of a function in their best order, silently.
using OrderProducts = llvm::function_ref<void(mlir::func::FuncOp)>;

/// Distributes terms of `function` where `order` makes more of it then. True if
/// the function has changed.
bool distributeTerms(mlir::func::FuncOp function,
                     llvm::ArrayRef<Regime> regimes,
                     const OrderRequest &request, OrderProducts order);

/// Makes one of ops that stand there twice, since each tree of products was to
/// have its own. Of a function that distributeTerms has changed.
void mergeRepeatedOps(mlir::func::FuncOp function);

void eraseDeadOps(mlir::func::FuncOp function);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_DISTRIBUTE_DISTRIBUTETERMS_H
