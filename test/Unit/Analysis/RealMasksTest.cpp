//===- RealMasksTest.cpp - Masks of reals against brute force -------------===//
//
// The classes of every tile of lengths up to ATTNC_REAL_MASK_LENGTHS, or 16,
// and of tiles far out, where f32 rounds positions. Formulas at random are
// checked in RandomMasksTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "MaskFixture.h"

#include <cmath>

using namespace attnc;

namespace {

using Kind = RealNode::Kind;

class RealMasksTest : public MaskFixture {
protected:
  RealExpr real(double value) { return reals.constant(value); }
  RealExpr real(IndexExpr index) { return reals.ofIndex(index); }
  RealExpr times(RealExpr a, RealExpr b) {
    return reals.make(Kind::Multiply, a, b);
  }
  RealExpr over(RealExpr a, RealExpr b) {
    return reals.make(Kind::Divide, a, b);
  }
  RealExpr root(RealExpr a) { return reals.make(Kind::Sqrt, a); }

  /// Tiles within rows and keys [first, first + length), whose classes are
  /// weaker than brute force.
  int64_t check(Condition mask, int64_t first, int64_t length,
                llvm::ArrayRef<float> values = {});
  /// All tiles of short lengths.
  int64_t checkAll(Condition mask, llvm::ArrayRef<float> values = {}) {
    const char *wanted = std::getenv("ATTNC_REAL_MASK_LENGTHS");
    return check(mask, 0, wanted ? std::atoi(wanted) : 16, values);
  }

  RealExprs &reals = tree.getReals();
};

int64_t RealMasksTest::check(Condition mask, int64_t first, int64_t length,
                             llvm::ArrayRef<float> values) {
  TileClass tile = classifyTile(exprs, tree, mask);
  Values v(exprs.getNumSymbols());
  v[IndexExprs::KeyCount] = first + length;
  v[size->value] = 3;
  Tables tables(length, engine);
  std::vector<std::vector<int64_t>> seen(length + 1, Values(length + 1));
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j < length; ++j) {
      v[IndexExprs::Row] = first + i;
      v[IndexExprs::Key] = first + j;
      seen[i + 1][j + 1] = seen[i][j + 1] + seen[i + 1][j] - seen[i][j] +
                           evaluate(mask, v, tables.values, values);
    }
  int64_t undecided = 0;
  for (int64_t q0 = 0; q0 < length; ++q0)
    for (int64_t q1 = q0 + 1; q1 <= length; ++q1)
      for (int64_t k0 = 0; k0 < length; ++k0)
        for (int64_t k1 = k0 + 1; k1 <= length; ++k1) {
          v[IndexExprs::RowBegin] = first + q0;
          v[IndexExprs::RowEnd] = first + q1;
          v[IndexExprs::KeyBegin] = first + k0;
          v[IndexExprs::KeyEnd] = first + k1;
          int64_t count =
              seen[q1][k1] - seen[q0][k1] - seen[q1][k0] + seen[q0][k0];
          int64_t pairs = (q1 - q0) * (k1 - k0);
          bool some = evaluate(tile.some, v, tables.values, values);
          bool every = evaluate(tile.all, v, tables.values, values);
          bool isSound = (some || count == 0) && (!every || count == pairs);
          EXPECT_TRUE(isSound) << "rows " << q0 << ".." << q1 << ", keys " << k0
                               << ".." << k1 << " from " << first;
          if (!isSound)
            return -1;
          undecided += (some && count == 0) || (!every && count == pairs);
        }
  return undecided;
}

TEST_F(RealMasksTest, FactorsAreExact) {
  EXPECT_EQ(checkAll(tree.atLeast(real(row), times(real(k), real(0.5)))), 0);
  EXPECT_EQ(checkAll(tree.above(real(row), times(real(k), real(0.3f)))), 0);
  EXPECT_EQ(checkAll(tree.atLeast(times(real(k), real(-1.7f)),
                                  times(real(row), real(-1.1f)))),
            0);
}

