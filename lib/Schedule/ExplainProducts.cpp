//===- ExplainProducts.cpp - Report the blocks of products ----------------===//
//
// Which unit computes a product outside kernels, and in which blocks. These are
// the blocks of the object, so the pass runs after all that choose them:
// products that read panels have others (PackPanels.cpp) than
// attn-select-schedule selects.
//
//   %y = attn.contract "qd,de->qe" (%x, %w) {attn.block = #attn.block<...>}
// remark: sapphirerapids: qd,de->qe, blocks of 512 x 32 with sums over 768,
// bf16
//         on the matrix unit [schedule]
//
// Tests: test/Schedule/Cpu/explain-products.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "Side/SideOps.h"
#include "Strategy.h"

#include "attnc/Interface/Remark.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_EXPLAINPRODUCTS
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

namespace {
struct ExplainProducts final
    : attnc::schedule::impl::ExplainProductsBase<ExplainProducts> {
  using ExplainProductsBase::ExplainProductsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Target *target = findLevel(module.getLoc(), cpu, backend.getValue());
    if (!target)
      return signalPassFailure();
    auto strategies = getStrategies(*target, backend);
    if (strategies.empty())
      return; // attn-select-schedule reports it
    module.walk([&](Operation *op) {
      attn::BlockAttr block = attn::BlockAttr::of(op);
      if (!block || !isSideOp(op))
        return;
      std::string text = strategies.front()->explainBlock(op, block, *target);
      if (!text.empty())
        remarkOn(op) << text << " [schedule]";
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
