//===- CostModel.cpp - Predicted cycles of a schedule ---------------------===//
//
// A block of queries costs what its tiles cost. A tile costs two products, each
// a number of register tiles, and the formula, exp and sums for each vector of
// scores; the units that add and multiply are the common bottleneck, so these
// add up. A register tile's step takes as long as the scarcest of: adding and
// multiplying, loading, issuing, and waiting for its own last sum. K and V come
// from L2 or memory meanwhile; only what takes longer than computing counts.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "attnc/Analysis/EvaluateRegion.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

//===----------------------------------------------------------------------===//
// Ranges at a regime
//===----------------------------------------------------------------------===//

static constexpr int64_t kMostBlocks = 24; // sampled of a long sequence

/// The part of a transfer's time that is not hidden behind arithmetic although
/// there is enough of it.
static constexpr double kExposed = 0.1;

RegimeRanges::RegimeRanges(const KernelShape &shape, const Regime &regime)
    : shape(shape), regime(regime) {
  attn::KernelOp kernel = shape.kernel;
  auto size = [&](Value tensor, unsigned axis) { // as the call would check it
    return std::clamp<int64_t>(
        regime.sizeOf(attn::axisSize(tensor.getType(), axis)), 0, INT32_MAX);
  };
  queries = size(kernel.getQ(), 3);
  keys = size(kernel.getK(), 2);
  tableEntry = keys - queries;
  if (getNeededPairs() > 0)
    return;
  tableEntry = keys;
  neededPairs.reset();
  memo.clear();
}

/// Documents of a sequence, where nothing is known of them.
static constexpr int64_t kDocuments = 8;

/// Whether `op` reads a table that keys are searched in.
static bool isSearched(Operation *op) {
  return isa<attn::ReadOp>(op) &&
         llvm::any_of(op->getOperand(0).getUsers(), [](Operation *user) {
           return isa<attn::LowerBoundOp>(user);
         });
}

SmallVector<KeySpan, 2> RegimeRanges::evaluate(int64_t first,
                                               int64_t end) const {
  SmallVector<KeySpan, 2> spans;
  SmallVector<KeySpan, 2> all{{0, 0, keys, keys}};
  attn::KernelOp kernel = shape.kernel;
  if (!kernel.hasRanges())
    return {{0, 0, 0, keys}};
  auto leaf = [&](Operation *op,
                  ArrayRef<int64_t> operands) -> std::optional<int64_t> {
    // A row in which keys are searched holds ids of so many documents.
    int64_t document = std::max<int64_t>(keys / kDocuments, 1);
    if (isa<attn::LowerBoundOp>(op))
      return std::clamp<int64_t>(operands.back() * document, 0, keys);
    if (isSearched(op))
      return operands.back() / document;
    if (auto size = dyn_cast<attn::SizeOp>(op))
      return regime.sizeOf(size.getName());
    return op->getResult(0).getType().isInteger(1) ? 1 : tableEntry;
  };
  auto bounds =
      evaluateRegion(kernel.getRanges().front(), {0, 0, 0, first, end}, leaf);
  if (!bounds)
    return all;
  for (size_t i = 0; i + 3 < bounds->size(); i += 4) {
    KeySpan s{(*bounds)[i], (*bounds)[i + 1], (*bounds)[i + 2],
              (*bounds)[i + 3]};
    s.anyLo = std::max<int64_t>(s.anyLo, 0);
    s.anyHi = std::min(s.anyHi, keys);
    if (s.anyLo >= s.anyHi)
      continue;
    s.allLo = std::clamp(s.allLo, s.anyLo, s.anyHi);
    s.allHi = std::clamp(s.allHi, s.allLo, s.anyHi);
    spans.push_back(s);
  }
  return spans;
}

const SmallVector<KeySpan, 2> &RegimeRanges::get(int64_t first, int64_t end) {
  auto [it, isNew] = memo.try_emplace({first, end});
  if (isNew)
    it->second = evaluate(first, end);
  return it->second;
}

double RegimeRanges::getNeededPairs() {
  if (neededPairs)
    return *neededPairs;
  double pairs = 0;
  int64_t samples = std::min<int64_t>(queries, 2 * kMostBlocks);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t row = i * queries / samples;
    for (const KeySpan &s : get(row, row + 1))
      pairs += double(s.anyHi - s.anyLo) * double(queries) / double(samples);
  }
  neededPairs = pairs;
  return pairs;
}

