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

#include "Cpu/CostModel.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

/// Blocks sampled of a long sequence, and where tiles are asked for classes.
static constexpr int64_t kMostBlocks = 64, kMostClassified = 24;

/// The part of a transfer's time that is not hidden behind arithmetic although
/// there is enough of it.
static constexpr double kExposed = 0.1;

/// Scalar operations that start in a cycle, beside vectors; bits of a bf16.
static constexpr double kScalarsPerCycle = 2, kTermBits = 16;

//===----------------------------------------------------------------------===//
// Parts of a tile
//===----------------------------------------------------------------------===//

namespace {
/// Costs of one kernel under one schedule.
class TileCosts {
public:
  TileCosts(const KernelShape &shape, const Target &target,
            const CpuSchedule &schedule)
      : shape(shape), target(target), schedule(schedule),
        lanes(shape.lanes(target)),
        paired(findPairedProducts(shape, target, schedule)),
        pipeline(findPipeline(shape, schedule, paired, lanes)) {}

  /// Cycles of the products, or of sums of formulas, for `keys` keys and
  /// `vectors` of queries.
  double products(double keys, double vectors) const {
    if (overFeatures)
      return featureProducts(keys);
    double lanesOf = vectors * double(lanes * shape.accumulateBytes());
    double e = double(shape.valueDim);
    double cycles =
        shape.value
            ? formulas(*shape.value, keys, vectors, e)
            : product(schedule.value, e, keys, vectors, lanesOf * keys,
                      paired.value, paired.valueProducts,
                      pipeline.pairsValues ? kLoadAndStore / 2 : kLoadAndStore);
    for (auto [number, formula] : llvm::enumerate(shape.sums)) {
      double f = double(number ? shape.productDims[number - 1] : shape.headDim);
      cycles += formula ? formulas(*formula, keys, vectors, f)
                        : product(schedule.score, keys, f, vectors, lanesOf * f,
                                  paired.scores[number],
                                  number ? 1 : paired.scoreProducts, kStore);
    }
    return cycles;
  }
  /// Cycles of formula, exp and sums, and of the mask if asked for.
  double weights(double keys, double vectors, bool masked) const {
    constexpr double secondTerm = 4; // without its conversion
    double weight =
        pipeline.hasFixedPoint ? kFixedPointOperations : shape.costs.weight;
    double operations = shape.costs.score + weight +
                        (masked ? shape.costs.mask + 2 : 0) +
                        (paired.valueProducts > 1 ? secondTerm : 0);
    double perVector = operations / target.cpu.fmaPerCycle +
                       shape.lineCycles(schedule.keysAtOnce(), target);
    // A table of the tile's distances is filled anew.
    double distances =
        std::ceil((keys - 1) / double(lanes) + vectors) *
        (shape.costs.scoreDistance + (masked ? shape.costs.maskDistance : 0)) /
        target.cpu.fmaPerCycle;
    double perKey = shape.costs.scoreKey + (masked ? shape.costs.maskKey : 0);
    // Narrower rows of K and V are converted once; pairs of keys are read in
    // place, those of values copied, by copiesOfUnit() for the matrix unit.
    bool areKeysRead =
        shape.keyBits == shape.accumulateBits || paired.scores[0];
    bool areValuesRead =
        shape.valueBits == shape.accumulateBits ||
        (paired.value && schedule.unit == tile::CpuUnit::Matrix);
    double converted = overFeatures
                           ? 0
                           : (areKeysRead ? 0 : double(shape.headDim)) +
                                 (areValuesRead ? 0 : double(shape.valueDim));
    return keys * (vectors * perVector + perKey / kScalarsPerCycle) +
           distances + 2 * keys * converted / double(lanes);
  }
  /// Cycles that only the matrix unit needs: values are transposed in squares
  /// of 32 keys by 16 features, and where nothing runs next to products, scores
  /// and sums go through L1 once more.
  double copiesOfUnit(double keys, double vectors) const {
    if (schedule.unit != tile::CpuUnit::Matrix || overFeatures)
      return 0;
    double e = double(shape.valueDim);
    bool copies = paired.value && !schedule.transposesValues();
    bool copiesKeys = paired.scores[0] && !schedule.packsKeys();
    double tile = pipelineBytes(shape, keys, vectors * double(lanes)) +
                  2 * valueBytes(keys);
    return (pipeline.isPipelined ? 0 : vectors * (keys + e)) +
           (copies
                ? transposeValues(shape, keys, tile <= double(target.l1Bytes()))
                : 0) +
           (copiesKeys ? copyKey(shape) * keys : 0);
  }
  /// Cycles to pack all keys of a head and their values before the kernel.
  double packOperands(double keys) const {
    return (schedule.packsKeys() ? keyTerms() * keys * packKey(shape) : 0) +
           (schedule.transposesValues() ? valueTerms() * packValues(shape, keys)
                                        : 0);
  }
  /// Tiles of bf16 of which keys and values are stored as the sum.
  double keyTerms() const {
    return paired.scoreProducts > 1 ? double(schedule.bf16Terms) : 1;
  }
  double valueTerms() const {
    bool isBf16 =
        shape.kernel.getV() && // one bf16 is no sum, but its weights may be
        getElementTypeOrSelf(shape.kernel.getV()).isBF16();
    return paired.valueProducts > 1 && !isBf16 ? double(schedule.bf16Terms) : 1;
  }
  /// Cycles to start a tile: loops and phases, and, where the tiles of a block
  /// do not fit L1 together, fetching them in turn: the scores are written,
  /// read and written, and read, the sums read and written.
  double startTile(double keys, double vectors) const {
    constexpr double loops = 30;
    if (pipeline.isPipelined && vectors > 2)
      return std::ceil(vectors / 2) * startTile(keys, 2);
    double row = vectors * double(lanes * shape.accumulateBytes());
    double d = double(shape.headDim), e = double(shape.valueDim);
    double size = pipeline.isPipelined
                      ? pipelineBytes(shape, keys, vectors * double(lanes))
                      : row * (d + e + keys);
    if (size <= double(target.l1Bytes()))
      return loops;
    return loops + (pipeline.isPipelined ? kPipelineExposed : kExposed) * row *
                       (3 * keys + 2 * e) / target.memory[1].bytesPerCycle;
  }
  /// Cycles to start the pipelines of further passes over keys that stay in L2
  /// for the groups of a block: the products of a tile, with nothing next to
  /// them (lib/Codegen/CPU/Emit/StagedLoop.cpp).
  double startPasses(double keys, double vectors) const {
    constexpr double passBytes = 512 * 1024;
    if (!pipeline.isPipelined || vectors <= 2)
      return 0;
    double passes = std::ceil(bytes(keys) / passBytes);
    return (passes - 1) * std::ceil(vectors / 2) *
           products(double(schedule.k), 2);
  }
  /// Cycles of a pipelined tile's weights that its products hide. Measured are
  /// 0.7 to 0.9 of the shorter of both.
  double hiddenWeights(double keys, double vectors) const {
    constexpr double hidden = 0.75;
    return pipeline.isPipelined
               ? hidden * std::min(products(keys, vectors),
                                   weights(keys, vectors, false))
               : 0;
  }
  /// Cycles to decide the class of a tile of `keys` keys. The extremes of a
  /// vector, an answer that is waited for, and a branch follow each scan.
  double classify(double keys) const {
    constexpr double reduce = 12;
    return shape.costs.classify / kScalarsPerCycle +
           shape.costs.classifyScans * (keys / double(lanes) + reduce);
  }
  /// Cycles of a block's beginning and end: queries are transposed in, results
  /// out; pairs of them for the matrix unit, which is idle meanwhile.
  double startBlock(double vectors) const {
    bool isMatrix = schedule.unit == tile::CpuUnit::Matrix && !overFeatures;
    double perVector = isMatrix ? 7 : 2;
    return 60 + perVector * vectors * double(shape.allDims());
  }
  /// Cycles to store and merge the states of all parts of `keys` keys: about
  /// two for each vector of sums, and exp and loops for each vector of rows.
  double mergeParts(double keys, double vectors) const {
    if (schedule.split == 0)
      return 0;
    double parts = std::ceil(keys / double(schedule.split));
    double perPart = 60 + vectors * (40 + 2 * double(shape.valueDim + 2));
    return startBlock(vectors) + parts * perPart;
  }
  /// Cycles to make the states before all chunks of `keys` keys but the last:
  /// keys are weighted, lie along the lanes feature by feature, and multiply
  /// the values.
  double makeStates(double keys) const {
    double chunks =
        std::floor(std::max(keys - 1, 0.0) / double(schedule.chunk));
    double vectors = std::ceil(double(shape.headDim) / double(lanes));
    double depth = double(schedule.chunk), e = stateRows();
    double sums =
        paired.states
            ? product(schedule.value, double(shape.valueDim), depth, vectors, 0,
                      paired.states, paired.keyStateProducts)
            : productCycles(schedule.value, e, depth, vectors, schedule.unroll,
                            target);
    // A weight per key is a formula of scalars; one per feature of vectors.
    constexpr double perKey = 20;
    // Both terms, and values that are transposed.
    double perVector = paired.states ? 5 : 3;
    if (paired.states)
      sums += transposeValues(shape, depth);
    if (shape.sums.front())
      perVector += shape.sums.front()->vector / target.cpu.fmaPerCycle;
    double weighted = depth * (perKey + perVector * vectors);
    double stored = vectors * e * (paired.states ? 5 : 2);
    return chunks * (sums + weighted + stored) / double(shape.sharing);
  }
  /// Cycles to start a block from a state.
  double startFromState(double vectors) const {
    double d = double(shape.headDim), e = stateRows();
    double lanesOf = vectors * double(lanes * shape.accumulateBytes());
    double weighted = vectors * (d + 30);
    if (shape.sums.front())
      weighted +=
          vectors * d * shape.sums.front()->vector / target.cpu.fmaPerCycle;
    if (paired.states)
      weighted += vectors * (2 * d + double(shape.valueDim));
    return product(schedule.value, paired.states ? double(shape.valueDim) : e,
                   d, vectors, lanesOf * d, paired.states,
                   paired.queryStateProducts) +
           weighted;
  }
  /// Bytes that `keys` keys and values, or their terms, take in memory.
  double bytes(double keys) const {
    double keyBits = keyTerms() > 1 ? keyTerms() * kTermBits : shape.keyBits;
    return keys * double(shape.headDim) * keyBits / 8 + valueBytes(keys);
  }
  double valueBytes(double keys) const {
    double bits = valueTerms() > 1 ? valueTerms() * kTermBits : shape.valueBits;
    return keys * double(shape.valueDim) * bits / 8;
  }

