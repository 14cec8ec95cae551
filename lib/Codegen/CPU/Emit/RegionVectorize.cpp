//===- RegionVectorize.cpp - Evaluate scalar regions in lanes -------------===//
//
// A region says what happens to one element; here it is evaluated for the rows
// and vectors of a granule. A value that depends on the key alone is a scalar
// per row, one that depends on the query alone is a vector per vector of
// queries (and leaves the loop over keys by loop-invariant code motion), and
// only the rest is computed for each pair. Floats of 16 bits are held in the
// accumulator's type and rounded where the region rounds.
// Tests: test/Codegen/CPU/regions.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Bf16Ops.h"
#include "Emit/RegionEmitter.h"
#include "Emit/SharedLanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::cpu {

static bool isInteger(Type type) {
  return type.isIndex() || (type.isInteger() && !type.isInteger(1));
}

/// The same float in another of the types that hold floats.
static Value converted(Ops &ops, Value value, Type type) {
  if (value.getType() == type ||
      !isa<FloatType>(getElementTypeOrSelf(value.getType())))
    return value;
  if (getElementTypeOrSelf(type).isF64())
    return ops.createOrFold<arith::ExtFOp>(ops.loc, type, value);
  return ops.createOrFold<arith::TruncFOp>(ops.loc, type, value);
}

RegionEmitter::Entry &RegionEmitter::entryOf(Value value) {
  auto found = entries.find(value);
  if (found != entries.end())
    return found->second;
  // From outside of the region: the same everywhere.
  Entry &entry = entries[value];
  entry.places.push_back({emitter.scalars.lookup(value)});
  return entry;
}

LaneValue RegionEmitter::at(Value value, int64_t row, int64_t vector) {
  Entry &entry = entryOf(value);
  int64_t place = entry.depends & kOnRows ? row : 0;
  if (entry.depends & kOnLanes)
    place = place * granule.window.vectors + vector;
  return entry.places[place];
}

llvm::SetVector<Value> outsideIntegers(Block &region) {
  llvm::SetVector<Value> found;
  for (Operation &op : region)
    for (Value operand : op.getOperands())
      if (isInteger(operand.getType()) && !constantOf(operand) &&
          operand.getParentBlock() != &region)
        found.insert(operand);
  return found;
}

void RegionEmitter::bindElements(Value argument, Value tile) {
  if (isInteger(argument.getType()))
    ranges.addElement(argument, tile);
  Space space = *spaceOf(cast<tile::TileType>(tile.getType()));
  Entry entry;
  entry.depends = (space.dim ? kOnRows : 0) | (space.lanes ? kOnLanes : 0);
  for (int64_t row = 0; row < (space.dim ? granule.rows : 1); ++row)
    for (int64_t v = 0; v < (space.lanes ? granule.window.vectors : 1); ++v)
      entry.places.push_back(
          {emitter.element(granule, tile, row, v), 0, 0, space.lanes});
  entries[argument] = std::move(entry);
}

void RegionEmitter::bindVectors(Value argument, ArrayRef<Value> vectors) {
  Entry entry;
  entry.depends = kOnLanes;
  for (Value vector : vectors)
    entry.places.push_back({vector, 0, 0, true});
  entries[argument] = std::move(entry);
}

void RegionEmitter::bindScalars(Value argument, ArrayRef<Value> rows) {
  Entry entry;
  entry.depends = rows.size() > 1 ? kOnRows : 0;
  for (Value row : rows)
    entry.places.push_back({row});
  entries[argument] = std::move(entry);
}

void RegionEmitter::bindPosition(Value argument, Value place) {
  ranges.addPosition(argument);
  Entry entry;
  entry.places.push_back({place});
  entries[argument] = std::move(entry);
}

void RegionEmitter::bindPositions(Value argument, StringAttr dim, Value at) {
  Entry entry;
  if (dim == tile::kDistanceDim) {
    if (emitter.areNear)
      ranges.addNear(argument);
    else
      ranges.addDistance(argument);
    entry.depends = kOnLanes;
    entry.places.push_back({ops.add(at, granule.window.first), 1, 0});
    entries[argument] = std::move(entry);
    return;
  }
  ranges.addPosition(argument);
  if (dim == kLaneDim) {
    entry.depends = kOnLanes;
    Value first = ops.add(at, emitter.firstRow(granule.window));
    for (int64_t v = 0; v < granule.window.vectors; ++v)
      entry.places.push_back({first, 1, v * emitter.lanes()});
  } else {
    entry.depends = kOnRows;
    positions.insert(argument);
    Value first = ops.add(at, granule.start);
    for (int64_t row = 0; row < granule.rows; ++row)
      entry.places.push_back({first, 0, row});
  }
  entries[argument] = std::move(entry);
}

