//===- InstructionModelsTest.cpp - Tests of modeled instructions ----------===//

#include "Run/Model/InstructionModels.h"
#include "Run/Model/ModelInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <limits>

using namespace attnc;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = 0x1p-130F;

InstructionFunction modelOf(llvm::StringRef intrinsic) {
  const auto *found =
      llvm::find_if(getInstructionModels(), [&](const InstructionModel &model) {
        return model.intrinsic == intrinsic;
      });
  return found == getInstructionModels().end() ? nullptr : found->function;
}

uint16_t bf16(float value) {
  return uint16_t(llvm::bit_cast<uint32_t>(value) >> 16);
}

struct Pair {
  float even, odd;
};

/// Lane 2 of VDPBF16PS.
float dot(float sum, Pair a, Pair b) {
  std::array<float, 4> sums = {1, 1, sum, 1}, result = {};
  std::array<uint16_t, 8> left = {}, right = {};
  left[4] = bf16(a.even), left[5] = bf16(a.odd);
  right[4] = bf16(b.even), right[5] = bf16(b.odd);
  const void *arguments[] = {sums.data(), left.data(), right.data()};
  modelOf("llvm.x86.avx512bf16.dpbf16ps.128")(result.data(), arguments);
  EXPECT_EQ(result[0], 1.0F);
  EXPECT_EQ(result[3], 1.0F);
  return result[2];
}

TEST(InstructionModelsTest, ADotProductAddsTwoProducts) {
  EXPECT_EQ(dot(0.5F, {2, 3}, {5, 7}), 31.5F);
}

TEST(InstructionModelsTest, ADotProductStartsWithTheOddElements) {
  // 2^24 + 1 rounds to 2^24; -2^24 first leaves the 1.
  EXPECT_EQ(dot(1, {0x1p12F, 0x1p12F}, {-0x1p12F, 0x1p12F}), 0.0F);
  EXPECT_EQ(dot(0x1p24F, {1, 0x1p12F}, {1, -0x1p12F}), 1.0F);
  EXPECT_EQ(dot(0x1p24F, {0x1p12F, 1}, {-0x1p12F, 1}), 0.0F);
}

TEST(InstructionModelsTest, ADotProductRoundsEachSumOnce) {
  // 1 + 2^-24 + 2^-60 is above the middle, 1 + 2^-24 is not.
  EXPECT_EQ(dot(1, {0, 0x1p-12F}, {0, 0x1p-12F}), 1.0F);
  float above = dot(0x1p-24F * 1.0000001F, {1, 0}, {1, 0});
  EXPECT_EQ(above, 1 + 0x1p-23F);
}

TEST(InstructionModelsTest, ADotProductTakesDenormalsForZeros) {
  EXPECT_EQ(dot(kDenormal, {0, 0}, {0, 0}), 0.0F);
  EXPECT_EQ(dot(0, {kDenormal, 0}, {0x1p100F, 0}), 0.0F);
  EXPECT_EQ(dot(0, {0x1p-100F, 0}, {0x1p-30F, 0}), 0.0F);
  EXPECT_EQ(dot(0, {0x1p-100F, 0}, {0x1p-26F, 0}), 0x1p-126F);
  EXPECT_TRUE(std::signbit(dot(-0.0F, {-0x1p-100F, 0}, {0x1p-30F, 0})));
}

TEST(InstructionModelsTest, ADotProductFollowsInfinities) {
  EXPECT_EQ(dot(0, {0x1p127F, 0}, {4, 0}), kInfinity);
  EXPECT_TRUE(std::isnan(dot(0, {kInfinity, 0}, {0, 0})));
  EXPECT_TRUE(std::isnan(dot(kNan, {1, 1}, {1, 1})));
}

TEST(InstructionModelsTest, ConvertedPairsAreRoundedToNearest) {
  std::array<float, 4> first = {1, 2, 3, kDenormal};
  std::array<float, 4> second = {1 + 0x1p-8F, 1 + 0x3p-8F, -kInfinity, kNan};
  std::array<uint16_t, 8> result = {};
  const void *arguments[] = {first.data(), second.data()};
  modelOf("llvm.x86.avx512bf16.cvtne2ps2bf16.128")(result.data(), arguments);
  EXPECT_EQ(result[0], bf16(1)); // a tie goes to the even one
  EXPECT_EQ(result[1], bf16(1 + 0x1p-6F));
  EXPECT_EQ(result[2], bf16(-kInfinity));
  EXPECT_TRUE(std::isnan(llvm::bit_cast<float>(uint32_t(result[3]) << 16)));
  EXPECT_EQ(result[4], bf16(1));
  EXPECT_EQ(result[7], 0);
}

