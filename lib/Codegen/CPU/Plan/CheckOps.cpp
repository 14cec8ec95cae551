//===- CheckOps.cpp - Reject ops that the emitter does not support --------===//
//
// The tile dialect allows more than the loops of the CPU need. Whatever the
// emitter has no code for is refused here, before anything is planned, with
// what was found and what is possible.
// Tests: test/Codegen/CPU/convert-tile-to-llvm-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::cpu {

/// A tile that a dot reads as scalars: rows of a tensor.
static bool isRows(Value tile) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && load.getResult().getType().getRank() == 2 &&
         !load.getResult().getType().hasDim(kLaneDim);
}

static LogicalResult checkDot(tile::DotOp dot) {
  bool left = dot.getLhs().getType().hasDim(kLaneDim);
  bool right = dot.getRhs().getType().hasDim(kLaneDim);
  if (left == right)
    return dot.emitOpError("needs the dim ")
           << kLaneDim << " in one operand, got it in "
           << (left ? "both" : "none");
  if (dot.getSum() == kLaneDim)
    return dot.emitOpError("sums over ")
           << kLaneDim << ", the dim along the lanes";
  for (auto tile : dot.getTiles())
    if (!tile.getType().hasDim(kLaneDim) && !isRows(tile))
      return dot.emitOpError("needs a tile.load of two dims as the operand "
                             "without the dim ")
             << kLaneDim;
  Value mask = dot.getMask();
  if (!mask)
    return success();
  auto type = cast<tile::TileType>(mask.getType());
  for (StringAttr name : type.getNames())
    if (name != kLaneDim && name != dot.getSum())
      return dot.emitOpError("has a mask with the dim ")
             << name << "; only " << kLaneDim << " and " << dot.getSum()
             << " are possible";
  return success();
}

static LogicalResult checkTile(Operation *op, tile::TileType type) {
  if (spaceOf(type))
    return success();
  return op->emitOpError("has the dims of ")
         << type << ", but the CPU's loops have the dim " << kLaneDim
         << " and one other";
}

/// Regions of elementwise ops: one result each, which is a number.
static LogicalResult checkRegion(Operation *op) {
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    if (inner.getNumResults() != 1 || inner.getNumRegions() ||
        !inner.getResult(0).getType().isIntOrIndexOrFloat())
      return inner.emitOpError(
          "cannot be computed in lanes; use ops with a scalar result");
  return success();
}

/// A loop's body runs for some vectors of queries at a time, so it holds
/// nothing that is about all of them.
static LogicalResult checkLoopBody(Operation *op) {
  if (!isa<tile::ForOp>(op->getParentOp()))
    return success();
  if (isa<tile::ForOp, scf::IfOp, scf::ForOp, tile::AnyNanOp>(op))
    return op->emitOpError("is not allowed in a tile.for; only loads, stores "
                           "and ops on tiles are");
  return success();
}

/// Tiles have the dim along the lanes and one other; only rows that a dot reads
/// have two others.
static LogicalResult checkTiles(Operation *op) {
  SmallVector<Value> values(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(values, block.getArguments());
  for (Value value : values)
    if (auto type = dyn_cast<tile::TileType>(value.getType()))
      if (!isRows(value) && failed(checkTile(op, type)))
        return failure();
  return success();
}

/// Distances lie along the lanes like queries, but only maps make them and only
/// skews read them.
static LogicalResult checkDistances(Operation *op) {
  auto hasDistances = [](Type type) {
    auto tile = dyn_cast<tile::TileType>(type);
    return tile && tile.hasDim(tile::kDistanceDim);
  };
  auto skew = dyn_cast<tile::SkewOp>(op);
  if (skew &&
      (skew.getPlus() != kLaneDim || !hasDistances(skew.getValue().getType()) ||
       !skew.getValue().getDefiningOp<tile::MapOp>()))
    return op->emitOpError("needs plus(")
           << kLaneDim << ") and a tile.map over the dim " << tile::kDistanceDim
           << " as its operand";
  if (skew || isa<tile::MapOp>(op))
    return success();
  if (llvm::none_of(op->getOperandTypes(), hasDistances) &&
      llvm::none_of(op->getResultTypes(), hasDistances))
    return success();
  return op->emitOpError("has a tile with the dim ")
         << tile::kDistanceDim
         << ", which only tile.map and tile.skew may have";
}

/// Rows of merged axes lie along the lanes.
static LogicalResult checkMerged(Operation *op, Value buf,
                                 tile::TileType type) {
  auto merged = tile::RenameOp::findMerged(buf);
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!merged || (load && (isBlocked(load) || isPanel(load))))
    return success();
  StringAttr rows = cast<tile::BufType>(buf.getType()).getNames()[merged->rows];
  if (rows == kLaneDim || !type.hasDim(rows))
    return success();
  return op->emitOpError("has the dim ")
         << rows << " along merged axes of its buffer; only " << kLaneDim
         << " is possible";
}

static LogicalResult checkOp(Operation *op) {
  if (failed(checkLoopBody(op)) || failed(checkTiles(op)) ||
      failed(checkDistances(op)))
    return failure();
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return checkDot(dot);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getTable() && !isRows(load.getResult()))
      return op->emitOpError("reads through a table something other than rows "
                             "of keys by one other dim");
    return checkMerged(op, load.getBuf(), load.getType());
  }
  if (isa<tile::MapOp, tile::SelectMaskedOp>(op))
    return checkRegion(op);
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    if (!store.getValue().getType().hasDim(kLaneDim))
      return op->emitOpError("stores ")
             << store.getValue().getType() << " without the dim " << kLaneDim;
    return checkMerged(op, store.getBuf(), store.getValue().getType());
  }
  if (auto anyNan = dyn_cast<tile::AnyNanOp>(op)) {
    auto type = cast<tile::TileType>(anyNan.getValue().getType());
    if (!type.hasDim(kLaneDim))
      return op->emitOpError("tests ")
             << type << " without the dim " << kLaneDim;
    return success();
  }
  if (auto passes = dyn_cast<scf::ForOp>(op))
    if (!passes.getConstantStep())
      return op->emitOpError("has a step that is not constant");
  if (auto branch = dyn_cast<scf::IfOp>(op))
    if (branch.getElseRegion().empty() && branch.getNumResults())
      return op->emitOpError("has results but no else");
  return success();
}

LogicalResult checkOps(tile::GridOp grid) {
  WalkResult result = grid.walk([](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace attnc::cpu
