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

} // namespace attnc::schedule