  /// Queries of the blocks that follow, and their vectors.
  void setBlock(int64_t rows, int64_t vectors) {
    queries = double(rows);
    overFeatures = schedule.runsOverFeatures(vectors);
  }

private:
  /// The same as `products` with features in the lanes.
  double featureProducts(double keys) const;
  /// A formula of each feature, and its addition to the sum.
  double formulas(const FeatureCosts &formula, double keys, double vectors,
                  double features) const {
    return keys * features *
           (vectors * (formula.vector + 1) / target.cpu.fmaPerCycle +
            formula.scalar / kScalarsPerCycle);
  }
  /// The features of values, and the sum.
  double stateRows() const { return double(shape.valueDim) + 1; }
  /// `reused` bytes are read again for each row of register tiles; what of them
  /// does not fit three quarters of L1 comes from L2.
  /// The matrix unit computes `products` of terms; pipelined ones take
  /// `perSum` cycles for each register of sums.
  double product(RegisterTile tile, double rows, double depth, double vectors,
                 double reused, const Unit *unit, int64_t products = 1,
                 double perSum = kLoadAndStore) const {
    // Unless tiles are pipelined, other ops wait for the products. Measured:
    // 1.2 where scores and values are all that the unit computes.
    double alone = schedule.form == attn::ScheduleForm::Chunked ? 2 : 1.2;
    if (unit && unit->kind == UnitKind::Matrix)
      return pipeline.isPipelined
                 ? pipelinedCycles(rows, depth, vectors, products, perSum,
                                   *unit)
                 : alone * matrixCycles(rows, depth, vectors, products, *unit);
    if (unit)
      reused /= unit->depth;
    double outside =
        std::max(0.0, 1 - 0.75 * double(target.l1Bytes()) / reused);
    double perStep = double(tile.vectors * target.cpu.vectorBits) / 8;
    return productCycles(
        tile, rows, depth, vectors, schedule.unroll, target,
        kExposed * outside * perStep / target.memory[1].bytesPerCycle, unit);
  }
  const KernelShape &shape;
  const Target &target;
  const CpuSchedule &schedule;
  int64_t lanes;
  PairedProducts paired;
  Pipeline pipeline;
  double queries = 1;
  bool overFeatures = false;
};

double TileCosts::featureProducts(double keys) const {
  double vectors = double(featureVectors(schedule.featureRows, target.cpu));
  double rows = double(schedule.featureRows), n = double(lanes);
  double passes = std::ceil(queries / rows);
  RegisterTile tile{schedule.featureRows, int64_t(vectors)};
  double ends = target.cpu.fmaLatency + rows * vectors;
  double cycles = 0;
  for (auto [number, formula] : llvm::enumerate(shape.sums)) {
    double f = double(number ? shape.productDims[number - 1] : shape.headDim);
    // Shuffles and additions that sum the lanes of each pair.
    double folds = 2 * (rows + std::log2(n));
    double step = cyclesOfFeatures(tile, target, paired.scores[number],
                                   shape.keyBits, shape.accumulateBits);
    cycles += formula ? formulas(*formula, keys, 1, f)
                      : std::ceil(keys / vectors) * passes *
                            (std::ceil(f / n) * step + vectors * folds + ends);
  }
  double e = double(shape.valueDim);
  if (shape.value)
    return cycles + formulas(*shape.value, keys, 1, e);
  double squares = 2 * std::ceil(e / n) * n * std::log2(n);
  double step = cyclesOfFeatures(tile, target, paired.value, shape.valueBits,
                                 shape.accumulateBits, /*zips=*/true);
  return cycles + squares +
         std::ceil(e / (n * vectors)) * passes * (keys * step + ends);
}

/// Whether states are made for so many queries.
bool usesStates(const CpuSchedule &schedule, int64_t queries) {
  return schedule.form == attn::ScheduleForm::Chunked &&
         2 * queries >= schedule.chunk;
}

/// Adds up the tiles of one block of rows.
class BlockCost {
public:
  BlockCost(TileCosts &tiles, const CpuSchedule &schedule, int64_t lanes,
            RegimeRanges &ranges)
      : tiles(tiles), schedule(schedule), lanes(lanes), ranges(ranges) {}

