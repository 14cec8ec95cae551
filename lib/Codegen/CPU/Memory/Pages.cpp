//===- Pages.cpp - Read rows of paged keys --------------------------------===//
//
// A tile of keys is read in place if one page contains all of it and its rows
// can be read in place (Pack.cpp); otherwise its rows are copied to scratch,
// page by page: the table is looked at once for each page that the tile
// touches. A page that the tensor does not have gives zeros.
//
// Few queries read each key once, so a copy would take as long as they do.
// Where pages are whole groups of kKeysOfFew rows, the products read a tile in
// place over several pages: scratch has the offset of each group, and of those
// of the next tile, which the products prefetch.
// Tests: test/Codegen/CPU/pages.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::cpu {

/// The tensor of a load through a table, with everything but page and key.
struct Emitter::PagedBlock {
  Emitter &emitter;
  tile::LoadOp load;
  Type element, copied = {}; // of the tensor and of a copy
  Value data = {};           // at all other indices
  Value pageStride = {}, pages = {}, firstPage = {};
  Value rowStride = {}, firstKey = {}, keyCount = {};
  Value columnStride = {}, columnCount = {}, unit = {};
  int64_t columns = 1, pitch = 1; // pitch: of a copy

  PagedBlock(Emitter &emitter, tile::LoadOp load);
  std::pair<Value, Value> findPage(Value number);
  void copyTo(Value target);
  Value findRows(Value offsets, int64_t tile);
};

static Value validOf(tile::LoadOp load, StringAttr dim, int64_t size, Ops &ops,
                     const IRMapping &scalars) {
  Value valid = load.getValidOf(dim);
  return valid ? ops.min(scalars.lookup(valid), ops.index(size))
               : ops.index(size);
}

Emitter::PagedBlock::PagedBlock(Emitter &emitter, tile::LoadOp load)
    : emitter(emitter), load(load) {
  Ops &ops = emitter.ops;
  const Buffer &buffer = emitter.buffers[load.getBuf()];
  tile::TileType type = load.getResult().getType();
  element = buffer.element;
  copied = rowTypeOf(load, emitter.plan);
  pitch = emitter.plan.rowPitch(load);
  Value offset = ops.index(0);
  for (auto [axis, index, stride, extent] :
       llvm::zip(load.getBuf().getType().getNames(), load.getIndices(),
                 buffer.strides, buffer.extents)) {
    Value start = emitter.scalars.lookup(index);
    std::optional<int64_t> size = type.getDimSize(axis);
    if (axis == "p") {
      pageStride = stride;
      pages = extent;
      firstPage = start;
      continue;
    }
    if (axis == "k") {
      rowStride = stride;
      firstKey = start;
      keyCount = validOf(load, axis, *size, ops, emitter.scalars);
      continue;
    }
    offset = ops.add(offset, ops.mul(start, stride));
    if (!size)
      continue;
    columns = *size;
    columnStride = stride;
    columnCount = validOf(load, axis, *size, ops, emitter.scalars);
  }
  unit = ops.compare(arith::CmpIPredicate::eq, columnStride, ops.index(1));
  data = ops.address(buffer.data, emitter.memoryType(element), offset);
}

/// Elements from `data` to row 0 of page table[.., number], and whether the
/// page exists.
std::pair<Value, Value> Emitter::PagedBlock::findPage(Value number) {
  Ops &ops = emitter.ops;
  SmallVector<Value> places;
  for (Value index : load.getTableIndices())
    places.push_back(emitter.scalars.lookup(index));
  places.push_back(number);
  Value page = ops.add(firstPage, emitter.readElement(load.getTable(), places));
  Value exists =
      ops.logicalAnd(ops.compare(arith::CmpIPredicate::sge, page, ops.index(0)),
                     ops.compare(arith::CmpIPredicate::slt, page, pages));
  return {ops.mul(page, pageStride), exists};
}

void Emitter::PagedBlock::copyTo(Value target) {
  Ops &ops = emitter.ops;
  int64_t pageRows = *load.getPageRows();
  Type memory = emitter.memoryType(copied);
  // Signed integers may be copied as unsigned ones, greater by 128.
  bool isShifted = copied.isUnsignedInteger() && !element.isUnsignedInteger();
  double zero = isShifted ? -128 : 0;
  Value end = ops.add(firstKey, keyCount);
  Value first = ops.floorDiv(firstKey, pageRows);
  ops.loop(first, ops.ceilDiv(end, pageRows), 1, [&](Value number) {
    auto [page, exists] = findPage(number);
    Value pageKey = ops.mul(number, pageRows);
    Value low = ops.max(pageKey, firstKey);
    Value high = ops.min(ops.add(pageKey, pageRows), end);
    ops.loop(low, high, 1, [&, page = page, exists = exists](Value key) {
      Value row = ops.mul(ops.sub(key, pageKey), rowStride);
      Value from =
          ops.address(data, emitter.memoryType(element), ops.add(page, row));
      Value to =
          ops.address(target, memory, ops.mul(ops.sub(key, firstKey), pitch));
      ops.branch(
          exists,
          [&] {
            emitter.copyRow({element, copied, from, to, columnStride,
                             columnCount, unit, columns});
          },
          [&] {
            ops.loop(ops.index(0), ops.index(columns), 1, [&](Value at) {
              ops.store(ops.constant(memory, zero), ops.address(to, memory, at),
                        emitter.memoryBytes(copied));
            });
          });
    });
  });
}

