//===- LoadLanes.cpp - Load blocks of tensors into lanes ------------------===//
//
// Queries come along the lanes of a slot in one of three ways, of which each
// block takes the fastest that its strides and valid extents allow at run time:
//
//   queries follow each other in memory    vectors, row by row of the tensor
//   elements of a query follow each other  squares of registers, transposed
//   neither, or what is left of a square   element by element
//
// Elements that are held as they are loaded, and whose columns fill quarters of
// registers of 64 bytes, are transposed in quarters instead (Quarters.h).
//
// Processors with a matrix unit load what is left of a square, and rows that
// lack queries, as masked vectors. Grids that pack an operand prefetch it.
// Nothing outside the valid extents is read. For products by pairs (Pairs.cpp)
// two columns of bf16, or two or four of 8-bit integers, share a lane: a square
// is one of 32-bit elements, each so many adjacent columns of the tensor.
// Tests: test/Codegen/CPU/pack.mlir, Memory/part-loads.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/IntegerProduct.h"
#include "Memory/Quarters.h"
#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether the last axis of a tensor lies along the lanes.
static bool isLaneLast(Value buf) {
  auto type = cast<tile::BufType>(buf.getType());
  return !tile::RenameOp::findMerged(buf) && type.getRank() &&
         type.getNames().back() == kLaneDim;
}

bool mayFollow(Value buf) {
  return isLaneLast(buf) &&
         isa<FloatType>(cast<tile::BufType>(buf.getType()).getElementType());
}

bool mayFollow(tile::LoadOp load) {
  Value buf = load.getBuf();
  bool areNumbers =
      cast<tile::BufType>(buf.getType()).getElementType().isInteger(8) &&
      isa<FloatType>(load.getType().getElementType());
  return mayFollow(buf) || (areNumbers && isLaneLast(buf));
}

Value followInMemory(Ops &ops, const Emitter::Block2D &block, Value first,
                     int64_t count) {
  Value unit =
      ops.compare(arith::CmpIPredicate::eq, block.rowStride, ops.index(1));
  assert(block.merged.group == 1 && "rows of several heads are not contiguous");
  Value inside = ops.compare(arith::CmpIPredicate::sle, ops.add(first, count),
                             block.rowCount);
  return ops.logicalAnd(unit, inside);
}

/// Writes the slot of one load.
class LaneLoader {
public:
  LaneLoader(Emitter &emitter, tile::LoadOp load)
      : emitter(emitter), ops(emitter.ops), load(load),
        type(cast<tile::TileType>(load.getResult().getType())),
        slot(emitter.plan.slots.find(load.getResult())->second),
        block(emitter.blockOf(type, load.getBuf(), load.getIndices(),
                              load.getValidDims(), load.getValid())),
        memory(emitter.memoryType(block.element)),
        bytes(emitter.memoryBytes(block.element)),
        isPaired(emitter.plan.pairTiles.contains(load.getResult())),
        perLane(isPaired ? emitter.plan.rowsPerLane(load.getResult()) : 1),
        end(columnsToFill()) {}

  void loadSingleRow();
  void streamLanes();
  void loadGroup(Window group);
  void prepareTransposed();
  void loadTransposed(Window single);

private:
  int64_t lanes() const { return emitter.lanes(); }
  Value columnsToFill();
  Value loadElement(Value row, Value column);
  Value toHeld(Value raw);
  /// The elements of several that share a lane.
  Type partType() const { return ops.getIntegerType(32 / perLane); }
  void storeElement(Value value, Value column, Window single, Value lane);
  void storeRow(Value value, Value row, Window window, int64_t vector);
  void loadSquare(Window single, Value column, Value count = {});
  void loadSquares(Window single);
  bool fillsQuarters() const;
  void loadQuarters(Window single, Value validRows);
  void loadAllQuarters(Window single);
  void loadElements(Window single, Value from);
  bool mayMask() const;
  bool isPacked() const;
  void fetchAhead(Value from, Value keyStride, int64_t elements);
  void loadVectors(Window group);
  Value loadJoined(Value row, Window group, int64_t vector, int64_t count,
                   bool isMasked);
  void loadJoinedVectors(Window group, bool isMasked);
  Value loadRest(Value from, Type element, int64_t width, Value count);