TEST_F(RealMasksTest, QuotientsAndRootsAreExact) {
  EXPECT_EQ(checkAll(tree.atLeast(over(real(row), real(2)), real(k))), 0);
  EXPECT_EQ(checkAll(tree.atLeast(real(row), times(root(real(k)), real(3)))),
            0);
  RealExpr next = real(exprs.add(k, 1));
  EXPECT_EQ(checkAll(tree.above(over(real(row), next), real(0.7f))), 0);
}

TEST_F(RealMasksTest, SquaresAreExactForPositions) {
  EXPECT_EQ(checkAll(tree.above(real(row), times(real(k), real(k)))), 0);
}

TEST_F(RealMasksTest, DistancesMoveTogether) {
  RealExpr distance = real(exprs.sub(row, k));
  Condition near =
      tree.atLeast(real(2), times(reals.make(Kind::Abs, distance), real(0.4f)));
  EXPECT_EQ(checkAll(near), 0);
}

TEST_F(RealMasksTest, EqualityOfReals) {
  RealExpr a = real(k), b = times(real(row), real(2));
  Condition equal = tree.both(tree.atLeast(a, b), tree.atLeast(b, a));
  checkAll(equal);
  checkAll(tree.negate(equal));
}

TEST_F(RealMasksTest, PolynomialsGetAnAllowance) {
  for (Kind kind : {Kind::Exp, Kind::Exp2, Kind::Tanh}) {
    RealExpr x = times(real(exprs.sub(row, k)), real(0.25));
    checkAll(tree.above(reals.make(kind, x), real(0.5)));
  }
  for (Kind kind : {Kind::Log, Kind::Log2})
    checkAll(tree.above(real(row), reals.make(kind, real(exprs.add(k, 1)))));
}

TEST_F(RealMasksTest, PositionsThatRoundKeepTheirOrder) {
  for (int64_t first :
       {int64_t(1) << 24, (int64_t(1) << 24) - 5, (int64_t(1) << 30) + 77}) {
    check(tree.atLeast(real(row), real(k)), first, 12);
    check(tree.above(times(real(k), real(1.1f)), times(real(row), real(1.1f))),
          first, 12);
    check(tree.atLeast(times(root(real(k)), root(real(k))), real(row)), first,
          12);
  }
}

TEST_F(RealMasksTest, NumbersOfTheCall) {
  RealExpr slope = reals.makeSymbol();
  Condition steep = tree.atLeast(real(row), times(real(k), slope));
  for (float value : {0.5f, -0.5f, 0.f, 3e38f, -1e-40f})
    checkAll(steep, value);
  EXPECT_EQ(checkAll(steep, 0.75f), 0);
}

TEST_F(RealMasksTest, WhatIsNoNumberDecidesNothing) {
  RealExpr x = reals.makeSymbol();
  float nan = std::nanf(""), infinity = INFINITY;
  RealExpr one = real(1.0), least = real(-1.0);
  auto clamp = [&](RealExpr e) {
    return reals.make(Kind::Min, reals.make(Kind::Max, e, least), one);
  };
  RealExpr formulas[] = {
      times(real(k), x),                       // 0 * inf
      over(real(row), real(exprs.add(k, -5))), // 0 / 0
      root(real(exprs.add(k, -5))),            // of -5
      clamp(reals.make(Kind::Subtract, times(real(k), x),
                       times(real(row), x))), // inf - inf
      clamp(over(one, over(real(exprs.add(k, -4)), x))),
      reals.make(Kind::Log, real(k)),
      reals.make(Kind::Exp, times(real(k), real(30))), // inf
  };
  for (RealExpr formula : formulas)
    for (float value : {nan, infinity, -infinity, 3e38f, 1.f}) {
      Condition above = tree.above(formula, real(0.5));
      checkAll(above, value);
      checkAll(tree.negate(above), value);
      checkAll(tree.atLeast(real(row), formula), value);
    }
}

} // namespace
