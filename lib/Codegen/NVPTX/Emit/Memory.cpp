//===- Memory.cpp - Loads and stores of blocks ----------------------------===//
//
// A tile in registers is read element by element; each element is guarded by
// the valid extents, as nothing outside is ever read. A tile in shared memory
// is copied by all threads: 16 bytes at a time by cp.async where its rows are
// contiguous and aligned, which is known at run time only, else by elements.
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

/// The part of a buffer that a load or store names.
struct Emitter::Block {
  Type element;
  Value data; // at the first element, but for page and key of paged loads
  SmallVector<std::pair<StringAttr, Value>, 2> strides; // of the tile's dims
  // Of a load through a table:
  Value pageStride, pages, firstPage, firstKey;
  // Of merged axes (tile.rename): the name of the rows, the index of the first.
  StringAttr rows = {};
  Value firstRow = {}, headStride = {};
  int64_t group = 1;
};

/// From the first head's row 0 to row `row` of those of `group` heads.
Value Emitter::offsetOfRow(Value row, int64_t group, Value rowStride,
                           Value headStride) {
  Value query = b.floorDiv(row, group);
  Value head = b.sub(row, b.mul(query, group));
  return b.add(b.mul(query, rowStride), b.mul(head, headStride));
}

static constexpr int64_t kCopyBytes = 16;

Emitter::Block Emitter::blockOf(tile::LoadOp load) {
  const Buffer &buffer = buffers[load.getBuf()];
  Block block{buffer.element, {}, {}, {}, {}, {}, {}};
  auto merged = tile::RenameOp::findMerged(load.getBuf());
  if (merged) {
    block.rows = load.getBuf().getType().getNames()[merged->rows];
    block.firstRow = lookup(load.getIndices()[merged->rows]);
    block.headStride =
        merged->heads < 0 ? b.index(0) : buffer.strides[merged->heads];
    block.group = merged->group;
  }
  Value offset = b.index(0);
  for (auto [axis, index, stride, extent] :
       llvm::zip(load.getBuf().getType().getNames(), load.getIndices(),
                 buffer.strides, buffer.extents)) {
    if (load.getType().hasDim(axis))
      block.strides.push_back({axis, stride});
    if (load.getTable() && axis == "p") {
      block.pageStride = stride;
      block.pages = extent;
      block.firstPage = lookup(index);
    } else if (load.getTable() && axis == "k") {
      block.firstKey = lookup(index);
    } else if (axis == block.rows && load.getType().hasDim(axis)) {
      continue; // see locateElement
    } else if (axis == block.rows) {
      offset = b.add(offset, offsetOfRow(block.firstRow, block.group, stride,
                                         block.headStride));
    } else {
      offset = b.add(offset, b.mul(lookup(index), stride));
    }
  }
  block.data = b.address(buffer.data, b.memoryType(buffer.element), offset);
  return block;
}

/// The address of an element, and whether it may be read (null: always).
std::pair<Value, Value> Emitter::locateElement(tile::LoadOp load,
                                               const Block &block,
                                               const Place &place) {
  Value isReadable = isValid(place, load.getValidDims(), load.getValid());
  Value offset = b.index(0);
  auto pointer = [&] {
    return b.address(block.data, b.memoryType(block.element), offset);
  };
  Value key;
  for (auto [dim, stride] : block.strides) {
    Value at = position(dim, place);
    if (load.getTable() && dim == "k") {
      key = b.add(block.firstKey, at);
      at = b.remainder(key, *load.getPageRows());
    }
    offset =
        b.add(offset, dim == block.rows
                          ? offsetOfRow(b.add(block.firstRow, at), block.group,
                                        stride, block.headStride)
                          : b.mul(at, stride));
  }
  if (!load.getTable())
    return {pointer(), isReadable};
  SmallVector<Value> indices = lookup(load.getTableIndices());
  indices.push_back(b.floorDiv(key, *load.getPageRows()));
  Value page = b.add(block.firstPage,
                     readElement(load.getTable(), indices, b.getIndexType()));
  Value exists =
      b.logicalAnd(isFilled(buffers[load.getTable()]),
                   b.logicalAnd(b.compare(Predicate::sge, page, 0),
                                b.compare(Predicate::slt, page, block.pages)));
  offset = b.add(offset, b.mul(page, block.pageStride));
  return {pointer(), isReadable ? b.logicalAnd(isReadable, exists) : exists};
}

