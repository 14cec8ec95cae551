//===- MaskBruteForceTest.cpp - Ranges and classes against the mask -------===//
//
// Masks of all kinds are evaluated for every row and key; then the segments of
// every block of rows and the classes of every tile must agree: a key that some
// row sees is visited, a key of "all" is seen by every row, a tile of class 0
// has no visible pair, one of class 2 no other. So for all lengths up to
// ATTNC_MASK_LENGTHS, or 20, and for all sizes of chunks, widths of a grid and
// the like; nightly goes to 64. What is said of a tile mostly depends on
// its rows and keys alone: then the tiles of the greatest length are all.
//
// Most masks are exact, too: no tile is visited in vain, and mask code runs on
// no tile that needs none. Of the others the ratio is expected, and why.
//
//===----------------------------------------------------------------------===//

#include "BlockCheck.h"

using namespace attnc;

namespace {

/// The greatest length.
int64_t mostKeys() {
  const char *wanted = std::getenv("ATTNC_MASK_LENGTHS");
  return wanted ? std::atoi(wanted) : 20;
}

class MaskBruteForceTest : public MaskFixture {
protected:
  /// All blocks and tiles of all lengths up to `most`; `each` takes all values
  /// up to one more than the length.
  TileCounts check(Condition mask, IndexExpr each = nullptr,
                   int64_t most = mostKeys());

  /// Segments alone say all there is, key by key.
  void expectSegments(Condition mask, IndexExpr each = nullptr) {
    TileCounts counts = check(mask, each);
    EXPECT_EQ(counts.keysInVain, 0);
    EXPECT_EQ(counts.keysMaskedInVain, 0);
  }
  /// Segments and classes together say all there is of every tile.
  void expectTiles(Condition mask, IndexExpr each = nullptr) {
    TileCounts counts = check(mask, each);
    EXPECT_EQ(counts.visited, counts.needed);
    EXPECT_EQ(counts.unmasked, counts.full);
  }
  /// At most so many tiles are visited for one that is needed, and at least
  /// this part of the full ones runs no mask.
  void expectRatios(Condition mask, double visited, double unmasked,
                    IndexExpr each = nullptr) {
    TileCounts counts = check(mask, each);
    double ratio = double(counts.visited) / double(counts.needed);
    double part = double(counts.unmasked) / double(counts.full);
    EXPECT_LE(ratio, visited);
    EXPECT_GE(part, unmasked);
  }

