//===- VisitedPairs.cpp - Pairs that blocks of a kernel compute -----------===//

#include "VisitedPairs.h"

#include "llvm/Support/MathExtras.h"

namespace attnc::schedule {

double countVisitedPairs(int64_t q, int64_t step, RegimeRanges &ranges) {
  constexpr int64_t mostSamples = 64;
  int64_t queries = ranges.getQueries();
  int64_t blocks = llvm::divideCeil(std::max<int64_t>(queries, 1), q);
  int64_t samples = std::min(blocks, mostSamples);
  double pairs = 0;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = sampleAt(i, samples, blocks) * q;
    int64_t low = ranges.getKeys(), high = 0;
    for (const KeySpan &span :
         ranges.get(first, std::min(first + q, std::max(queries, first + 1))))
      if (span.anyLo < span.anyHi) {
        low = std::min(low, span.anyLo);
        high = std::max(high, span.anyHi);
      }
    if (low < high)
      pairs += double(llvm::alignTo(high - low, step)) * double(q);
  }
  return pairs * double(blocks) / double(samples);
}

} // namespace attnc::schedule