void RegionEmitter::assumeNear(Block &region) {
  for (Value value : outsideIntegers(region))
    ranges.addNear(value);
}

void RegionEmitter::run(Block &region) {
  for (Operation &op : region.without_terminator())
    if (!entries.contains(op.getResult(0)))
      evaluate(&op);
}

bool isLongFunction(Operation *op) {
  if (auto rounding = dyn_cast<arith::TruncFOp>(op))
    return rounding.getType().isBF16();
  return isa_and_present<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp,
              math::SqrtOp, math::TruncOp>(op) &&
         op->getNumOperands() == 1 &&
         isa<FloatType>(op->getResult(0).getType());
}

void RegionEmitter::evaluate(Operation *op) {
  if (auto read = dyn_cast<tile::ReadOp>(op); read && emitReadRows(read))
    return;
  Entry entry;
  SmallVector<Value> used;
  for (Value operand : op->getOperands())
    if (!isa<tile::BufType>(operand.getType()))
      used.push_back(operand);
  for (Value operand : used)
    entry.depends |= entryOf(operand).depends;
  int64_t rows = entry.depends & kOnRows ? granule.rows : 1;
  int64_t vectors = entry.depends & kOnLanes ? granule.window.vectors : 1;
  if (emitter.isFew && isLongFunction(op) && rows > 1 &&
      (entry.depends & kOnLanes)) {
    assert(vectors == 1 && "few queries are at most one vector");
    SmallVector<Value> values;
    for (int64_t row = 0; row < rows; ++row)
      values.push_back(lanes(at(used[0], row, 0)));
    for (Value value : applyToShared(
             ops, values, emitter.plan.featureRows, [&](Value shared) {
               return emitVector(op, {{shared, 0, 0, true}}).value;
             }))
      entry.places.push_back({value, 0, 0, true});
    entries[op->getResult(0)] = std::move(entry);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<LaneValue> operands;
      for (Value operand : used)
        operands.push_back(at(operand, row, v));
      entry.places.push_back(emit(op, std::move(operands)));
    }
  entries[op->getResult(0)] = std::move(entry);
}

SmallVector<Value> RegionEmitter::results(Value yielded, Space space) {
  SmallVector<Value> values;
  for (int64_t row = 0; row < (space.dim ? granule.rows : 1); ++row)
    for (int64_t v = 0; v < (space.lanes ? granule.window.vectors : 1); ++v) {
      LaneValue value = at(yielded, row, v);
      values.push_back(
          space.lanes ? lanes(value, 64)
                      : converted(ops, scalar(value), emitter.accumulator()));
    }
  return values;
}

Value RegionEmitter::scalar(LaneValue value) {
  assert(!value.onLanes() && "a scalar was expected");
  return value.offset ? ops.add(value.value, value.offset) : value.value;
}

Value RegionEmitter::lanes(LaneValue value, unsigned bits) {
  int64_t count = emitter.lanes();
  if (!isInteger(getElementTypeOrSelf(value.value.getType())))
    return value.vector
               ? value.value
               : ops.broadcast(
                     converted(ops, value.value, emitter.accumulator()), count);
  Type element = ops.getIntegerType(bits);
  VectorType type = ops.vector(count, element);
  if (value.vector) {
    unsigned held = getElementTypeOrSelf(value.value).getIntOrFloatBitWidth();
    if (held == bits)
      return value.value;
    if (held < bits)
      return arith::ExtSIOp::create(ops, ops.loc, type, value.value);
    return arith::TruncIOp::create(ops, ops.loc, type, value.value);
  }
  Value base = ops.toI64(value.value);
  if (bits < 64)
    base = ops.createOrFold<arith::TruncIOp>(ops.loc, element, base);
  Value vector = ops.broadcast(base, count);
  if (!value.stride && !value.offset)
    return vector;
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < count; ++lane)
    steps.emplace_back(bits, value.offset + value.stride * lane, true, true);
  Value step = arith::ConstantOp::create(ops, ops.loc,
                                         DenseElementsAttr::get(type, steps));
  return ops.add(vector, step);
}

