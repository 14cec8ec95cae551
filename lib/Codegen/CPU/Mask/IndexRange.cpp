//===- IndexRange.cpp - Static bounds of integers -------------------------===//

#include "Mask/IndexRange.h"
#include "Ops.h"

#include "attnc/Dialect/Tile/Tile.h"

using namespace mlir;

namespace attnc::cpu {

using Range = std::optional<IndexRange>;

static Range fromOverflow(bool overflow, IndexRange range) {
  return overflow ? Range() : Range(range);
}

static Range sum(IndexRange a, IndexRange b) {
  IndexRange r;
  bool low = __builtin_add_overflow(a.low, b.low, &r.low);
  bool high = __builtin_add_overflow(a.high, b.high, &r.high);
  return fromOverflow(low || high, r);
}

static Range difference(IndexRange a, IndexRange b) {
  IndexRange r;
  bool low = __builtin_sub_overflow(a.low, b.high, &r.low);
  bool high = __builtin_sub_overflow(a.high, b.low, &r.high);
  return fromOverflow(low || high, r);
}

static Range product(IndexRange a, IndexRange b) {
  int64_t ends[4];
  bool overflow = __builtin_mul_overflow(a.low, b.low, &ends[0]);
  overflow |= __builtin_mul_overflow(a.low, b.high, &ends[1]);
  overflow |= __builtin_mul_overflow(a.high, b.low, &ends[2]);
  overflow |= __builtin_mul_overflow(a.high, b.high, &ends[3]);
  return fromOverflow(overflow, {*std::min_element(ends, ends + 4),
                                 *std::max_element(ends, ends + 4)});
}

/// A table's elements by their type.
static Range ofElements(Type element) {
  if (element.isInteger(64) || !isa<IntegerType>(element))
    return std::nullopt;
  int64_t bits = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger())
    return IndexRange{0, (int64_t(1) << bits) - 1};
  return IndexRange{-(int64_t(1) << (bits - 1)),
                    (int64_t(1) << (bits - 1)) - 1};
}

Range IndexRanges::compute(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return IndexRange{*constant, *constant};
  Operation *op = value.getDefiningOp();
  if (!op) // sizes and indices of a grid: memory bounds them
    return isa<tile::ProgramOp, tile::GridOp>(
               value.getParentBlock()->getParentOp())
               ? Range(IndexRange{0, int64_t(1) << 46})
               : std::nullopt;
  if (isa<tile::LocateOp>(op)) // places of a grid in another form
    return IndexRange{0, int64_t(1) << 46};
  if (auto read = dyn_cast<tile::ReadOp>(op))
    return ofElements(read.getBuf().getType().getElementType());
  if (isa<tile::TableMinOp, tile::TableMaxOp>(op)) {
    Type element =
        cast<tile::BufType>(op->getOperand(0).getType()).getElementType();
    return element.isInteger(1) ? Range(IndexRange{0, 1}) : ofElements(element);
  }
  if (isa<tile::LowerBoundOp>(op))
    return IndexRange{0, 2147483647};
  if (isa<arith::IndexCastOp>(op))
    return of(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Range a = of(select.getTrueValue()), b = of(select.getFalseValue());
    return a && b
               ? Range({std::min(a->low, b->low), std::max(a->high, b->high)})
               : std::nullopt;
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Range a = of(op->getOperand(0)), b = of(op->getOperand(1));
  if (isa<arith::RemSIOp>(op) && b && b->low > 0)
    return IndexRange{-(b->high - 1), b->high - 1};
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return sum(*a, *b);
  if (isa<arith::SubIOp>(op))
    return difference(*a, *b);
  if (isa<arith::MulIOp>(op))
    return product(*a, *b);
  if (isa<arith::MinSIOp>(op))
    return IndexRange{std::min(a->low, b->low), std::min(a->high, b->high)};
  if (isa<arith::MaxSIOp>(op))
    return IndexRange{std::max(a->low, b->low), std::max(a->high, b->high)};
  if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::CeilDivSIOp>(op) &&
      b->low > 0) // nearer to zero, but never past -1 or 0
    return IndexRange{std::min<int64_t>(a->low, 0),
                      std::max<int64_t>(a->high, 0)};
  return std::nullopt;
}

Range IndexRanges::of(Value value) {
  auto found = ranges.find(value);
  if (found != ranges.end())
    return found->second;
  Range range = compute(value);
  ranges[value] = range;
  return range;
}

} // namespace attnc::cpu
