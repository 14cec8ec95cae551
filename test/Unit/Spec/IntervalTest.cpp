//===- IntervalTest.cpp - Intervals contain all values, and are tight -----===//

#include "Proof/Interval.h"

#include "gtest/gtest.h"

#include <set>

using namespace attnc::spec;

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t value(Op op, int64_t a, int64_t b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::FloorDiv:
    return floorDivide(a, b);
  case Op::Mod:
    return a - floorDivide(a, b) * b;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::Abs:
    return std::abs(a);
  case Op::Neg:
    return -a;
  default:
    return (a > 0) - (a < 0);
  }
}

TEST(Interval, HasAllValuesOfSmallIntervals) {
  for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::FloorDiv, Op::Mod, Op::Min,
                Op::Max, Op::Abs, Op::Neg, Op::Sign}) {
    bool divides = op == Op::FloorDiv || op == Op::Mod;
    ExprPtr e = makeApply(op, Type::Int, {makeInt(0), makeInt(0)});
    for (int a0 = -4; a0 <= 4; ++a0)
      for (int a1 = a0; a1 <= 4; ++a1)
        for (int b0 = -4; b0 <= 4; ++b0)
          for (int b1 = b0; b1 <= 4; ++b1) {
            std::set<int64_t> values;
            for (int a = a0; a <= a1; ++a)
              for (int b = b0; b <= b1; ++b)
                if (b || !divides)
                  values.insert(value(op, a, b));
            if (values.empty())
              continue;
            Interval result =
                intervalOf(*e, {Interval::of(a0, a1), Interval::of(b0, b1)});
            ASSERT_LE(result.low, *values.begin()) << int(op);
            ASSERT_GE(result.high, *values.rbegin()) << int(op);
            if (op != Op::Mod) { // the others are exact
              ASSERT_EQ(int64_t(result.low), *values.begin()) << int(op);
              ASSERT_EQ(int64_t(result.high), *values.rbegin()) << int(op);
            }
          }
  }
}

TEST(Interval, SeesOverflowOf64Bits) {
  ExprPtr product = makeApply(Op::Mul, Type::Int, {makeInt(0), makeInt(0)});
  Interval size = Interval::of(0, (INT64_C(1) << 31) - 1);
  EXPECT_TRUE(intervalOf(*product, {size, size}).fits());
  Interval square = intervalOf(*product, {size, size});
  EXPECT_FALSE(intervalOf(*product, {square, size}).fits());
  ExprPtr quotient =
      makeApply(Op::FloorDiv, Type::Int, {makeInt(0), makeInt(0)});
  EXPECT_FALSE(
      intervalOf(*quotient, {Interval::all(), Interval::of(-1, -1)}).fits());
}

TEST(Interval, PowersSaturate) {
  ExprPtr power = makeApply(Op::Pow, Type::Int, {makeInt(0), makeInt(1000)});
  EXPECT_FALSE(intervalOf(*power, {Interval::of(2, 3)}).fits());
  EXPECT_TRUE(intervalOf(*power, {Interval::of(-1, 1)}).fits());
}
