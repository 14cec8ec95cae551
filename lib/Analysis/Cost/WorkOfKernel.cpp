//===- WorkOfKernel.cpp - Count the work of a kernel ----------------------===//
//
// Blocks of 64 rows go over the segments of `ranges` in tiles of 64 keys, and
// ask `classify` of those that the segments leave open, as the loops of stage
// tile do. Long sequences are sampled.
//
//===----------------------------------------------------------------------===//

#include "Cost/WorkCounter.h"

#include "attnc/Analysis/Cost/OperationCost.h"
#include "attnc/Analysis/Regime/RegimeRanges.h"
#include "attnc/Dialect/Attn/UnreadProducts.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

/// Blocks of rows that are looked at, and tiles of a run that are asked.
static constexpr int64_t kMostBlocks = 256, kMostClassified = 64;

namespace {
/// Of one head.
struct Visited {
  double pairs = 0, maskedPairs = 0, tiles = 0;
};

/// Adds up what blocks of rows visit.
class Visits {
public:
  explicit Visits(RegimeRanges &ranges) : ranges(ranges) {}
  Visited run();

private:
  void addBlock(int64_t first, int64_t end, double share);
  void addOpen(int64_t lo, int64_t hi, double share);
  void add(int64_t keys, bool isMasked, double share);

  RegimeRanges &ranges;
  int64_t firstRow = 0, endRow = 0;
  Visited visited;
};
} // namespace

/// A tile of the block at hand, which stands for `share` of them.
void Visits::add(int64_t keys, bool isMasked, double share) {
  double pairs = share * double((endRow - firstRow) * keys);
  visited.pairs += pairs;
  if (isMasked)
    visited.maskedPairs += pairs;
  visited.tiles += share;
}

/// Keys of which the segments do not say that all rows see them.
void Visits::addOpen(int64_t lo, int64_t hi, double share) {
  int64_t tiles = llvm::divideCeil(std::max<int64_t>(hi - lo, 0), kWorkTile);
  int64_t samples =
      ranges.hasClasses() ? std::min(tiles, kMostClassified) : tiles;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t at = lo + sampleAt(i, samples, tiles) * kWorkTile;
    int64_t end = std::min(at + kWorkTile, hi);
    int64_t found = ranges.classOf(firstRow, endRow, at, end);
    if (found != 0)
      add(end - at, found != 2, share * double(tiles) / double(samples));
  }
}

void Visits::addBlock(int64_t first, int64_t end, double share) {
  firstRow = first;
  endRow = end;
  for (const KeySpan &span : ranges.get(first, end)) {
    int64_t full = (span.allHi - span.allLo) / kWorkTile;
    int64_t start = full ? span.allLo : span.anyLo;
    int64_t stop = full ? span.allLo + full * kWorkTile : span.anyLo;
    addOpen(span.anyLo, start, share);
    addOpen(stop, span.anyHi, share);
    if (full)
      add(kWorkTile, /*isMasked=*/false, share * double(full));
  }
}

Visited Visits::run() {
  int64_t rows = ranges.getQueries();
  int64_t blocks = llvm::divideCeil(rows, kWorkTile);
  int64_t samples = std::min(blocks, kMostBlocks);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t first = sampleAt(i, samples, blocks) * kWorkTile;
    addBlock(first, std::min(first + kWorkTile, rows),
             double(blocks) / double(samples));
  }
  return visited;
}

/// Whether a kernel's mask allows everything.
static bool isUnmasked(attn::KernelOp op) {
  auto yield = cast<attn::YieldOp>(op.getMask().front().getTerminator());
  return matchPattern(yield.getValue(), m_One());
}

/// Whether what a kernel sums over its features is a product.
static bool endsInProduct(Region &pair) {
  return isa_and_present<arith::MulFOp>(
      pair.front().getTerminator()->getOperand(0).getDefiningOp());
}

/// The letter of the features of sum `number` of a kernel.
static char featureOf(size_t number) { return static_cast<char>('A' + number); }

void WorkCounter::countKernelFormulas(attn::KernelOp op, const Extents &extents,
                                      double visitedShare, double maskedShare) {
  auto places = [&](double share) {
    return [&extents, share](StringRef letters) {
      bool isOfPairs = letters.contains('q') && letters.contains('k');
      return extents.places(letters) * (isOfPairs ? share : 1);
    };
  };
  const SmallVector<std::string> rows = {"b", "h", "g", "q"};
  SmallVector<std::string> pair = rows;
  pair.push_back("k");
  auto count = [&](Region &region, ArrayRef<std::string> arguments,
                   double share) {
    if (!region.empty())
      work.operations += countFormula(region.front(), arguments, places(share));
  };
  auto with = [&](std::initializer_list<std::string> front, unsigned products) {
    SmallVector<std::string> letters(front);
    llvm::append_range(letters, pair);
    letters.append(products, "bhgqk");
    return letters;
  };
  unsigned products = op.getNumProducts();
  count(op.getScore(), with({"bhgqk"}, products), visitedShare);
  count(op.getGate(), with({"bhgqk"}, products), visitedShare);
  count(op.getSelect(), with({"bhgqk"}, products), visitedShare);
  count(op.getValue(), with({"bhgke", "e"}, 0), visitedShare);
  for (auto [number, region] : llvm::enumerate(op.getPairs())) {
    std::string d(1, featureOf(number));
    SmallVector<std::string> letters;
    for (unsigned i = 0; i < attn::KernelOp::countRows(region); ++i)
      letters.append({"bhgq" + d, "bhgk" + d});
    letters.push_back(d);
    llvm::append_range(letters, pair);
    count(region, letters, visitedShare);
    if (endsInProduct(region)) // a multiply-add with the sum over features
      work.operations -= extents.places("bhgqk" + d) * visitedShare;
  }
  count(op.getMask(), pair, maskedShare);
  count(op.getInit(), rows, 1);
  if (op.getScale().convertToDouble() != 1)
    work.operations += extents.places("bhgqd");
}

void WorkCounter::countKernel(attn::KernelOp op) {
  RegimeRanges ranges(op, interface, regime);
  Visited visited = Visits(ranges).run();
  if (isUnmasked(op))
    visited.maskedPairs = 0;
  Extents extents;
  for (auto [axis, letter] : llvm::enumerate(StringRef("bhg")))
    extents.add(letter, extentOf(op.getQ().getType(), axis));
  extents.add('q', double(ranges.getQueries()));
  extents.add('k', double(ranges.getKeys()));
  auto last = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return extentOf(type, type.getRank() - 1);
  };
  extents.add('d', last(op.getQ()));
  extents.add('e', op.getV() ? last(op.getV()) : 0);
  double features = extents.places("e");
  for (auto [number, sum] : llvm::enumerate(op.getSums())) {
    double size = last(sum.rows.front().first);
    extents.add(featureOf(number), size);
    if (number > 0 || attn::readsFirstSum(op))
      features += size;
  }

  double heads = extents.places("bhg"), dense = extents.places("qk");
  work.pairs += heads * visited.pairs;
  work.maskedPairs += heads * visited.maskedPairs;
  work.tiles += heads * visited.tiles;
  work.flops += 2 * features * heads * visited.pairs;
  work.operations += weightCost(op.getNorm(), target) * heads * visited.pairs;
  if (dense > 0)
    countKernelFormulas(op, extents, visited.pairs / dense,
                        visited.maskedPairs / dense);
}
