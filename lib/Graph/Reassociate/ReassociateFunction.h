//===- ReassociateFunction.h - Reassociation as a function ------*- C++ -*-===//
//
// For those who ask what a function would cost in another order: they try it on
// a copy.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEFUNCTION_H
#define ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEFUNCTION_H

#include "attnc/Analysis/Product/ProductOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::graph {

/// Takes the products of a function in the order that costs least at
/// `regimes`; remarks tell what was chosen.
void reassociateProducts(mlir::func::FuncOp function,
                         llvm::ArrayRef<Regime> regimes,
                         const OrderRequest &request);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEFUNCTION_H
