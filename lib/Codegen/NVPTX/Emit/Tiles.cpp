//===- Tiles.cpp - Elements of tiles in registers and shared memory -------===//
//
// Shared memory is written between two barriers: the first waits for those who
// still read what was there before, the second lets others read.
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

static constexpr int64_t kWarp = 32;

Emitter::Emitter(Builder &b, Layout layout, Value sharedMemory)
    : b(b), layout(layout), sharedMemory(sharedMemory) {
  thread = b.toIndex(
      b.intrinsic("read.ptx.sreg.tid.x", b.getI32Type(), ValueRange()));
  lane = b.remainder(thread, 32);
  warp = b.floorDiv(thread, 32);
  threads = layout.getTarget().getThreads();
  entryEnd = &*std::prev(b.getInsertionPoint());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Of a register; computed once, where all code can use it.
static Value atEntry(Builder &b, Operation *&entryEnd, Value &known,
                     llvm::function_ref<Value()> compute) {
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(entryEnd);
  known = compute();
  entryEnd = &*std::prev(b.getInsertionPoint());
  return known;
}

static int64_t rowOffset(int64_t slot) { return 8 * slot; }

Value Emitter::rowPosition(int64_t slot) {
  if (!layout.isFragment())
    return thread;
  return atEntry(b, entryEnd, rowPositions[slot], [&] {
    Value first =
        b.add(b.mul(warp, layout.getTarget().getRows()), b.floorDiv(lane, 4));
    return b.add(first, rowOffset(slot));
  });
}

Value Emitter::firstColumn() {
  return atEntry(b, entryEnd, columnPositions[-1],
                 [&] { return b.mul(b.remainder(lane, 4), 2); });
}

Value Emitter::columnPosition(int64_t slot) {
  Value first = layout.isFragment() ? firstColumn() : Value();
  return atEntry(b, entryEnd, columnPositions[slot], [&] {
    return first ? b.add(first, columnOffset(slot)) : b.index(slot);
  });
}

bool Emitter::isColumn(StringRef dim, const Place &place) const {
  return layout.isFragment() && place.isRegister() && dim != kRowDim;
}

/// What all rows and columns of a thread have in common is added first, so that
/// the position of each is a constant more and takes no register in a loop.
Value Emitter::positionFrom(Value start, StringRef dim, const Place &place) {
  if (layout.isFragment() && place.isRegister() && dim == kRowDim)
    return b.add(b.add(start, rowPosition(0)), rowOffset(place.row));
  if (!isColumn(dim, place))
    return b.add(start, position(dim, place));
  return b.add(b.add(start, firstColumn()), columnOffset(place.column));
}

Value Emitter::position(StringRef dim, const Place &place) {
  for (const auto &[name, position] : place.positions)
    if (name == dim)
      return position;
  return dim == kRowDim ? rowPosition(place.row) : columnPosition(place.column);
}

Value Emitter::isValid(const Place &place, ArrayAttr dims, ValueRange valid,
                       std::optional<bool> byRow) {
  Value all;
  auto require = [&](StringRef dim, Value end) {
    if (byRow && *byRow != (dim == kRowDim))
      return;
    Value isBelow = isColumn(dim, place)
                        ? b.compare(Predicate::sgt, b.sub(end, firstColumn()),
                                    columnOffset(place.column))
                        : b.compare(Predicate::slt, position(dim, place), end);
    all = all ? b.logicalAnd(all, isBelow) : isBelow;
  };
  for (auto [dim, size] : place.type.getDims()) {
    bool isRow = dim == kRowDim;
    int64_t made =
        isRow ? layout.getTarget().getBlockRows() : layout.padded(size);
    if (place.isRegister() && made != size)
      require(dim, b.index(size));
  }
  for (auto [dim, end] : llvm::zip(dims.getAsRange<StringAttr>(), valid))
    require(dim, lookup(end));
  return all;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value Emitter::sharedPointer(int64_t offset) {
  return b.address(sharedMemory, b.getI8Type(), b.index(offset));
}

Value Emitter::sharedAddress(const SharedTile &shared,
                             llvm::function_ref<Value(StringRef)> position) {
  Value at = position(shared.dims.back());
  if (shared.swizzle)
    at = panelOffset(shared, position(shared.dims.front()), at);
  else if (shared.dims.size() == 2)
    at = b.add(b.mul(position(shared.dims.front()), shared.pitch), at);
  Value pointer = sharedPointer(shared.offset);
  if (shared.stage)
    pointer = b.address(pointer, b.getI8Type(), shared.stage);
  return b.address(pointer, b.memoryType(shared.element), at);
}

/// Elements from the start of a tile in panels.
Value Emitter::panelOffset(const SharedTile &shared, Value row, Value column) {
  int64_t width = shared.swizzle / Builder::bytesOf(shared.element);
  int64_t perUnit = 16 / Builder::bytesOf(shared.element);
  int64_t units = width / perUnit;
  // The rows of a pattern of 1024 bytes that share their units.
  Value turn = b.remainder(b.floorDiv(row, 8 / units), units);
  Value inner = b.remainder(column, width);
  inner = arith::XOrIOp::create(b, b.loc, inner, b.mul(turn, perUnit));
  Value panel = b.mul(b.floorDiv(column, width), shared.rows * width);
  return b.add(b.add(panel, b.mul(row, width)), inner);
}

Value Emitter::elementOf(const SharedTile &shared,
                         llvm::function_ref<Value(StringRef)> position) {
  return b.load(shared.element, sharedAddress(shared, position));
}

SharedTile Emitter::allocate(SharedTile tile) {
  shared = llvm::alignTo(shared, tile.alignment());
  tile.offset = shared;
  shared += tile.bytes();
  mostShared = std::max(mostShared, shared);
  return tile;
}

/// Each element by one thread, with its padding; the last argument says whether
/// it is one of the tile.
void Emitter::forEachElement(
    tile::TileType type, const SharedTile &shared,
    llvm::function_ref<void(const Place &, Value)> body) {
  b.loop(thread, b.index(shared.rows * shared.columns), b.index(threads),
         [&](Value number) {
           Place place{type};
           Value row = b.floorDiv(number, shared.columns);
           Value column = b.remainder(number, shared.columns);
           if (shared.dims.size() == 2)
             place.positions.push_back({shared.dims.front(), row});
           place.positions.push_back({shared.dims.back(), column});
           Value isInside = b.boolean(true);
           for (auto [dim, at] : place.positions)
             if (int64_t size = *type.getDimSize(dim);
                 layout.padded(size) != size)
               isInside =
                   b.logicalAnd(isInside, b.compare(Predicate::slt, at, size));
           body(place, isInside);
         });
}

void Emitter::defineShared(Value result, StringAttr inner,
                           llvm::function_ref<Value(const Place &)> compute) {
  auto type = cast<tile::TileType>(result.getType());
  SharedTile made = allocate(layout.makeShared(result, inner));
  b.barrier();
  forEachElement(type, made, [&](const Place &place, Value isInside) {
    Value value = b.choose(
        type.getElementType(), isInside,
        [&] { return SmallVector<Value>{compute(place)}; },
        [&] { return SmallVector<Value>{b.zero(type.getElementType())}; })[0];
    b.store(value, made.element, sharedAddress(made, [&](StringRef dim) {
              return position(dim, place);
            }));
  });
  publish(made);
  tiles[result] = {type, {}, made, {}};
}

Value Emitter::isOwner(tile::TileType type) {
  bool hasRows = type.hasDim(kRowDim);
  if (!layout.isFragment())
    return hasRows ? Value() : b.compare(Predicate::eq, thread, 0);
  if (!hasRows)
    return b.compare(Predicate::slt, thread, 4);
  if (!Layout::columnOf(type))
    return b.compare(Predicate::eq, b.remainder(lane, 4), 0);
  return {};
}

SharedTile Emitter::toShared(Value tile) {
  if (tiles[tile].shared)
    return *tiles[tile].shared;
  auto type = cast<tile::TileType>(tile.getType());
  SharedTile made = allocate(layout.makeShared(tile, {}));
  Type elementType = type.getElementType();
  auto store = [&](const Place &place, Value value) {
    b.store(value, made.element, sharedAddress(made, [&](StringRef dim) {
              return position(dim, place);
            }));
  };
  b.barrier();
  if (std::optional<double> constant = tiles[tile].constant) {
    forEachElement(type, made, [&](const Place &place, Value isInside) {
      store(place, b.select(isInside, b.constant(elementType, *constant),
                            b.zero(elementType)));
    });
  } else {
    auto storeAll = [&] {
      Place place{type};
      for (place.row = 0; place.row < layout.rowSlots(type); ++place.row)
        for (place.column = 0; place.column < layout.columnSlots(type);
             ++place.column) {
          Value value = element(tile, place);
          if (Value isInside = isValid(place, b.getArrayAttr({}), {}))
            value = b.select(isInside, value, b.zero(elementType));
          if (type.hasDim(kRowDim) &&
              *type.getDimSize(kRowDim) < layout.getTarget().getBlockRows())
            b.branch(b.compare(Predicate::slt, rowPosition(place.row),
                               layout.padded(*type.getDimSize(kRowDim))),
                     [&] { store(place, value); });
          else
            store(place, value);
        }
    };
    Value owner = isOwner(type);
    owner ? b.branch(owner, storeAll) : storeAll();
  }
  publish(made);
  tiles[tile].shared = made;
  sharedCopies.push_back(tile);
  return made;
}

/// Whether a dot reads the tile at other places than where it is computed.
bool Emitter::isWantedInShared(Value tile) {
  return layout.isInPanels(tile) || layout.isSharedRows(tile) ||
         llvm::any_of(tile.getUsers(), [&](Operation *user) {
           auto dot = dyn_cast<tile::DotOp>(user);
           return dot && dot.getAcc() != tile && !usesTensorCores(dot, layout);
         });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value Emitter::element(Value tile, const Place &place) {
  auto type = cast<tile::TileType>(tile.getType());
  Tile &held = tiles[tile];
  if (held.isOfWarp)
    return readLane(held, place.column);
  if (held.constant)
    return b.constant(type.getElementType(), *held.constant);
  if (place.isRegister() && !held.registers.empty()) {
    int64_t row = type.hasDim(kRowDim) ? place.row : 0;
    int64_t column = Layout::columnOf(type) ? place.column : 0;
    return held.registers[row * layout.columnSlots(type) + column];
  }
  assert(held.shared && "an operand in registers, read at other places");
  return elementOf(*held.shared,
                   [&](StringRef dim) { return position(dim, place); });
}

/// An element of a column that another lane has. An index is one of 32 bits.
Value Emitter::readLane(Tile &tile, int64_t slot) {
  auto [last, value] = tile.last;
  if (last == slot && value.getParentBlock() == b.getBlock())
    return value;
  int64_t column = columnOffset(slot);
  Value from = b.toI32(b.add(firstColumn(), column % kWarp));
  value = b.shuffle(tile.registers[column / kWarp], from);
  if (tile.type.getElementType().isIndex())
    value = arith::IndexCastOp::create(b, b.loc, b.getIndexType(), value);
  tile.last = {slot, value};
  return value;
}

/// Columns come first: what their rows share is then used at once.
SmallVector<Value>
Emitter::computeRegisters(tile::TileType type,
                          llvm::function_ref<Value(const Place &)> compute) {
  SmallVector<Value> registers;
  Place place{type};
  int64_t rows = layout.rowSlots(type), columns = layout.columnSlots(type);
  registers.resize(rows * columns);
  for (place.column = 0; place.column < columns; ++place.column)
    for (place.row = 0; place.row < rows; ++place.row)
      registers[place.row * columns + place.column] = compute(place);
  return registers;
}

void Emitter::define(Value result,
                     llvm::function_ref<Value(const Place &)> compute) {
  auto type = cast<tile::TileType>(result.getType());
  if (!Layout::isInRegisters(type))
    return defineShared(result, {}, compute);
  tiles[result] = {type, computeRegisters(type, compute), {}, {}};
  if (isWantedInShared(result))
    toShared(result);
}

} // namespace attnc::ptx