/// The columns of a thread in a row, with the address of each: they go up from
/// that of the first one by multiples of the stride, one of two columns before.
void Emitter::forEachColumn(Place place, Type element, Value first,
                            Value stride, AtPlace body) {
  int64_t columns = layout.columnSlots(place.type);
  int64_t step = layout.isFragment() ? 2 : 1;
  SmallVector<Value> pointers{first};
  for (place.column = 0; place.column < columns; ++place.column) {
    if (int64_t from = std::max<int64_t>(0, place.column - step);
        from < place.column) {
      int64_t places = layout.isFragment()
                           ? columnOffset(place.column) - columnOffset(from)
                           : 1;
      pointers.push_back(b.address(pointers[from], b.memoryType(element),
                                   b.mul(stride, places)));
    }
    body(place, pointers.back());
  }
}

/// The value if `isThere`, which may be null, else zeros.
static SmallVector<Value> readIf(Builder &b, Value isThere, TypeRange types,
                                 Builder::Choice read) {
  if (!isThere)
    return read();
  return b.choose(types, isThere, read, [&] {
    return llvm::map_to_vector(types, [&](Type type) { return b.zero(type); });
  });
}

/// All columns of a row have one branch, unless they end in different places.
void Emitter::emitLoad(tile::LoadOp load) {
  if (!layout.isInRegisters(load))
    return emitSharedLoad(load);
  Block block = blockOf(load);
  tile::TileType type = load.getType();
  Type elementType = type.getElementType();
  auto read = [&](Value pointer) {
    return SmallVector<Value>{b.load(block.element, pointer)};
  };
  if (load.getTable())
    return define(load, [&](const Place &place) {
      auto [pointer, isReadable] = locateElement(load, block, place);
      return readIf(b, isReadable, elementType,
                    [&, from = pointer] { return read(from); })[0];
    });
  Value stride;
  for (auto [dim, ofDim] : block.strides)
    if (dim != kRowDim)
      stride = ofDim;
  SmallVector<Value> registers;
  SmallVector<Type> types(layout.columnSlots(type), elementType);
  Place place{type};
  for (; place.row < layout.rowSlots(type); ++place.row) {
    auto readRow = [&] {
      SmallVector<Value> row;
      forEachColumn(place, block.element,
                    locateElement(load, block, place).first, stride,
                    [&](const Place &at, Value pointer) {
                      Value isThere = isValid(at, load.getValidDims(),
                                              load.getValid(), false);
                      row.append(readIf(b, isThere, elementType,
                                        [&] { return read(pointer); }));
                    });
      return row;
    };
    Value isThere =
        isValid(place, load.getValidDims(), load.getValid(), /*byRow=*/true);
    registers.append(readIf(b, isThere, types, readRow));
  }
  tiles[load] = {type, registers, {}, {}};
  if (isWantedInShared(load))
    toShared(load);
}

//===----------------------------------------------------------------------===//
// Copies to shared memory
//===----------------------------------------------------------------------===//

/// Whole rows of elements, in pieces of 16 bytes. Where keys are contiguous,
/// only `mapping = fragment` copies pieces that are valid in part.
bool Emitter::canCopyAsync(tile::LoadOp load, StringAttr inner) {
  int64_t bytes = Builder::bytesOf(load.getType().getElementType());
  bool isWhole = inner != "k" && !load.getValidOf(inner);
  return load.getType().getRank() == 2 &&
         (isWhole || (!layout.isWarpgroup() && !load.getTable())) &&
         *load.getType().getDimSize(inner) * bytes % kCopyBytes == 0;
}

/// The bytes of a piece that are copied: those of the columns from `column` on
/// that are valid, or none if it is not readable.
Value Emitter::copiedBytes(tile::LoadOp load, Value column, Value isReadable) {
  StringAttr inner = innerOf(load);
  Value bytes = b.i32(kCopyBytes);
  Value valid = load.getValidOf(inner);
  if (valid && constantOf(lookup(valid)) != load.getType().getDimSize(inner)) {
    int64_t size = Builder::bytesOf(load.getType().getElementType());
    Value left = b.mul(b.sub(lookup(valid), column), size);
    left = b.min(b.max(left, b.index(0)), b.index(kCopyBytes));
    bytes = b.cast(b.getI32Type(), left);
  }
  return isReadable ? b.select(isReadable, bytes, b.i32(0)) : bytes;
}

