//===- RegionBounds.cpp - Bound scalar regions with unknown entries -------===//
//
// Ends beyond 2^62 are taken to be none, so sums of ends do not wrap around.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/RegionBounds.h"

#include "attnc/Analysis/Expr/EvaluateRegion.h"
#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace attnc;
using namespace mlir;

using Wide = __int128;

static ValueBounds makeBounds(Wide lo, Wide hi) {
  constexpr Wide limit = Wide(1) << 62;
  ValueBounds bounds;
  if (lo > -limit)
    bounds.lo = int64_t(std::min(lo, limit));
  if (hi < limit)
    bounds.hi = int64_t(std::max(hi, -limit));
  return bounds;
}

static ValueBounds hull(std::initializer_list<Wide> values) {
  return makeBounds(std::min(values), std::max(values));
}

static ValueBounds hull(ValueBounds a, ValueBounds b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// A truth value that is surely true, may be true.
static ValueBounds truth(bool always, bool maybe) { return {always, maybe}; }

static Wide floorDivide(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static ValueBounds boundDivision(Operation *op, ValueBounds a, ValueBounds b) {
  if (b.lo < 1)
    return {};
  auto divide = [&](int64_t x, int64_t y) {
    return isa<arith::FloorDivSIOp>(op) ? floorDivide(x, y)
                                        : -floorDivide(-Wide(x), y);
  };
  return hull({divide(a.lo, b.lo), divide(a.lo, b.hi), divide(a.hi, b.lo),
               divide(a.hi, b.hi)});
}

static ValueBounds boundComparison(arith::CmpIOp op, ValueBounds a,
                                   ValueBounds b) {
  using P = arith::CmpIPredicate;
  if (op.getLhs().getType().isInteger(1)) // is ordered otherwise
    return truth(false, true);
  switch (op.getPredicate()) {
  case P::slt:
    return truth(a.hi < b.lo, a.lo < b.hi);
  case P::sle:
    return truth(a.hi <= b.lo, a.lo <= b.hi);
  case P::sgt:
    return truth(a.lo > b.hi, a.hi > b.lo);
  case P::sge:
    return truth(a.lo >= b.hi, a.hi >= b.lo);
  case P::eq:
    return truth(false, a.lo <= b.hi && b.lo <= a.hi);
  case P::ne:
    return truth(a.hi < b.lo || b.hi < a.lo, true);
  default:
    return truth(false, true);
  }
}

/// Of truth values: and, or, not.
static ValueBounds boundLogic(Operation *op, ValueBounds a, ValueBounds b) {
  if (isa<arith::AndIOp>(op))
    return truth(a.lo && b.lo, a.hi && b.hi);
  if (isa<arith::OrIOp>(op))
    return truth(a.lo || b.lo, a.hi || b.hi);
  if (isa<arith::XOrIOp>(op) && a.isOne())
    std::swap(a, b);
  if (isa<arith::XOrIOp>(op) && b.isOne())
    return b.lo ? truth(!a.hi, !a.lo) : a;
  return truth(false, true);
}

/// Some operand is not one number.
static ValueBounds boundOp(Operation *op, ArrayRef<ValueBounds> v) {
  if (isa<arith::SelectOp>(op))
    return v[0].isOne() ? v[v[0].lo ? 1 : 2] : hull(v[1], v[2]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return boundComparison(compare, v[0], v[1]);
  if (op->getResult(0).getType().isInteger(1))
    return v.size() == 2 ? boundLogic(op, v[0], v[1]) : truth(false, true);
  if (isa<arith::IndexCastOp>(op) && (op->getResult(0).getType().isIndex() ||
                                      op->getResult(0).getType().isInteger(64)))
    return v[0];
  if (isa<arith::AddIOp>(op))
    return makeBounds(Wide(v[0].lo) + v[1].lo, Wide(v[0].hi) + v[1].hi);
  if (isa<arith::SubIOp>(op))
    return makeBounds(Wide(v[0].lo) - v[1].hi, Wide(v[0].hi) - v[1].lo);
  if (isa<arith::MulIOp>(op))
    return hull({Wide(v[0].lo) * v[1].lo, Wide(v[0].lo) * v[1].hi,
                 Wide(v[0].hi) * v[1].lo, Wide(v[0].hi) * v[1].hi});
  if (isa<arith::MinSIOp>(op))
    return {std::min(v[0].lo, v[1].lo), std::min(v[0].hi, v[1].hi)};
  if (isa<arith::MaxSIOp>(op))
    return {std::max(v[0].lo, v[1].lo), std::max(v[0].hi, v[1].hi)};
  if (isa<math::AbsIOp>(op)) {
    Wide low = std::max<Wide>({0, v[0].lo, -Wide(v[0].hi)});
    return makeBounds(low, std::max(-Wide(v[0].lo), Wide(v[0].hi)));
  }
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return boundDivision(op, v[0], v[1]);
  return {};
}

static std::optional<ValueBounds> boundAny(Operation *op,
                                           ArrayRef<ValueBounds> v) {
  if (!llvm::all_of(v, [](ValueBounds b) { return b.isOne(); }))
    return boundOp(op, v);
  SmallVector<int64_t> operands;
  for (ValueBounds b : v)
    operands.push_back(b.lo);
  std::optional<int64_t> value = evaluateOp(op, operands);
  return value ? std::optional(ValueBounds::of(*value)) : std::nullopt;
}

std::optional<SmallVector<ValueBounds>>
attnc::boundRegion(Block &block, ArrayRef<int64_t> arguments, LeafBounds leaf) {
  llvm::DenseMap<Value, ValueBounds> values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = ValueBounds::of(value);
  for (Operation &op : block) {
    SmallVector<ValueBounds> operands;
    for (Value operand : op.getOperands())
      if (auto it = values.find(operand); it != values.end())
        operands.push_back(it->second);
      else if (!isLeaf(&op)) // the tensor of a read has no number
        return std::nullopt;
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    std::optional<ValueBounds> value;
    if (!isLeaf(&op))
      value = boundAny(&op, operands);
    else if (op.getResult(0).getType().isIntOrIndex())
      value = leaf(&op, operands);
    else // an element of a table of reals
      value = ValueBounds();
    if (!value)
      return std::nullopt;
    values[op.getResult(0)] = *value;
  }
  return std::nullopt;
}