  Emitter &emitter;
  Ops &ops;
  tile::LoadOp load;
  tile::TileType type;
  const Slot &slot;
  Emitter::Block2D block;
  Type memory;
  unsigned bytes;
  bool isPaired;
  int64_t perLane;             // elements of a square's lane
  Value end;                   // columns to write; of pairs a multiple
  Value unit, whole, slowFrom; // whether and how far there are squares
  Value rest = {}; // columns of a last square that lacks some; null: none
};

/// A dot along the columns reads the valid ones only; for everyone else the
/// others are 0.
Value LaneLoader::columnsToFill() {
  Value all = ops.index(block.columns);
  bool valid = llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && type.hasDim(dot.getSum());
  });
  if (isPaired) // what a last pair lacks is 0
    return ops.mul(ops.ceilDiv(ops.min(block.columnCount, all), perLane),
                   perLane);
  return valid ? ops.min(block.columnCount, all) : all;
}

/// Loaded elements as the slot holds them.
Value LaneLoader::toHeld(Value raw) {
  if (isPaired && memory == partType())
    return raw;
  if (isPaired)
    return emitter.convertRow(
        raw, block.element,
        emitter.plan.integerTiles.contains(load.getResult())
            ? Type(partType())
            : ops.getBF16Type());
  return isa<FloatType>(type.getElementType())
             ? emitter.convertRow(raw, block.element, emitter.accumulator())
             : emitter.fromMemory(raw, block.element);
}

Value LaneLoader::loadElement(Value row, Value column) {
  Value inside = ops.logicalAnd(
      ops.compare(arith::CmpIPredicate::slt, row, block.rowCount),
      ops.compare(arith::CmpIPredicate::slt, column, block.columnCount));
  Type held = type.getElementType().isInteger(1) ? Type(ops.getI1Type())
              : isPaired ? partType()
                         : emitter.plan.storage(type.getElementType());
  return ops.choose(
      held, inside,
      [&] {
        Value from = ops.add(block.rowOffset(ops, row),
                             ops.mul(column, block.columnStride));
        Value at = ops.address(block.data, memory, from);
        return toHeld(ops.load(memory, at, bytes));
      },
      [&] { return ops.constant(held, 0); });
}

void LaneLoader::storeElement(Value value, Value column, Window single,
                              Value lane) {
  if (isPaired) {
    Value pair = ops.floorDiv(column, perLane);
    Value part = ops.sub(column, ops.mul(pair, perLane));
    Value at = emitter.slotAddress(slot, type, pair, single, 0);
    Value place = ops.add(ops.mul(lane, perLane), part);
    ops.store(value, ops.address(at, partType(), place), 4 / perLane);
    return;
  }
  Type storage = emitter.plan.storage(type.getElementType());
  Value at = emitter.slotAddress(slot, type, column, single, 0);
  if (type.getElementType().isInteger(1))
    value = arith::ExtUIOp::create(ops, ops.loc, storage, value);
  ops.store(value, ops.address(at, storage, lane),
            storage.getIntOrFloatBitWidth() / 8);
}

void LaneLoader::loadSingleRow() {
  Value zero = ops.index(0);
  ops.loop(zero, ops.index(block.columns), 1, [&](Value column) {
    storeElement(loadElement(zero, column), column, {zero, 1}, zero);
  });
}

/// Whether vectors of pairs of bf16 may be loaded in part: processors with a
/// matrix unit mask 16-bit elements.
bool LaneLoader::mayMask() const {
  return isPaired && perLane == 2 && memory == partType() &&
         emitter.target.getUnit() == tile::CpuUnit::Matrix;
}

/// Whether a grid packs an operand: elements of bf16, or those that maps divide
/// into terms.
bool LaneLoader::isPacked() const {
  bool areSplit = emitter.target.getUnit() == tile::CpuUnit::Matrix &&
                  llvm::all_of(load->getUsers(), [&](Operation *user) {
                    return isa<tile::MapOp>(user) &&
                           emitter.plan.pairTiles.contains(user->getResult(0));
                  });
  return !emitter.plan.hasTiles && (mayMask() || areSplit);
}

/// Prefetches what another instance of a grid that packs an operand will load,
/// whose inner axis is keys: of the key `kKeysAhead` keys after that at `from`.
/// Nothing else hides the latency of memory there.
void LaneLoader::fetchAhead(Value from, Value keyStride, int64_t elements) {
  if (!isPacked())
    return;
  Value first = ops.add(from, ops.mul(keyStride, kKeysAhead));
  for (int64_t place : {int64_t(0), elements - 1})
    fetchRow(ops, memory,
             ops.address(block.data, memory, ops.add(first, place)),
             /*columns=*/1, /*level=*/1);
}