Value Emitter::isAligned(const Block &block, StringAttr inner) {
  Type i64 = b.getI64Type();
  int64_t bytes = Builder::bytesOf(block.element);
  Value bits = b.toIndex(
      LLVM::PtrToIntOp::create(b, b.loc, i64, block.data).getResult());
  Value isUnit = b.boolean(true);
  auto also = [&](Value stride) {
    bits = arith::OrIOp::create(b, b.loc, bits, b.mul(stride, bytes));
  };
  for (auto [dim, stride] : block.strides)
    if (dim == inner)
      isUnit = b.compare(Predicate::eq, stride, 1);
    else
      also(stride);
  if (block.pageStride)
    also(block.pageStride);
  if (block.headStride)
    also(block.headStride);
  Value rest = b.remainder(bits, kCopyBytes);
  return b.logicalAnd(isUnit, b.compare(Predicate::eq, rest, 0));
}

/// Pieces beyond the valid rows and in the padding become zeros. Addresses of
/// some pieces come before their copies, so that reads of the pages' table
/// overlap.
void Emitter::copyAsync(tile::LoadOp load, const Block &block,
                        const SharedTile &made) {
  constexpr int64_t kAtOnce = 8;
  int64_t elements = kCopyBytes / Builder::bytesOf(block.element);
  int64_t pieces = made.columns / elements;
  int64_t size = *load.getType().getDimSize(made.dims.back());
  int64_t total = made.rows * pieces;
  struct Piece {
    Value to, from, bytes;
  };
  auto locate = [&](Value number) -> Piece {
    Place place{load.getType()};
    Value column = b.mul(b.remainder(number, pieces), elements);
    place.positions = {{made.dims.front(), b.floorDiv(number, pieces)},
                       {made.dims.back(), column}};
    auto [from, isReadable] = locateElement(load, block, place);
    if (made.columns != size) {
      Value isInside = b.compare(Predicate::slt, column, size);
      isReadable = isReadable ? b.logicalAnd(isReadable, isInside) : isInside;
    }
    if (int64_t rows = *load.getType().getDimSize(made.dims.front());
        made.rows != rows) {
      Value isInside =
          b.compare(Predicate::slt, place.positions[0].second, rows);
      isReadable = isReadable ? b.logicalAnd(isReadable, isInside) : isInside;
    }
    Value to = sharedAddress(
        made, [&](StringRef dim) { return position(dim, place); });
    return {to, from, copiedBytes(load, column, isReadable)};
  };
  auto copy = [&](const Piece &piece) {
    b.intrinsic("cp.async.cg.shared.global.16.s",
                {piece.to, piece.from, piece.bytes});
  };
  int64_t first = 0;
  while (first + threads <= total) {
    SmallVector<Piece> located;
    for (; first + threads <= total && int64_t(located.size()) < kAtOnce;
         first += threads)
      located.push_back(locate(b.add(thread, first)));
    llvm::for_each(located, copy);
  }
  if (first < total) {
    Value number = b.add(thread, first);
    b.branch(b.compare(Predicate::slt, number, total),
             [&] { copy(locate(number)); });
  }
}

/// Pieces of 16 bytes of a row that threads next to each other copy: those of a
/// panel. Where rows in shared memory leave few registers, they are as many as
/// copyAsyncRows needs, since addresses of copyAsync take registers in a loop.
int64_t Emitter::unitsOf(const SharedTile &made) const {
  int64_t bytes = made.swizzle ? made.swizzle
                               : made.columns * Builder::bytesOf(made.element);
  int64_t units = bytes / kCopyBytes;
  bool isShort = !layout.isWarpgroup() && layout.getTarget().getSharedRows();
  return isShort ? std::gcd(units, threads) : units;
}