unsigned RegionEmitter::bitsFor(Value value) {
  std::optional<codegen::IndexRange> range = ranges.of(value);
  return range && range->within(31) ? 32 : 64;
}

LaneValue RegionEmitter::emit(Operation *op, SmallVector<LaneValue> operands) {
  if (auto read = dyn_cast<tile::ReadOp>(op))
    return emitRead(read, operands);
  // Index and i64 are the same here.
  if (isa<arith::IndexCastOp>(op) && isInteger(op->getOperand(0).getType()) &&
      (operands[0].onLanes() || operands[0].offset))
    return operands[0];
  // Integers are held in as many bits as their values need.
  if (isa<arith::TruncIOp, arith::ExtSIOp>(op) && operands[0].onLanes() &&
      isInteger(op->getOperand(0).getType()))
    return operands[0];
  if (std::optional<LaneValue> linear = emitLinear(op, operands))
    return *linear;
  bool onLanes = llvm::any_of(operands, [](auto &o) { return o.onLanes(); });
  return onLanes ? emitVector(op, operands) : emitScalar(op, operands);
}

/// The type that holds values of a float type in lanes.
static Type heldType(Type type, Type accumulator) {
  return isa<FloatType>(type) ? accumulator : type;
}

/// The type of a scalar.
static Type scalarType(Type type, Type accumulator) {
  return type.isF64() ? type : heldType(type, accumulator);
}

Value RegionEmitter::roundBy(arith::TruncFOp op, Value value) {
  std::optional<arith::RoundingMode> mode = roundingModeOf(op);
  return mode && emitter.accumulator().isF32()
             ? roundToBf16(ops, value, *mode)
             : emitter.roundTo(value, op.getType());
}

/// Clones an op on the given operands.
static Value cloneOn(Ops &ops, Operation *op, ArrayRef<Value> operands,
                     Type type) {
  OperationState state(ops.loc, op->getName(), operands, {type},
                       op->getAttrs());
  return ops.create(state)->getResult(0);
}

LaneValue RegionEmitter::emitScalar(Operation *op,
                                    ArrayRef<LaneValue> operands) {
  SmallVector<Value> values;
  for (auto [operand, type] : llvm::zip(operands, op->getOperandTypes())) {
    Value value = scalar(operand);
    if (isInteger(type) && value.getType() != type)
      value = arith::IndexCastOp::create(ops, ops.loc, type, value);
    values.push_back(value);
  }
  Type type = op->getResult(0).getType();
  Type held = scalarType(type, emitter.accumulator());
  if (isa<arith::ExtFOp>(op))
    return {converted(ops, values[0], held)};
  if (auto rounding = dyn_cast<arith::TruncFOp>(op))
    return {roundBy(rounding, converted(ops, values[0], held))};
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isa<FloatType>(type))
    return {ops.constant(
        held, cast<FloatAttr>(constant.getValue()).getValueAsDouble())};
  Value result = cloneOn(ops, op, values, held);
  return {isa<FloatType>(type) ? emitter.roundTo(result, type) : result};
}

/// Whether a rounding is repeated by what stores its result as pairs.
static bool isRoundedLater(arith::TruncFOp op, const Plan &plan) {
  auto map = dyn_cast<tile::MapOp>(op->getParentOp());
  return map && op->hasOneUse() && isa<tile::YieldOp>(*op->user_begin()) &&
         isOnlyPaired(map.getResult(), plan);
}

/// Lets a product and a sum be one instruction, which rounds once.
static void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  auto flags = cast<arith::ArithFastMathInterface>(op);
  auto contract =
      flags.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
  op->setAttr(flags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), contract));
}

