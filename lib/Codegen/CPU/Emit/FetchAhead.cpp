//===- FetchAhead.cpp - Prefetch rows that are needed soon ----------------===//
//
// A block that sees few keys waits for memory at its ends: queries, keys and
// results of 64 rows each are 16 KB and as many lines as a core has open misses
// ten times over. While products keep the multipliers busy nothing waits:
//
//   scores of some keys         the same rows of the next      into L1
//                               product's operand, as of V
//   the same, of one vector     between its products, since
//   in a partial tile           its own keys may be missing
//   values of the first full    rows that the block stores,    into L2
//   tiles, two rows between     rows of Q, K and V that the
//   register tiles              next task begins with
//   rows of a product           its lanes of the next tile,    into L2
//   outside of kernels          or of the next task; at last
//                               the rows that it stores
//   the same, in no loop        rows that the block stores,    into L2
//                               lanes of the next task
//   rows of a state             the same rows of the next     into L1
//                               state that the loop stores
//
// The next task is the next block of queries, or the first one of the next
// head, whose rows nobody has read; of a product it is the next block along
// the lanes, or the next block of rows. Where masks give each block its range
// of keys the axis of blocks descends, so the new keys lie before the first
// ones at hand. Tests: test/Codegen/CPU/fetch-ahead.mlir,
// test/Codegen/CPU/Emit/fetch-next-block.mlir, fetch-stored.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/FetchAhead.h"
#include "Plan/Block2D.h"

using namespace mlir;