/// As copyAsync, where a thread copies the same columns of panels, of rows that
/// are the same number of rows apart. Addresses of a piece are those of the
/// piece before it and a constant, so that they take no registers in a loop.
void Emitter::copyAsyncRows(tile::LoadOp load, const Block &block,
                            const SharedTile &made) {
  int64_t bytes = Builder::bytesOf(block.element);
  int64_t elements = kCopyBytes / bytes, units = unitsOf(made);
  int64_t rowsApart = threads / units, width = units * elements;
  int64_t size = *load.getType().getDimSize(made.dims.back());
  int64_t rows = *load.getType().getDimSize(made.dims.front());
  Value row = b.floorDiv(thread, units);
  Value column = b.mul(b.remainder(thread, units), elements);
  Value to = sharedAddress(made, [&](StringRef dim) {
    return dim == made.dims.back() ? column : row;
  });
  Value rowStride;
  Value offset = column; // columns are contiguous, see isAligned
  for (auto [dim, stride] : block.strides)
    if (dim != made.dims.back())
      rowStride = stride;
  offset = b.add(offset, b.mul(row, rowStride));
  Type element = b.memoryType(block.element);
  Value from = b.address(block.data, element, offset);
  Value apart = b.mul(rowStride, rowsApart);
  Value end = b.index(rows);
  if (Value valid = load.getValidOf(made.dims.front()))
    end = b.min(end, lookup(valid));
  std::optional<int64_t> known = constantOf(end);
  Value rest = b.sub(end, row);
  int64_t rowBytes = made.swizzle ? made.swizzle : made.pitch * bytes;
  int64_t panelBytes = made.swizzle ? made.panelBytes() : width * bytes;
  auto copyAt = [&](int64_t first, int64_t panel) {
    Value isReadable;
    if ((panel + 1) * width > size)
      isReadable = b.compare(Predicate::slt, column, size - panel * width);
    if (!known || *known < first + rowsApart) {
      Value isRow = b.compare(Predicate::sgt, rest, first);
      isReadable = isReadable ? b.logicalAnd(isReadable, isRow) : isRow;
    }
    Value count = copiedBytes(load, b.add(column, panel * width), isReadable);
    int64_t place = first * rowBytes + panel * panelBytes;
    b.intrinsic("cp.async.cg.shared.global.16.s",
                {b.address(to, b.getI8Type(), b.index(place)),
                 b.address(from, element, b.index(panel * width)), count});
  };
  for (int64_t first = 0; first < made.rows; first += rowsApart) {
    auto copyPanels = [&] {
      for (int64_t panel = 0; panel < made.columns / width; ++panel)
        copyAt(first, panel);
    };
    if (first + rowsApart <= made.rows)
      copyPanels();
    else
      b.branch(b.compare(Predicate::slt, row, made.rows - first), copyPanels);
    from = b.address(from, element, apart);
  }
}

/// Whether the rows of a thread are as copyAsyncRows needs them: the same
/// columns, and whole patterns of a swizzle apart.
bool Emitter::hasRegularRows(tile::LoadOp load, const SharedTile &made) const {
  constexpr int64_t kPatternRows = 8;
  int64_t units = unitsOf(made);
  return !load.getTable() && !tile::RenameOp::findMerged(load.getBuf()) &&
         threads % units == 0 &&
         (!made.swizzle || threads / units % kPatternRows == 0);
}

/// The dim that is contiguous in most tensors.
StringAttr Emitter::innerOf(tile::LoadOp load) {
  StringAttr inner;
  for (StringAttr axis : load.getBuf().getType().getNames())
    if (load.getType().hasDim(axis))
      inner = axis;
  return inner;
}