//===----------------------------------------------------------------------===//
// Parts of a tile
//===----------------------------------------------------------------------===//

double schedule::cyclesPerStep(RegisterTile tile, int64_t unroll,
                               const CpuTarget &target) {
  constexpr double issuePerCycle = 4;
  constexpr double slack = 1.1; // an instruction may find its unit taken
  double sums = double(tile.accumulators());
  double arithmetic = target.hasFma ? sums : 2 * sums;
  double loads = double(tile.vectors + tile.rows);
  double shuffles = target.hasBroadcastLoad ? 0 : double(tile.rows);
  double loop = 2.0 / double(unroll);
  return std::max({arithmetic / target.fmaPerCycle,
                   loads / target.loadsPerCycle,
                   (arithmetic + loads + shuffles + loop) / issuePerCycle,
                   slack * target.fmaLatency});
}

double schedule::productCycles(RegisterTile tile, double rows, double depth,
                               double vectors, int64_t unroll,
                               const CpuTarget &target, double waiting) {
  if (vectors < 1)
    return 0;
  // Fewer vectors than the tile has: as many more rows.
  if (int64_t(vectors) < tile.vectors)
    tile = {int64_t(llvm::bit_floor(uint64_t(tile.accumulators()) /
                                    uint64_t(vectors))),
            int64_t(vectors)};
  // Filling the pipeline, and loading, rescaling and storing the sums.
  double ends = target.fmaLatency + double(tile.accumulators());
  double cycles = depth * (cyclesPerStep(tile, unroll, target) + waiting);
  // A tile at the end that lacks rows takes as long, or code of its own.
  return std::ceil(vectors / double(tile.vectors)) *
         std::ceil(rows / double(tile.rows)) * (cycles + ends);
}

namespace {
/// Costs of one kernel under one schedule.
class TileCosts {
public:
  TileCosts(const KernelShape &shape, const CpuTarget &target,
            const CpuSchedule &schedule)
      : shape(shape), target(target), schedule(schedule),
        lanes(shape.lanes(target)) {}

  /// Cycles of the two products for `keys` keys and `vectors` of queries.
  double products(double keys, double vectors) const {
    double lanesOf = vectors * double(lanes * shape.accumulateBytes());
    double d = double(shape.headDim), e = double(shape.valueDim);
    return product(schedule.score, keys, d, vectors, lanesOf * d) +
           product(schedule.value, e, keys, vectors, lanesOf * keys);
  }
  /// Cycles of formula, exp and sums, and of the mask if asked for.
  double weights(double keys, double vectors, bool masked) const {
    double operations = shape.costs.score + shape.costs.weight +
                        (masked ? shape.costs.mask + 2 : 0);
    double perVector = operations / target.fmaPerCycle;
    // A table of the tile's distances is filled anew.
    double distances =
        std::ceil((keys - 1) / double(lanes) + vectors) *
        (shape.costs.scoreDistance + (masked ? shape.costs.maskDistance : 0)) /
        target.fmaPerCycle;
    // Rows of K and V that are stored narrower are converted once.
    double converted =
        (shape.keyBits < shape.accumulateBits ? double(shape.headDim) : 0) +
        (shape.valueBits < shape.accumulateBits ? double(shape.valueDim) : 0);
    return keys * vectors * perVector + distances +
           2 * keys * converted / double(lanes);
  }
  /// Cycles to start a tile: loops and phases, and, where the tiles of a block
  /// do not fit L1 together, fetching them in turn: the scores are written,
  /// read and written, and read, the sums read and written.
  double startTile(double keys, double vectors) const {
    constexpr double loops = 30;
    double row = vectors * double(lanes * shape.accumulateBytes());
    double d = double(shape.headDim), e = double(shape.valueDim);
    if (row * (d + e + keys) <= double(target.l1dBytes))
      return loops;
    return loops + kExposed * row * (3 * keys + 2 * e) / target.l2BytesPerCycle;
  }
  /// Cycles of a block's beginning and end: queries are transposed in, results
  /// out.
  double startBlock(double vectors) const {
    return 60 + 2 * vectors * double(shape.headDim + shape.valueDim);
  }
  /// Cycles to make the states before all chunks of `keys` keys but the last:
  /// keys are weighted, lie along the lanes feature by feature, and multiply
  /// the values.
  double makeStates(double keys) const {
    double chunks =
        std::floor(std::max(keys - 1, 0.0) / double(schedule.chunk));
    double vectors = std::ceil(double(shape.headDim) / double(lanes));
    double depth = double(schedule.chunk), e = stateRows();
    double sums = productCycles(schedule.value, e, depth, vectors,
                                schedule.unroll, target);
    // A weight per key is a formula of scalars.
    constexpr double perKey = 20;
    double weighted = depth * (perKey + 3 * vectors);
    double stored = vectors * e * 2;
    return chunks * (sums + weighted + stored) / double(shape.sharing);
  }
  /// Cycles to start a block from a state.
  double startFromState(double vectors) const {
    double d = double(shape.headDim), e = stateRows();
    double lanesOf = vectors * double(lanes * shape.accumulateBytes());
    return product(schedule.value, e, d, vectors, lanesOf * d) +
           vectors * (d + 30);
  }
  /// Bytes that `keys` keys and values take in memory.
  double bytes(double keys) const {
    return keys *
           double(shape.headDim * shape.keyBits +
                  shape.valueDim * shape.valueBits) /
           8;
  }

private:
  /// The features of values, and the sum.
  double stateRows() const { return double(shape.valueDim) + 1; }
  /// `reused` bytes are read again for each row of register tiles; what of them
  /// does not fit three quarters of L1 comes from L2.
  double product(RegisterTile tile, double rows, double depth, double vectors,
                 double reused) const {
    double outside = std::max(0.0, 1 - 0.75 * double(target.l1dBytes) / reused);
    double perStep = double(tile.vectors * target.vectorBits) / 8;
    return productCycles(tile, rows, depth, vectors, schedule.unroll, target,
                         kExposed * outside * perStep / target.l2BytesPerCycle);
  }

