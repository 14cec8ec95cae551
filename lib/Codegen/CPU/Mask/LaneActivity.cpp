//===- LaneActivity.cpp - Find queries that see keys of a partial tile ----===//
//
// In a partial tile some vectors of queries see none of its keys: the upper
// rows of a causal diagonal, the lower rows at the start of a window. With
// `lane_skip` these are left out. The condition of the tile's select_masked is
// evaluated on ranges instead of numbers, queries [q, q + lanes) and the
// tile's keys: what cannot be true is masked for all of them. An integer
// becomes a pair of bounds, a truth value the pair (may be true, must be true);
// those of a tile, such as document ids, are its minimum and maximum. Terms
// that cannot be analyzed may be anything.
// Tests: test/Codegen/CPU/lane-skip.mlir
//
//===----------------------------------------------------------------------===//

#include "Mask/LaneActivity.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

using Predicate = arith::CmpIPredicate;

LaneActivity::Truth LaneActivity::unknown() {
  return {ops.boolean(true), ops.boolean(false)};
}

LaneActivity::Truth LaneActivity::compare(Predicate predicate, Bounds a,
                                          Bounds b) {
  switch (predicate) {
  case Predicate::slt:
    return {ops.compare(Predicate::slt, a.low, b.high),
            ops.compare(Predicate::slt, a.high, b.low)};
  case Predicate::sle:
    return {ops.compare(Predicate::sle, a.low, b.high),
            ops.compare(Predicate::sle, a.high, b.low)};
  case Predicate::sgt:
    return compare(Predicate::slt, b, a);
  case Predicate::sge:
    return compare(Predicate::sle, b, a);
  case Predicate::eq: {
    Value may = ops.logicalAnd(ops.compare(Predicate::sle, a.low, b.high),
                               ops.compare(Predicate::sle, b.low, a.high));
    return {may, ops.boolean(false)};
  }
  case Predicate::ne: {
    Value apart = ops.logicalOr(ops.compare(Predicate::slt, a.high, b.low),
                                ops.compare(Predicate::slt, b.high, a.low));
    return {ops.boolean(true), apart};
  }
  default:
    return unknown();
  }
}

std::optional<LaneActivity::Bounds> LaneActivity::integer(Operation *op) {
  if (isa<arith::IndexCastOp>(op))
    return boundsOf(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Bounds> a = boundsOf(op->getOperand(0));
  std::optional<Bounds> b = boundsOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Bounds{ops.add(a->low, b->low), ops.add(a->high, b->high)};
  if (isa<arith::SubIOp>(op))
    return Bounds{ops.sub(a->low, b->high), ops.sub(a->high, b->low)};
  if (isa<arith::MinSIOp>(op))
    return Bounds{ops.min(a->low, b->low), ops.min(a->high, b->high)};
  if (isa<arith::MaxSIOp>(op))
    return Bounds{ops.max(a->low, b->low), ops.max(a->high, b->high)};
  std::optional<int64_t> factor = constantOf(op->getOperand(1));
  if (!factor || *factor <= 0)
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return Bounds{ops.mul(a->low, *factor), ops.mul(a->high, *factor)};
  if (isa<arith::FloorDivSIOp>(op))
    return Bounds{ops.floorDiv(a->low, *factor),
                  ops.floorDiv(a->high, *factor)};
  return std::nullopt;
}

/// The same value on both sides; only what lies outside of the region.
std::optional<LaneActivity::Bounds> LaneActivity::boundsOf(Value value) {
  auto found = bounds.find(value);
  if (found != bounds.end())
    return found->second;
  std::optional<Bounds> result;
  if (Value outside = emitter.scalars.lookupOrNull(value)) {
    outside = ops.toIndex(outside);
    result = Bounds{outside, outside};
  } else if (std::optional<int64_t> constant = constantOf(value)) {
    result = Bounds{ops.index(*constant), ops.index(*constant)};
  } else if (Operation *op = value.getDefiningOp()) {
    result = integer(op);
  }
  bounds[value] = result;
  return result;
}

LaneActivity::Truth LaneActivity::truthOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (Value outside = emitter.scalars.lookupOrNull(value))
    return {outside, outside};
  if (!op)
    return unknown();
  if (std::optional<int64_t> constant = constantOf(value))
    return {ops.boolean(*constant), ops.boolean(*constant)};
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    if (cmp.getLhs().getType().isInteger(1))
      return unknown();
    std::optional<Bounds> a = boundsOf(cmp.getLhs()),
                          b = boundsOf(cmp.getRhs());
    return a && b ? compare(cmp.getPredicate(), *a, *b) : unknown();
  }
  if (isa<arith::AndIOp>(op)) {
    Truth a = truthOf(op->getOperand(0)), b = truthOf(op->getOperand(1));
    return {ops.logicalAnd(a.may, b.may), ops.logicalAnd(a.must, b.must)};
  }
  if (isa<arith::OrIOp>(op)) {
    Truth a = truthOf(op->getOperand(0)), b = truthOf(op->getOperand(1));
    return {ops.logicalOr(a.may, b.may), ops.logicalOr(a.must, b.must)};
  }
  if (isa<arith::XOrIOp>(op) && constantOf(op->getOperand(1)).value_or(0)) {
    Truth a = truthOf(op->getOperand(0));
    Value yes = ops.boolean(true);
    return {arith::XOrIOp::create(ops, ops.loc, a.must, yes),
            arith::XOrIOp::create(ops, ops.loc, a.may, yes)};
  }
  return unknown();
}