  Condition sameChunk(IndexExpr length) {
    return eq(exprs.floorDiv(q, length), exprs.floorDiv(k, length));
  }
  Condition grid(IndexExpr width) {
    Condition rows =
        near(exprs.floorDiv(q, width), exprs.floorDiv(k, width), 1);
    return all(rows, near(mod(q, width), mod(k, width), 2));
  }
  /// A key is an ancestor if its interval holds that of the query.
  Condition ancestors() {
    return all(le(read(Tables::Begin, k), read(Tables::Begin, q)),
               le(read(Tables::Begin, q), read(Tables::End, k)));
  }

private:
  void checkLength(const MaskAnalysis &analysis, int64_t keys, IndexExpr each,
                   bool isLast, TileCounts &counts);
};

void MaskBruteForceTest::checkLength(const MaskAnalysis &analysis, int64_t keys,
                                     IndexExpr each, bool isLast,
                                     TileCounts &counts) {
  Tables tables(keys, engine);
  Values v(exprs.getNumSymbols());
  v[IndexExprs::KeyCount] = keys;
  int64_t pasts[] = {0, -keys / 3, keys / 2};
  // All values of `each`, the other symbols in turn.
  int64_t first = each ? std::max(each->bounds.lo, -keys - 1) : 0;
  int64_t last = each ? keys + 1 : 2;
  bool withTiles = isLast || dependsOnLength(analysis.tile);
  for (int64_t value = first; value <= last && !HasFatalFailure(); ++value) {
    v[offset->value] = pasts[(value - first + (each ? keys : 0)) % 3];
    v[size->value] = 1 + int64_t(engine() % 20);
    v[length->value] = int64_t(engine() % (keys + 1));
    if (each)
      v[each->value] = value;
    checkBlocks(analysis, v, tables, keys, withTiles, counts);
    if (HasFatalFailure())
      ADD_FAILURE() << "length " << keys << ", offset " << v[offset->value]
                    << ", size " << v[size->value];
  }
}

TileCounts MaskBruteForceTest::check(Condition mask, IndexExpr each,
                                     int64_t most) {
  MaskAnalysis analysis{mask, solveMask(exprs, casesOf(exprs, mask)),
                        classifyTile(exprs, tree, mask)};
  EXPECT_FALSE(exprs.exhausted());
  TileCounts counts;
  for (int64_t keys = 0; keys <= most && !HasFatalFailure(); ++keys)
    checkLength(analysis, keys, each, keys == most, counts);
  return counts;
}

TEST_F(MaskBruteForceTest, CausalWindowsAndBandsAreExact) {
  expectSegments(tree.truth(true));
  expectSegments(causal(), offset);
  expectSegments(window(9));
  expectSegments(all(causal(), lt(exprs.sub(q, size), k)), size);
  expectSegments(all(le(exprs.add(q, -3), k), le(k, exprs.add(q, 6))), offset);
  expectSegments(near(q, k, 5));
  expectSegments(all(le(exprs.sub(q, length), k), le(k, exprs.add(q, size))),
                 length);
}

TEST_F(MaskBruteForceTest, PrefixAndSinksAreExact) {
  expectSegments(any(causal(), lt(k, length)), length);
  expectSegments(all(causal(), any(lt(k, c(4)), window(9))));
  expectSegments(all(causal(), any(lt(k, length), window(9))), length);
  expectSegments(all(causal(), any(lt(k, c(4)), lt(exprs.sub(q, size), k))),
                 size);
}

TEST_F(MaskBruteForceTest, ChunksAndBlockDiagonalsAreExact) {
  expectSegments(sameChunk(c(8)));
  expectSegments(all(causal(), sameChunk(c(8))));
  expectTiles(sameChunk(size), size);
  expectTiles(all(causal(), sameChunk(size)), size);
}

TEST_F(MaskBruteForceTest, SortedDocumentsAreExact) {
  expectSegments(document(Tables::Sorted));
  expectSegments(all(causal(), document(Tables::Sorted)));
}

TEST_F(MaskBruteForceTest, UnsortedDocumentsAreClassified) {
  // Least and greatest id of rows 0 and 2 hold that of keys 1.
  expectRatios(document(Tables::Mixed), 1.015, 1);
  expectRatios(all(causal(), document(Tables::Mixed)), 1.015, 1);
  EXPECT_FALSE(
      solveMask(exprs, casesOf(exprs, document(Tables::Mixed))).areExact());
}

TEST_F(MaskBruteForceTest, DilatedByNumber) {
  IndexExpr distance = exprs.sub(q, k);
  expectTiles(all(causal(), eq(mod(distance, c(4)), c(0))));
}

TEST_F(MaskBruteForceTest, DilatedBySize) {
  expectTiles(eq(mod(exprs.sub(q, k), size), c(0)), size);
}

TEST_F(MaskBruteForceTest, RemaindersCompared) {
  expectTiles(lt(mod(q, size), exprs.add(mod(k, size), 2)), size);
}

TEST_F(MaskBruteForceTest, PaddingOfKeysAndQueries) {
  Condition padded = all(lt(k, length), lt(row, length));
  expectTiles(padded, length);
  // The last row that is no padding is not that of the causal bound.
  expectRatios(all(padded, causal()), 1.07, 1, length);
}

TEST_F(MaskBruteForceTest, GlobalTokensAndWindow) {
  Condition global = any(lt(k, length), lt(q, length));
  expectTiles(all(causal(), any(global, window(9))), length);
  // A tile may be full by global tokens and the window together.
  expectRatios(any(global, near(q, k, 5)), 1, 0.94, length);
}

// Some pair of a tile is near along rows of the grid, another along columns.
TEST_F(MaskBruteForceTest, NeighboursOnAGrid) {
  expectRatios(grid(c(8)), 1.04, 1);
}

TEST_F(MaskBruteForceTest, NeighboursOnAGridOfAnyWidth) {
  expectRatios(grid(size), 1.075, 1, size);
}

// Some key begins early enough, another ends late enough.
TEST_F(MaskBruteForceTest, Trees) { expectRatios(ancestors(), 1.001, 1); }

TEST_F(MaskBruteForceTest, BlockTablesAreExact) { expectTiles(blocks()); }

TEST_F(MaskBruteForceTest, BlockTablesAndOtherMasks) {
  // The entry that lets a tile in may be one of pairs that are not causal.
  expectRatios(all(causal(), no(blocks())), 1.06, 1);
  // BigBird: some blocks, a window, global tokens; full by several of them.
  Condition global = any(lt(k, c(3)), lt(q, c(3)));
  expectRatios(any(any(global, near(q, k, 8)), blocks()), 1, 0.82);
}

TEST_F(MaskBruteForceTest, LimitsPerRow) {
  // Each row has its own first and last key.
  expectTiles(all(le(read(Tables::Begin, q), k), le(k, read(Tables::End, q))));
  expectTiles(lt(k, read(Tables::Limits, row)));
}

TEST_F(MaskBruteForceTest, HolesAndComplements) {
  expectTiles(no(window(7)));
  expectTiles(all(no(all(causal(), near(q, k, 5))), near(q, k, 20)));
  expectTiles(no(document(Tables::Sorted)));
}

/// A fixture of its own for two masks: what it makes is never freed.
class TwoMasks : public MaskBruteForceTest {
public:
  static constexpr unsigned kinds = 17;
  void TestBody() override {}
  void run(unsigned first, unsigned second) {
    Condition a = kind(first), b = kind(second);
    for (Condition mask :
         {all(a, b), any(a, b), all(a, no(b)), any(no(a), b), no(any(a, b))})
      check(mask, nullptr, mostKeys() / 3);
    ASSERT_FALSE(HasFailure()) << "masks " << first << " and " << second;
  }

private:
  Condition kind(unsigned number) {
    switch (number) {
    case 0:
      return causal();
    case 1:
      return window(5);
    case 2:
      return all(le(exprs.sub(q, length), k), le(k, exprs.add(q, size)));
    case 3:
      return lt(k, length);
    case 4:
      return lt(row, length);
    case 5:
      return any(lt(k, c(2)), lt(q, c(2)));
    case 6:
      return sameChunk(c(4));
    case 7:
      return sameChunk(size);
    case 8:
      return eq(mod(exprs.sub(q, k), c(3)), c(0));
    case 9:
      return eq(mod(exprs.sub(q, k), size), c(0));
    case 10:
      return document(Tables::Sorted);
    case 11:
      return document(Tables::Mixed);
    case 12:
      return grid(c(4));
    case 13:
      return grid(size);
    case 14:
      return ancestors();
    case 15:
      return blocks();
    default:
      return lt(k, read(Tables::Limits, row));
    }
  }
};

TEST(TwoMasksTest, AndOrNotOfAllPairsAreSound) {
  for (unsigned a = 0; a < TwoMasks::kinds; ++a)
    for (unsigned b = 0; b < a && !testing::Test::HasFailure(); ++b)
      TwoMasks().run(a, b);
}

} // namespace
