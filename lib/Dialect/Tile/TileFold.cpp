//===- TileFold.cpp - Folding and canonical forms -------------------------===//
//
// Only what needs no decision: values that are there already, operands that
// nobody reads, constants that belong into a region, segments that are empty
// for all sizes.
// Tests: test/Dialect/Tile/canonicalize.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc::tile {

/// A tile of one value in all places, or nothing.
static std::optional<double> splatOf(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getValue().convertToDouble();
  return std::nullopt;
}

OpFoldResult MapOp::fold(FoldAdaptor) {
  Block &block = getBody().front();
  Value yielded = block.getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != &block ||
      argument.getArgNumber() >= getInputs().size())
    return {};
  Value input = getInputs()[argument.getArgNumber()];
  return input.getType() == getType() ? input : Value();
}

OpFoldResult SelectMaskedOp::fold(FoldAdaptor adaptor) {
  auto partial = dyn_cast_if_present<BoolAttr>(adaptor.getPartial());
  return partial && !partial.getValue() ? getValue() : Value();
}

OpFoldResult RenameOp::fold(FoldAdaptor) {
  return getBuf().getType() == getType() && !getGroup() ? getBuf() : Value();
}

OpFoldResult RescaleOp::fold(FoldAdaptor) {
  return splatOf(getFactor()) == 1.0 ? getValue() : Value();
}

/// Rebuilds a map with some of its operands; `arguments` replaces those that
/// are left out.
static void keepInputs(PatternRewriter &rewriter, MapOp map,
                       const llvm::BitVector &drop) {
  SmallVector<Value> inputs;
  for (auto [i, input] : llvm::enumerate(map.getInputs()))
    if (!drop[i])
      inputs.push_back(input);
  rewriter.modifyOpInPlace(map, [&]() {
    map.getInputsMutable().assign(inputs);
    llvm::BitVector arguments = drop;
    arguments.resize(map.getBody().getNumArguments());
    map.getBody().front().eraseArguments(arguments);
  });
}

/// tile.map (%x, %unused) becomes tile.map (%x).
static LogicalResult dropUnusedInputs(MapOp map, PatternRewriter &rewriter) {
  llvm::BitVector drop(map.getInputs().size());
  for (unsigned i = 0; i < drop.size(); ++i)
    drop[i] = map.getBody().getArgument(i).use_empty();
  if (drop.none())
    return rewriter.notifyMatchFailure(map, "every operand is used");
  keepInputs(rewriter, map, drop);
  return success();
}

/// The same tile twice is one argument.
static LogicalResult mergeEqualInputs(MapOp map, PatternRewriter &rewriter) {
  OperandRange inputs = map.getInputs();
  for (unsigned i = 1; i < inputs.size(); ++i) {
    auto first = llvm::find(inputs.take_front(i), inputs[i]);
    Value argument = map.getBody().getArgument(i);
    if (first == inputs.begin() + i || argument.use_empty())
      continue;
    rewriter.replaceAllUsesWith(
        argument, map.getBody().getArgument(first - inputs.begin()));
    return success();
  }
  return rewriter.notifyMatchFailure(map, "the operands differ");
}

/// An operand that is one constant becomes a constant of the region.
static LogicalResult inlineSplats(MapOp map, PatternRewriter &rewriter) {
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    std::optional<double> value = splatOf(input);
    BlockArgument argument = map.getBody().getArgument(i);
    if (!value || argument.use_empty())
      continue;
    rewriter.setInsertionPointToStart(&map.getBody().front());
    Value constant = arith::ConstantOp::create(
        rewriter, input.getLoc(), constantOf(argument.getType(), *value));
    rewriter.replaceAllUsesWith(argument, constant);
    return success();
  }
  return rewriter.notifyMatchFailure(map, "no operand is a constant");
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(dropUnusedInputs);
  patterns.add(mergeEqualInputs);
  patterns.add(inlineSplats);
}

/// any_lo >= any_hi for all sizes.
static bool isEmptySegment(ValueRange segment) {
  if (segment[0] == segment[3])
    return true;
  IntegerAttr lo, hi;
  return matchPattern(segment[0], m_Constant(&lo)) &&
         matchPattern(segment[3], m_Constant(&hi)) &&
         lo.getValue().sge(hi.getValue());
}

static LogicalResult dropEmptySegments(ForOp loop, PatternRewriter &rewriter) {
  SmallVector<Value> bounds, within;
  for (unsigned i = 0; i < loop.getNumSegments(); ++i) {
    if (isEmptySegment(loop.getSegment(i)))
      continue;
    llvm::append_range(bounds, loop.getSegment(i));
    if (!loop.getWithin().empty())
      llvm::append_range(within, loop.getWithin().slice(2 * i, 2));
  }
  if (bounds.size() == loop.getBounds().size())
    return rewriter.notifyMatchFailure(loop, "no segment is surely empty");
  rewriter.modifyOpInPlace(loop, [&]() {
    loop.getBoundsMutable().assign(bounds);
    loop.getWithinMutable().assign(within);
  });
  return success();
}

static LogicalResult dropEmptyLoop(ForOp loop, PatternRewriter &rewriter) {
  if (loop.getNumSegments() != 0)
    return rewriter.notifyMatchFailure(loop, "has segments");
  rewriter.replaceOp(loop, loop.getInits());
  return success();
}

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(dropEmptySegments);
  patterns.add(dropEmptyLoop);
}

} // namespace attnc::tile
