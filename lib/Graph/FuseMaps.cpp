//===- FuseMaps.cpp - Merge a map into its single user --------------------===//
//
// A bias, a scale and a cap are often written as one map each. Fusion into a
// kernel wants the formula of a score in one region, and so does everyone who
// would otherwise walk over the elements twice:
//
//   %1 = attn.map "qk->qk" (%s) {^(%x, %q, %k): %y = mulf %x, 0.125}
//   %2 = attn.map "qk,k->qk" (%1, %b) {^(%x, %z, %q, %k): %y = addf %x, %z}
// becomes
//   %2 = attn.map "k,qk->qk" (%b, %s) {^(%z, %x, %q, %k):
//     %y = mulf %x, 0.125   %w = addf %y, %z}
//
// Tests: test/Graph/fuse-maps.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/MapFormula.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace attnc;
using attn::MapOp;

namespace attnc::graph {
#define GEN_PASS_DEF_FUSEMAPS
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

/// The type in which the merged formula is computed.
static Type accumulateOfFused(MapOp outer, MapOp inner) {
  SmallVector<Type> types{outer.getType()};
  llvm::append_range(types, inner.getInputs().getTypes());
  for (Value input : outer.getInputs())
    if (input != inner.getResult())
      types.push_back(input.getType());
  return attn::accumulateType(types);
}

static LogicalResult checkFusible(MapOp outer, MapOp inner,
                                  PatternRewriter &rewriter) {
  if (!llvm::hasSingleElement(inner->getUsers()))
    return rewriter.notifyMatchFailure(inner, "has a second use");
  Type element = getElementTypeOrSelf(inner.getType());
  Type accumulate = inner.getAccumulateType();
  if (element != attn::scalarType(inner.getType(), accumulate))
    return rewriter.notifyMatchFailure(inner, "rounds its result");
  if (accumulate != outer.getAccumulateType() ||
      accumulate != accumulateOfFused(outer, inner))
    return rewriter.notifyMatchFailure(outer, "computes in another type");
  return success();
}

// The operands of the fused map: the outer one's without `index`, then the
// inner one's.
static void buildFused(MapOp outer, MapOp inner, unsigned index,
                       PatternRewriter &rewriter) {
  attn::Labels outerLabels = outer.getAxisLabels();
  attn::Labels innerLabels = inner.getAxisLabels();
  StringRef between = outerLabels.inputs[index];

  SmallVector<Value> inputs(outer.getInputs());
  inputs.erase(inputs.begin() + index);
  llvm::append_range(inputs, inner.getInputs());
  SmallVector<std::string> names;
  for (auto [i, letters] : llvm::enumerate(outerLabels.inputs))
    if (i != index)
      names.push_back(letters.str());
  for (StringRef letters : innerLabels.inputs)
    names.push_back(attn::renameLetters(letters, innerLabels.output, between));
  std::string labels = llvm::join(names, ",") + "->" + outerLabels.output.str();

  auto buildBody = [&](OpBuilder &b, Location, ValueRange arguments) {
    unsigned kept = outer.getInputs().size() - 1;
    ValueRange innerScalars = arguments.slice(kept, inner.getInputs().size());
    ValueRange indices = arguments.take_back(outerLabels.output.size());
    IRMapping inside, outside;
    Block &innerBlock = inner.getBody().front();
    Block &outerBlock = outer.getBody().front();
    inside.map(innerBlock.getArguments().take_front(innerScalars.size()),
               innerScalars);
    for (auto [axis, letter] : llvm::enumerate(between))
      inside.map(innerBlock.getArgument(innerScalars.size() + axis),
                 indices[*attn::axisOf(outerLabels.output, letter)]);
    for (Operation &op : innerBlock.without_terminator())
      b.clone(op, inside);

    auto yield = cast<attn::YieldOp>(innerBlock.getTerminator());
    outside.map(outerBlock.getArgument(index),
                inside.lookupOrDefault(yield.getValue()));
    unsigned next = 0;
    for (unsigned i : llvm::seq(kept + 1))
      if (i != index)
        outside.map(outerBlock.getArgument(i), arguments[next++]);
    outside.map(outerBlock.getArguments().drop_front(kept + 1), indices);
    for (Operation &op : outerBlock)
      b.clone(op, outside);
  };
  rewriter.setInsertionPoint(outer);
  auto fused = MapOp::create(rewriter, outer.getLoc(), outer.getType(), labels,
                             inputs, buildBody);
  rewriter.replaceOp(outer, fused);
}

static LogicalResult fuseMap(MapOp outer, PatternRewriter &rewriter) {
  for (auto [index, input] : llvm::enumerate(outer.getInputs())) {
    auto inner = input.getDefiningOp<MapOp>();
    if (!inner || failed(checkFusible(outer, inner, rewriter)))
      continue;
    buildFused(outer, inner, index, rewriter);
    if (inner->use_empty())
      rewriter.eraseOp(inner);
    return success();
  }
  return rewriter.notifyMatchFailure(outer, "no input is a map to merge");
}

namespace {
struct FuseMaps final : graph::impl::FuseMapsBase<FuseMaps> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(fuseMap);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