  const KernelShape &shape;
  const CpuTarget &target;
  const CpuSchedule &schedule;
  int64_t lanes;
};

/// Whether states are made for so many queries.
bool usesStates(const CpuSchedule &schedule, int64_t queries) {
  return schedule.form == attn::ScheduleForm::Chunked &&
         2 * queries >= schedule.chunk;
}

/// Adds up the tiles of one block of rows.
class BlockCost {
public:
  BlockCost(const TileCosts &tiles, const CpuSchedule &schedule, int64_t lanes,
            RegimeRanges &ranges)
      : tiles(tiles), schedule(schedule), lanes(lanes), ranges(ranges) {}

  /// Rows [first, end), counted `times` times into `cost`.
  void add(int64_t first, int64_t end, double times, Cost &cost);

private:
  void addPartial(int64_t lo, int64_t hi, int64_t step, double times,
                  Cost &cost);
  /// Vectors of queries that see a key of [lo, hi).
  double activeVectors(int64_t lo, int64_t hi);

  const TileCosts &tiles;
  const CpuSchedule &schedule;
  int64_t lanes;
  RegimeRanges &ranges;
  int64_t firstRow = 0, endRow = 0;
  double vectors = 0;
};
} // namespace

double BlockCost::activeVectors(int64_t lo, int64_t hi) {
  if (!schedule.laneSkip)
    return vectors;
  double active = 0;
  for (int64_t row = firstRow; row < endRow; row += lanes)
    for (const KeySpan &s : ranges.get(row, std::min(row + lanes, endRow)))
      if (s.anyLo < hi && lo < s.anyHi) {
        ++active;
        break;
      }
  return std::clamp(active, 1.0, vectors);
}

void BlockCost::addPartial(int64_t lo, int64_t hi, int64_t step, double times,
                           Cost &cost) {
  // A long run is alike along the way: a table's mask has no full tiles.
  int64_t count = llvm::divideCeil(std::max<int64_t>(hi - lo, 0), step);
  int64_t sampled = std::min<int64_t>(count, 32);
  for (int64_t i = 0; i < sampled; ++i) {
    int64_t at = lo + i * count / sampled * step;
    int64_t keys = std::min(step, hi - at);
    double active = activeVectors(at, at + keys);
    Cost one;
    one.products = tiles.products(double(keys), active);
    one.weights = tiles.weights(double(keys), active, /*masked=*/true);
    one.overhead = tiles.startTile(double(keys), active);
    double share = times * double(count) / double(sampled);
    cost.products += share * one.products;
    cost.weights += share * one.weights;
    cost.overhead += share * one.overhead;
    cost.partial += share * one.total();
  }
}

