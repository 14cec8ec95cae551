//===- MaskRangesTest.cpp - Brute force for the ranges of masks -----------===//
//
// Each mask is evaluated for every row and key, and its segments for every
// block of rows, up to 48 rows and 48 keys. Sound: a key that some row sees is
// inside "any", a key of "all" is seen by every row, segments are in order and
// inside the keys. How many keys are visited in vain is checked, too.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Mask/MaskRanges.h"

#include "gtest/gtest.h"

#include <bitset>

using namespace attnc;

namespace {

using Values = std::vector<int64_t>;

/// Keys that a block may see in the segments, and that it need not: the sum
/// over all blocks.
struct Waste {
  int64_t blocks = 0;
  int64_t visitedInVain = 0; // in "any", seen by no row
  int64_t maskedInVain = 0;  // seen by all rows, not in "all"
};

class MaskRangesTest : public testing::Test {
protected:
  static constexpr int64_t maxLength = 48;
  using Keys = std::bitset<maxLength>;

  IndexExprs exprs;
  IndexExpr row = exprs.symbol(IndexExprs::Row);
  IndexExpr k = exprs.symbol(IndexExprs::Key);
  IndexExpr kvLen = exprs.symbol(IndexExprs::KeyCount);
  IndexExpr offset =
      exprs.makeSymbol({-IndexExprs::maxSize, IndexExprs::maxSize});
  IndexExpr a = exprs.makeSymbol({-IndexExprs::maxSize, IndexExprs::maxSize});
  IndexExpr b = exprs.makeSymbol({-IndexExprs::maxSize, IndexExprs::maxSize});
  IndexExpr d = exprs.makeSymbol({1, IndexExprs::maxSize}); // a divisor
  IndexExpr q = exprs.add(row, offset);

  MaskCases ge(IndexExpr x, IndexExpr y) {
    return *atLeastZero(exprs, exprs.sub(x, y));
  }
  MaskCases lt(IndexExpr x, IndexExpr y) { return ge(exprs.sub(y, x), c(1)); }
  MaskCases eq(IndexExpr x, IndexExpr y) { return all(ge(x, y), ge(y, x)); }
  MaskCases all(const MaskCases &x, const MaskCases &y) {
    return *intersect(exprs, x, y);
  }
  MaskCases any(const MaskCases &x, const MaskCases &y) {
    return *unite(exprs, x, y);
  }
  MaskCases no(const MaskCases &x) { return *complement(exprs, x); }
  IndexExpr c(int64_t v) { return exprs.constant(v); }

  MaskCases causal() { return ge(q, k); }
  MaskCases window(IndexExpr w) {
    return all(causal(), lt(exprs.sub(q, w), k));
  }
  MaskCases chunk(IndexExpr size) {
    return eq(exprs.floorDiv(q, size), exprs.floorDiv(k, size));
  }

  static bool holds(const MaskCases &mask, const Values &v) {
    return llvm::any_of(mask.cases, [&](const MaskCases::Case &one) {
      return llvm::all_of(one,
                          [&](IndexExpr e) { return evaluate(e, v) >= 0; });
    });
  }

  /// The keys of `segments` for the block in `v`, checked for their order.
  static void collect(const MaskRanges &ranges, const Values &v, int64_t length,
                      Keys &any, Keys &all) {
    int64_t end = 0;
    for (const KeySegment &s : ranges.segments) {
      int64_t anyLo = evaluate(s.anyLo, v), anyHi = evaluate(s.anyHi, v);
      int64_t allLo = evaluate(s.allLo, v), allHi = evaluate(s.allHi, v);
      if (anyLo < anyHi) {
        ASSERT_GE(anyLo, end);
        ASSERT_LE(anyHi, length);
        end = anyHi;
      }
      for (int64_t key = anyLo; key < anyHi; ++key)
        any.set(key);
      for (int64_t key = std::max<int64_t>(allLo, 0);
           key < std::min(allHi, length); ++key)
        all.set(key);
    }
  }

