//===- FetchHead.cpp - Prefetch what the next head reads ------------------===//
//
// All blocks of queries of a head read its keys and values from L2, but the
// first one would wait for L3 or memory. So each block of a pipelined loop
// prefetches a share of the keys and values of the next head, a line of each
// beside a granule of its weights:
//
//   share   the lines of a head / its blocks
//   line    share * number of the block + granules of this block before
//
// What an earlier grid packs right before the first block of a head
// (Plan/JoinedGrids.h) is prefetched, too: what it reads, and where it stores.
//
// Nothing of it is prefetched where two heads do not fit L2. The first granules
// also prefetch the rows that the block stores and the queries of the next one
// (FetchAhead.cpp). The last product of the block brings these queries into
// L1: nothing runs beside it, and the next block begins with them.
// Tests: test/Codegen/CPU/Emit/next-head.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/FetchHead.h"
#include "Emit/FetchAhead.h"
#include "Emit/TileProduct.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc::cpu {

/// Bytes of two heads, and of what is packed. The matrix unit is in processors
/// with 2 MB of L2, which also holds queries and results.
static constexpr int64_t kMostBytes = 1536 * 1024;

static constexpr int64_t kLineBytes = 64;

/// Rows of K, or blocks of rows of V, from the first key of the head on to
/// which the scalars belong.
std::optional<FetchHead::Stream> FetchHead::streamOf(tile::LoadOp load) {
  tile::TileType type = load.getType();
  auto merged = tile::RenameOp::findMerged(load.getBuf());
  auto isKnown = [&](Value v) { return isCheap(v, emitter.scalars); };
  if (load.getTable() || type.getRank() != 2 || type.hasDim(kLaneDim) ||
      (merged && !isBlocked(load)) || !llvm::all_of(load.getIndices(), isKnown))
    return std::nullopt;
  const Buffer &buffer = emitter.buffers[load.getBuf()];
  auto [row, column] = rowAndColumn(load);
  Stream stream{{}, {}, emitter.memoryType(buffer.element), 1, 0};
  Value offset = ops.index(0);
  auto names = load.getBuf().getType().getNames();
  for (auto [axis, index] : llvm::enumerate(load.getIndices())) {
    emitter.emitSlice(index);
    Value place = emitter.scalars.lookup(index);
    if (merged && int64_t(axis) == merged->rows)
      place = ops.floorDiv(place, merged->group);
    offset = ops.add(offset, ops.mul(place, buffer.strides[axis]));
    if (names[axis] == row)
      stream.stride = buffer.strides[axis];
  }
  int64_t elements = *type.getDimSize(column);
  if (merged && !hasPaddedRows(load)) {
    stream.rows = merged->group;
    elements *= merged->group;
  }
  stream.lines = llvm::divideCeil(elements, lineElements(stream.element));
  stream.pointer = ops.address(buffer.data, stream.element, offset);
  return stream;
}

/// The grid that stores the workspace of `load` unit by unit.
static tile::GridOp findPackingGrid(tile::LoadOp load, tile::GridOp reader,
                                    unsigned joinedAxes) {
  Value root = load.getBuf();
  while (auto rename = root.getDefiningOp<tile::RenameOp>())
    root = rename.getBuf();
  if (!joinedAxes || !root.getDefiningOp<tile::WorkspaceOp>())
    return {};
  for (Operation *user : root.getUsers())
    if (auto store = dyn_cast<tile::StoreOp>(user))
      if (auto grid = dyn_cast<tile::GridOp>(store->getParentOp());
          grid && grid->isBeforeInBlock(reader))
        return grid;
  return {};
}

/// The elements of a dim from the first task on, if they are known.
static std::optional<int64_t> wholeSize(tile::LoadOp load, StringAttr dim) {
  for (auto [name, valid] :
       llvm::zip_equal(load.getValidDims(), load.getValid())) {
    if (name != dim)
      continue;
    auto rest = valid.getDefiningOp<arith::SubIOp>(); // all - first
    return constantOf(rest ? rest.getLhs() : valid);
  }
  return load.getType().getDimSize(dim);
}