/// Stores where every kKeysOfFew rows of a tile of so many keys start, and
/// those of the next one, whose pages are prefetched and need not exist.
/// Returns whether all pages of the tile exist and each such group is in one
/// page.
Value Emitter::PagedBlock::findRows(Value offsets, int64_t tile) {
  Ops &ops = emitter.ops;
  int64_t pageRows = *load.getPageRows();
  Value last =
      ops.sub(emitter.buffers[load.getTable()].extents.back(), ops.index(1));
  auto find = [&](Value key) {
    Value at = ops.add(firstKey, key);
    Value number = ops.min(ops.floorDiv(at, pageRows), last);
    auto [page, exists] = findPage(number);
    Value row = ops.sub(at, ops.mul(number, pageRows));
    emitter.storeOffset(offsets, key, ops.add(page, ops.mul(row, rowStride)));
    Value rows = ops.min(ops.sub(keyCount, key), ops.index(kKeysOfFew));
    Value fits = ops.compare(arith::CmpIPredicate::sle, ops.add(row, rows),
                             ops.index(pageRows));
    return ops.logicalAnd(exists, fits);
  };
  SmallVector<Value> whole = ops.loop(
      ops.index(0), keyCount, kKeysOfFew, ValueRange(ops.boolean(true)),
      [&](Value key, ValueRange carried) {
        return SmallVector<Value>{ops.logicalAnd(carried[0], find(key))};
      });
  ops.loop(ops.index(tile), ops.index(2 * tile), kKeysOfFew,
           [&](Value key) { find(key); });
  return whole[0];
}

void Emitter::storeOffset(Value offsets, Value row, Value offset) {
  Type i64 = ops.getI64Type();
  ops.store(ops.toI64(offset),
            ops.address(offsets, i64, ops.floorDiv(row, kKeysOfFew)), 8);
}

/// The address of a row of keys, or of the next tile's in its prefetches.
Value Emitter::rowAddress(const Rows &from, Value row) {
  Value offset;
  if (from.offsets) {
    Type i64 = ops.getI64Type();
    Value group = ops.floorDiv(row, kKeysOfFew);
    Value start = ops.load(i64, ops.address(from.offsets, i64, group), 8);
    row = ops.sub(row, ops.mul(group, kKeysOfFew));
    offset = ops.add(ops.toIndex(start), ops.mul(row, from.rowStride));
  } else {
    offset = ops.mul(row, from.rowStride);
  }
  return ops.address(from.pointer, memoryType(from.element), offset);
}

void Emitter::emitPagedRows(tile::LoadOp load) {
  PagedBlock block(*this, load);
  auto [rowDim, columnDim] = rowAndColumn(load);
  Value isBad = needsCopy(load, block.element, block.unit, block.rowStride);
  const Slot &slot = plan.packs.find(load)->second;
  Value packed = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  Value offsets, inPlace, direct = block.data;
  if (auto found = plan.pageOffsets.find(load);
      found != plan.pageOffsets.end()) {
    offsets = ops.address(scratch, ops.getI8Type(), ops.index(found->second));
    inPlace =
        block.findRows(offsets, *load.getResult().getType().getDimSize(rowDim));
  } else {
    int64_t pageRows = *load.getPageRows();
    Value number = ops.floorDiv(block.firstKey, pageRows);
    Value row = ops.sub(block.firstKey, ops.mul(number, pageRows));
    Value fits = ops.compare(arith::CmpIPredicate::sle,
                             ops.add(row, block.keyCount), ops.index(pageRows));
    auto [page, exists] = block.findPage(number);
    inPlace = ops.logicalAnd(fits, exists);
    direct = ops.address(block.data, memoryType(block.element),
                         ops.add(page, ops.mul(row, block.rowStride)));
  }
  Value copy = ops.logicalOr(
      isBad, arith::XOrIOp::create(ops, ops.loc, inPlace, ops.boolean(true)));
  ops.branch(copy, [&] {
    block.copyTo(packed);
    if (offsets)
      ops.loop(ops.index(0), block.keyCount, kKeysOfFew, [&](Value key) {
        storeOffset(offsets, key, ops.mul(key, block.pitch));
      });
  });
  Rows result{ops.select(copy, packed, direct),
              ops.select(copy, ops.index(block.pitch), block.rowStride), rowDim,
              columnDim, block.copied};
  result.offsets = offsets;
  rows[load.getResult()] = result;
  if (plan.pairRows.contains(load))
    packPairs(load, block.keyCount);
  if (plan.tileRows.contains(load))
    packTiles(load, block.keyCount, block.columnCount);
}

} // namespace attnc::cpu
