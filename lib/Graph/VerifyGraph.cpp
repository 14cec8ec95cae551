//===- VerifyGraph.cpp - Verify the invariants of stage graph -------------===//
//
// Import writes such modules, and people edit their dumps. Everything that
// Fusion takes for granted is checked first, so that a wrong dump gets a
// message here instead of a strange result later.
// Tests: test/Graph/verify-graph.mlir, verify-graph-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/VerifyStage.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

// graph_c1: kernels come with Fusion.
static bool isGraphOp(Operation *op) {
  return isa<attn::ViewOp, attn::ContractOp, attn::MapOp, attn::MaskOp,
             attn::NormalizeOp, attn::ReduceOp, attn::UnpackOp, attn::PackOp,
             attn::PlaceOp, attn::PagesOp, attn::SliceOp, attn::ConcatOp,
             attn::AppendOp, attn::ScanOp>(op);
}

namespace {
struct VerifyGraph final : graph::impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(attn::verifyStage(getOperation(), isGraphOp,
                                 "attn.view, attn.slice, attn.concat, "
                                 "attn.append, ops of storage, attn.contract, "
                                 "attn.map, attn.mask, attn.normalize, "
                                 "attn.reduce and attn.scan")))
      signalPassFailure();
  }
};
} // namespace