  /// Checks all blocks of all lengths for each tuple of (offset, a, b, d).
  Waste check(const MaskCases &mask, const std::vector<Values> &tuples,
              llvm::ArrayRef<IndexExpr> assumptions = {}) {
    MaskRanges ranges = solveMask(exprs, mask, assumptions);
    EXPECT_LE(ranges.segments.size(), maxKeySegments);
    Waste waste;
    for (const Values &tuple : tuples)
      for (int64_t length : {0, 1, 7, 31, 48})
        checkBlocks(mask, ranges, tuple, length, waste);
    return waste;
  }

  void checkBlocks(const MaskCases &mask, const MaskRanges &ranges,
                   const Values &tuple, int64_t length, Waste &waste) {
    Values v{0, 0, 0, 0, length, 0, 0};
    v.insert(v.end(), tuple.begin(), tuple.end());
    std::vector<Keys> seen(maxLength);
    for (v[0] = 0; v[0] < maxLength; ++v[0])
      for (v[1] = 0; v[1] < length; ++v[1])
        seen[v[0]][v[1]] = holds(mask, v);
    for (v[2] = 0; v[2] < maxLength; ++v[2]) {
      Keys some, every;
      every.flip();
      for (v[3] = v[2] + 1; v[3] <= maxLength; ++v[3]) {
        some |= seen[v[3] - 1];
        every &= seen[v[3] - 1];
        Keys any, all;
        collect(ranges, v, length, any, all);
        if (HasFatalFailure())
          return;
        ASSERT_TRUE((some & ~any).none()) << "block " << v[2] << ".." << v[3];
        ASSERT_TRUE((all & ~every).none()) << "block " << v[2] << ".." << v[3];
        ++waste.blocks;
        waste.visitedInVain += (any & ~some).count();
        waste.maskedInVain += (every & ~all).count();
      }
    }
  }

  static std::vector<Values> tuples(std::vector<int64_t> as,
                                    std::vector<int64_t> bs = {0},
                                    std::vector<int64_t> ds = {1}) {
    std::vector<Values> result;
    for (int64_t offset : {-30, -1, 0, 5, 40})
      for (int64_t a : as)
        for (int64_t b : bs)
          for (int64_t d : ds)
            result.push_back({offset, a, b, d});
    return result;
  }