/// Integers of keys from a slot: `most`, none of them past its end. Those that
/// are no keys of the range are ones that are.
Value LaneActivity::integersOfKeys(const Slot &slot, tile::TileType type,
                                   KeyRange keys, int64_t most) {
  Type i64 = ops.getI64Type();
  Value last = ops.index(spaceOf(type)->size - most);
  Value start = ops.min(keys.begin, last);
  Value address = emitter.slotAddress(slot, type, start, {}, 0);
  Value vector = ops.load(ops.vector(most, i64), address, 8);
  // Places behind the tile's keys may hold anything.
  Value places = arith::ConstantOp::create(
      ops, ops.loc,
      ops.getI64VectorAttr(llvm::to_vector(llvm::seq<int64_t>(most))));
  Value count = ops.broadcast(ops.toI64(ops.sub(keys.end, start)), most);
  Value isKey = ops.compare(arith::CmpIPredicate::slt, places, count);
  return ops.select(isKey, vector,
                    ops.broadcast(ops.load(i64, address, 8), most));
}

/// The minimum and the maximum of a tile's integers for these queries or keys;
/// none if they are not in scratch.
std::optional<LaneActivity::Bounds>
LaneActivity::boundsOfTile(tile::SelectMaskedOp op, Value tile, Window window,
                           KeyRange keys, int64_t most) {
  auto type = cast<tile::TileType>(tile.getType());
  auto slot = emitter.plan.slots.find(tile);
  if (slot == emitter.plan.slots.end() || type.getRank() != 1 ||
      !type.getElementType().isIndex())
    return std::nullopt;
  Value vector;
  if (!type.hasDim(kLaneDim)) {
    if (spaceOf(type)->dim != spaceOf(op.getType())->dim)
      return std::nullopt;
    vector = integersOfKeys(slot->second, type, keys, most);
  } else {
    auto loop = op->getParentOfType<tile::ForOp>();
    if (loop && loop.getBody().isAncestor(tile.getParentRegion()))
      return std::nullopt; // made after this question
    vector = emitter.loadSlot(slot->second, type, {}, window, 0);
  }
  auto reduce = [&](vector::CombiningKind kind) {
    return ops.toIndex(vector::ReductionOp::create(ops, ops.loc, kind, vector));
  };
  return Bounds{reduce(vector::CombiningKind::MINSI),
                reduce(vector::CombiningKind::MAXSI)};
}

Value LaneActivity::anyKept(tile::SelectMaskedOp op, Window window,
                            KeyRange keys, int64_t most) {
  bounds.clear();
  Value firstQuery = emitter.firstRow(window);
  ValueRange arguments = op.getBody().front().getArguments();
  for (auto [argument, tile] : llvm::zip(arguments, op.getInputs()))
    if (std::optional<Bounds> found =
            boundsOfTile(op, tile, window, keys, most))
      bounds[argument] = found;
  for (auto [argument, dim, at] :
       llvm::zip(arguments.drop_front(op.getInputs().size()),
                 op.getAtDims().getAsRange<StringAttr>(), op.getAt())) {
    Value start = emitter.scalars.lookup(at);
    if (dim == kLaneDim) {
      Value first = ops.add(start, firstQuery);
      bounds[argument] = Bounds{first, ops.add(first, emitter.lanes() - 1)};
    } else {
      bounds[argument] = Bounds{ops.add(start, keys.begin),
                                ops.add(ops.add(start, keys.end), -1)};
    }
  }
  return truthOf(op.getBody().front().getTerminator()->getOperand(0)).may;
}

} // namespace attnc::cpu
