//===- Memory.cpp - Registers, slots of scratch, and tensors --------------===//
//
// In registers and slots a float is the accumulator's type, an index i64 and a
// truth value i1 (a byte in a slot). Tensors hold what the caller gave.
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Memory/StoreRows.h"

#include "attnc/Codegen/Common/FloatConversion.h"

using namespace mlir;

namespace attnc::cpu {

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static bool isOnLanes(tile::TileType type) { return spaceOf(type)->lanes; }

/// The copy of a slot that a turn of a pipeline uses.
static Value copyOfTurn(Ops &ops, Value turn, int64_t copies) {
  if (auto number = constantOf(turn))
    return ops.index(*number % copies);
  if (copies == 2)
    return arith::AndIOp::create(ops, ops.loc, turn, ops.index(1));
  return arith::RemUIOp::create(ops, ops.loc, turn, ops.index(copies));
}

Value Emitter::slotAddress(const Slot &slot, tile::TileType type, Value row,
                           Window window, int64_t vector) {
  Type storage = plan.storage(type.getElementType());
  Value offset = ops.index(slot.offset);
  if (slot.alternate && turn)
    offset = ops.add(
        offset, ops.mul(copyOfTurn(ops, turn, slot.copies), slot.alternate));
  Value start = ops.address(scratch, ops.getI8Type(), offset);
  Value element = ops.index(0);
  if (type.hasDim(tile::kDistanceDim)) {
    element = ops.add(window.first, vector * lanes() + plan.distanceLead());
  } else if (type.hasDim(kLaneDim)) {
    element = slot.local ? ops.index((window.local + vector) * lanes())
                         : ops.add(window.first, vector * lanes());
    if (slot.group) {
      int64_t width = plan.groupWidth * lanes();
      Value group = ops.floorDiv(element, width);
      element = ops.add(element, ops.mul(group, slot.group - width));
    }
  }
  if (row)
    element = ops.add(ops.mul(row, slot.stride), element);
  return ops.address(start, storage, element);
}

Value Emitter::loadSlot(const Slot &slot, tile::TileType type, Value row,
                        Window window, int64_t vector) {
  Type storage = plan.storage(type.getElementType());
  unsigned bytes = storage.getIntOrFloatBitWidth() / 8;
  Value pointer = slotAddress(slot, type, row, window, vector);
  return isOnLanes(type) ? loadLanes(pointer, type, bytes * lanes())
                         : fromSlot(ops.load(storage, pointer, bytes), type);
}

/// Elements of a slot behind each other.
Value Emitter::loadLanes(Value pointer, tile::TileType type,
                         unsigned alignment) {
  Type storage = plan.storage(type.getElementType());
  return fromSlot(ops.load(laneVector(storage), pointer, alignment), type);
}

/// What a slot holds of a tile, as the registers have it.
Value Emitter::fromSlot(Value value, tile::TileType type) {
  Type held = value.getType();
  if (type.getElementType().isInteger(1))
    return ops.compare(arith::CmpIPredicate::ne, value, ops.constant(held, 0));
  if (!isa<VectorType>(held) && type.getElementType().isIndex())
    return ops.toIndex(value);
  return value;
}

void Emitter::storeSlot(Value value, const Slot &slot, tile::TileType type,
                        Value row, Window window, int64_t vector) {
  Type storage = plan.storage(type.getElementType());
  unsigned bytes = storage.getIntOrFloatBitWidth() / 8;
  bool onLanes = isOnLanes(type);
  if (type.getElementType().isInteger(1))
    value = arith::ExtUIOp::create(
        ops, ops.loc, onLanes ? Type(laneVector(storage)) : storage, value);
  if (!onLanes && type.getElementType().isIndex())
    value = ops.toI64(value);
  ops.store(value, slotAddress(slot, type, row, window, vector),
            onLanes ? bytes * lanes() : bytes);
}

/// Where the register of a tile lies in `Granule::registers`.
static int64_t placeOf(const Granule &granule, tile::TileType type, int64_t row,
                       int64_t vector) {
  Space space = *spaceOf(type);
  int64_t vectors = space.lanes ? granule.window.vectors : 1;
  return (space.dim ? row : 0) * vectors + (space.lanes ? vector : 0);
}

Value Emitter::element(Granule &granule, Value tile, int64_t row,
                       int64_t vector) {
  auto type = cast<tile::TileType>(tile.getType());
  Space space = *spaceOf(type);
  int64_t place = placeOf(granule, type, row, vector);
  int64_t count = (space.dim ? granule.rows : 1) *
                  (space.lanes ? granule.window.vectors : 1);
  SmallVector<Value> &registers = granule.registers[tile];
  registers.resize(count);
  if (registers[place])
    return registers[place];
  Value value;
  if (auto splat = tile.getDefiningOp<tile::SplatOp>()) {
    Type held = isa<FloatType>(type.getElementType()) ? accumulator()
                : type.getElementType().isIndex() && space.lanes
                    ? Type(ops.getI64Type())
                    : type.getElementType();
    double number = splat.getValue().convertToDouble();
    value = ops.constant(space.lanes ? Type(laneVector(held)) : held, number);
  } else {
    Value at = space.dim ? ops.add(granule.start, row) : Value();
    value = loadSlot(plan.slots.lookup(tile), type, at, granule.window, vector);
    if (plan.integerSums.contains(tile))
      value = arith::SIToFPOp::create(
          ops, ops.loc, value.getType(),
          LLVM::BitcastOp::create(ops, ops.loc, laneVector(ops.getI32Type()),
                                  value));
  }
  return granule.registers[tile][place] = value;
}

void Emitter::storeResult(Granule &granule, Value tile) {
  auto slot = plan.slots.find(tile);
  if (slot == plan.slots.end())
    return;
  if (llvm::is_contained(granule.item.inside, tile))
    return;
  if (plan.pairTiles.contains(tile))
    return storePairs(granule, tile, slot->second);
  auto type = cast<tile::TileType>(tile.getType());
  Space space = *spaceOf(type);
  auto storeToSlot = [&] {
    for (int64_t row = 0; row < (space.dim ? granule.rows : 1); ++row)
      for (int64_t v = 0; v < (space.lanes ? granule.window.vectors : 1); ++v)
        storeSlot(element(granule, tile, row, v), slot->second, type,
                  space.dim ? ops.add(granule.start, row) : Value(),
                  granule.window, v);
  };
  auto store = plan.direct.find(tile);
  if (store == plan.direct.end())
    return storeToSlot();
  RowStorer storer(*this, store->second);
  ops.branch(
      storer.isDirect(), [&] { storer.storeRows(granule); }, storeToSlot);
}

//===----------------------------------------------------------------------===//
// Elements of tensors
//===----------------------------------------------------------------------===//

Type Emitter::memoryType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16)
    return ops.getI16Type();
  if (isa<FloatType>(element))
    return element;
  unsigned bits = element.getIntOrFloatBitWidth();
  return ops.getIntegerType(bits == 1 ? 8 : bits);
}

