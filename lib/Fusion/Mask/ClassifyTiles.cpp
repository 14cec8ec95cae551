//===- ClassifyTiles.cpp - Classify tiles as empty, full or partial -------===//
//
// Some masks have no few segments: ids of documents in any order, every 1000th
// key, a neighbourhood on a grid, a table of blocks. Whether a tile is empty or
// full is then asked for each tile, by interval arithmetic on the mask and the
// least and greatest entries of its tables:
//
//   mask {^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
//     %x = attn.read %doc[%b, %q] : tensor<?x?xi32> -> index
//     %y = attn.read %doc[%b, %k] : tensor<?x?xi32> -> index
//     %c = arith.cmpi eq, %x, %y : index
//     attn.yield %c : i1
//   }
// gets
//   classify {^bb0(%b.., %q0: index, %q1: index, %k0: index, %k1: index):
//     %a = attn.table_min %doc[%b, %q0] to [%b, %qlast] : tensor<?x?xi32>
//     ... their intervals overlap: 1 or 2; all four ends are equal: 2
//     attn.yield %class : index
//   }
//
// Only where segments are too weak and where some tile is surely empty or full.
// The analysis is lib/Analysis/Mask/TileClass.cpp. A kernel that has `classify`
// keeps it, so that a dump may be edited.
// Tests: test/Fusion/classify-tiles.mlir, classify-reals.mlir,
// classify-tiles-remarks.mlir,
// test/Unit/Analysis/RandomMasksTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Mask/IndexWriter.h"

#include "attnc/Analysis/Expr/EvaluateRegion.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_CLASSIFYTILES
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

/// Writes `classify` for the conditions of a tile; where an assumption of the
/// analysis does not hold, nothing is known.
static void writeClassify(attn::KernelOp kernel, IndexExprs &exprs,
                          MaskConditions &conditions, const MaskRegion &mask,
                          TileClass tile) {
  for (IndexExpr assumption : mask.assumptions) {
    const MaskCondition *holds = conditions.atLeastZero(assumption);
    tile.some = conditions.either(conditions.negate(holds), tile.some);
    tile.all = conditions.both(holds, tile.all);
  }
  OpBuilder builder(kernel.getContext());
  Location loc = mask.block->getTerminator()->getLoc();
  SmallVector<Type> types(7, builder.getIndexType());
  SmallVector<Location> locs(7, loc);
  Block *block = builder.createBlock(&kernel.getClassify(), Region::iterator(),
                                     types, locs);
  IndexWriter writer(builder, loc, exprs, mask, keyCountOf(kernel), *block);
  Value some = writer.write(tile.some), all = writer.write(tile.all);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value partial =
      arith::SelectOp::create(builder, loc, some, constant(1), constant(0));
  Value result =
      arith::SelectOp::create(builder, loc, all, constant(2), partial);
  attn::YieldOp::create(builder, loc, result);
}

/// The part of the tiles that `ranges` leaves open that `classify` decides, at
/// 4096 queries and keys in tiles of 64 by 64; nothing where that depends on
/// tables or on other sizes.
static std::optional<double> estimateDecided(attn::KernelOp kernel) {
  constexpr int64_t length = 4096, side = 64, step = 8 * side;
  auto leaf = [&](Operation *op, ArrayRef<int64_t>) -> std::optional<int64_t> {
    auto size = dyn_cast<attn::SizeOp>(op);
    if (size && (size.getName() == "query_len" || size.getName() == "kv_len"))
      return length;
    return std::nullopt;
  };
  int64_t open = 0, decided = 0;
  for (int64_t q = side; q < length; q += step) {
    auto bounds = evaluateRegion(kernel.getRanges().front(),
                                 {0, 0, 0, q, q + side}, leaf);
    if (!bounds)
      return std::nullopt;
    for (int64_t k = 0; k < length; k += side) {
      bool seen = false, full = false;
      for (size_t i = 0; i < bounds->size(); i += 4) {
        seen |= (*bounds)[i] < k + side && k < (*bounds)[i + 3];
        full |= (*bounds)[i + 1] <= k && k + side <= (*bounds)[i + 2];
      }
      if (!seen || full)
        continue;
      auto found = evaluateRegion(kernel.getClassify().front(),
                                  {0, 0, 0, q, q + side, k, k + side}, leaf);
      if (!found)
        return std::nullopt;
      ++open;
      decided += (*found)[0] != 1;
    }
  }
  return open ? double(decided) / double(open) : 0.0;
}

static unsigned countOps(Block &block) {
  return llvm::count_if(block.without_terminator(), [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  });
}

static void classify(attn::KernelOp kernel) {
  // Deciding a tile takes less than a hundredth of its time.
  constexpr double leastDecided = 0.02;
  IndexExprs exprs;
  MaskConditions conditions;
  MaskRegion mask = readMaskRegion(
      exprs, conditions, kernel.getMask().front(), keyCountOf(kernel),
      tableFactsOf(kernel->getParentOfType<func::FuncOp>()));
  if (solveMask(exprs, mask.cases, mask.assumptions).areExact())
    return;
  TileClass tile = classifyTile(exprs, conditions, mask.condition);
  bool decides = tile.some->kind != MaskCondition::Kind::Always ||
                 tile.all->kind != MaskCondition::Kind::Never;
  std::optional<double> part;
  if (decides && !exprs.exhausted()) {
    writeClassify(kernel, exprs, conditions, mask, tile);
    part = estimateDecided(kernel);
    decides = !part || *part >= leastDecided;
    if (!decides)
      kernel.getClassify().getBlocks().clear();
  }
  if (!decides || exprs.exhausted()) {
    remarkOn(kernel) << "almost no tile can be classified as empty or full, so "
                        "all tiles of the segments run the mask [mask]";
    return;
  }
  InFlightDiagnostic remark = remarkOn(kernel);
  remark << "tiles are classified by " << countOps(kernel.getClassify().front())
         << " operations";
  if (part)
    remark << "; of those that segments leave open, "
           << int64_t(*part * 100 + 0.5)
           << "% of 64 x 64 at length 4096 turn out empty or full";
  remark << " [mask]";
}

namespace {
struct ClassifyTiles final
    : attnc::fusion::impl::ClassifyTilesBase<ClassifyTiles> {
  void runOnOperation() override {
    getOperation()->walk([](attn::KernelOp kernel) {
      if (kernel.hasRanges() && !kernel.hasClassify() && keyCountOf(kernel))
        classify(kernel);
    });
  }
};
} // namespace
