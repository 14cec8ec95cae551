//===- RegionIntegers.cpp - Integers of a region, in 32 bits --------------===//

#include "Emit/RegionIntegers.h"

#include "attnc/Dialect/Tile/Tile.h"

using namespace mlir;

namespace attnc::ptx {

using codegen::IndexRange;
using codegen::IndexRanges;

/// Of a word besides its sign, and of what is added.
static constexpr unsigned kBits = 31, kMostBits = 61;

IndexRanges findRanges(Block &region) {
  IndexRanges ranges;
  auto add = [&](auto op) {
    auto arguments = region.getArguments();
    for (auto [argument, input] : llvm::zip(arguments, op.getInputs()))
      if (argument.getType().isIntOrIndex())
        ranges.addElement(argument, input);
    for (auto [argument, dim] :
         llvm::zip_equal(arguments.drop_front(op.getInputs().size()),
                         op.getAtDims().template getAsRange<StringAttr>()))
      if (dim == tile::kDistanceDim)
        ranges.addDistance(argument);
      else
        ranges.addPosition(argument);
  };
  if (auto map = dyn_cast<tile::MapOp>(region.getParentOp()))
    add(map);
  else if (auto select = dyn_cast<tile::SelectMaskedOp>(region.getParentOp()))
    add(select);
  return ranges;
}

static bool isInteger(Type type) {
  return type.isIndex() || type.isInteger(64);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether sums and differences of two such constants have 64 bits.
static bool isOffset(int64_t constant) {
  return IndexRange{constant, constant}.within(kMostBits);
}

static bool hasWord(std::optional<IndexRange> range) {
  return range && range->within(kBits);
}

/// The sum or difference of two ranges.
static std::optional<IndexRange> combine(std::optional<IndexRange> left,
                                         std::optional<IndexRange> right,
                                         bool isDifference) {
  if (!left || !right || !left->within(kMostBits) || !right->within(kMostBits))
    return std::nullopt;
  if (isDifference)
    return IndexRange{left->low - right->high, left->high - right->low};
  return IndexRange{left->low + right->low, left->high + right->high};
}

/// Whether the value is an index along a dim of the op's result.
static bool isPosition(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  Operation *op = argument.getOwner()->getParentOp();
  auto isAt = [&](auto made) {
    return argument.getArgNumber() >= made.getInputs().size();
  };
  if (auto map = dyn_cast<tile::MapOp>(op))
    return isAt(map);
  auto select = dyn_cast<tile::SelectMaskedOp>(op);
  return select && isAt(select);
}

/// Signed, unlike that of the builder.
static Value cast(Builder &b, Type type, Value integer) {
  Type from = integer.getType();
  if (from == type)
    return integer;
  if (from.isIndex() || type.isIndex())
    return b.createOrFold<arith::IndexCastOp>(b.loc, type, integer);
  return from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
             ? b.createOrFold<arith::ExtSIOp>(b.loc, type, integer)
             : b.createOrFold<arith::TruncIOp>(b.loc, type, integer);
}

Value RegionIntegers::baseOf(const Integer &integer, Type type) {
  return integer.base ? cast(b, type, integer.base) : b.constant(type, 0);
}

/// In 32 bits if the value has no more.
Value RegionIntegers::whole(Value value, Type type) {
  Integer integer = of(value);
  if (!integer.base)
    return b.constant(type, integer.offset);
  Type held = hasWord(ranges.of(value)) ? Type(b.getI32Type()) : type;
  Value sum = baseOf(integer, held);
  if (integer.offset != 0)
    sum = b.add(sum, b.constant(held, integer.offset));
  return cast(b, type, sum);
}

/// The constants that come last in a position are what columns differ by.
RegionIntegers::Integer RegionIntegers::of(Value value) {
  if (auto found = integers.find(value); found != integers.end())
    return found->second;
  Value held = scalars.lookupOrDefault(value);
  Integer integer;
  if (std::optional<int64_t> constant = constantOf(held);
      constant && isOffset(*constant)) {
    integer.offset = *constant;
    integer.range = {0, 0};
    return integer;
  }
  integer.range = ranges.of(value);
  integer.isPlace = isPosition(value);
  while (auto sum = held.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> offset = constantOf(sum.getRhs());
    if (!integer.isPlace || !offset)
      break;
    integer.offset += *offset;
    held = sum.getLhs();
  }
  integer.base = hasWord(integer.range) ? cast(b, b.getI32Type(), held) : held;
  return integer;
}

void RegionIntegers::materialize(Value value) {
  if (integers.contains(value))
    scalars.map(value, whole(value, value.getType()));
}

SmallVector<Value> RegionIntegers::narrow(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    return whole(value, hasWord(ranges.of(value)) ? Type(b.getI32Type())
                                                  : value.getType());
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void RegionIntegers::emitSum(Operation *op) {
  Integer left = of(op->getOperand(0)), right = of(op->getOperand(1));
  bool isDifference = isa<arith::SubIOp>(op);
  int64_t offset = left.offset + (isDifference ? -right.offset : right.offset);
  if (!isOffset(offset)) {
    Type wide = op->getResult(0).getType();
    Value first = whole(op->getOperand(0), wide);
    Value second = whole(op->getOperand(1), wide);
    scalars.map(op->getResult(0),
                isDifference ? b.sub(first, second) : b.add(first, second));
    return;
  }
  Integer sum{{},
              offset,
              left.isPlace || right.isPlace,
              combine(left.range, right.range, isDifference)};
  Type type =
      hasWord(sum.range) ? Type(b.getI32Type()) : op->getResult(0).getType();
  if (left.base || right.base)
    sum.base = isDifference ? b.sub(baseOf(left, type), baseOf(right, type))
                            : b.add(baseOf(left, type), baseOf(right, type));
  integers[op->getResult(0)] = sum;
}

/// A compare of constants with what columns share. If that may have more than
/// 32 bits, it is moved to where no constant reaches it. Null if the ranges are
/// not known.
Value RegionIntegers::comparePlaces(arith::CmpIPredicate predicate,
                                    const Integer &left, const Integer &right) {
  constexpr int64_t kFar = 1 << 28;
  std::optional<IndexRange> between =
      combine(right.range, left.range, /*isDifference=*/true);
  int64_t offset = left.offset - right.offset;
  if (!between || std::abs(offset) >= kFar)
    return {};
  Type word = b.getI32Type();
  Type type = hasWord(between) ? word : b.getIndexType();
  Value limit = b.sub(baseOf(right, type), baseOf(left, type));
  if (type != word)
    limit = cast(b, word, b.max(b.min(limit, b.index(kFar)), b.index(-kFar)));
  return b.compare(predicate, b.i32(offset), limit);
}

bool RegionIntegers::emitCompare(arith::CmpIOp compare) {
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!isInteger(compare.getLhs().getType()) ||
      predicate > arith::CmpIPredicate::sge) // unsigned ones come last
    return false;
  Integer left = of(compare.getLhs()), right = of(compare.getRhs());
  Value result;
  if (left.isPlace || right.isPlace)
    result = comparePlaces(predicate, left, right);
  if (!result) {
    SmallVector<Value> sides = narrow(compare->getOperands());
    if (sides[0].getType() != sides[1].getType())
      for (Value &side : sides)
        side = cast(b, compare.getLhs().getType(), side);
    result = b.compare(predicate, sides[0], sides[1]);
  }
  scalars.map(compare.getResult(), result);
  return true;
}

/// An op whose operands and result have 32 bits.
bool RegionIntegers::emitNarrow(Operation *op) {
  if (!isa<arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
           arith::CeilDivSIOp, arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp,
           arith::SelectOp, arith::SIToFPOp>(op))
    return false;
  Value made = op->getResult(0);
  Type word = b.getI32Type(), type = made.getType();
  bool isReal = isa<arith::SIToFPOp>(op);
  std::optional<IndexRange> range = ranges.of(made);
  if (!isReal && (!isInteger(type) || !hasWord(range)))
    return false;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (operand.getType().isInteger(1))
      operands.push_back(scalars.lookupOrDefault(operand));
    else if (isInteger(operand.getType()) && hasWord(ranges.of(operand)))
      operands.push_back(whole(operand, word));
    else
      return false;
  OperationState state(b.loc, op->getName(), operands, isReal ? type : word);
  Value result = b.create(state)->getResult(0);
  if (isReal)
    scalars.map(made, result);
  else
    integers[made] = {result, 0, /*isPlace=*/false, range};
  return true;
}

bool RegionIntegers::emit(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && emitCompare(compare))
    return true;
  if (isa<arith::AddIOp, arith::SubIOp>(op) &&
      isInteger(op->getResult(0).getType())) {
    emitSum(op);
    return true;
  }
  if (auto same = dyn_cast<arith::IndexCastOp>(op);
      same && isInteger(same.getIn().getType()) && isInteger(same.getType())) {
    Integer integer = of(same.getIn());
    integers[same] = integer;
    return true;
  }
  if (emitNarrow(op))
    return true;
  op->walk([&](Operation *inner) { // regions use what is around them
    for (Value operand : inner->getOperands())
      materialize(operand);
  });
  return false;
}

} // namespace attnc::ptx