LaneValue RegionEmitter::emitVector(Operation *op,
                                    ArrayRef<LaneValue> operands) {
  Type type = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op))
    return operands[0];
  if (auto rounding = dyn_cast<arith::TruncFOp>(op))
    return {isRoundedLater(rounding, emitter.plan)
                ? lanes(operands[0])
                : roundBy(rounding, lanes(operands[0])),
            0, 0, true};
  bool integers = llvm::any_of(op->getOperandTypes(), isInteger);
  if (isa<arith::BitcastOp>(op) && integers) {
    Type held = heldType(type, emitter.accumulator());
    Value bits = lanes(operands[0], held.getIntOrFloatBitWidth());
    return {
        arith::BitcastOp::create(ops, ops.loc, emitter.laneVector(held), bits),
        0, 0, true};
  }
  if (integers)
    return emitInteger(op, operands);
  SmallVector<Value> values;
  for (LaneValue operand : operands)
    values.push_back(lanes(operand));
  // An integer made of floats or truth values.
  Type held = isInteger(type) ? ops.getI64Type()
                              : heldType(type, emitter.accumulator());
  // A function of f32 takes half as long as one of f64.
  if (isLongFunction(op) && type.isF32() && held.isF64()) {
    VectorType narrow = emitter.laneVector(type);
    for (Value &value : values)
      value = converted(ops, value, narrow);
    Value result = cloneOn(ops, op, values, narrow);
    return {converted(ops, result, emitter.laneVector(held)), 0, 0, true};
  }
  Value result = cloneOn(ops, op, values, emitter.laneVector(held));
  if (emitter.pacer && emitter.pacer->item == &granule.item &&
      emitter.pacer->fixedPoint)
    allowContraction(result.getDefiningOp());
  return {isa<FloatType>(type) ? emitter.roundTo(result, type) : result, 0, 0,
          true};
}

/// Whether lanes of 64-bit integers become floats one by one.
static bool lacksConversion(tile::CpuIsa isa) {
  return isa == tile::CpuIsa::Sse2 || isa == tile::CpuIsa::Avx2 ||
         isa == tile::CpuIsa::Simd128;
}

/// 64-bit integers below 2^51 as floats. Added to the bits of 1.5 * 2^52, an
/// integer becomes the low bits of its mantissa; without that number the double
/// is exact, so that f32 is rounded once.
static Value convertByMantissa(Ops &ops, Value integers, Type type) {
  constexpr double base = 6755399441055744.0; // 1.5 * 2^52
  auto lanes = cast<VectorType>(integers.getType());
  VectorType doubles = lanes.clone(ops.getF64Type());
  auto bits = DenseElementsAttr::get(lanes, llvm::bit_cast<int64_t>(base));
  Value sum = ops.add(integers, arith::ConstantOp::create(ops, ops.loc, bits));
  Value shifted = arith::BitcastOp::create(ops, ops.loc, doubles, sum);
  Value number = arith::ConstantOp::create(
      ops, ops.loc, DenseElementsAttr::get(doubles, base));
  return converted(ops, arith::SubFOp::create(ops, ops.loc, shifted, number),
                   type);
}

LaneValue RegionEmitter::emitInteger(Operation *op,
                                     ArrayRef<LaneValue> operands) {
  Type type = op->getResult(0).getType();
  unsigned bits = isInteger(type) ? bitsFor(op->getResult(0)) : 32;
  for (Value operand : op->getOperands())
    if (isInteger(operand.getType()))
      bits = std::max(bits, bitsFor(operand));
  SmallVector<Value> values;
  for (LaneValue operand : operands)
    values.push_back(lanes(operand, bits));
  if (isa<arith::IndexCastOp>(op))
    return {values[0], 0, 0, true};
  Type held = isInteger(type) ? ops.getIntegerType(bits)
                              : heldType(type, emitter.accumulator());
  VectorType heldVector = emitter.laneVector(held);
  if (isa<arith::SIToFPOp>(op) && bits == 64 &&
      lacksConversion(emitter.target.getIsa()))
    if (std::optional<codegen::IndexRange> range = ranges.of(op->getOperand(0));
        range && range->within(51))
      return {convertByMantissa(ops, values[0], heldVector), 0, 0, true};
  Value result = cloneOn(ops, op, values, heldVector);
  return {result, 0, 0, true};
}