/// How far squares of registers go; the same for all vectors.
void LaneLoader::prepareTransposed() {
  Value zero = ops.index(0);
  unit = ops.logicalAnd(
      ops.compare(arith::CmpIPredicate::eq, block.columnStride, ops.index(1)),
      ops.compare(arith::CmpIPredicate::sgt, block.rowCount, zero));
  whole = zero;
  int64_t width = lanes() * perLane;
  if (isa<FloatType>(type.getElementType()) && block.columns >= width)
    whole = ops.mul(ops.floorDiv(block.columnCount, width), width);
  bool hasRows =
      int64_t(llvm::alignTo(block.columns, width)) / perLane <= block.columns;
  if (mayMask() && hasRows) {
    whole = ops.max(whole, zero);
    rest = ops.sub(block.columnCount, whole);
    slowFrom = ops.select(unit, end, zero);
    return;
  }
  slowFrom = ops.select(unit, whole, zero);
}

/// As many columns as there are lanes, or pairs of columns; with `count` only
/// so many are valid.
void LaneLoader::loadSquare(Window single, Value column, Value count) {
  Value firstRow = emitter.firstRow(single);
  Type held = isPaired ? Type(ops.getI32Type()) : emitter.accumulator();
  Value zero = ops.zero(emitter.laneVector(held));
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < lanes(); ++lane) {
    Value row = ops.add(firstRow, lane);
    Value inside = ops.compare(arith::CmpIPredicate::slt, row, block.rowCount);
    Value last = ops.sub(block.rowCount, ops.index(1));
    Value from = ops.add(block.rowOffset(ops, ops.min(row, last)), column);
    bool isWhole = isPaired && memory == partType();
    fetchAhead(from, block.rowStride, lanes() * perLane);
    Value at = ops.address(block.data, memory, from);
    Value raw = count
                    ? loadRest(at, memory, lanes() * perLane, count)
                    : ops.load(isWhole ? emitter.laneVector(held)
                                       : ops.vector(lanes() * perLane, memory),
                               at, bytes);
    if (!isWhole)
      raw = toHeld(raw);
    if (isPaired && (count || !isWhole))
      raw =
          LLVM::BitcastOp::create(ops, ops.loc, emitter.laneVector(held), raw);
    values.push_back(ops.select(inside, raw, zero));
  }
  Value first = ops.floorDiv(column, perLane);
  values = emitter.transpose(std::move(values));
  if (std::optional<int64_t> known = count ? constantOf(count) : std::nullopt)
    values.truncate(llvm::divideCeil(*known, perLane));
  for (auto [i, value] : llvm::enumerate(values))
    storeRow(value, ops.add(first, i), single, 0);
}

/// A row of the slot.
void LaneLoader::storeRow(Value value, Value row, Window window,
                          int64_t vector) {
  if (isPaired)
    ops.store(value, emitter.slotAddress(slot, type, row, window, vector),
              4 * lanes());
  else
    emitter.storeSlot(value, slot, type, row, window, vector);
}

/// Squares of registers, and elements of what is left of them.
void LaneLoader::loadSquares(Window single) {
  if (constantOf(whole) != 0)
    ops.branch(unit, [&] {
      ops.loop(ops.index(0), whole, lanes() * perLane,
               [&](Value column) { loadSquare(single, column); });
    });
  if (rest && constantOf(rest) != 0)
    ops.branch(ops.logicalAnd(unit, ops.compare(arith::CmpIPredicate::sgt, rest,
                                                ops.index(0))),
               [&] { loadSquare(single, whole, rest); });
  loadElements(single, slowFrom);
}

void LaneLoader::loadElements(Window single, Value from) {
  ops.loop(from, end, 1, [&](Value column) {
    ops.loop(ops.index(0), ops.index(lanes()), 1, [&](Value lane) {
      Value row = ops.add(emitter.firstRow(single), lane);
      storeElement(loadElement(row, column), column, single, lane);
    });
  });
}

/// Whether columns that follow each other fill quarters of registers, and the
/// slot holds them as they are. Grids that pack prefetch squares.
bool LaneLoader::fillsQuarters() const {
  bool isHeld = isPaired ? memory == partType()
                         : memory.isF32() && emitter.accumulator().isF32() &&
                               isa<FloatType>(type.getElementType());
  return isHeld && !isPacked() && lanes() * 4 == 4 * kQuarterBytes &&
         block.columns % (kQuarterBytes / bytes) == 0 &&
         constantOf(block.columnCount) == block.columns;
}