namespace attnc::cpu {

int64_t lineElements(Type element) {
  constexpr int64_t kLineBits = 512;
  return kLineBits / element.getIntOrFloatBitWidth();
}

void fetchRow(Ops &ops, Type element, Value row, int64_t columns,
              int64_t level) {
  int64_t step = lineElements(element);
  for (int64_t column = 0; column < columns; column += step)
    LLVM::Prefetch::create(ops, ops.loc,
                           ops.address(row, element, ops.index(column)),
                           /*rw=*/0, /*hint=*/4 - level, /*cache=*/1);
}

/// The load of the same block that comes next after that of `loaded`, or else
/// the first one, of rows along `dim` that products read as they are.
tile::LoadOp Emitter::nextLoad(Block *block, Value loaded, StringAttr dim) {
  tile::LoadOp first;
  bool isAfter = false;
  for (auto load : block->getOps<tile::LoadOp>()) {
    if (load.getResult() == loaded) {
      isAfter = true;
      continue;
    }
    auto found = rows.find(load.getResult());
    if (found == rows.end() || found->second.row != dim ||
        plan.pairRows.contains(load) || plan.tileRows.contains(load))
      continue; // pairs and tiles were copied just before
    if (isAfter)
      return load;
    if (!first)
      first = load;
  }
  return first;
}

/// While keys are multiplied, the operand of the next product comes from L2 or
/// beyond: its rows with the same numbers are fetched, so a score of many
/// products has as many prefetches. With `part`, this one of so many parts of
/// them.
void Emitter::fetchNextRows(const Granule &granule, tile::DotOp dot, Value part,
                            int64_t parts) {
  StringAttr dim = granule.item.space.dim;
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value loaded = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  if (!dim || dot.hasTerm() || dot.getMask())
    return;
  tile::LoadOp load = nextLoad(dot->getBlock(), loaded, dim);
  if (!load)
    return;
  const Rows &other = rows.find(load.getResult())->second;
  Type element = memoryType(other.element);
  int64_t columns = *load.getResult().getType().getDimSize(other.column);
  auto addressOf = [&](Value row) {
    if (other.offsets) // which end with the next tile
      row = ops.min(row, ops.index(granule.rows - 1));
    return rowAddress(other, ops.add(granule.start, row));
  };
  // With few queries keys and values of a tile pass L1 in turns.
  int64_t level = plan.featureRows ? 2 : 1;
  if (!part) {
    for (int64_t row = 0; row < granule.rows; ++row)
      fetchRow(ops, element, addressOf(ops.index(row)), columns, level);
    return;
  }
  int64_t width = lineElements(element);
  int64_t linesPerRow = llvm::divideCeil(columns, width);
  int64_t lines =
      llvm::divideCeil(granule.rows * linesPerRow, std::max<int64_t>(parts, 1));
  for (int64_t i = 0; i < lines; ++i) {
    Value line = ops.add(ops.mul(part, lines), i);
    Value row = ops.floorDiv(line, linesPerRow);
    Value place = ops.sub(line, ops.mul(row, linesPerRow));
    fetchRow(ops, element,
             ops.address(addressOf(row), element, ops.mul(place, width)), 1,
             level);
  }
}

bool isCheap(Value value, const IRMapping &scalars) {
  if (scalars.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto operands = op->getOperands();
  if (auto read = dyn_cast<tile::ReadOp>(op))
    operands = read.getIndices();
  else if (op->getNumRegions() || isa<tile::TileDialect>(op->getDialect()))
    return false;
  return llvm::all_of(operands,
                      [&](Value operand) { return isCheap(operand, scalars); });
}

void forgetScalars(Block &block, IRMapping &scalars) {
  for (Operation &op : block)
    for (Value result : op.getResults())
      scalars.erase(result);
}

void bindNextTask(Ops &ops, tile::GridOp grid, IRMapping &scalars) {
  Block &body = grid.getBody().front();
  forgetScalars(body, scalars);
  Value isNext = ops.boolean(true);
  for (size_t axis = grid.getExtents().size(); axis-- > 0;) {
    Value index = scalars.lookup(body.getArgument(axis));
    bool descends = grid.getDescending() == axis;
    Value most = ops.sub(scalars.lookup(grid.getExtents()[axis]), ops.index(1));
    Value begin = descends ? most : ops.index(0),
          end = descends ? ops.index(0) : most;
    Value isEnd = ops.compare(arith::CmpIPredicate::eq, index, end);
    Value following =
        ops.select(isEnd, begin, ops.add(index, descends ? -1 : 1));
    scalars.map(body.getArgument(axis), ops.select(isNext, following, index));
    isNext = ops.logicalAnd(isNext, isEnd);
  }
}

/// The rows that `op` loads or stores, with the scalars at hand; none if those
/// are not known by arithmetic. Of a block with lanes that follow each other in
/// memory along the other dim.
std::optional<RowsAhead> Emitter::rowsAhead(auto op, tile::TileType type) {
  auto isReady = [&](Value v) { return isCheap(v, scalars); };
  if (type.getRank() != 2 || !llvm::all_of(op.getIndices(), isReady) ||
      !llvm::all_of(op.getValid(), isReady))
    return std::nullopt;
  for (Value value : llvm::concat<Value>(op.getIndices(), op.getValid()))
    emitSlice(value);
  Block2D block = blockOf(type, op.getBuf(), op.getIndices(), op.getValidDims(),
                          op.getValid());
  Type element = memoryType(block.element);
  if (type.hasDim(kLaneDim) && mayFollow(op.getBuf()))
    return RowsAhead{block.data,
                     block.columnStride,
                     element,
                     *type.getDimSize(kLaneDim),
                     {}};
  return RowsAhead{block.data, block.rowStride, element, block.columns,
                   block.merged};
}

/// Notes what the tiles of a loop fetch: the rows that the block stores after
/// it, where an element is as wide as in registers or the matrix unit leaves
/// time for it; the queries and, without that unit, the first keys and values
/// of the next task; of a product its first lanes.
void Emitter::findAhead(tile::ForOp loop, const Window *window) {
  ahead.clear();
  lanesAhead.clear();
  if (window)
    return;
  Block *around = loop->getBlock(), &body = loop.getBody().front();
  for (auto store : around->getOps<tile::StoreOp>()) {
    auto type = cast<tile::TileType>(store.getValue().getType());
    auto isKnown = [&](Value v) { return scalars.contains(v); };
    Type element = buffers[store.getBuf()].element;
    bool isWide = element == accumulator() || plan.hasTiles;
    if (!type.hasDim(kLaneDim) || mayFollow(store.getBuf()) || !isWide ||
        !llvm::all_of(store.getIndices(), isKnown) ||
        !llvm::all_of(store.getValid(), isKnown))
      continue;
    if (auto rows = rowsAhead(store, type)) {
      rows->isStored = true;
      ahead.push_back(*rows);
    }
  }
  auto grid = dyn_cast<tile::GridOp>(loop->getParentOp());
  if (!grid || constantOf(rowBase) != 0)
    return; // fewer queries than a block has: the last one
  IRMapping known = scalars;
  bindNextTask(ops, grid, scalars);
  auto note = [&](tile::LoadOp load, SmallVector<RowsAhead> &noted) {
    if (auto rows = load.getTable()
                        ? std::nullopt
                        : rowsAhead(load, load.getResult().getType()))
      noted.push_back(*rows);
  };
  for (auto load : around->getOps<tile::LoadOp>())
    if (load.getResult().getType().hasDim(kLaneDim) && !isPanel(load) &&
        !mayFollow(load.getBuf()))
      note(load, ahead);
  // Where blocks begin at other keys, findNewKeys() notes those; beside
  // products of the matrix unit FetchHead.cpp fetches keys and values.
  if (constantOf(loop.getSegment(0)[0]) == 0 && !plan.hasTiles) {
    forgetScalars(body, scalars);
    scalars.map(loop.getKeyStart(), ops.index(0));
    scalars.map(loop.getKeyCount(), ops.index(plan.vectors * lanes()));
    for (auto load : body.getOps<tile::LoadOp>())
      note(load,
           load.getResult().getType().hasDim(kLaneDim) ? lanesAhead : ahead);
  }
  scalars = known;
}

/// Notes what a product fetches that is in no loop: the rows that its block
/// stores, and those along the lanes of the next task.
void Emitter::findAhead(const Item &item) {
  auto isAlone = [](Operation *op) {
    return isa<tile::DotOp>(op) && isa<tile::GridOp>(op->getParentOp());
  };
  auto dot = llvm::find_if(item.ops, isAlone);
  if (dot == item.ops.end())
    return;
  ahead.clear();
  if (constantOf(rowBase) != 0)
    return;
  auto note = [&](auto op, tile::TileType type) {
    if (!type.hasDim(kLaneDim) || mayFollow(op.getBuf()))
      return;
    if (std::optional<RowsAhead> rows = rowsAhead(op, type))
      ahead.push_back(*rows);
  };
  IRMapping known = scalars;
  Block &body = *(*dot)->getBlock();
  for (auto store : body.getOps<tile::StoreOp>())
    note(store, cast<tile::TileType>(store.getValue().getType()));
  bindNextTask(ops, cast<tile::GridOp>((*dot)->getParentOp()), scalars);
  for (auto load : body.getOps<tile::LoadOp>())
    if (!load.getTable() && !isPanel(load))
      note(load, load.getType());
  scalars = known;
}

/// Notes the keys and values before `first`, the first key of a segment.
void Emitter::findNewKeys(tile::ForOp loop, Value first) {
  auto grid = dyn_cast<tile::GridOp>(loop->getParentOp());
  if (ahead.empty() || !grid || !grid.getDescending() ||
      constantOf(rowBase) != 0 || constantOf(first) == 0)
    return;
  Value rows = ops.index(plan.vectors * lanes());
  scalars.map(loop.getKeyStart(), ops.max(ops.sub(first, rows), ops.index(0)));
  scalars.map(loop.getKeyCount(), rows);
  for (auto load : loop.getBody().front().getOps<tile::LoadOp>()) {
    auto type = cast<tile::TileType>(load.getResult().getType());
    bool isKnown = llvm::all_of(load.getIndices(),
                                [&](Value v) { return scalars.contains(v); });
    if (type.getRank() == 2 && !type.hasDim(kLaneDim) && !load.getTable() &&
        isKnown)
      if (auto rows = rowsAhead(load, type))
        ahead.push_back(*rows);
  }
}

/// A few rows between two register tiles. Stored to memory all at once they
/// would take the core's open misses, for which the next block's first keys
/// would wait; where a block has one tile of keys it fetches all of them.
void Emitter::fetchAhead(const Granule &granule, tile::DotOp dot) {
  constexpr int64_t kRowsAtOnce = 2;
  StringAttr dim = granule.item.space.dim;
  auto loop = dot->getParentOfType<tile::ForOp>();
  if (ahead.empty() || !dim || dot.hasTerm() || dot.getMask() || seen.end ||
      extents.contains(dim) || !granule.start || (loop && !firstFull))
    return;
  if (loop && target.getLaneSkip() &&
      constantOf(scalars.lookup(loop.getPartial())).value_or(0))
    return; // a few sinks are no work to hide it behind
  int64_t granules = granule.item.space.size / granule.rows;
  int64_t rowsOfBlock = plan.vectors * lanes();
  auto most = int64_t(llvm::divideCeil(rowsOfBlock, granules));
  Value number = ops.floorDiv(granule.start, granule.rows);
  Value share = ops.index(std::max(most, kRowsAtOnce));
  if (loop) {
    Value key = scalars.lookup(loop.getKeyStart());
    Value tile = ops.floorDiv(ops.sub(key, firstFull), loop.getStep());
    number = ops.add(ops.mul(tile, granules), number);
    share = ops.select(isSingle, share, ops.index(kRowsAtOnce));
  }
  Value first = ops.mul(number, share);
  Value end = ops.min(ops.add(first, share), ops.index(rowsOfBlock));
  ops.loop(first, end, 1, [&](Value row) {
    for (const RowsAhead &rows : ahead)
      fetchRow(ops, rows.element,
               ops.address(rows.pointer, rows.element,
                           rows.merged.offsetOf(ops, row, rows.stride)),
               rows.columns, 2);
  });
}

/// While rows of a product are computed, what it has along its lanes is fetched
/// for the next tile of the sum, or for the first one of the next task, which
/// copy it (LoadLanes.cpp); of the last tile also the rows that it stores.
void Emitter::fetchLanes(const Granule &granule, tile::DotOp dot) {
  constexpr int64_t kMostRows = 16;
  auto loop = dyn_cast<tile::ForOp>(dot->getParentOp());
  StringAttr dim = granule.item.space.dim;
  if (!loop || lanesAhead.size() != 1 || loop.getNumSegments() != 1 || !dim ||
      dot.getMask() || seen.end ||
      !llvm::hasSingleElement(dot->getBlock()->getOps<tile::DotOp>()))
    return;
  auto loads = dot->getBlock()->getOps<tile::LoadOp>();
  auto load = *llvm::find_if(
      loads, [](tile::LoadOp load) { return load.getType().hasDim(kLaneDim); });
  if (plan.streamed.contains(load))
    return;
  IRMapping known = scalars;
  Value following =
      ops.add(scalars.lookup(loop.getKeyStart()), int64_t(loop.getStep()));
  Value isLast = ops.compare(arith::CmpIPredicate::sge, following,
                             scalars.lookup(loop.getSegment(0)[3]));
  forgetScalars(*dot->getBlock(), scalars);
  scalars.map(loop.getKeyStart(), following);
  std::optional<RowsAhead> rows = rowsAhead(load, load.getResult().getType());
  scalars = known;
  auto type = load.getResult().getType();
  int64_t count = type.getNumElements() / (rows ? rows->columns : 1);
  int64_t granules = granule.item.space.size / granule.rows;
  int64_t share = llvm::divideCeil(count, granules);
  if (!rows || share > kMostRows)
    return;
  Value pointer = ops.select(isLast, lanesAhead[0].pointer, rows->pointer);
  Value first =
      ops.mul(ops.floorDiv(granule.start, granule.rows), ops.index(share));
  for (int64_t i = 0; i < share; ++i) {
    Value row = ops.min(ops.add(first, i), ops.index(count - 1));
    fetchRow(ops, rows->element,
             ops.address(pointer, rows->element, ops.mul(row, rows->stride)),
             rows->columns, 2);
  }
  ops.branch(isLast, [&] {
    for (auto store : loop->getBlock()->getOps<tile::StoreOp>()) {
      auto stored = cast<tile::TileType>(store.getValue().getType());
      if (!stored.hasDim(kLaneDim) || !mayFollow(store.getBuf()))
        continue;
      auto result = rowsAhead(store, stored);
      for (int64_t i = 0; result && i < granule.rows; ++i) {
        Value row = ops.mul(ops.add(granule.start, i), result->stride);
        fetchRow(ops, result->element,
                 ops.address(result->pointer, result->element, row),
                 result->columns, 2);
      }
    }
  });
  scalars = known;
}

/// While a loop adds to a state, the rows are fetched that its next tile
/// stores, such as the states of a chunked scan.
void Emitter::fetchStored(const Granule &granule, tile::DotOp dot) {
  auto loop = dyn_cast<tile::ForOp>(dot->getParentOp());
  StringAttr dim = granule.item.space.dim;
  if (!loop || !loop.getNumResults() || !dim || dot.getMask() ||
      !granule.start || extents.contains(dim))
    return;
  Value following =
      ops.add(scalars.lookup(loop.getKeyStart()), int64_t(loop.getStep()));
  for (auto store : dot->getBlock()->getOps<tile::StoreOp>()) {
    auto type = cast<tile::TileType>(store.getValue().getType());
    std::optional<Space> space = spaceOf(type);
    if (!space || !(*space == granule.item.space) || !mayFollow(store.getBuf()))
      continue;
    IRMapping known = scalars;
    forgetScalars(*dot->getBlock(), scalars);
    scalars.map(loop.getKeyStart(), following);
    std::optional<RowsAhead> rows = rowsAhead(store, type);
    scalars = known;
    for (int64_t i = 0; rows && i < granule.rows; ++i) {
      Value row = ops.add(granule.start, i);
      Value offset = rows->merged.offsetOf(ops, row, rows->stride);
      fetchRow(ops, rows->element,
               ops.address(rows->pointer, rows->element, offset), rows->columns,
               1);
    }
  }
}

} // namespace attnc::cpu
