//===- FunctionCost.cpp - Cost of a function's products -------------------===//
//
// See FunctionCost.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Cost/FunctionCost.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace attnc;

FunctionCost::FunctionCost(func::FuncOp function, const OrderRequest &request)
    : request(request), copies(function.getOps<attn::ConcatOp>()) {
  SmallVector<attn::ContractOp> products(function.getOps<attn::ContractOp>());
  llvm::SmallPtrSet<Operation *, 16> inner;
  for (attn::ContractOp root : llvm::reverse(products)) {
    std::optional<ProductTree> tree =
        inner.contains(root) ? std::nullopt : flattenProducts(root);
    if (!tree)
      continue;
    inner.insert(tree->ops.begin(), tree->ops.end());
    trees.push_back(std::move(*tree));
  }
}

double FunctionCost::cyclesAt(const Regime &at) const {
  double cycles = 1; // never 0
  for (const ProductTree &tree : trees)
    cycles += costOf(tree, tree.written, letterSizes(tree, at), request).cycles;
  for (attn::ConcatOp copy : copies) {
    Type type = copy->getResult(0).getType();
    double bytes =
        2 * double(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) / 8;
    for (unsigned axis = 0; axis < cast<RankedTensorType>(type).getRank();
         ++axis)
      bytes *= double(at.sizeOf(attn::axisSize(type, axis)));
    cycles += bytes / request.target->bytesPerCycle(bytes);
  }
  return cycles;
}

SmallVector<Regime> FunctionCost::varyOpenSizes(const Regime &regime) const {
  SmallVector<Regime> varied;
  for (const ProductTree &tree : trees)
    llvm::append_range(varied, attnc::varyOpenSizes(tree, regime));
  return varied;
}
