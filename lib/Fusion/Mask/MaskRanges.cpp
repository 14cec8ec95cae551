//===- MaskRanges.cpp - Key ranges visible to a block of queries ----------===//
//
// A causal kernel that visits every tile does twice the work, and mask code on
// tiles that need none costs 5 to 9 points of the peak. Which tiles these are
// depends on the size of the blocks, which nobody has chosen yet; so the answer
// is a formula of a block's first and last row:
//
//   mask {^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
//     %c = arith.cmpi sle, %k, %q : index
//     attn.yield %c : i1
//   }
// gets
//   ranges {^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
//     %c0 = arith.constant 0 : index
//     %c1 = arith.constant 1 : index
//     %all = arith.addi %q0, %c1 : index
//     %n = attn.size "kv_len"
//     %any = arith.minsi %q1, %n : index
//     attn.yield_ranges [(%c0, %c0, %all, %any)]
//   }
//
// The analysis is lib/Analysis/Mask/MaskRanges.cpp. A kernel that has ranges
// keeps them, so that a dump may be edited. Tests:
// test/Fusion/mask-ranges.mlir, mask-ranges-large.test,
// test/Unit/Fusion/MaskRangesPassTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Mask/IndexWriter.h"

#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_MASKRANGES
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

static void addRanges(attn::KernelOp kernel) {
  // The extent must have a name to be compared with.
  Attribute keyCount = keyCountOf(kernel);
  if (!keyCount) {
    remarkOn(kernel) << "no ranges: the number of keys has no name [mask]";
    return;
  }
  IndexExprs exprs;
  MaskConditions conditions;
  Block &maskBlock = kernel.getMask().front();
  MaskRegion mask =
      readMaskRegion(exprs, conditions, maskBlock, keyCount,
                     tableFactsOf(kernel->getParentOfType<func::FuncOp>()));
  attnc::MaskRanges ranges = solveMask(exprs, mask.cases, mask.assumptions);

  OpBuilder builder(kernel.getContext());
  Location loc = maskBlock.getTerminator()->getLoc();
  SmallVector<Location> locs(5, loc);
  SmallVector<Type> types(5, builder.getIndexType());
  Block *block =
      builder.createBlock(&kernel.getRanges(), Region::iterator(), types, locs);
  IndexWriter writer(builder, loc, exprs, mask, keyCount, *block);
  SmallVector<Value> bounds;
  for (const KeySegment &s : ranges.segments)
    for (IndexExpr bound : {s.anyLo, s.allLo, s.allHi, s.anyHi})
      bounds.push_back(writer.write(bound));
  attn::YieldRangesOp::create(builder, loc, bounds);

  unsigned numOps =
      llvm::count_if(block->without_terminator(), [](Operation &op) {
        return !op.hasTrait<OpTrait::ConstantLike>();
      });
  auto count = [](unsigned n, StringRef word) {
    return std::to_string(n) + " " + word.str() + (n == 1 ? "" : "s");
  };
  InFlightDiagnostic remark = remarkOn(kernel);
  remark << count(ranges.segments.size(), "segment") << " of keys, computed by "
         << count(numOps, "operation");
  if (exprs.exhausted()) {
    remark << "; the mask has too many parts to analyze, so all of its tiles "
              "run it [mask]";
    return;
  }
  if (ranges.numUnsolved == 0) {
    remark << " [mask]";
    return;
  }
  remark << "; " << count(ranges.numUnsolved, "condition")
         << (ranges.numUnsolved == 1 ? " is" : " are")
         << " not solved by segments [mask]";
  if (mask.opaque)
    remark.attachNote(mask.opaque->getLoc())
        << "this is not a comparison of sums of positions";
}

namespace {
struct MaskRangesPass final
    : attnc::fusion::impl::MaskRangesBase<MaskRangesPass> {
  void runOnOperation() override {
    getOperation()->walk([](attn::KernelOp kernel) {
      if (!kernel.hasRanges())
        addRanges(kernel);
    });
  }
};
} // namespace