TEST(InstructionModelsTest, TernaryLogicReadsItsTable) {
  std::array<uint32_t, 16> a = {}, b = {}, c = {}, result = {};
  a[3] = 0xf0f0, b[3] = 0xff00ff, c[3] = 0xffff0000;
  unsigned aOrBothOthers = 0xf8;
  const void *arguments[] = {a.data(), b.data(), c.data(), &aOrBothOthers};
  modelOf("llvm.x86.avx512.pternlog.d.512")(result.data(), arguments);
  EXPECT_EQ(result[2], 0U);
  EXPECT_EQ(result[3], 0xfff0f0U);
}

TEST(InstructionModelsTest, BytesAreUnsignedInTheFirstOperandOnly) {
  std::array<int32_t, 4> sums = {1, 2, 3, std::numeric_limits<int32_t>::max()};
  std::array<uint8_t, 16> left = {};
  std::array<int8_t, 16> right = {};
  left[8] = 255, left[11] = 200, left[12] = 1;
  right[8] = -128, right[11] = 3, right[12] = 1;
  std::array<int32_t, 4> result = {};
  const void *arguments[] = {sums.data(), left.data(), right.data()};
  modelOf("llvm.x86.avx512.vpdpbusd.128")(result.data(), arguments);
  EXPECT_EQ(result[1], 2);
  EXPECT_EQ(result[2], 3 - 255 * 128 + 600);
  EXPECT_EQ(result[3], std::numeric_limits<int32_t>::min()); // wraps around
}

TEST(InstructionModelsTest, WordsAreMultipliedByPairs) {
  std::array<int16_t, 16> left = {}, right = {};
  left[14] = -3, left[15] = 127;
  right[14] = 128, right[15] = -128;
  std::array<int32_t, 8> result = {};
  const void *arguments[] = {left.data(), right.data()};
  modelOf("llvm.x86.avx2.pmadd.wd")(result.data(), arguments);
  EXPECT_EQ(result[0], 0);
  EXPECT_EQ(result[7], -3 * 128 - 127 * 128);
}

/// Lane 0 of an instruction on f32 with a mask.
float masked(llvm::StringRef intrinsic, float a, float b, uint8_t mask) {
  std::array<float, 4> left = {a}, right = {b}, others = {5}, result = {};
  unsigned floor = 9; // no fraction bits, towards minus infinity
  bool isReduce = intrinsic.contains("reduce");
  const void *right0 = isReduce ? static_cast<const void *>(&floor)
                                : static_cast<const void *>(right.data());
  const void *arguments[] = {left.data(), right0, others.data(), &mask};
  modelOf(intrinsic)(result.data(), arguments);
  return result[0];
}

TEST(InstructionModelsTest, ScalingMultipliesByAPowerOfTwo) {
  constexpr llvm::StringLiteral name = "llvm.x86.avx512.mask.scalef.ps.128";
  EXPECT_EQ(masked(name, 3, 4.5F, 0xff), 48.0F);
  EXPECT_EQ(masked(name, 3, -kInfinity, 0xff), 0.0F);
  EXPECT_EQ(masked(name, kNan, -kInfinity, 0xff), 0.0F);
  EXPECT_EQ(masked(name, 3, kInfinity, 0xff), kInfinity);
  EXPECT_EQ(masked(name, 3, 1000, 0xff), kInfinity);
  EXPECT_TRUE(std::isnan(masked(name, 0, kInfinity, 0xff)));
  EXPECT_EQ(masked(name, 3, 4, 0xfe), 5.0F);
}

TEST(InstructionModelsTest, ReducingLeavesTheFraction) {
  constexpr llvm::StringLiteral name = "llvm.x86.avx512.mask.reduce.ps.128";
  EXPECT_EQ(masked(name, -1.25F, 0, 0xff), 0.75F);
  EXPECT_EQ(masked(name, 7.5F, 0, 0xff), 0.5F);
  EXPECT_EQ(masked(name, -kInfinity, 0, 0xff), 0.0F);
}