/// Rows after the first `validRows` are 0; null: all are valid.
void LaneLoader::loadQuarters(Window single, Value validRows) {
  Value first = emitter.firstRow(single), zeros;
  Type i32 = ops.getI32Type();
  if (validRows) {
    zeros = ops.address(emitter.scratch, ops.getI8Type(),
                        ops.index(emitter.plan.zero));
    ops.store(ops.zero(ops.vector(4, i32)), zeros, kQuarterBytes);
  }
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < lanes(); ++lane)
    rows.push_back(ops.address(block.data, memory,
                               block.rowOffset(ops, ops.add(first, lane))));
  ops.loop(ops.index(0), end, kQuarterBytes / bytes, [&](Value column) {
    auto addressOf = [&](int64_t lane) {
      Value there = ops.address(rows[lane], memory, column);
      return validRows ? ops.select(ops.compare(arith::CmpIPredicate::slt,
                                                ops.index(lane), validRows),
                                    there, zeros)
                       : there;
    };
    Value row = ops.floorDiv(column, perLane);
    for (Value value : loadTransposedQuarters(ops, i32, bytes, addressOf)) {
      if (!isPaired)
        value = LLVM::BitcastOp::create(
            ops, ops.loc, emitter.laneVector(emitter.accumulator()), value);
      storeRow(value, row, single, 0);
      row = ops.add(row, 1);
    }
  });
}

void LaneLoader::loadAllQuarters(Window single) {
  Value there = ops.sub(block.rowCount, emitter.firstRow(single));
  ops.branch(
      ops.compare(arith::CmpIPredicate::sge, there, ops.index(lanes())),
      [&] { loadQuarters(single, {}); }, [&] { loadQuarters(single, there); });
}

void LaneLoader::loadTransposed(Window single) {
  if (!fillsQuarters())
    return loadSquares(single);
  ops.branch(
      unit, [&] { loadAllQuarters(single); },
      [&] { loadElements(single, ops.index(0)); });
}

/// The first `count` of `width` elements; the others are 0.
Value LaneLoader::loadRest(Value from, Type element, int64_t width,
                           Value count) {
  auto vector = ops.vector(width, element);
  auto numbers = llvm::to_vector(llvm::seq<int16_t>(0, int16_t(width)));
  Value number = arith::ConstantOp::create(
      ops, ops.loc,
      DenseElementsAttr::get(ops.vector(width, ops.getI16Type()),
                             ArrayRef<int16_t>(numbers)));
  Value inside = ops.max(ops.min(count, ops.index(width)), ops.index(0));
  Value limit = ops.broadcast(ops.createOrFold<arith::TruncIOp>(
                                  ops.loc, ops.getI16Type(), ops.toI64(inside)),
                              width);
  return LLVM::MaskedLoadOp::create(
      ops, ops.loc, vector, from,
      ops.compare(arith::CmpIPredicate::slt, number, limit), ops.zero(vector),
      ops.getI32IntegerAttr(bytes));
}

/// Joins the first `count` of the rows that share lanes; the others are 0. With
/// `isMasked` some lanes may be invalid.
Value LaneLoader::loadJoined(Value row, Window group, int64_t vector,
                             int64_t count, bool isMasked) {
  Value joined;
  for (int64_t part = 0; part < count; ++part) {
    Value column = ops.add(ops.mul(row, perLane), part);
    Value from =
        ops.add(emitter.firstRow(group), ops.mul(column, block.columnStride));
    if (vector == 0)
      fetchAhead(from, block.columnStride, group.vectors * lanes());
    Value at = ops.address(block.data, memory, ops.add(from, vector * lanes()));
    Value first = ops.add(emitter.firstRow(group), vector * lanes());
    Value raw =
        isMasked ? loadRest(at, memory, lanes(), ops.sub(block.rowCount, first))
                 : ops.load(emitter.laneVector(memory), at, bytes);
    if (memory != partType())
      raw = toHeld(raw);
    Type held = emitter.laneVector(ops.getI32Type());
    raw = arith::ExtUIOp::create(ops, ops.loc, held, raw);
    if (part)
      raw = arith::ShLIOp::create(
          ops, ops.loc, raw, ops.constant(held, double(32 / perLane * part)));
    joined = joined ? arith::OrIOp::create(ops, ops.loc, joined, raw) : raw;
  }
  return joined;
}