/// Sums, differences and compares of integers that are linear in the lane.
std::optional<LaneValue>
RegionEmitter::emitLinear(Operation *op, ArrayRef<LaneValue> operands) {
  if (operands.size() != 2 || !llvm::all_of(op->getOperandTypes(), isInteger) ||
      llvm::any_of(operands, [](auto &o) { return o.vector; }))
    return std::nullopt;
  auto [a, b] = std::pair(operands[0], operands[1]);
  a.value = ops.toIndex(a.value);
  b.value = ops.toIndex(b.value);
  if (!a.onLanes() && !b.onLanes() && !a.offset && !b.offset)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return LaneValue{ops.add(a.value, b.value), a.stride + b.stride,
                     a.offset + b.offset};
  if (isa<arith::SubIOp>(op))
    return LaneValue{ops.sub(a.value, b.value), a.stride - b.stride,
                     a.offset - b.offset};
  if (isa<arith::MulIOp>(op)) {
    if (constantOf(a.value) && !a.onLanes())
      std::swap(a, b);
    std::optional<int64_t> factor = constantOf(b.value);
    if (!factor || b.onLanes())
      return std::nullopt;
    *factor += b.offset;
    if (std::abs(*factor) > 4096 || std::abs(a.stride) > 4096)
      return std::nullopt;
    return LaneValue{ops.mul(a.value, *factor), a.stride * *factor,
                     a.offset * *factor};
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return emitLinearCompare(compare, a, b);
  return std::nullopt;
}

/// `a.value + a.stride * lane < b.value + b.stride * lane` becomes a compare of
/// constants with one scalar, which is clamped to where the result cannot
/// change, so that 32 bits are enough whatever the scalar is.
std::optional<LaneValue>
RegionEmitter::emitLinearCompare(arith::CmpIOp op, LaneValue a, LaneValue b) {
  if (a.stride == b.stride && a.stride == 0)
    return std::nullopt;
  constexpr int64_t kFar = 1 << 28;
  std::optional<codegen::IndexRange> left = ranges.of(op.getLhs());
  std::optional<codegen::IndexRange> right = ranges.of(op.getRhs());
  int64_t stride = a.stride - b.stride, offset = a.offset - b.offset;
  if (!left || !right || !left->within(61) || !right->within(61) ||
      std::abs(offset) + std::abs(stride) * emitter.lanes() >= kFar)
    return std::nullopt;
  Value distance = ops.sub(b.value, a.value);
  distance = ops.max(ops.min(distance, ops.index(kFar)), ops.index(-kFar));
  Value limit = lanes({distance}, 32);
  Value steps = lanes({ops.index(0), stride, offset}, 32);
  return LaneValue{ops.compare(op.getPredicate(), steps, limit), 0, 0, true};
}

SmallVector<Value> Emitter::emitRegion(Granule &granule, Block &region,
                                       ValueRange inputs, Space space,
                                       ArrayAttr atDims, ValueRange at) {
  RegionEmitter emitter(*this, granule);
  if (areNear)
    emitter.assumeNear(region);
  auto arguments = region.getArguments();
  for (auto [argument, tile] : llvm::zip(arguments, inputs))
    emitter.bindElements(argument, tile);
  for (auto [argument, dim, start] :
       llvm::zip(arguments.drop_front(inputs.size()),
                 atDims.getAsRange<StringAttr>(), at))
    emitter.bindPositions(argument, dim, scalars.lookup(start));
  emitter.run(region);
  return emitter.results(region.getTerminator()->getOperand(0), space);
}

/// Keeps an element where it lies below the valid extents and the region is
/// true. The extent along the lanes needs no test: surplus queries are never
/// stored.
void Emitter::emitSelectMasked(Granule &granule, tile::SelectMaskedOp op) {
  Value result = op.getResult();
  auto type = cast<tile::TileType>(result.getType());
  Space space = *spaceOf(type);
  int64_t vectors = space.lanes ? granule.window.vectors : 1;
  Value limit = space.dim ? op.getValidOf(space.dim) : Value();
  Type element = type.getElementType();
  Type held = isa<FloatType>(element)            ? accumulator()
              : element.isIndex() && space.lanes ? Type(ops.getI64Type())
                                                 : element;
  SmallVector<Value> values;
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < vectors; ++v)
      values.push_back(this->element(granule, op.getValue(), row, v));
  auto select = [&] {
    SmallVector<Value> kept =
        emitRegion(granule, op.getBody().front(), op.getInputs(), space,
                   op.getAtDims(), op.getAt());
    Value fill = ops.constant(held, op.getFill().convertToDouble());
    if (space.lanes)
      fill = ops.broadcast(fill, lanes());
    SmallVector<Value> selected;
    for (auto [i, value] : llvm::enumerate(values)) {
      Value keep = kept[i];
      if (limit && !granule.inside) {
        Value isThere =
            ops.compare(arith::CmpIPredicate::slt,
                        ops.add(granule.start, int64_t(i) / vectors),
                        scalars.lookup(limit));
        keep = ops.logicalAnd(
            keep, space.lanes ? ops.broadcast(isThere, lanes()) : isThere);
      }
      selected.push_back(ops.select(keep, value, fill));
    }
    return selected;
  };
  granule.registers[result] = ops.chooseAll(ValueRange(values).getTypes(),
                                            scalars.lookup(op.getPartial()),
                                            select, [&] { return values; });
}

} // namespace attnc::cpu