void BlockCost::add(int64_t first, int64_t end, double times, Cost &cost) {
  firstRow = first;
  endRow = end;
  int64_t rows = end - first <= schedule.tail ? schedule.tail : schedule.q;
  vectors = double(rows / lanes);
  cost.overhead += times * tiles.startBlock(vectors);
  int64_t keys = ranges.getKeys();
  double full = 0, skipped = double(keys);
  bool isRows = schedule.form == attn::ScheduleForm::Rows;
  SmallVector<KeySpan, 2> spans = ranges.get(first, end);
  if (usesStates(schedule, ranges.getQueries()) && !spans.empty()) {
    int64_t seen = std::min(spans[0].allHi, keys - 1) / schedule.chunk;
    if (int64_t start = seen * schedule.chunk; start > 0) {
      spans[0].anyLo = spans[0].allLo = start;
      cost.states += times * tiles.startFromState(vectors);
    }
  }
  if (isRows) { // one tile of all keys, masked unless every key is seen
    bool masked =
        spans.size() != 1 || spans[0].allLo != 0 || spans[0].allHi != keys;
    spans = {{0, 0, masked ? 0 : keys, keys}};
  }
  for (const KeySpan &s : spans) {
    int64_t step = isRows ? std::max<int64_t>(keys, 1) : schedule.k;
    int64_t partial = isRows ? step : std::min(schedule.partial, schedule.k);
    int64_t tilesFull = (s.allHi - s.allLo) / step;
    int64_t start = tilesFull ? s.allLo : s.anyLo;
    int64_t stop = tilesFull ? s.allLo + tilesFull * step : s.anyLo;
    addPartial(s.anyLo, start, partial, times, cost);
    addPartial(stop, s.anyHi, partial, times, cost);
    double count = times * double(tilesFull);
    cost.products += count * tiles.products(double(step), vectors);
    cost.weights += count * tiles.weights(double(step), vectors, false);
    cost.overhead += count * tiles.startTile(double(step), vectors);
    full += double(tilesFull * step);
    skipped -= double(s.anyHi - s.anyLo);
    cost.visitedPairs += times * double((end - first) * (s.anyHi - s.anyLo));
  }
  double perTile = times / double(std::max<int64_t>(schedule.k, 1));
  cost.fullTiles += full * perTile;
  cost.skippedTiles += skipped * perTile;
  cost.partialTiles += (double(keys) - full - skipped) * perTile;
}

Cost schedule::predictCost(const KernelShape &shape, const CpuTarget &target,
                           const CpuSchedule &schedule, RegimeRanges &ranges) {
  Cost cost;
  int64_t queries = ranges.getQueries();
  int64_t lanes = shape.lanes(target);
  TileCosts tiles(shape, target, schedule);
  BlockCost block(tiles, schedule, lanes, ranges);
  int64_t blocks = llvm::divideCeil(queries, schedule.q);
  // The last block may be short; of the others a sample is enough.
  int64_t whole = queries / schedule.q;
  int64_t samples = std::min(whole, kMostBlocks);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = (2 * i + 1) * whole / (2 * samples) * schedule.q;
    block.add(first, first + schedule.q, double(whole) / double(samples), cost);
  }
  if (blocks > whole)
    block.add(whole * schedule.q, queries, 1, cost);
  if (usesStates(schedule, queries))
    cost.states += tiles.makeStates(double(ranges.getKeys()));
  double all = tiles.bytes(double(ranges.getKeys()));
  bool inL2 = all <= 0.75 * double(target.l2Bytes);
  double perCycle = inL2 ? target.l2BytesPerCycle : target.memoryBytesPerCycle;
  double read = double(blocks) * all *
                (1 - cost.skippedTiles * double(schedule.k) /
                         std::max(1.0, double(blocks * ranges.getKeys())));
  cost.memory =
      std::max(kExposed * read / perCycle, read / perCycle - cost.total());
  double flops =
      2 * ranges.getNeededPairs() * double(shape.headDim + shape.valueDim);
  if (cost.total() > 0)
    cost.peakFraction =
        flops / target.flopsPerCycle(shape.accumulateBits) / cost.total();
  return cost;
}
