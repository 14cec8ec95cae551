//===- RegionBoundsTest.cpp - Bounds against all values -------------------===//

#include "attnc/Analysis/Expr/RegionBounds.h"

#include "attnc/Analysis/Expr/EvaluateRegion.h"
#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace attnc;
using namespace mlir;

namespace {

/// A block that yields %c and reads two entries, %x and %y, at %i.
class RegionBoundsTest : public testing::Test {
protected:
  Block &parse(StringRef body, StringRef type) {
    context.loadDialect<attn::AttnDialect, func::FuncDialect,
                        arith::ArithDialect, math::MathDialect>();
    std::string text = ("!T = tensor<4xi32>\n"
                        "func.func @f(%i: index, %t: !T, %u: !T) -> " +
                        type +
                        " {\n"
                        "%x = attn.read %t[%i] : !T -> index\n"
                        "%y = attn.read %u[%i] : !T -> index\n" +
                        body + "\nreturn %c : " + type + "\n}")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }

  /// Which of the two entries an op reads.
  static unsigned entryOf(Operation *op) {
    return cast<BlockArgument>(op->getOperand(0)).getArgNumber() - 1;
  }

  /// The bounds for entries in these ranges; each choice of entries has to lie
  /// within, and `isTight` the least and greatest have to be such.
  ValueBounds check(Block &block, ValueBounds x, ValueBounds y, bool isTight) {
    ValueBounds of[] = {x, y};
    auto bounds = boundRegion(
        block, {1, 0, 0},
        [&](Operation *op, ArrayRef<ValueBounds>) { return of[entryOf(op)]; });
    EXPECT_TRUE(bounds.has_value());
    ValueBounds found = bounds->front();
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    for (int64_t a = x.lo; a <= x.hi; ++a)
      for (int64_t b = y.lo; b <= y.hi; ++b) {
        int64_t values[] = {a, b};
        auto value = evaluateRegion(block, {1, 0, 0},
                                    [&](Operation *op, ArrayRef<int64_t>) {
                                      return values[entryOf(op)];
                                    });
        if (!value) // a divisor of zero
          continue;
        least = std::min(least, value->front());
        greatest = std::max(greatest, value->front());
      }
    EXPECT_LE(found.lo, least);
    EXPECT_GE(found.hi, greatest);
    if (isTight) {
      EXPECT_EQ(found.lo, least);
      EXPECT_EQ(found.hi, greatest);
    }
    return found;
  }
  void checkAll(StringRef body, StringRef type, bool isTight = true) {
    Block &block = parse(body, type);
    for (int64_t lo : {-3, 0, 1, 2})
      for (int64_t width : {0, 1, 4})
        for (int64_t other : {-4, -1, 1, 3})
          for (int64_t otherWidth : {0, 2})
            check(block, {lo, lo + width}, {other, other + otherWidth},
                  isTight);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RegionBoundsTest, OfOneOpAreTight) {
  for (StringRef op :
       {"arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.maxsi"})
    checkAll(("%c = " + op + " %x, %y : index").str(), "index");
  checkAll("%c = math.absi %x : index", "index");
}

TEST_F(RegionBoundsTest, OfQuotientsAreTightForPositiveDivisors) {
  for (StringRef op : {"arith.floordivsi", "arith.ceildivsi"}) {
    Block &block = parse(("%c = " + op + " %x, %y : index").str(), "index");
    for (int64_t x : {-7, -1, 0, 5})
      check(block, {x, x + 6}, {2, 4}, /*isTight=*/true);
    check(block, {-7, 7}, {-1, 2}, /*isTight=*/false);
  }
}

TEST_F(RegionBoundsTest, OfComparisons) {
  for (StringRef p : {"slt", "sle", "sgt", "sge", "eq", "ne"})
    checkAll(("%c = arith.cmpi " + p + ", %x, %y : index").str(), "i1");
}

TEST_F(RegionBoundsTest, AndOrNotKeepWhatOneSideDecides) {
  Block &both = parse(R"(
    %near = arith.cmpi sle, %i, %y : index
    %own = arith.cmpi eq, %x, %y : index
    %c = arith.andi %near, %own : i1)",
                      "i1");
  EXPECT_EQ(check(both, {-9, 9}, ValueBounds::of(0), true).hi, 0);
  EXPECT_TRUE(!check(both, {-9, 9}, ValueBounds::of(3), true).isOne());
  Block &either = parse(R"(
    %true = arith.constant true
    %near = arith.cmpi sle, %i, %y : index
    %own = arith.cmpi eq, %x, %y : index
    %other = arith.xori %own, %true : i1
    %c = arith.ori %near, %other : i1)",
                        "i1");
  EXPECT_EQ(check(either, {-9, 9}, ValueBounds::of(3), true).lo, 1);
  EXPECT_TRUE(!check(either, {-9, 9}, ValueBounds::of(0), true).isOne());
}

TEST_F(RegionBoundsTest, ASelectIsOneSideWhereThatIsKnown) {
  Block &block = parse(R"(
    %near = arith.cmpi sle, %i, %y : index
    %c = arith.select %near, %x, %i : index)",
                       "index");
  EXPECT_EQ(check(block, {5, 7}, ValueBounds::of(0), true).hi, 1);
  EXPECT_EQ(check(block, {5, 7}, ValueBounds::of(2), true).lo, 5);
  EXPECT_EQ(check(block, {5, 7}, {0, 1}, true).lo, 1);
}

TEST_F(RegionBoundsTest, DoNotWrapAround) {
  Block &block = parse(R"(
    %two = arith.muli %x, %x : index
    %c = arith.muli %two, %y : index)",
                       "index");
  auto bounds =
      boundRegion(block, {0, 0, 0}, [&](Operation *op, ArrayRef<ValueBounds>) {
        return entryOf(op) ? ValueBounds{-8, -7} : ValueBounds{0, INT64_MAX};
      });
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(bounds->front().lo, INT64_MIN);
  EXPECT_EQ(bounds->front().hi, 0);
}

} // namespace