/// Rows of the tensor that a grid packs, from the first one of the unit on.
std::optional<FetchHead::Stream> FetchHead::sourceOf(tile::LoadOp load,
                                                     ValueRange indices) {
  tile::TileType type = load.getType();
  StringAttr column = load.getBuf().getType().getNames().back();
  if (load.getTable() || tile::RenameOp::findMerged(load.getBuf()) ||
      type.getRank() != 2 || !type.hasDim(column))
    return std::nullopt;
  std::optional<int64_t> columns = wholeSize(load, column);
  auto isKnown = [&](Value v) { return isCheap(v, emitter.scalars); };
  if (!columns || !llvm::all_of(indices, isKnown))
    return std::nullopt;
  const Buffer &buffer = emitter.buffers[load.getBuf()];
  Stream stream{{}, {}, emitter.memoryType(buffer.element), 1, 0};
  Value offset = ops.index(0);
  for (auto [axis, index] : llvm::enumerate(indices)) {
    emitter.emitSlice(index);
    offset = ops.add(
        offset, ops.mul(emitter.scalars.lookup(index), buffer.strides[axis]));
    StringAttr name = load.getBuf().getType().getNames()[axis];
    if (name != column && type.hasDim(name))
      stream.stride = buffer.strides[axis];
  }
  stream.lines = llvm::divideCeil(*columns, lineElements(stream.element));
  stream.pointer = ops.address(buffer.data, stream.element, offset);
  stream.heads = 1;
  return stream;
}

/// What a grid that is joined to this one reads for the next head.
void FetchHead::addSources(tile::GridOp packing, tile::GridOp reader) {
  Block &body = packing.getBody().front();
  for (auto [axis, index] : llvm::enumerate(body.getArguments()))
    emitter.scalars.map(index,
                        axis < emitter.plan.joinedAxes
                            ? emitter.scalars.lookup(
                                  reader.getBody().getArgument(unsigned(axis)))
                            : ops.index(0));
  for (auto load : body.getOps<tile::LoadOp>())
    if (auto stream = sourceOf(load, load.getIndices()))
      streams.push_back(*stream);
}

/// Divides the lines of `keys` keys by the blocks, in their order.
void FetchHead::shareLines(tile::GridOp grid, Value keys) {
  Value blocks = emitter.scalars.lookup(grid.getExtents().back());
  size_t axis = grid.getExtents().size() - 1;
  Value block =
      emitter.scalars.lookup(grid.getBody().getArgument(unsigned(axis)));
  if (grid.getDescending() == axis)
    block = ops.sub(ops.sub(blocks, ops.index(1)), block);
  Value bytes = ops.index(0);
  for (Stream &stream : streams) {
    Value units = ops.ceilDiv(keys, stream.rows);
    Value lines = ops.mul(units, stream.lines);
    bytes = ops.add(bytes, ops.mul(lines, stream.heads * kLineBytes));
    Value rounded = ops.sub(ops.add(lines, blocks), ops.index(1));
    Value share = arith::DivUIOp::create(ops, ops.loc, rounded, blocks);
    stream.first = ops.mul(block, share);
    Value count = ops.min(share, ops.sub(lines, stream.first));
    most = most ? ops.max(most, count) : count;
  }
  if (streams.empty())
    return;
  Value fits =
      ops.compare(arith::CmpIPredicate::sle, bytes, ops.index(kMostBytes));
  most = ops.select(fits, most, ops.index(0));
}

FetchHead::FetchHead(Emitter &emitter, tile::ForOp loop, Value tiles)
    : emitter(emitter), ops(emitter.ops) {
  auto grid = dyn_cast<tile::GridOp>(loop->getParentOp());
  if (!grid || grid.getExtents().size() < 2 || emitter.plan.hasGroups() ||
      constantOf(emitter.rowBase) != 0 ||
      constantOf(loop.getSegment(0)[0]) != 0)
    return;
  IRMapping known = emitter.scalars;
  // The task after the last block of this head.
  size_t axis = grid.getExtents().size() - 1;
  Value most =
      ops.sub(emitter.scalars.lookup(grid.getExtents()[axis]), ops.index(1));
  emitter.scalars.map(grid.getBody().getArgument(unsigned(axis)),
                      grid.getDescending() == axis ? ops.index(0) : most);
  bindNextTask(ops, grid, emitter.scalars);
  Block &body = loop.getBody().front();
  forgetScalars(body, emitter.scalars);
  emitter.scalars.map(loop.getKeyStart(), ops.index(0));
  emitter.scalars.map(loop.getKeyCount(), ops.index(loop.getStep()));
  llvm::SmallSetVector<tile::GridOp, 2> packing;
  for (auto load : body.getOps<tile::LoadOp>())
    if (auto stream = streamOf(load)) {
      streams.push_back(*stream);
      if (auto earlier = findPackingGrid(load, grid, emitter.plan.joinedAxes))
        packing.insert(earlier);
    }
  for (tile::GridOp earlier : packing)
    addSources(earlier, grid);
  emitter.scalars = known;
  shareLines(grid, ops.mul(tiles, int64_t(loop.getStep())));
}

