//===- MaskBruteForceTest.cpp - Ranges and classes against the mask -------===//
//
// Masks of all kinds are evaluated for every row and key; then the segments of
// every block of rows and the classes of every tile must agree: a key that some
// row sees is visited, a key of "all" is seen by every row, a tile of class 0
// has no visible pair, one of class 2 no other. So for all lengths up to
// ATTNC_MASK_LENGTHS, or 24; the full tier goes to 64.
//
//===----------------------------------------------------------------------===//

#include "MaskFixture.h"
#include "TileEvaluator.h"

using namespace attnc;

namespace {

/// The nodes of segments and classes in an evaluator.
struct Plan {
  std::vector<std::array<unsigned, 4>> segments;
  unsigned some, all;

  Plan(TileEvaluator &at, const MaskRanges &ranges, const TileClass &tile)
      : some(at.add(tile.some)), all(at.add(tile.all)) {
    for (const KeySegment &s : ranges.segments)
      segments.push_back(
          {at.add(s.anyLo), at.add(s.allLo), at.add(s.allHi), at.add(s.anyHi)});
  }
};

class MaskBruteForceTest : public MaskFixture {
protected:
  /// All blocks and tiles of all lengths.
  Waste checkLengths(Condition mask);
  void expectExact(Condition mask) {
    Waste w = checkLengths(mask);
    EXPECT_EQ(w.visitedInVain, 0);
    EXPECT_EQ(w.maskedInVain, 0);
  }

private:
  void checkLength(Condition mask, int64_t keys);
  void checkRanges(const Plan &plan, const TileEvaluator &at, Truth &truth,
                   int64_t q0, int64_t q1, int64_t keys);
  void checkTiles(const Plan &plan, const TileEvaluator &at, Truth &truth,
                  int64_t q0, int64_t q1, int64_t keys);

