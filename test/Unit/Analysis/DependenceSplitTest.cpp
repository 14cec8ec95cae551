//===- DependenceSplitTest.cpp - Tests of splitByDependence ---------------===//

#include "attnc/Analysis/Expr/DependenceSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace attnc;
using namespace mlir;

namespace {

/// The block of a function (%x: f32, %h, %q, %k: index) -> f32, split.
class DependenceSplitTest : public ::testing::Test {
protected:
  DependenceSplit split(StringRef body) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
    std::string text =
        ("func.func @f(%x: f32, %h: index, %q: index, %k: index) -> f32 {\n" +
         body + "\n}")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    return splitByDependence(function.getBody().front(),
                             {OnPair, OnNothing, OnQuery, OnKey});
  }

  /// Names of the ops whose results are in a list.
  static std::string names(ArrayRef<Value> values) {
    std::string text;
    for (Value value : values)
      text += value.getDefiningOp()->getName().stripDialect().str() + " ";
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringLiteral kAlibi = R"(
  %one = arith.constant 1.0 : f32
  %hi = arith.index_cast %h : index to i64
  %hf = arith.sitofp %hi : i64 to f32
  %slope = math.exp2 %hf : f32
  %d = arith.subi %q, %k : index
  %di = arith.index_cast %d : index to i64
  %df = arith.sitofp %di : i64 to f32
  %t = arith.mulf %slope, %df : f32
  %u = arith.addf %t, %one : f32
  %y = arith.subf %x, %u : f32
  return %y : f32)";

TEST_F(DependenceSplitTest, UniformPartIsFound) {
  DependenceSplit alibi = split(kAlibi);
  EXPECT_EQ(names(alibi.uniform), "exp2 ");
  EXPECT_EQ(names(alibi.onQuery), "");
  EXPECT_EQ(names(alibi.onKey), "");
}

TEST_F(DependenceSplitTest, PartOfTheDistanceIsFound) {
  EXPECT_EQ(names(split(kAlibi).onDistance), "addf ");
}

TEST_F(DependenceSplitTest, DistanceIsSeenThroughSums) {
  DependenceSplit parts = split(R"(
    %two = arith.constant 2 : index
    %p = arith.addi %q, %h : index
    %q2 = arith.muli %p, %two : index
    %k2 = arith.muli %k, %two : index
    %d = arith.subi %k2, %q2 : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %y = arith.addf %x, %df : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onDistance), "sitofp ");
}

TEST_F(DependenceSplitTest, SumOfQueryAndKeyIsNoDistance) {
  DependenceSplit parts = split(R"(
    %d = arith.addi %q, %k : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %y = arith.addf %x, %df : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onDistance), "");
}

TEST_F(DependenceSplitTest, DistanceOf32BitsIsNone) {
  DependenceSplit parts = split(R"(
    %q32 = arith.index_cast %q : index to i32
    %k32 = arith.index_cast %k : index to i32
    %d = arith.subi %q32, %k32 : i32
    %df = arith.sitofp %d : i32 to f32
    %y = arith.addf %x, %df : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onDistance), "");
}

TEST_F(DependenceSplitTest, DistanceWithTheQueryIsOnThePair) {
  DependenceSplit parts = split(R"(
    %d = arith.subi %q, %k : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %qi = arith.index_cast %q : index to i64
    %qf = arith.sitofp %qi : i64 to f32
    %t = arith.mulf %df, %qf : f32
    %y = arith.addf %x, %t : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onDistance), "sitofp ");
  EXPECT_EQ(names(parts.onQuery), "sitofp ");
}

TEST_F(DependenceSplitTest, FloatPartsOfQueryAndKeyAreFound) {
  DependenceSplit parts = split(R"(
    %qi = arith.index_cast %q : index to i64
    %qf = arith.sitofp %qi : i64 to f32
    %qs = math.sqrt %qf : f32
    %ki = arith.index_cast %k : index to i64
    %kf = arith.sitofp %ki : i64 to f32
    %t = arith.mulf %qs, %kf : f32
    %y = arith.addf %x, %t : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.uniform), "");
  EXPECT_EQ(names(parts.onQuery), "sqrt ");
  EXPECT_EQ(names(parts.onKey), "sitofp ");
}

TEST_F(DependenceSplitTest, IndexArithmeticStays) {
  DependenceSplit parts = split(R"(
    %p = arith.addi %q, %h : index
    %c = arith.cmpi sle, %k, %p : index
    %zero = arith.constant 0.0 : f32
    %y = arith.select %c, %x, %zero : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onQuery), "");
  EXPECT_EQ(names(parts.onKey), "");
}

TEST_F(DependenceSplitTest, ConstantsStay) {
  DependenceSplit parts = split(R"(
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.uniform), "");
}

TEST_F(DependenceSplitTest, DivisionByAConstantIsHoisted) {
  DependenceSplit parts = split(R"(
    %c4 = arith.constant 4 : index
    %qc = arith.floordivsi %q, %c4 : index
    %kc = arith.floordivsi %k, %c4 : index
    %c = arith.cmpi eq, %qc, %kc : index
    %zero = arith.constant 0.0 : f32
    %y = arith.select %c, %x, %zero : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onQuery), "floordivsi ");
  EXPECT_EQ(names(parts.onKey), "floordivsi ");
}

TEST_F(DependenceSplitTest, DivisionByARunTimeValueStays) {
  DependenceSplit parts = split(R"(
    %qc = arith.divsi %q, %h : index
    %qi = arith.index_cast %qc : index to i64
    %qf = arith.sitofp %qi : i64 to f32
    %y = arith.mulf %x, %qf : f32
    return %y : f32)");
  EXPECT_EQ(names(parts.onQuery), "");
}

TEST_F(DependenceSplitTest, YieldedPartIsFound) {
  DependenceSplit parts = split(R"(
    %ki = arith.index_cast %k : index to i64
    %kf = arith.sitofp %ki : i64 to f32
    return %kf : f32)");
  EXPECT_EQ(names(parts.onKey), "sitofp ");
}

} // namespace