  /// Rows [first, end), counted `times` times into `cost`.
  void add(int64_t first, int64_t end, double times, Cost &cost);

private:
  /// The same, computed by code for `size` rows.
  void addRows(int64_t first, int64_t end, int64_t size, double times,
               Cost &cost);
  void addSpan(const KeySpan &span, int64_t step, double times, Cost &cost);
  void addPieces(int64_t lo, int64_t hi, int64_t step, double times,
                 Cost &cost);
  void addPartial(int64_t lo, int64_t hi, int64_t step, double times,
                  Cost &cost);
  void addTile(int64_t lo, int64_t hi, bool masked, double times, Cost &cost);
  /// Vectors of queries that see a key of [lo, hi).
  double activeVectors(int64_t lo, int64_t hi);

  TileCosts &tiles;
  const CpuSchedule &schedule;
  int64_t lanes;
  RegimeRanges &ranges;
  int64_t firstRow = 0, endRow = 0;
  double vectors = 0;
  bool hasClasses = false;
  double fullKeys = 0, partialKeys = 0; // of the block at hand
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

/// One tile of [lo, hi), counted `times` times.
void BlockCost::addTile(int64_t lo, int64_t hi, bool masked, double times,
                        Cost &cost) {
  double keys = double(hi - lo),
         active = masked ? activeVectors(lo, hi) : vectors;
  Cost one;
  one.products = tiles.products(keys, active);
  one.weights =
      tiles.weights(keys, active, masked) + tiles.copiesOfUnit(keys, active);
  one.overhead = tiles.startTile(keys, active);
  cost.products += times * one.products;
  cost.weights += times * one.weights;
  cost.overhead += times * one.overhead;
  if (masked)
    cost.partial += times * one.total();
}

/// Visits at most `most` of the tiles of `step` keys in [lo, hi), with how many
/// tiles each stands for.
static void sampleTiles(
    int64_t lo, int64_t hi, int64_t step, int64_t most,
    llvm::function_ref<void(int64_t at, int64_t end, double share)> visit) {
  int64_t count = llvm::divideCeil(std::max<int64_t>(hi - lo, 0), step);
  int64_t sampled = std::min(count, most);
  for (int64_t i = 0; i < sampled; ++i) {
    int64_t at = lo + sampleAt(i, sampled, count) * step;
    visit(at, std::min(at + step, hi), double(count) / double(sampled));
  }
}

/// Tiles of `step` keys that need the mask; with classes those that are not
/// empty.
void BlockCost::addPartial(int64_t lo, int64_t hi, int64_t step, double times,
                           Cost &cost) {
  // A long run is alike along the way: a table's mask has no full tiles.
  sampleTiles(lo, hi, step, 32, [&](int64_t at, int64_t end, double share) {
    share *= times;
    if (hasClasses) {
      cost.overhead += share * tiles.classify(double(end - at));
      if (ranges.classOf(firstRow, endRow, at, end) == 0)
        return;
    }
    addTile(at, end, /*masked=*/true, share, cost);
    partialKeys += share * double(end - at);
  });
}

/// Pieces of `step` keys that are asked for their class.
void BlockCost::addPieces(int64_t lo, int64_t hi, int64_t step, double times,
                          Cost &cost) {
  sampleTiles(lo, hi, step, 24, [&](int64_t at, int64_t end, double share) {
    share *= times;
    cost.overhead += share * tiles.classify(double(end - at));
    int64_t found = ranges.classOf(firstRow, endRow, at, end);
    if (found == 2 && end - at == step) {
      addTile(at, end, /*masked=*/false, share, cost);
      fullKeys += share * double(step);
    } else if (found != 0) {
      addPartial(at, end, std::min(schedule.partial, step), share, cost);
    }
  });
}

/// A segment as tile.for visits it.
void BlockCost::addSpan(const KeySpan &s, int64_t step, double times,
                        Cost &cost) {
  int64_t tilesFull = (s.allHi - s.allLo) / step;
  int64_t start = tilesFull ? s.allLo : s.anyLo;
  int64_t stop = tilesFull ? s.allLo + tilesFull * step : s.anyLo;
  int64_t partial = std::min(schedule.partial, step);
  for (auto [lo, hi] : {std::pair(s.anyLo, start), std::pair(stop, s.anyHi)})
    if (hasClasses)
      addPieces(lo, hi, step, times, cost);
    else
      addPartial(lo, hi, partial, times, cost);
  if (tilesFull) {
    addTile(s.allLo, s.allLo + step, /*masked=*/false,
            times * double(tilesFull), cost);
    cost.overhead +=
        times * tiles.startPasses(double(tilesFull * step), vectors);
    // The first tile's products have no weights next to them.
    cost.weights -= times * double(tilesFull - 1) *
                    tiles.hiddenWeights(double(step), vectors);
  }
  fullKeys += times * double(tilesFull * step);
}

/// Whether a block of so many rows runs in pieces of `tail` that differ from
/// the block: with features in the lanes, each query takes a pass over K and V.
/// Other pieces take about as long as blocks, and the lengths of `expect` are
/// examples: which rest they leave should not decide.
static bool isInPieces(const CpuSchedule &schedule, int64_t lanes,
                       int64_t rows) {
  return schedule.tail && rows <= schedule.q - schedule.tail &&
         schedule.runsOverFeatures(schedule.tail / lanes);
}

void BlockCost::add(int64_t first, int64_t end, double times, Cost &cost) {
  if (!isInPieces(schedule, lanes, end - first))
    return addRows(first, end,
                   end - first <= schedule.tail ? schedule.tail : schedule.q,
                   times, cost);
  for (int64_t at = first; at < end; at += schedule.tail)
    addRows(at, std::min(at + schedule.tail, end), schedule.tail, times, cost);
}

void BlockCost::addRows(int64_t first, int64_t end, int64_t size, double times,
                        Cost &cost) {
  firstRow = first;
  endRow = end;
  vectors = double(size / lanes);
  tiles.setBlock(end - first, size / lanes);
  cost.overhead += times * tiles.startBlock(vectors);
  int64_t keys = ranges.getKeys();
  cost.overhead += times * tiles.mergeParts(double(keys), vectors);
  bool isRows = schedule.form == attn::ScheduleForm::Rows;
  hasClasses = !isRows && ranges.hasClasses();
  fullKeys = partialKeys = 0;
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
    addTile(0, keys, masked, times, cost);
    (masked ? partialKeys : fullKeys) += times * double(keys);
  } else {
    for (const KeySpan &s : spans)
      addSpan(s, schedule.k, times, cost);
  }
  double perTile = 1 / double(std::max<int64_t>(schedule.k, 1));
  cost.visitedPairs += double(end - first) * (fullKeys + partialKeys);
  cost.fullTiles += fullKeys * perTile;
  cost.partialTiles += partialKeys * perTile;
  cost.skippedTiles +=
      (times * double(keys) - fullKeys - partialKeys) * perTile;
}

/// How much longer than their instructions states take, which are stored and
/// loaded through L2. Measured on Sapphire Rapids: 2.5 times with 64 features,
/// 3.5 times with 128.
static constexpr double kStatesInMemory = 2.5;

Cost cpu::predictCost(const KernelShape &shape, const Target &target,
                      const CpuSchedule &schedule, RegimeRanges &ranges) {
  Cost cost;
  int64_t queries = ranges.getQueries();
  int64_t lanes = shape.lanes(target);
  TileCosts tiles(shape, target, schedule);
  BlockCost block(tiles, schedule, lanes, ranges);
  // The last block may be short; of the others a sample is enough.
  int64_t whole = queries / schedule.q, rest = queries % schedule.q;
  int64_t ofRest = isInPieces(schedule, lanes, rest)
                       ? llvm::divideCeil(rest, schedule.tail)
                       : 1;
  int64_t blocks = whole + (rest ? ofRest : 0);
  int64_t samples =
      std::min(whole, ranges.hasClasses() ? kMostClassified : kMostBlocks);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = sampleAt(i, samples, whole) * schedule.q;
    block.add(first, first + schedule.q, double(whole) / double(samples), cost);
  }
  if (rest)
    block.add(whole * schedule.q, queries, 1, cost);
  if (usesStates(schedule, queries)) {
    cost.states += tiles.makeStates(double(ranges.getKeys()));
    cost.states *= kStatesInMemory;
  }
  double all = tiles.bytes(double(ranges.getKeys()));
  double ofL2 = 0.75 * double(target.l2Bytes());
  bool inL2 = all <= ofL2;
  // Packed values have just been written: they are in L2 if they fit it.
  if (double values = tiles.valueBytes(double(ranges.getKeys()));
      !inL2 && schedule.transposesValues() && values <= ofL2)
    all -= values;
  double perCycle = inL2 ? target.memory[1].bytesPerCycle
                         : target.memory.back().bytesPerCycle;
  double read = double(blocks) * all *
                (1 - cost.skippedTiles * double(schedule.k) /
                         std::max(1.0, double(blocks * ranges.getKeys())));
  // Blocks of one vector wait for elements of rows; not where lanes are
  // features or the matrix unit loads whole vectors.
  bool isFew = schedule.runsOverFeatures(schedule.q / lanes) ||
               isInPieces(schedule, lanes, queries);
  double rows =
      read / (isFew || schedule.unit == tile::CpuUnit::Matrix
                  ? perCycle
                  : std::min<double>(perCycle, target.rowBytesPerCycle));
  // The matrix unit waits for values that it transposes tile by tile, and reads
  // less from memory next to other work. Measured with 128 features, 4096 keys:
  // 135 and 470 cycles for a key and 32 or 128 queries, 140 and 285 with packed
  // values. With those, 16384 keys of 64 features take 1.24 times as long in
  // blocks of 128 queries as in blocks of 512.
  bool isMatrix = schedule.unit == tile::CpuUnit::Matrix &&
                  !schedule.runsOverFeatures(schedule.q / lanes);
  bool transposes = isMatrix && !schedule.transposesValues();
  double exposed = transposes ? 0.45 : isMatrix && !inL2 ? 0.35 : kExposed;
  double hidden = transposes ? 0.7 : 1;
  cost.memory =
      std::max(exposed * read / perCycle, rows - hidden * cost.total());
  // The grid that packs hides nothing.
  cost.overhead += tiles.packOperands(double(ranges.getKeys()));
  // What states hold is added once for each row and key instead of each pair.
  double pairs = ranges.getNeededPairs(), ofStates = 0;
  if (usesStates(schedule, queries)) {
    pairs = std::min(pairs, cost.visitedPairs);
    ofStates = double(queries + ranges.getKeys()) *
               double(shape.headDim * shape.valueDim);
  }
  if (cost.total() > 0)
    cost.peakFraction =
        cyclesAtPeak(shape, target, schedule, isFew, pairs, ofStates) /
        cost.total();
  return cost;
}