  void expectExact(const MaskCases &mask, const std::vector<Values> &tuples) {
    Waste waste = check(mask, tuples);
    EXPECT_EQ(waste.visitedInVain, 0);
    EXPECT_EQ(waste.maskedInVain, 0);
  }
  unsigned numSegments(const MaskCases &mask) {
    return solveMask(exprs, mask).segments.size();
  }
  unsigned numOperations(const MaskCases &mask) {
    llvm::SmallVector<IndexExpr> results;
    for (const KeySegment &s : solveMask(exprs, mask).segments)
      results.append({s.anyLo, s.allLo, s.allHi, s.anyHi});
    return countOperations(results);
  }
};

TEST_F(MaskRangesTest, NoMask) {
  expectExact(MaskCases::always(), tuples({0}));
  EXPECT_EQ(numOperations(MaskCases::always()), 0u);
}

TEST_F(MaskRangesTest, NothingIsSeen) {
  expectExact(MaskCases::never(), tuples({0}));
  EXPECT_EQ(numOperations(MaskCases::never()), 0u);
}

TEST_F(MaskRangesTest, Causal) {
  expectExact(causal(), tuples({0}));
  EXPECT_EQ(numOperations(causal()), 4u);
}

TEST_F(MaskRangesTest, Window) {
  expectExact(window(a), tuples({1, 2, 5, 9, 40}));
  EXPECT_LE(numOperations(window(a)), 10u);
}

TEST_F(MaskRangesTest, WindowOfNoKeysIsSound) {
  check(window(a), tuples({-3, 0}));
}

TEST_F(MaskRangesTest, WindowOfConstantWidth) {
  for (int64_t width : {1, 2, 16, 47})
    expectExact(window(c(width)), tuples({0}));
}

TEST_F(MaskRangesTest, Band) {
  MaskCases band = all(ge(k, exprs.sub(q, a)), ge(exprs.add(q, b), k));
  expectExact(band, tuples({0, 1, 6}, {0, 2, 5}));
}

TEST_F(MaskRangesTest, BandByMaximumOfDistances) {
  IndexExpr distance = exprs.max(exprs.sub(q, k), exprs.sub(k, q));
  expectExact(ge(a, distance), tuples({0, 1, 6}));
}

TEST_F(MaskRangesTest, First) {
  expectExact(lt(k, a), tuples({-1, 0, 1, 4, 30, 60}));
  expectExact(lt(k, c(4)), tuples({0}));
}

TEST_F(MaskRangesTest, Chunk) {
  expectExact(chunk(c(8)), tuples({0}));
  expectExact(all(causal(), chunk(c(8))), tuples({0}));
  EXPECT_LE(numOperations(all(causal(), chunk(c(8192)))), 18u);
}

TEST_F(MaskRangesTest, ChunkOfSymbolicSize) {
  expectExact(chunk(d), tuples({0}, {0}, {1, 2, 7, 16, 100}));
  expectExact(all(causal(), chunk(d)), tuples({0}, {0}, {1, 2, 7, 16, 100}));
}

TEST_F(MaskRangesTest, ConjunctionsStayExact) {
  expectExact(all(window(a), lt(k, b)), tuples({1, 5, 9}, {0, 3, 30}));
  expectExact(all(chunk(c(16)), window(c(5))), tuples({0}));
  expectExact(all(causal(), ge(k, b)), tuples({0}, {0, 3, 30}));
}

TEST_F(MaskRangesTest, SlopedMask) {
  expectExact(ge(exprs.scale(q, 2), exprs.scale(k, 3)), tuples({0}));
}

TEST_F(MaskRangesTest, PrefixAndCausal) {
  MaskCases prefix = any(causal(), lt(k, a));
  expectExact(prefix, tuples({0, 1, 4, 12, 30}));
  EXPECT_EQ(numSegments(prefix), 1u);
}

TEST_F(MaskRangesTest, SinksAndWindow) {
  MaskCases sinks = all(causal(), any(lt(k, c(4)), window(a)));
  expectExact(sinks, tuples({1, 2, 5, 9, 40}));
  EXPECT_EQ(numSegments(sinks), 2u);
}

/// Rounded to multiples of a tile, the sinks and the window would both hold the
/// first tile where the window starts in it, and its keys would count twice.
TEST_F(MaskRangesTest, SegmentsThatOverlapOnceRoundedAreDisjoint) {
  MaskRanges ranges =
      solveMask(exprs, all(causal(), any(lt(k, c(4)), window(c(20)))));
  ASSERT_EQ(ranges.segments.size(), 2u);
  const KeySegment &sinks = ranges.segments[0], &rest = ranges.segments[1];
  for (int64_t tile : {8, 16, 64}) {
    unsigned overlaps = 0;
    for (int64_t q0 = 0; q0 < 48; ++q0)
      for (int64_t q1 = q0 + 1; q1 <= 48; ++q1) {
        Values v{0, 0, q0, q1, 48, 0, 0, /*offset=*/0, 0, 0, 1};
        int64_t end = evaluate(sinks.anyHi, v), start = evaluate(rest.anyLo, v);
        EXPECT_LE(end, start) << "rows " << q0 << ".." << q1;
        overlaps += start < evaluate(rest.anyHi, v) &&
                    start / tile * tile < (end + tile - 1) / tile * tile;
      }
    EXPECT_GT(overlaps, 100u) << "tiles of " << tile;
  }
}

TEST_F(MaskRangesTest, SymbolicSinksAndWindow) {
  MaskCases sinks = any(lt(k, b), window(a));
  expectExact(sinks, tuples({1, 2, 5, 9, 40}, {0, 1, 4, 30}));
}

TEST_F(MaskRangesTest, KeysInTheMiddleAndWindowStartAnywhere) {
  // Neither start is first for all offsets: one hull, sound but not exact.
  MaskCases mask = any(all(ge(k, c(8)), lt(k, c(12))), window(c(3)));
  Waste waste = check(mask, tuples({0}));
  EXPECT_EQ(numSegments(mask), 1u);
  EXPECT_GT(waste.visitedInVain, 0);
}

TEST_F(MaskRangesTest, TwoWindows) {
  IndexExpr far = exprs.add(q, -6);
  MaskCases second = all(ge(far, k), lt(exprs.add(far, -3), k));
  MaskCases mask = any(window(c(3)), second);
  check(mask, tuples({0}));
  EXPECT_EQ(numSegments(mask), 2u);
}

TEST_F(MaskRangesTest, CausalTakesInTheWindow) {
  EXPECT_EQ(any(causal(), window(a)).cases.size(), 1u);
  EXPECT_EQ(numOperations(any(window(a), causal())), numOperations(causal()));
}

TEST_F(MaskRangesTest, ComplementOfAWindow) {
  MaskCases outside = no(window(c(5)));
  check(outside, tuples({0}));
  EXPECT_EQ(numSegments(outside), 2u);
}

TEST_F(MaskRangesTest, ComplementOfTheComplement) {
  expectExact(no(no(window(a))), tuples({1, 5}));
  EXPECT_TRUE(no(MaskCases::always()).cases.empty());
}

TEST_F(MaskRangesTest, DilatedIsBoundedByItsCausalPart) {
  IndexExpr distance = exprs.sub(q, k);
  IndexExpr rest =
      exprs.sub(distance, exprs.scale(exprs.floorDiv(distance, c(4)), 4));
  MaskCases mask = all(causal(), eq(rest, c(0)));
  check(mask, tuples({0}));
  EXPECT_GT(solveMask(exprs, mask).numUnsolved, 0u);
}

TEST_F(MaskRangesTest, OpaqueConditionsProveNothing) {
  IndexExpr unknown = exprs.makeSymbol({0, 1}, /*opaque=*/true);
  MaskCases mask = all(causal(), ge(unknown, c(1)));
  MaskRanges ranges = solveMask(exprs, mask);
  ASSERT_EQ(ranges.segments.size(), 1u);
  EXPECT_TRUE(ranges.segments[0].allHi->isConstant(0));
  EXPECT_EQ(ranges.segments[0].anyHi,
            solveMask(exprs, causal()).segments[0].anyHi);
}

TEST_F(MaskRangesTest, RowConditionsEmptyTheBlock) {
  MaskCases mask = all(causal(), lt(row, a)); // rows past a see nothing
  check(mask, tuples({0, 3, 20, 50}));
  Values v{0, 0, 20, 30, 48, 0, 0, 0, 3, 0, 1};
  KeySegment s = solveMask(exprs, mask).segments[0];
  EXPECT_GE(evaluate(s.anyLo, v), evaluate(s.anyHi, v));
}

TEST_F(MaskRangesTest, ConditionsPerHead) {
  IndexExpr flag = exprs.makeSymbol({0, 1});
  MaskCases local = all(ge(flag, c(1)), window(c(5)));
  MaskCases global = all(no(ge(flag, c(1))), causal());
  std::vector<Values> values;
  for (Values t : tuples({0}))
    for (int64_t f : {0, 1}) {
      t.resize(4);
      t.push_back(f);
      values.push_back(t);
    }
  Waste waste = check(any(local, global), values);
  EXPECT_EQ(waste.visitedInVain, 0);
  EXPECT_EQ(waste.maskedInVain, 0);
}

TEST_F(MaskRangesTest, BrokenAssumptionsAdmitAll) {
  // A divisor that may be zero is analysed as if it were positive.
  Waste waste = check(causal(), tuples({-1}), {a});
  EXPECT_GT(waste.visitedInVain, 0);
  EXPECT_GT(waste.maskedInVain, 0);
  waste = check(causal(), tuples({0}), {a});
  EXPECT_EQ(waste.visitedInVain + waste.maskedInVain, 0);
}

TEST_F(MaskRangesTest, WhatMayOverflowProvesNothing) {
  IndexExpr big = exprs.makeSymbol({-IndexBounds::limit, IndexBounds::limit});
  MaskCases mask = ge(exprs.add(row, big), k);
  KeySegment s = solveMask(exprs, mask).segments[0];
  EXPECT_TRUE(s.anyLo->isConstant(0));
  EXPECT_TRUE(s.allHi->isConstant(0));
  EXPECT_EQ(s.anyHi, kvLen);
}

TEST_F(MaskRangesTest, TooManyCasesAreRefused) {
  std::optional<MaskCases> mask = MaskCases::never();
  for (int i = 0; i < 100 && mask; ++i)
    mask = unite(exprs, *mask, eq(k, c(3 * i)));
  EXPECT_FALSE(mask.has_value());
}

} // namespace
