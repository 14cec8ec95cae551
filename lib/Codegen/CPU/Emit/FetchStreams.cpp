//===- FetchStreams.cpp - Prefetch keys and values of few queries ---------===//
//
// Few queries compute so little with a key that memory bounds them. Rows of K
// alone, and then rows of V alone, do not use its whole bandwidth, so both are
// prefetched at the same time, into L2 and one tile ahead, spread evenly over
// the products of a tile with features in the lanes:
//
//   product of tile t    prefetches of tile t + 1, of n keys
//   scores               rows [0, n / 2) of K and of V
//   values               rows [n / 2, n) of K and of V
//
// With more products each has a smaller share. The rows after a part of the
// keys are those of the next part, which the next task reads. Pages need not be
// contiguous: without the places of their rows (Plan::pageOffsets), values of
// the same tile are prefetched while scores are computed (fetchNextRows), and
// during the values keys of the next tile.
// Tests: test/Codegen/CPU/features.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::cpu {

/// The dim of the keys that a product with features in the lanes reads.
static StringAttr keysOf(tile::DotOp dot, const Plan &plan) {
  return featureFormOf(dot, plan) == FeatureForm::None
             ? StringAttr()
             : rowAndColumn(loadedRows(dot)).first;
}

/// Whether two loads read the same rows, as the latent vectors of MLA, which
/// are keys and values.
static bool readsSameRows(tile::LoadOp a, tile::LoadOp b) {
  return a.getBuf() == b.getBuf() && a.getIndices() == b.getIndices() &&
         a.getTable() == b.getTable() &&
         a.getTableIndices() == b.getTableIndices();
}

std::optional<Streams> Emitter::streamsOf(tile::DotOp dot) {
  auto loop = dyn_cast<tile::ForOp>(dot->getParentOp());
  StringAttr keys = loop ? keysOf(dot, plan) : StringAttr();
  if (!keys || extents.contains(keys))
    return std::nullopt;
  SmallVector<tile::DotOp> products;
  bool hasPages = false;
  for (auto other : dot->getBlock()->getOps<tile::DotOp>()) {
    if (keysOf(other, plan) != keys)
      continue;
    products.push_back(other);
    hasPages |= bool(loadedRows(other).getTable()) &&
                !plan.pageOffsets.contains(loadedRows(other));
  }
  bool inTurns = hasPages || products.size() < 2;
  if (inTurns && dot.getSum() != keys.getValue())
    return std::nullopt;
  Streams streams;
  streams.step = loop.getStep();
  if (!inTurns) {
    streams.number = llvm::find(products, dot) - products.begin();
    streams.count = products.size();
  }
  for (auto load : dot->getBlock()->getOps<tile::LoadOp>()) {
    auto found = rows.find(load.getResult());
    if (found == rows.end() || found->second.row != keys ||
        plan.tileRows.contains(load) || (inTurns && load == loadedRows(dot)))
      continue;
    if (llvm::none_of(streams.loads, [&](tile::LoadOp other) {
          return readsSameRows(load, other);
        }))
      streams.loads.push_back(load);
  }
  return streams;
}

/// Piece `piece` of `pieces` of one of `turns` parts of what a product
/// prefetches.
void Emitter::fetchStreams(const Streams &streams, Value turn, int64_t turns,
                           int64_t piece, int64_t pieces) {
  int64_t done = 0; // lines of pieces up to this one
  for (tile::LoadOp load : streams.loads) {
    const Rows &from = rows.find(load.getResult())->second;
    Type element = memoryType(from.element);
    tile::TileType type = load.getResult().getType();
    int64_t width = lineElements(element);
    int64_t perRow = llvm::divideCeil(*type.getDimSize(from.column), width);
    int64_t lines = streams.step * perRow;
    int64_t share = llvm::divideCeil(lines, streams.count);
    int64_t part = llvm::divideCeil(share, turns);
    Value first = ops.add(ops.mul(turn, part), streams.number * share);
    for (int64_t i = 0; i < part; ++i) {
      if (done++ % pieces != piece)
        continue;
      Value line = ops.add(first, i);
      if (streams.count * part * turns != lines)
        line = ops.min(line, ops.index(lines - 1));
      Value row = ops.floorDiv(line, perRow);
      Value place = ops.sub(line, ops.mul(row, perRow));
      Value start = rowAddress(from, ops.add(row, streams.step));
      fetchRow(ops, element, ops.address(start, element, ops.mul(place, width)),
               1, 2);
    }
  }
}

} // namespace attnc::cpu
