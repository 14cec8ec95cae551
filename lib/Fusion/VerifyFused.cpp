//===- VerifyFused.cpp - Check the invariants of stage fused --------------===//
//
// Schedule, Lowering and the code generators know kernels and views. An op that
// Fusion had to leave alone would be lost on them, so the compilation ends
// here, and the remark of attn-fuse-kernel tells why.
// Tests: test/Fusion/verify-fused.mlir, verify-fused-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/VerifyStage.h"

using namespace mlir;
using namespace attnc;

namespace attnc::fusion {
#define GEN_PASS_DEF_VERIFYFUSED
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

// fused_c1
static bool isFusedOp(Operation *op) {
  return isa<attn::ViewOp, attn::KernelOp>(op);
}

namespace {
struct VerifyFused final : fusion::impl::VerifyFusedBase<VerifyFused> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(attn::verifyStage(
            getOperation(), isFusedOp,
            "attn.kernel and attn.view; what is not fused cannot be compiled "
            "yet")))
      signalPassFailure();
  }
};
} // namespace