unsigned Emitter::memoryBytes(Type element) {
  return memoryType(element).getIntOrFloatBitWidth() / 8;
}

/// The scalar or vector type with the shape of `shape`.
static Type shapedLike(Type shape, Type element) {
  auto vector = dyn_cast<VectorType>(shape);
  return vector ? vector.clone(element) : element;
}

static Value convertFloat(Ops &ops, Value value, Type to) {
  Type from = getElementTypeOrSelf(value);
  Type type = shapedLike(value.getType(), to);
  if (from == to)
    return value;
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(ops, ops.loc, type, value);
  return arith::TruncFOp::create(ops, ops.loc, type, value);
}

Value Emitter::fromMemory(Value raw, Type element) {
  if (auto format = dyn_cast<FloatType>(element)) {
    if (format.getWidth() != 16)
      return convertFloat(ops, raw, accumulator());
    return codegen::extendFloat(ops, ops.loc, raw, format,
                                cast<FloatType>(accumulator()),
                                traits().hasF16Conversion);
  }
  if (element.isInteger(1))
    return ops.compare(arith::CmpIPredicate::ne, raw,
                       ops.constant(raw.getType(), 0));
  Type wide = shapedLike(raw.getType(), ops.getI64Type());
  if (raw.getType() != wide)
    raw = element.isUnsignedInteger()
              ? Value(arith::ExtUIOp::create(ops, ops.loc, wide, raw))
              : Value(arith::ExtSIOp::create(ops, ops.loc, wide, raw));
  return isa<VectorType>(wide) ? raw : ops.toIndex(raw);
}

