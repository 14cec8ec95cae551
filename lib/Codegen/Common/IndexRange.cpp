//===- IndexRange.cpp - Static bounds of integers -------------------------===//
//
// What a program reads is bounded here, arithmetic by the ops themselves.
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/Common/IndexRange.h"

#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc::codegen {

using Range = std::optional<IndexRange>;

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

/// The x of max(x, 0 - x), or null.
static Value asMagnitude(Operation *op) {
  auto most = dyn_cast<arith::MaxSIOp>(op);
  if (!most)
    return {};
  for (auto [x, other] : {std::pair(most.getLhs(), most.getRhs()),
                          std::pair(most.getRhs(), most.getLhs())})
    if (auto minus = other.getDefiningOp<arith::SubIOp>();
        minus && minus.getRhs() == x && isZeroInteger(minus.getLhs()))
      return x;
  return {};
}

Range IndexRanges::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
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
  if (Value x = asMagnitude(op)) {
    Range range = of(x);
    return range && range->within(62)
               ? Range(IndexRange{0, std::max(-range->low, range->high)})
               : std::nullopt;
  }
  auto arithmetic = dyn_cast<InferIntRangeInterface>(op);
  return arithmetic ? infer(arithmetic) : std::nullopt;
}

Range IndexRanges::infer(InferIntRangeInterface op) {
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(operand.getType());
    if (!bits) // a real
      return std::nullopt;
    Range range = bits > 1 ? of(operand) : std::nullopt;
    operands.push_back(
        range ? ConstantIntRanges::fromSigned(APInt(bits, range->low, true),
                                              APInt(bits, range->high, true))
              : ConstantIntRanges::maxRange(bits));
  }
  Range result;
  op.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) {
    result = {range.smin().getSExtValue(), range.smax().getSExtValue()};
  });
  return result;
}

/// What the region of a map makes of positions; other tiles may hold anything.
void IndexRanges::addElement(Value value, Value tile) {
  auto map = tile.getDefiningOp<tile::MapOp>();
  ranges[value] = std::nullopt;
  if (!map)
    return;
  IndexRanges region;
  Block &body = map.getRegion().front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), map.getInputs()))
    if (argument.getType().isIntOrIndex())
      region.addElement(argument, input);
  for (auto [argument, dim] :
       llvm::zip_equal(body.getArguments().drop_front(map.getInputs().size()),
                       map.getAtDims().getAsRange<StringAttr>()))
    if (dim == tile::kDistanceDim)
      region.addDistance(argument);
    else
      region.addPosition(argument);
  ranges[value] = region.of(body.getTerminator()->getOperand(0));
}

Range IndexRanges::of(Value value) {
  auto found = ranges.find(value);
  if (found != ranges.end())
    return found->second;
  Range range = compute(value);
  ranges[value] = range;
  return range;
}

} // namespace attnc::codegen