TEST(InstructionModelsTest, AReciprocalHasFourteenBits) {
  std::array<float, 4> values = {3, 0x1p-3F, 0, kInfinity};
  std::array<float, 4> others = {}, result = {};
  uint8_t mask = 0xff;
  const void *arguments[] = {values.data(), others.data(), &mask};
  modelOf("llvm.x86.avx512.rcp14.ps.128")(result.data(), arguments);
  double error = std::abs(3.0 * result[0] - 1);
  EXPECT_LT(error, 0x1p-14);
  EXPECT_GT(error, 0x1p-20);
  EXPECT_EQ(result[1], 8.0F);
  EXPECT_EQ(result[2], kInfinity);
  EXPECT_EQ(result[3], 0.0F);
}

TEST(InstructionModelsTest, APermutationSelectsOfTwoRegisters) {
  std::array<float, 16> low = {}, high = {}, result = {};
  low[3] = 3, high[2] = 18;
  std::array<uint32_t, 16> index = {3, 18, 0xffffff23};
  const void *arguments[] = {low.data(), index.data(), high.data()};
  modelOf("llvm.x86.avx512.vpermi2var.ps.512")(result.data(), arguments);
  EXPECT_EQ(result[0], 3.0F);
  EXPECT_EQ(result[1], 18.0F);
  EXPECT_EQ(result[2], 3.0F); // other bits are ignored
}

TEST(InstructionModelsTest, APermutationSelectsBytes) {
  std::array<uint8_t, 64> table = {}, index = {}, result = {};
  table[63] = 7, table[5] = 9;
  index[0] = 63, index[62] = 0xc0 + 5;
  const void *arguments[] = {table.data(), index.data()};
  modelOf("llvm.x86.avx512.permvar.qi.512")(result.data(), arguments);
  EXPECT_EQ(result[0], 7);
  EXPECT_EQ(result[62], 9); // other bits are ignored
}

TEST(InstructionModelsTest, BytesAreShiftedOutOf64Bits) {
  std::array<uint8_t, 64> places = {}, result = {};
  std::array<uint64_t, 8> value = {};
  value[1] = 0x8000'0000'0000'3c03;
  places[9] = 2, places[10] = 63, places[11] = 0x40 + 8;
  const void *arguments[] = {places.data(), value.data()};
  modelOf("llvm.x86.avx512.pmultishift.qb.512")(result.data(), arguments);
  EXPECT_EQ(result[8], 0x03);
  EXPECT_EQ(result[9], 0x00);
  EXPECT_EQ(result[10], 0x07); // bit 63 and the first ones
  EXPECT_EQ(result[11], 0x3c);
  EXPECT_EQ(result[0], 0);
}

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context,
                                    llvm::StringRef text) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

TEST(InstructionModelsTest, IntrinsicsBecomeCalls) {
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare <4 x float> @llvm.x86.avx512bf16.dpbf16ps.128(
        <4 x float>, <8 x bfloat>, <8 x bfloat>)
    define <4 x float> @f(<4 x float> %s, <8 x bfloat> %a) {
      %r = call <4 x float> @llvm.x86.avx512bf16.dpbf16ps.128(
          <4 x float> %s, <8 x bfloat> %a, <8 x bfloat> %a)
      ret <4 x float> %r
    })");
  EXPECT_FALSE(static_cast<bool>(modelInstructions(*module)));
  EXPECT_FALSE(llvm::verifyModule(*module));
  EXPECT_TRUE(
      module->getFunction(modelSymbol("llvm.x86.avx512bf16.dpbf16ps.128")));
  EXPECT_FALSE(module->getFunction("llvm.x86.avx512bf16.dpbf16ps.128"));
}

TEST(InstructionModelsTest, AnIntrinsicWithoutAModelIsNamed) {
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare void @llvm.x86.avx.vzeroall()
    define void @f() {
      call void @llvm.x86.avx.vzeroall()
      ret void
    })");
  EXPECT_EQ(llvm::toString(modelInstructions(*module)),
            "no software model of 'llvm.x86.avx.vzeroall'");
}

} // namespace
