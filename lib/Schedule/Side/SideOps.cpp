//===- SideOps.cpp - Ops outside kernels that are scheduled ---------------===//

#include "Side/SideOps.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/InProduct.h"

using namespace mlir;

namespace attnc::schedule {

bool isSideOp(Operation *op) {
  if (auto map = dyn_cast<attn::MapOp>(op); map && isRepeatForKernels(map))
    return false; // nobody computes it
  if (op->hasAttr(attn::kInProduct))
    return false; // a product computes it
  return isa<attn::ContractOp, attn::MapOp, attn::NormalizeOp, attn::ReduceOp,
             attn::ConcatOp, attn::AppendOp, attn::ScanOp>(op);
}

attn::ContractOp changeSums(attn::ContractOp product, Type element,
                            Operation *last) {
  assert(!product.getMask() && "the mask would be lost");
  OpBuilder b(product);
  auto type = cast<RankedTensorType>(product.getType());
  auto made = attn::ContractOp::create(b, product.getLoc(), type.clone(element),
                                       product.getLabels(), product.getLhs(),
                                       product.getRhs());
  made->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  b.setInsertionPointAfter(last == product ? made.getOperation() : last);
  StringRef letters = product.getAxisLabels().output;
  auto read = attn::MapOp::create(
      b, product.getLoc(), type, (letters + "->" + letters).str(),
      made.getResult(), [](OpBuilder &inner, Location at, ValueRange x) {
        attn::YieldOp::create(inner, at, x[0]);
      });
  product.getResult().replaceAllUsesWith(read.getResult());
  product.erase();
  return made;
}

} // namespace attnc::schedule