/// All rows of the tensor, as many at a time as share lanes.
void LaneLoader::loadJoinedVectors(Window group, bool isMasked) {
  Value there = ops.min(block.columnCount, ops.index(block.columns));
  auto loadRow = [&](Value row, int64_t count) {
    for (int64_t v = 0; v < group.vectors; ++v)
      storeRow(loadJoined(row, group, v, count, isMasked), row, group, v);
  };
  Value whole = ops.floorDiv(there, perLane);
  ops.loop(ops.index(0), whole, 1, [&](Value row) { loadRow(row, perLane); });
  Value left = ops.sub(there, ops.mul(whole, perLane));
  for (int64_t count = 1; count < perLane; ++count)
    ops.branch(ops.compare(arith::CmpIPredicate::eq, left, ops.index(count)),
               [&] { loadRow(whole, count); });
}

/// Row by row of the tensor, all vectors of one after the other.
void LaneLoader::loadVectors(Window group) {
  if (isPaired)
    return loadJoinedVectors(group, /*isMasked=*/false);
  auto storeRow = [&](Value column, llvm::function_ref<Value(int64_t)> make) {
    for (int64_t v = 0; v < group.vectors; ++v)
      emitter.storeSlot(make(v), slot, type, column, group, v);
  };
  Value there = ops.min(block.columnCount, ops.index(block.columns));
  ops.loop(ops.index(0), there, 1, [&](Value column) {
    Value from =
        ops.add(emitter.firstRow(group), ops.mul(column, block.columnStride));
    fetchAhead(from, block.columnStride, group.vectors * lanes());
    storeRow(column, [&](int64_t v) {
      Value at = ops.address(block.data, memory, ops.add(from, v * lanes()));
      Value raw = ops.load(emitter.laneVector(memory), at, bytes);
      return toHeld(raw);
    });
  });
  Value zero = ops.zero(emitter.laneVector(emitter.accumulator()));
  ops.loop(there, end, 1, [&](Value column) {
    storeRow(column, [&](int64_t) { return zero; });
  });
}

void LaneLoader::loadGroup(Window group) {
  auto follow = [&](Window window) {
    return followInMemory(ops, block, emitter.firstRow(window),
                          window.vectors * lanes());
  };
  auto loadSingles = [&] {
    emitter.forEachVector(&group, [&](Window single) {
      if (group.vectors == 1)
        return loadTransposed(single);
      ops.branch(
          follow(single), [&] { loadVectors(single); },
          [&] { loadTransposed(single); });
    });
  };
  auto loadOthers = [&] {
    if (!mayMask() || emitter.plan.streamed.contains(load))
      return loadSingles();
    ops.branch(
        ops.compare(arith::CmpIPredicate::eq, block.rowStride, ops.index(1)),
        [&] { loadJoinedVectors(group, /*isMasked=*/true); }, loadSingles);
  };
  ops.branch(
      follow(group),
      [&] {
        if (!emitter.plan.streamed.contains(load))
          loadVectors(group);
      },
      loadOthers);
}

/// Says where the product finds lanes that are not copied.
void LaneLoader::streamLanes() {
  Value zero = ops.index(0);
  Value isUnit =
      ops.compare(arith::CmpIPredicate::eq, block.rowStride, ops.index(1));
  Rows &rows = emitter.rows[load.getResult()];
  rows = {block.data, block.columnStride, {}, {}, block.element};
  rows.endOfLanes = ops.select(isUnit, block.rowCount, zero);
}

void Emitter::emitLaneLoad(tile::LoadOp load, const Window *window) {
  if (isPanel(load))
    return emitPanel(*this, load);
  LaneLoader loader(*this, load);
  auto type = cast<tile::TileType>(load.getResult().getType());
  if (!type.hasDim(kLaneDim))
    return loader.loadSingleRow();
  if (plan.hasTiles && plan.pairTiles.contains(load.getResult()))
    forEachGroup(window,
                 [&](Window group) { clearPadding(load.getResult(), group); });
  if (plan.streamed.contains(load) && mayFollow(load))
    loader.streamLanes();
  loader.prepareTransposed();
  if (mayFollow(load))
    forEachGroup(window, [&](Window group) { loader.loadGroup(group); });
  else
    forEachVector(window,
                  [&](Window single) { loader.loadTransposed(single); });
  const Unit *unit = plan.integerTiles.lookup(load.getResult());
  if (unit && mixesSigns(*unit))
    forEachGroup(window, [&](Window group) {
      IntegerProduct(*this, load.getResult()).storeStarts(group);
    });
}

} // namespace attnc::cpu