  MaskRanges ranges;
  TileClass tile;
  Waste waste;
};

void MaskBruteForceTest::checkRanges(const Plan &plan, const TileEvaluator &at,
                                     Truth &truth, int64_t q0, int64_t q1,
                                     int64_t keys) {
  std::vector<bool> visited(keys), free(keys);
  int64_t end = 0;
  for (auto [anyLoOf, allLoOf, allHiOf, anyHiOf] : plan.segments) {
    int64_t anyLo = at.at(anyLoOf, 0), anyHi = at.at(anyHiOf, 0);
    if (anyLo < anyHi) {
      ASSERT_GE(anyLo, end) << "segments overlap";
      ASSERT_LE(anyHi, keys);
      end = anyHi;
    }
    for (int64_t key = anyLo; key < anyHi; ++key)
      visited[key] = true;
    for (int64_t key = std::max<int64_t>(at.at(allLoOf, 0), 0);
         key < std::min(at.at(allHiOf, 0), keys); ++key)
      free[key] = true;
  }
  for (int64_t key = 0; key < keys; ++key) {
    int64_t count = truth.count(q0, q1, key, key + 1);
    ASSERT_TRUE(visited[key] || count == 0)
        << "rows " << q0 << ".." << q1 << ", key " << key;
    ASSERT_TRUE(!free[key] || count == q1 - q0)
        << "rows " << q0 << ".." << q1 << ", key " << key;
    waste.visitedInVain += visited[key] && count == 0;
    waste.maskedInVain += !free[key] && count == q1 - q0;
  }
}

void MaskBruteForceTest::checkTiles(const Plan &plan, const TileEvaluator &at,
                                    Truth &truth, int64_t q0, int64_t q1,
                                    int64_t keys) {
  std::vector<int64_t> seen(keys + 1); // pairs of the rows before each key
  for (int64_t key = 0; key <= keys; ++key)
    seen[key] = truth.count(q0, q1, 0, key);
  const auto &somes = at.get(plan.some), &alls = at.get(plan.all);
  size_t someStep = somes.size() == 1 ? 0 : 1,
         allStep = alls.size() == 1 ? 0 : 1;
  int64_t i = 0;
  for (int64_t k0 = 0; k0 < keys; ++k0)
    for (int64_t k1 = k0 + 1; k1 <= keys; ++k1, ++i) {
      int64_t count = seen[k1] - seen[k0], pairs = (q1 - q0) * (k1 - k0);
      bool some = somes[i * someStep], every = alls[i * allStep];
      if ((!some && count != 0) || (every && count != pairs))
        FAIL() << "rows " << q0 << ".." << q1 << ", keys " << k0 << ".." << k1;
      waste.undecided += (some && count == 0) || (!every && count == pairs);
    }
}

void MaskBruteForceTest::checkLength(Condition mask, int64_t keys) {
  Tables tables(keys, engine);
  int64_t rows = std::max<int64_t>(keys, 3);
  for (int64_t past : {int64_t(0), -keys / 3, keys / 2}) {
    Values v(exprs.getNumSymbols());
    v[IndexExprs::KeyCount] = keys;
    v[offset->value] = past;
    v[size->value] = 1 + int64_t(engine() % 20);
    v[length->value] = int64_t(engine() % (keys + 1));
    Truth truth(mask, v, tables, rows, keys);
    TileEvaluator at(v, tables.values, keys);
    Plan plan(at, ranges, tile);
    for (int64_t q0 = 0; q0 < rows; ++q0)
      for (int64_t q1 = q0 + 1; q1 <= rows; ++q1) {
        at.setBlock(q0, q1);
        checkRanges(plan, at, truth, q0, q1, keys);
        checkTiles(plan, at, truth, q0, q1, keys);
        if (HasFatalFailure()) {
          ADD_FAILURE() << "length " << keys << ", offset " << past;
          return;
        }
      }
  }
}

Waste MaskBruteForceTest::checkLengths(Condition mask) {
  const char *wanted = std::getenv("ATTNC_MASK_LENGTHS");
  int64_t most = wanted ? std::atoi(wanted) : 24;
  waste = {};
  ranges = solveMask(exprs, casesOf(exprs, mask));
  tile = classifyTile(exprs, tree, mask);
  for (int64_t keys = 0; keys <= most && !HasFatalFailure(); ++keys)
    checkLength(mask, keys);
  return waste;
}

TEST_F(MaskBruteForceTest, CausalWindowsAndBandsAreExact) {
  expectExact(tree.truth(true));
  expectExact(causal());
  expectExact(window(9));
  expectExact(all(le(exprs.add(q, -3), k), le(k, exprs.add(q, 6))));
  expectExact(near(q, k, 5));
}

TEST_F(MaskBruteForceTest, SinksAndWindowAreExact) {
  expectExact(all(causal(), any(lt(k, c(4)), window(9))));
}

TEST_F(MaskBruteForceTest, ChunksAndBlockDiagonalsAreExact) {
  Condition diagonal = eq(exprs.floorDiv(q, c(8)), exprs.floorDiv(k, c(8)));
  expectExact(diagonal);
  expectExact(all(causal(), diagonal));
}

TEST_F(MaskBruteForceTest, SortedDocumentsAreExact) {
  expectExact(document(Tables::Sorted));
  expectExact(all(causal(), document(Tables::Sorted)));
}

TEST_F(MaskBruteForceTest, UnsortedDocumentsAreClassified) {
  checkLengths(document(Tables::Mixed));
  checkLengths(all(causal(), document(Tables::Mixed)));
  EXPECT_FALSE(
      solveMask(exprs, casesOf(exprs, document(Tables::Mixed))).areExact());
}

TEST_F(MaskBruteForceTest, ChunksOfSymbolicSize) {
  Condition chunk = eq(exprs.floorDiv(q, size), exprs.floorDiv(k, size));
  EXPECT_EQ(checkLengths(chunk).visitedInVain, 0);
  EXPECT_EQ(checkLengths(all(causal(), chunk)).maskedInVain, 0);
}

TEST_F(MaskBruteForceTest, DilatedByNumberAndBySize) {
  IndexExpr distance = exprs.sub(q, k);
  checkLengths(all(causal(), eq(mod(distance, c(4)), c(0))));
  checkLengths(eq(mod(distance, size), c(0)));
  checkLengths(lt(mod(q, size), exprs.add(mod(k, size), 2)));
}

TEST_F(MaskBruteForceTest, PaddingOfKeysAndQueries) {
  Condition padded = all(lt(k, length), lt(row, length));
  checkLengths(all(padded, causal()));
  Waste w = checkLengths(padded);
  EXPECT_EQ(w.visitedInVain, 0);
}

TEST_F(MaskBruteForceTest, PrefixAndCausalIsExact) {
  expectExact(any(causal(), lt(k, length)));
}

TEST_F(MaskBruteForceTest, GlobalTokensAndWindow) {
  Condition global = any(lt(k, c(3)), lt(q, c(3)));
  checkLengths(all(causal(), any(global, window(9))));
  checkLengths(any(global, near(q, k, 5)));
}

TEST_F(MaskBruteForceTest, NeighboursOnAGrid) {
  IndexExpr width = c(8);
  Condition rows = near(exprs.floorDiv(q, width), exprs.floorDiv(k, width), 1);
  checkLengths(all(rows, near(mod(q, width), mod(k, width), 2)));
}

TEST_F(MaskBruteForceTest, Trees) {
  // A key is an ancestor if its interval holds that of the query.
  Condition below = all(le(read(Tables::Begin, k), read(Tables::Begin, q)),
                        le(read(Tables::Begin, q), read(Tables::End, k)));
  checkLengths(below);
}

TEST_F(MaskBruteForceTest, BlockTables) {
  EXPECT_EQ(checkLengths(blocks()).undecided, 0);
  checkLengths(all(causal(), no(blocks())));
  // BigBird: some blocks, a window, global tokens.
  Condition global = any(lt(k, c(3)), lt(q, c(3)));
  checkLengths(any(any(global, near(q, k, 8)), blocks()));
}

TEST_F(MaskBruteForceTest, LimitsPerRow) {
  // Each row has its own first and last key.
  Condition own =
      all(le(read(Tables::Begin, q), k), le(k, read(Tables::End, q)));
  checkLengths(own);
  checkLengths(lt(k, read(Tables::Limits, row)));
}

TEST_F(MaskBruteForceTest, HolesAndComplements) {
  checkLengths(no(window(7)));
  checkLengths(all(no(all(causal(), near(q, k, 5))), near(q, k, 20)));
  checkLengths(no(document(Tables::Sorted)));
}

} // namespace