void FetchHead::fetch(Value number) {
  Value rows = ops.index(emitter.plan.vectors * emitter.lanes());
  if (!emitter.ahead.empty() && !emitter.plan.hasGroups())
    ops.branch(
        ops.unlikely(ops.compare(arith::CmpIPredicate::slt, number, rows)),
        [&] {
          for (const RowsAhead &ahead : emitter.ahead)
            fetchRow(
                ops, ahead.element,
                ops.address(ahead.pointer, ahead.element,
                            ahead.merged.offsetOf(ops, number, ahead.stride)),
                ahead.columns, 2);
        });
  if (streams.empty())
    return;
  // One condition for all: a longer share than a stream has is that of the
  // next block, and a prefetch behind the last line does no harm.
  ops.branch(
      ops.unlikely(ops.compare(arith::CmpIPredicate::slt, number, most)), [&] {
        for (const Stream &stream : streams) {
          Value line = ops.add(stream.first, number);
          // Not negative: an unsigned division is a few instructions shorter.
          Value unit = arith::DivUIOp::create(ops, ops.loc, line,
                                              ops.index(stream.lines));
          Value place = ops.sub(line, ops.mul(unit, stream.lines));
          Value offset = ops.add(ops.mul(unit, stream.stride),
                                 ops.mul(place, lineElements(stream.element)));
          fetchRow(ops, stream.element,
                   ops.address(stream.pointer, stream.element, offset), 1, 2);
        }
      });
}

void FetchHead::fetchQueries(Value step, int64_t steps) {
  if (streams.empty()) // windows: with few tiles per block it takes longer
    return;
  int64_t count = emitter.plan.vectors * emitter.lanes();
  int64_t share = llvm::divideCeil(count, steps);
  for (const RowsAhead &rows : emitter.ahead) {
    if (rows.isStored)
      continue;
    for (int64_t i = 0; i < share; ++i) {
      Value row =
          ops.min(ops.add(ops.mul(step, share), i), ops.index(count - 1));
      fetchRow(ops, rows.element,
               ops.address(rows.pointer, rows.element,
                           rows.merged.offsetOf(ops, row, rows.stride)),
               rows.columns, /*level=*/1);
    }
  }
}

/// The tiles of a whole block of a product, if its rows are known.
static int64_t mostTilesOf(tile::ForOp loop) {
  Value end = loop.getSegment(0)[3];
  if (auto least = end.getDefiningOp<arith::MinSIOp>())
    end = least.getRhs();
  return llvm::divideCeil(constantOf(end).value_or(1), int64_t(loop.getStep()));
}

/// Prefetches a few lines of the next panel, which the next task reads, in each
/// step of a block. The line after the last panel of all is harmless.
void TileProduct::fetchPanel(Value row, Value step, int64_t vector) {
  Value queries = terms.front().queries;
  auto load = queries.getDefiningOp<tile::LoadOp>();
  auto loop = dyn_cast<tile::ForOp>(first->getParentOp());
  if (!load || !isPanel(load) || !loop || loop->isAncestor(load))
    return;
  const Rows &from = emitter.rows.find(queries)->second;
  Type element = ops.getI16Type();
  int64_t elements = load.getResult().getType().getNumElements();
  int64_t lines = elements / lineElements(element);
  int64_t steps = llvm::divideCeil(sumSize, depth);
  int64_t blocks = llvm::divideCeil(freeSize, kTileRows * kBlock);
  int64_t pairs = llvm::divideCeil(window.vectors, kBlock);
  int64_t share =
      llvm::divideCeil(lines, mostTilesOf(loop) * pairs * blocks * steps);
  Value tile = ops.floorDiv(emitter.scalars.lookup(loop.getKeyStart()),
                            int64_t(loop.getStep()));
  Value block = ops.add(ops.mul(tile, blocks), ops.floorDiv(row, kBlock));
  Value pair = ops.add(ops.mul(block, pairs), vector / kBlock);
  Value number = ops.mul(ops.add(ops.mul(pair, steps), step), share);
  for (int64_t i = 0; i < share; ++i) {
    Value line = ops.min(ops.add(number, i), ops.index(lines - 1));
    Value place = ops.add(ops.mul(line, lineElements(element)), elements);
    fetchRow(ops, element, ops.address(from.pointer, element, place),
             /*columns=*/1, /*level=*/2);
  }
}

} // namespace attnc::cpu
