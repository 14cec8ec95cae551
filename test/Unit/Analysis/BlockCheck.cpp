//===- BlockCheck.cpp - All blocks and tiles against a mask ---------------===//

#include "BlockCheck.h"

#include "TileEvaluator.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <numeric>

using namespace attnc;

namespace {

using Bits = uint64_t; // of keys

class BlockCheck {
public:
  BlockCheck(const MaskAnalysis &analysis, const Values &symbols,
             const Tables &tables, int64_t keys, bool withTiles,
             TileCounts &counts);
  void run();

private:
  void checkSegments();
  void checkTiles();
  /// The keys [lo, hi) that there are.
  Bits span(int64_t lo, int64_t hi) const;
  /// The first key of `bits` from `from` on, or the number of keys.
  int64_t firstFrom(Bits bits, int64_t from) const {
    Bits rest = bits >> from;
    return rest ? from + llvm::countr_zero(rest) : keys;
  }

  int64_t keys, q0 = 0, q1 = 0;
  bool withTiles;
  TileCounts &counts;
  TileEvaluator at;
  std::vector<std::array<unsigned, 4>> segments; // nodes
  unsigned some = 0, every = 0;
  std::vector<Bits> rows;
  // Of the block at hand: keys that some row sees, that all see, that segments
  // visit, that they say all see.
  Bits needed = 0, full = 0, visited = 0, free = 0;
};

} // namespace

BlockCheck::BlockCheck(const MaskAnalysis &analysis, const Values &symbols,
                       const Tables &tables, int64_t keys, bool withTiles,
                       TileCounts &counts)
    : keys(keys), withTiles(withTiles), counts(counts),
      at(symbols, tables.values, keys) {
  if (withTiles) {
    some = at.addForTiles(analysis.tile.some);
    every = at.addForTiles(analysis.tile.all);
  }
  for (const KeySegment &s : analysis.ranges.segments)
    segments.push_back(
        {at.add(s.anyLo), at.add(s.allLo), at.add(s.allHi), at.add(s.anyHi)});
  rows.resize(std::max<int64_t>(keys, 3));
  Values v = symbols;
  for (int64_t &q = v[IndexExprs::Row] = 0; q < int64_t(rows.size()); ++q)
    for (int64_t &k = v[IndexExprs::Key] = 0; k < keys; ++k)
      rows[q] |= Bits(evaluate(analysis.mask, v, tables.values)) << k;
}

Bits BlockCheck::span(int64_t lo, int64_t hi) const {
  lo = std::max<int64_t>(lo, 0);
  hi = std::min(hi, keys);
  return lo < hi ? (~Bits(0) >> (64 - (hi - lo))) << lo : 0;
}

void BlockCheck::checkSegments() {
  visited = free = 0;
  int64_t end = 0;
  for (auto [anyLoOf, allLoOf, allHiOf, anyHiOf] : segments) {
    int64_t anyLo = at.getNumber(anyLoOf), anyHi = at.getNumber(anyHiOf);
    if (anyLo < anyHi) {
      ASSERT_GE(anyLo, end) << "segments overlap";
      ASSERT_LE(anyHi, keys);
      end = anyHi;
    }
    visited |= span(anyLo, anyHi);
    free |= span(at.getNumber(allLoOf), at.getNumber(allHiOf));
  }
  ASSERT_EQ(needed & ~visited, 0) << "rows " << q0 << ".." << q1;
  ASSERT_EQ(free & ~full, 0) << "rows " << q0 << ".." << q1;
  counts.keysInVain += llvm::popcount(visited & ~needed);
  counts.keysMaskedInVain += llvm::popcount(full & ~free);
}

void BlockCheck::checkTiles() {
  const uint8_t *somes = at.getTruths(some).data();
  const uint8_t *everies = at.getTruths(every).data();
  for (int64_t k0 = 0; k0 < keys; ++k0) {
    // Tiles [k0, k1) with lo < k1 <= hi; these arrays begin at k1 = k0 + 1.
    auto sum = [&](const uint8_t *truths, int64_t lo, int64_t hi) {
      return std::accumulate(truths + (lo - k0), truths + (hi - k0), 0);
    };
    int64_t need = firstFrom(needed, k0),
            hole = std::min(firstFrom(~full, k0), keys);
    ASSERT_EQ(sum(somes, need, keys), keys - need)
        << "rows " << q0 << ".." << q1 << ", keys from " << k0;
    ASSERT_EQ(sum(everies, hole, keys), 0)
        << "rows " << q0 << ".." << q1 << ", keys from " << k0;
    counts.needed += keys - need;
    counts.full += hole - k0;
    int64_t first = firstFrom(visited, k0);
    int64_t masked = std::min(firstFrom(~free, k0), keys);
    counts.visited += sum(somes, first, need) + keys - need;
    counts.unmasked += masked - k0 + sum(everies, masked, hole);
    somes += keys - k0;
    everies += keys - k0;
  }
}

void BlockCheck::run() {
  for (q0 = 0; q0 < int64_t(rows.size()); ++q0) {
    needed = 0;
    full = ~Bits(0);
    for (q1 = q0 + 1; q1 <= int64_t(rows.size()); ++q1) {
      needed |= rows[q1 - 1];
      full &= rows[q1 - 1];
      at.setBlock(q0, q1);
      checkSegments();
      if (withTiles)
        checkTiles();
      if (testing::Test::HasFatalFailure())
        return;
    }
  }
}

using Seen = llvm::DenseSet<const void *>;

static bool dependsOnLength(IndexExpr expr, Seen &seen) {
  using Kind = IndexNode::Kind;
  if (!seen.insert(expr).second)
    return false;
  switch (expr->kind) {
  case Kind::Symbol:
    return expr->value == IndexExprs::KeyCount;
  case Kind::Read:
  case Kind::TableMin:
  case Kind::TableMax:
  case Kind::LowerBound:
    return true;
  default:
    return llvm::any_of(expr->operands, [&](IndexExpr operand) {
      return dependsOnLength(operand, seen);
    });
  }
}

static bool dependsOnLength(Condition condition, Seen &seen) {
  if (!condition || !seen.insert(condition).second)
    return false;
  return (condition->expr && dependsOnLength(condition->expr, seen)) ||
         dependsOnLength(condition->a, seen) ||
         dependsOnLength(condition->b, seen);
}

bool attnc::dependsOnLength(const TileClass &tile) {
  Seen seen;
  return ::dependsOnLength(tile.some, seen) ||
         ::dependsOnLength(tile.all, seen);
}

void attnc::checkBlocks(const MaskAnalysis &analysis, const Values &symbols,
                        const Tables &tables, int64_t keys, bool withTiles,
                        TileCounts &counts) {
  BlockCheck(analysis, symbols, tables, keys, withTiles, counts).run();
}
