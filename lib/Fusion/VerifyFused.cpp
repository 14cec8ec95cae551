//===- VerifyFused.cpp - Verify the invariants of stage fused -------------===//
//
// What visits pairs of queries and keys is a kernel if fusion could make one.
// Ops on other tensors are next to it, and so is everything that fusion left
// alone: the remark of attn-fuse-kernel says why, and the warning slow-path
// that it goes through memory.
// Tests: test/Fusion/verify-fused.mlir, verify-fused-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/VerifyStage.h"

using namespace mlir;
using namespace attnc;

namespace attnc::fusion {
#define GEN_PASS_DEF_VERIFYFUSED
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

// fused_c1
static bool isFusedOp(Operation *op) {
  return isa<attn::ViewOp, attn::KernelOp, attn::ContractOp, attn::MapOp,
             attn::MaskOp, attn::NormalizeOp, attn::ReduceOp, attn::UnpackOp,
             attn::PackOp, attn::PlaceOp, attn::PagesOp, attn::SliceOp,
             attn::ConcatOp, attn::AppendOp, attn::ScanOp>(op);
}

namespace {
struct VerifyFused final : fusion::impl::VerifyFusedBase<VerifyFused> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(attn::verifyStage(
            getOperation(), isFusedOp,
            "attn.kernel, attn.view, attn.slice, attn.concat, "
            "attn.append, ops of storage, attn.contract, attn.map, attn.mask, "
            "attn.normalize, attn.reduce and attn.scan")))
      signalPassFailure();
  }
};
} // namespace