/// Copies the tile to its place; asynchronous copies are one group.
void Emitter::copy(tile::LoadOp load, const SharedTile &made) {
  Block block = blockOf(load);
  tile::TileType type = load.getType();
  Type elementType = type.getElementType();
  auto zero = [&] { return SmallVector<Value>{b.zero(elementType)}; };
  auto read = [&](const Place &place) -> SmallVector<Value> {
    auto [pointer, isReadable] = locateElement(load, block, place);
    auto load = [&, from = pointer] {
      return SmallVector<Value>{b.load(block.element, from)};
    };
    return isReadable ? b.choose(elementType, isReadable, load, zero) : load();
  };
  auto copyElements = [&] {
    forEachElement(type, made, [&](const Place &place, Value isInside) {
      Value value =
          b.choose(elementType, isInside, [&] { return read(place); }, zero)[0];
      b.store(value, made.element, sharedAddress(made, [&](StringRef dim) {
                return position(dim, place);
              }));
    });
  };
  auto copyPieces = [&] {
    hasRegularRows(load, made) ? copyAsyncRows(load, block, made)
                               : copyAsync(load, block, made);
  };
  if (!canCopyAsync(load, made.dims.back()))
    return copyElements();
  Value canCopy = isAligned(block, made.dims.back());
  if (load.getTable()) // read without a branch for each piece
    canCopy = b.logicalAnd(canCopy, isFilled(buffers[load.getTable()]));
  auto copyFilled = [&] {
    std::optional<bool> before = isReadFilled;
    if (load.getTable())
      isReadFilled = true;
    copyPieces();
    isReadFilled = before;
  };
  b.branch(canCopy, copyFilled, copyElements);
}

void Emitter::emitSharedLoad(tile::LoadOp load) {
  if (Ring *ring = ringOf(load)) {
    waitFull(*ring);
    tiles[load] = {load.getType(), {}, bufferOf(*ring), {}};
    if (ring->map)
      clearInvalidRows(*ring);
    return;
  }
  StringAttr inner = innerOf(load);
  SharedTile made = allocate(layout.makeShared(Value(load), inner));
  b.barrier();
  copy(load, made);
  if (canCopyAsync(load, inner)) {
    b.intrinsic("cp.async.commit.group", {});
    b.intrinsic("cp.async.wait.group", b.i32(0));
  }
  publish(made);
  tiles[load] = {load.getType(), {}, made, {}};
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Emitter::emitStore(tile::StoreOp store) {
  const Buffer &buffer = buffers[store.getBuf()];
  Value tile = store.getValue();
  auto type = cast<tile::TileType>(tile.getType());
  Type stored = b.memoryType(buffer.element);
  auto merged = tile::RenameOp::findMerged(store.getBuf());
  StringAttr rows;
  if (merged)
    rows = store.getBuf().getType().getNames()[merged->rows];
  auto locate = [&](const Place &place) {
    Value offset = b.index(0);
    for (auto [axis, index, stride] :
         llvm::zip(store.getBuf().getType().getNames(), store.getIndices(),
                   buffer.strides)) {
      Value at = lookup(index);
      if (type.hasDim(axis))
        at = b.add(at, position(axis, place));
      offset =
          b.add(offset, axis == rows
                            ? offsetOfRow(at, merged->group, stride,
                                          merged->heads < 0
                                              ? b.index(0)
                                              : buffer.strides[merged->heads])
                            : b.mul(at, stride));
    }
    return b.address(buffer.data, stored, offset);
  };
  auto storeIf = [&](Value isInside, Builder::Body write) {
    isInside ? b.branch(isInside, write) : write();
  };
  auto storeAt = [&](const Place &place, Value pointer) {
    b.store(element(tile, place), buffer.element, pointer);
  };
  Value stride;
  for (auto [axis, ofAxis] :
       llvm::zip(store.getBuf().getType().getNames(), buffer.strides))
    if (axis != kRowDim && type.hasDim(axis))
      stride = ofAxis;
  auto storeRow = [&](Place place) {
    storeIf(isValid(place, store.getValidDims(), store.getValid(), true), [&] {
      forEachColumn(
          place, buffer.element, locate(place), stride,
          [&](const Place &at, Value pointer) {
            storeIf(isValid(at, store.getValidDims(), store.getValid(), false),
                    [&] { storeAt(at, pointer); });
          });
    });
  };
  auto storeAll = [&] {
    for (Place place{type}; place.row < layout.rowSlots(type); ++place.row)
      storeRow(place);
  };
  if (Layout::isInRegisters(type)) {
    Value owner = isOwner(type);
    return owner ? b.branch(owner, storeAll) : storeAll();
  }
  forEachElement(type, toShared(tile), [&](const Place &place, Value isInside) {
    b.branch(isInside, [&] {
      storeIf(isValid(place, store.getValidDims(), store.getValid()),
              [&] { storeAt(place, locate(place)); });
    });
  });
}

} // namespace attnc::ptx
