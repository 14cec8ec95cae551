//===- VisitedPairs.cpp - Pairs that blocks of a kernel compute -----------===//

#include "VisitedPairs.h"

#include "llvm/Support/MathExtras.h"

namespace attnc::schedule {

double countVisitedPairs(int64_t q, int64_t step, RegimeRanges &ranges,
                         int64_t chunk) {
  constexpr int64_t mostSamples = 64;
  int64_t queries = ranges.getQueries();
  int64_t blocks = llvm::divideCeil(std::max<int64_t>(queries, 1), q);
  int64_t samples = std::min(blocks, mostSamples);
  double pairs = 0;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = sampleAt(i, samples, blocks) * q;
    int64_t low = ranges.getKeys(), high = 0, start = 0;
    for (const KeySpan &span :
         ranges.get(first, std::min(first + q, std::max(queries, first + 1))))
      if (span.anyLo < span.anyHi) {
        if (chunk > 0)
          start = std::min(span.allHi, ranges.getKeys() - 1) / chunk * chunk;
        low = std::min(low, span.anyLo);
        high = std::max(high, span.anyHi);
      }
    low = std::max(low, start);
    if (low < high)
      pairs += double(llvm::alignTo(high - low, step)) * double(q);
  }
  return pairs * double(blocks) / double(samples);
}

namespace {
/// The tiles of one block of rows [first, end).
struct BlockTiles {
  RegimeRanges &ranges;
  int64_t first, end, step;
  VisitedTiles tiles;

  void addSpan(const KeySpan &span);
  void addPartial(int64_t low, int64_t high);
};
} // namespace

/// Keys outside of the full tiles. A mask with classes tells which of the tiles
/// there are empty or full; of many, some are asked.
void BlockTiles::addPartial(int64_t low, int64_t high) {
  constexpr int64_t mostClassified = 24;
  int64_t count = llvm::divideCeil(std::max<int64_t>(high - low, 0), step);
  if (!ranges.hasClasses()) {
    tiles.partial += double(count);
    return;
  }
  int64_t samples = std::min(count, mostClassified);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t at = low + sampleAt(i, samples, count) * step;
    int64_t last = std::min(at + step, high);
    int64_t found = ranges.classOf(first, end, at, last);
    bool isFull = found == 2 && last - at == step;
    double share = double(count) / double(samples);
    (isFull ? tiles.full : tiles.partial) += found == 0 ? 0 : share;
  }
}

void BlockTiles::addSpan(const KeySpan &span) {
  int64_t full = std::max<int64_t>(span.allHi - span.allLo, 0) / step;
  int64_t start = full ? span.allLo : span.anyLo;
  int64_t stop = full ? span.allLo + full * step : span.anyLo;
  addPartial(span.anyLo, start);
  addPartial(stop, span.anyHi);
  tiles.full += double(full);
}

VisitedTiles countVisitedTiles(int64_t q, int64_t step, RegimeRanges &ranges) {
  int64_t mostSamples = ranges.hasClasses() ? 8 : 64;
  int64_t queries = std::max<int64_t>(ranges.getQueries(), 1);
  int64_t blocks = llvm::divideCeil(queries, q);
  int64_t samples = std::min(blocks, mostSamples);
  double share = double(blocks) / double(samples);
  VisitedTiles tiles;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = sampleAt(i, samples, blocks) * q;
    BlockTiles block{ranges, first, std::min(first + q, queries), step, {}};
    for (const KeySpan &span : ranges.get(first, block.end))
      block.addSpan(span);
    tiles.partial += share * block.tiles.partial;
    tiles.full += share * block.tiles.full;
  }
  double all =
      double(blocks) * double(llvm::divideCeil(ranges.getKeys(), step));
  tiles.skipped = std::max(0.0, all - tiles.visited());
  return tiles;
}

} // namespace attnc::schedule
