//===- Pages.cpp - Read rows of paged keys --------------------------------===//
//
// A tile of keys is read in place if one page contains all of it and its rows
// can be read in place (Pack.cpp); otherwise its rows are copied to scratch,
// page by page: the table is looked at once for each page that the tile
// touches. A page that the tensor does not have gives zeros.
// Tests: test/Codegen/CPU/pages.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::cpu {

/// The tensor of a load through a table, with everything but page and key.
struct Emitter::PagedBlock {
  Type element, copied; // of the tensor and of a copy
  Value data;           // at all other indices
  Value pageStride, pages, firstPage;
  Value rowStride, firstKey, keyCount;
  Value columnStride, columnCount, unit;
  int64_t columns = 1, pitch = 1; // pitch: of a copy
};

static Value validOf(tile::LoadOp load, StringAttr dim, int64_t size, Ops &ops,
                     const IRMapping &scalars) {
  Value valid = load.getValidOf(dim);
  return valid ? ops.min(scalars.lookup(valid), ops.index(size))
               : ops.index(size);
}

Emitter::PagedBlock Emitter::pagedBlockOf(tile::LoadOp load) {
  const Buffer &buffer = buffers[load.getBuf()];
  tile::TileType type = load.getResult().getType();
  PagedBlock block;
  block.element = buffer.element;
  block.copied = rowTypeOf(load, plan);
  block.pitch = plan.rowPitch(load);
  Value offset = ops.index(0);
  for (auto [axis, index, stride, extent] :
       llvm::zip(load.getBuf().getType().getNames(), load.getIndices(),
                 buffer.strides, buffer.extents)) {
    Value start = scalars.lookup(index);
    std::optional<int64_t> size = type.getDimSize(axis);
    if (axis == "p") {
      block.pageStride = stride;
      block.pages = extent;
      block.firstPage = start;
      continue;
    }
    if (axis == "k") {
      block.rowStride = stride;
      block.firstKey = start;
      block.keyCount = validOf(load, axis, *size, ops, scalars);
      continue;
    }
    offset = ops.add(offset, ops.mul(start, stride));
    if (!size)
      continue;
    block.columns = *size;
    block.columnStride = stride;
    block.columnCount = validOf(load, axis, *size, ops, scalars);
  }
  block.unit =
      ops.compare(arith::CmpIPredicate::eq, block.columnStride, ops.index(1));
  block.data = ops.address(buffer.data, memoryType(buffer.element), offset);
  return block;
}

/// The address of row 0 of page table[.., number], and whether it exists.
std::pair<Value, Value>
Emitter::findPage(tile::LoadOp load, const PagedBlock &block, Value number) {
  SmallVector<Value> places;
  for (Value index : load.getTableIndices())
    places.push_back(scalars.lookup(index));
  places.push_back(number);
  Value page = ops.add(block.firstPage, readElement(load.getTable(), places));
  Value exists =
      ops.logicalAnd(ops.compare(arith::CmpIPredicate::sge, page, ops.index(0)),
                     ops.compare(arith::CmpIPredicate::slt, page, block.pages));
  Value data = ops.address(block.data, memoryType(block.element),
                           ops.mul(page, block.pageStride));
  return {data, exists};
}

void Emitter::copyPages(tile::LoadOp load, const PagedBlock &block,
                        Value target) {
  int64_t pageRows = *load.getPageRows();
  // Signed integers may be copied as unsigned ones, greater by 128.
  bool isShifted =
      block.copied.isUnsignedInteger() && !block.element.isUnsignedInteger();
  double zero = isShifted ? -128 : 0;
  Value end = ops.add(block.firstKey, block.keyCount);
  Value first = ops.floorDiv(block.firstKey, pageRows);
  ops.loop(first, ops.ceilDiv(end, pageRows), 1, [&](Value number) {
    auto [data, exists] = findPage(load, block, number);
    Value pageKey = ops.mul(number, pageRows);
    Value low = ops.max(pageKey, block.firstKey);
    Value high = ops.min(ops.add(pageKey, pageRows), end);
    ops.loop(low, high, 1, [&, data = data, exists = exists](Value key) {
      Value row = ops.sub(key, pageKey);
      Value from = ops.address(data, memoryType(block.element),
                               ops.mul(row, block.rowStride));
      Value to =
          ops.address(target, memoryType(block.copied),
                      ops.mul(ops.sub(key, block.firstKey), block.pitch));
      ops.branch(
          exists,
          [&] {
            copyRow({block.element, block.copied, from, to, block.columnStride,
                     block.columnCount, block.unit, block.columns});
          },
          [&] {
            ops.loop(ops.index(0), ops.index(block.columns), 1, [&](Value at) {
              Type memory = memoryType(block.copied);
              ops.store(ops.constant(memory, zero), ops.address(to, memory, at),
                        memoryBytes(block.copied));
            });
          });
    });
  });
}

void Emitter::emitPagedRows(tile::LoadOp load) {
  PagedBlock block = pagedBlockOf(load);
  int64_t pageRows = *load.getPageRows();
  Value number = ops.floorDiv(block.firstKey, pageRows);
  Value row = ops.sub(block.firstKey, ops.mul(number, pageRows));
  Value fits = ops.compare(arith::CmpIPredicate::sle,
                           ops.add(row, block.keyCount), ops.index(pageRows));
  auto [data, exists] = findPage(load, block, number);
  Value isBad = needsCopy(load, block.element, block.unit, block.rowStride);
  Value inPlace = ops.logicalAnd(fits, exists);
  Value copy = ops.logicalOr(
      isBad, arith::XOrIOp::create(ops, ops.loc, inPlace, ops.boolean(true)));
  const Slot &slot = plan.packs.find(load)->second;
  Value packed = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  ops.branch(copy, [&] { copyPages(load, block, packed); });
  Value direct = ops.address(data, memoryType(block.element),
                             ops.mul(row, block.rowStride));
  auto [rowDim, columnDim] = rowAndColumn(load);
  rows[load.getResult()] = {
      ops.select(copy, packed, direct),
      ops.select(copy, ops.index(block.pitch), block.rowStride), rowDim,
      columnDim, block.copied};
  if (plan.pairRows.contains(load))
    packPairs(load, block.keyCount);
  if (plan.tileRows.contains(load))
    packTiles(load, block.keyCount, block.columnCount);
}

} // namespace attnc::cpu