/// 8-bit integers as the operand of a unit for them: of 16 bits, or unsigned
/// ones, which are greater by 128.
static Value convertIntegers(Ops &ops, Value raw, Type element, Type copied) {
  if (copied.isInteger(8))
    return arith::XOrIOp::create(ops, ops.loc, raw,
                                 ops.constant(raw.getType(), -128));
  Type wide = shapedLike(raw.getType(), copied);
  if (element.isUnsignedInteger())
    return arith::ExtUIOp::create(ops, ops.loc, wide, raw);
  return arith::ExtSIOp::create(ops, ops.loc, wide, raw);
}

/// Elements of rows that are stored as `element`, as rows of `copied`: floats
/// of the accumulator's type, 8-bit integers as the bits of bf16, or what
/// multiplies them.
Value Emitter::convertRow(Value raw, Type element, Type copied) {
  if (element == copied)
    return raw;
  if (!element.isInteger(8))
    return fromMemory(raw, element);
  if (isa<IntegerType>(copied))
    return convertIntegers(ops, raw, element, copied);
  bool isNarrow = copied.getIntOrFloatBitWidth() == 16;
  Type real =
      shapedLike(raw.getType(), isNarrow ? ops.getF32Type() : accumulator());
  Value value = element.isUnsignedInteger()
                    ? Value(arith::UIToFPOp::create(ops, ops.loc, real, raw))
                    : Value(arith::SIToFPOp::create(ops, ops.loc, real, raw));
  if (!isNarrow)
    return value;
  // The lower half of the bits is 0.
  Type i32 = shapedLike(raw.getType(), ops.getI32Type());
  Value bits = LLVM::BitcastOp::create(ops, ops.loc, i32, value);
  bits = arith::ShRUIOp::create(ops, ops.loc, bits, ops.constant(i32, 16));
  return arith::TruncIOp::create(
      ops, ops.loc, shapedLike(raw.getType(), ops.getI16Type()), bits);
}

Value Emitter::toMemory(Value value, Type element) {
  auto format = dyn_cast<FloatType>(element);
  if (format && format.getWidth() == 16)
    return codegen::roundFloat(ops, ops.loc, value, format,
                               traits().hasF16Conversion);
  if (format)
    return convertFloat(ops, value, format);
  Type memory = shapedLike(value.getType(), memoryType(element));
  if (getElementTypeOrSelf(value.getType()).isIndex())
    value = arith::IndexCastOp::create(
        ops, ops.loc, shapedLike(value.getType(), ops.getI64Type()), value);
  unsigned held = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned bits = getElementTypeOrSelf(memory).getIntOrFloatBitWidth();
  if (held > bits) // a place: its values fit
    return arith::TruncIOp::create(ops, ops.loc, memory, value);
  if (held < bits) // a truth value
    return arith::ExtUIOp::create(ops, ops.loc, memory, value);
  return value;
}

/// `value`, held in the accumulator's type, rounded to a narrower type.
Value Emitter::roundTo(Value value, Type element) {
  if (element.getIntOrFloatBitWidth() >= accumulator().getIntOrFloatBitWidth())
    return value;
  return fromMemory(toMemory(value, element), element);
}

} // namespace attnc::cpu
