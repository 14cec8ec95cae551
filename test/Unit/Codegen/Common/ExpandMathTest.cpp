//===- ExpandMathTest.cpp - The elementwise functions are accurate --------===//
//
// Compiles each function for every level that this machine runs and compares it
// with libm in the next wider type: 2^16 arguments over all floats, and by name
// the special values. attnc-math-accuracy measures every float.
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace attnc;
using namespace attnc::test;

static std::unique_ptr<MathKernel> compile(llvm::StringRef op,
                                           llvm::StringRef element,
                                           unsigned lanes,
                                           const MathLevel &level) {
  auto kernel = MathKernel::compile(op, element, lanes, level);
  if (kernel)
    return std::move(*kernel);
  ADD_FAILURE() << op.str() << ": " << llvm::toString(kernel.takeError());
  return nullptr;
}

// A prime stride, so that every exponent is met with ever other fractions.
static constexpr uint64_t stride = 65537;

TEST(ExpandMath, F32WithinFourUlpOnEveryLevel) {
  for (const MathLevel &level : runnableLevels())
    for (const MathReference &reference : mathReferences()) {
      auto kernel = compile(reference.op, "f32", level.bits / 32, level);
      ASSERT_TRUE(kernel);
      MathError error = measureF32(*kernel, reference, stride);
      EXPECT_LE(error.ulp, 4.0)
          << level.name << " " << reference.op.str() << " " << error.argument;
    }
}

TEST(ExpandMath, F64WithinFourUlpOnEveryLevel) {
  for (const MathLevel &level : runnableLevels())
    for (const MathReference &reference : mathReferences()) {
      auto kernel = compile(reference.op, "f64", level.bits / 64, level);
      ASSERT_TRUE(kernel);
      MathError error = measureF64(*kernel, reference, 1 << 14);
      EXPECT_LE(error.ulp, 4.0)
          << level.name << " " << reference.op.str() << " " << error.argument;
    }
}

// Most floats are far away from where a function is interesting.
TEST(ExpandMath, F32WithinFourUlpNearOne) {
  const MathLevel level = runnableLevels().back();
  for (const MathReference &reference : mathReferences()) {
    auto kernel = compile(reference.op, "f32", 16, level);
    ASSERT_TRUE(kernel);
    // Each sign from 2^-8 up to 2^12, 2^16 arguments at a time.
    for (uint64_t first : {0x3B800000u, 0xBB800000u}) {
      constexpr int64_t count = 1 << 16;
      std::vector<float> in(count), out(count);
      for (int64_t i = 0; i < count; ++i)
        in[i] = std::bit_cast<float>(uint32_t(first + i * 2560));
      kernel->run(in.data(), out.data(), count);
      for (int64_t i = 0; i < count; ++i)
        ASSERT_LE(ulpError(out[i], reference.f32(in[i])), 4.0)
            << reference.op.str() << " " << in[i];
    }
  }
}

TEST(ExpandMath, SpecialValuesOfF32) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float values[] = {
      0.0f, -0.0f, inf, -inf, NAN, -NAN, 1.0f, -1.0f, 0x1p-149f, -0x1p-149f,
      0x1p-126f, -0x1p-126f, 0x1.8p-130f, FLT_MAX, -FLT_MAX, 0.5f, -0.5f, 1.5f,
      2.5f, -2.5f, 0x1p23f, 0x1.000002p23f, -0x1.000002p22f, 0.49999997f,
      // exp2, exp and expm1 overflow and underflow
      127.99999f, 128.0f, -126.0f, -149.0f, -149.99f, -150.0f, 88.72283f,
      88.72284f, 88.7229f, -87.33655f, -103.97208f, -103.98f, -17.4f,
      // tanh, erf and erfc reach their limits
      9.0109f, 9.03f, 3.92f, 3.93f, 4.0f, 10.05f, 10.06f,
      // sin and cos close to zero, far out
      16367173.0f * 0x1p72f, 1e30f, 3.14159274f};
  for (const MathLevel &level : runnableLevels())
    for (const MathReference &reference : mathReferences()) {
      auto kernel = compile(reference.op, "f32", 0, level);
      ASSERT_TRUE(kernel);
      for (float value : values) {
        float result;
        kernel->run(&value, &result, 1);
        EXPECT_LE(ulpError(result, reference.f32(value)), 4.0)
            << level.name << " " << reference.op.str() << "(" << value
            << ") = " << result << ", not " << reference.f32(value);
      }
    }
}

TEST(ExpandMath, SpecialValuesOfF64) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double values[] = {
      0.0, -0.0, inf, -inf, NAN, 1.0, -1.0, 0x1p-1074, -0x1p-1074, 0x1p-1022,
      DBL_MAX, -DBL_MAX, 0.5, -0.5, 1023.9999, 1024.0, -1022.0, -1074.0,
      -1075.0, 709.78, 709.79, -708.4, -745.13, -745.2, -37.5, 19.1, 22.0,
      0x1p52, 0x1.0000000000001p52, 0.49999999999999994,
      // next to multiples of pi / 2, the first nearest of all
      6381956970095103.0 * 0x1p797, 0x1.6c6cbc45dc8dep5,
      // where sin and cos begin to reduce
      0x1.921fb54442d18p-1, 0x1.921fb54442d19p-1, -0x1.921fb54442d18p-1,
      0x1.921fb54442d18p0, 0x1.921fb54442d18p1};
  for (const MathLevel &level : runnableLevels())
    for (const MathReference &reference : mathReferences()) {
      auto kernel = compile(reference.op, "f64", 0, level);
      ASSERT_TRUE(kernel);
      for (double value : values) {
        double result;
        kernel->run(&value, &result, 1);
        EXPECT_LE(ulpError(result, reference.f64(value)), 4.0)
            << level.name << " " << reference.op.str() << "(" << value
            << ") = " << result;
      }
    }
}

// Most doubles are far out or next to 0: here all within 2^20, and multiples of
// pi / 2, where sin or cos is least.
TEST(ExpandMath, SinAndCosOfF64WithinOneUlp) {
  std::vector<double> in;
  for (int64_t i = 0; i < 1 << 16; ++i) {
    in.push_back((i - 32768) * 0.000123456789);
    in.push_back((i - 32768) * 31.99999876);
    in.push_back((i - 32768) * 1.5707963267948966);
  }
  std::vector<double> out(in.size());
  for (const MathLevel &level : runnableLevels())
    for (llvm::StringRef op : {"sin", "cos"}) {
      auto kernel = compile(op, "f64", level.bits / 64, level);
      ASSERT_TRUE(kernel);
      kernel->run(in.data(), out.data(), in.size());
      for (size_t i = 0; i < in.size(); ++i)
        ASSERT_LE(ulpError(out[i], mathReference(op).f64(in[i])), 1.0)
            << level.name << " " << op.str() << " " << in[i];
    }
}

// Attention with exact inputs is compared bit by bit, which asks for this.
TEST(ExpandMath, Exp2OfIntegersIsExact) {
  for (const MathLevel &level : runnableLevels()) {
    auto kernel = compile("exp2", "f32", 0, level);
    ASSERT_TRUE(kernel);
    for (int n = -149; n < 128; ++n) {
      float value = n, result;
      kernel->run(&value, &result, 1);
      EXPECT_EQ(result, std::ldexp(1.0f, n)) << level.name << " " << n;
    }
  }
}

// All lengths give the same bits: a tail is computed like the rest.
TEST(ExpandMath, EveryLengthGivesTheSameBits) {
  constexpr int64_t count = 1024;
  std::vector<float> in(count), scalar(count), vector(count);
  for (int64_t i = 0; i < count; ++i)
    in[i] = (i - 512) * 0.0517f;
  for (const MathLevel &level : runnableLevels())
    for (llvm::StringRef op : {"exp2", "tanh", "log"}) {
      auto reference = compile(op, "f32", 0, level);
      ASSERT_TRUE(reference);
      reference->run(in.data(), scalar.data(), count);
      for (unsigned lanes : {2, 4, 8, 16, 64}) {
        auto kernel = compile(op, "f32", lanes, level);
        ASSERT_TRUE(kernel);
        kernel->run(in.data(), vector.data(), count);
        for (int64_t i = 0; i < count; ++i)
          ASSERT_TRUE(vector[i] == scalar[i] || std::isnan(scalar[i]))
              << level.name << " " << op.str() << " " << lanes << " " << in[i];
      }
    }
}

// flush-denormals allows 0 for what is denormal, and nothing else.
TEST(ExpandMath, FlushedExp2DiffersOnlyBelowTheLeastNormal) {
  for (MathLevel level : runnableLevels()) {
    level.options.flushDenormals = true;
    auto kernel = compile("exp2", "f32", 0, level);
    ASSERT_TRUE(kernel);
    for (float value = -160; value < 140; value += 0.037f) {
      float result;
      kernel->run(&value, &result, 1);
      double exact = std::exp2(double(value));
      if (exact < 0x1p-126 && result == 0)
        continue;
      EXPECT_LE(ulpError(result, exact), 4.0) << level.name << " " << value;
    }
    for (auto [value, expected] : {std::pair{-INFINITY, 0.0f},
                                   {-FLT_MAX, 0.0f},
                                   {INFINITY, INFINITY},
                                   {128.0f, INFINITY}}) {
      float result;
      kernel->run(&value, &result, 1);
      EXPECT_EQ(result, expected) << level.name << " " << value;
    }
    for (uint32_t bits : {0x7FC00000u, 0x7FFFFFFFu, 0xFFC00001u}) {
      float value = std::bit_cast<float>(bits), result;
      kernel->run(&value, &result, 1);
      EXPECT_TRUE(std::isnan(result)) << level.name;
    }
  }
}

// Weights of a softmax: exp of what is at most 0, but for rounding.
TEST(ExpandMath, FlushedExpAtMostOneIsAccurateUpToZero) {
  for (MathLevel level : runnableLevels()) {
    level.options.flushDenormals = true;
    auto kernel =
        MathKernel::compile("exp", "f32", 0, level, "{attnc.at_most_one}");
    ASSERT_TRUE(bool(kernel));
    auto run = [&](float value) {
      float result;
      (*kernel)->run(&value, &result, 1);
      return result;
    };
    for (float value = -110; value < 0.01f; value += 0.00137f) {
      float result = run(value);
      double exact = std::exp(double(value));
      if (exact < 0x1p-126 && result == 0)
        continue;
      EXPECT_LE(ulpError(result, exact), 1.5) << level.name << " " << value;
    }
    EXPECT_EQ(run(0.0f), 1.0f) << level.name;
    EXPECT_EQ(run(-INFINITY), 0.0f) << level.name;
    EXPECT_EQ(run(-FLT_MAX), 0.0f) << level.name;
    EXPECT_TRUE(std::isnan(run(NAN))) << level.name;
  }
}

static MathLevel levelWithTables() {
  for (MathLevel &level : runnableLevels())
    if (level.options.avx512)
      return level;
  return {};
}

// Scores of up to 64 in size are then off by 2^-11.5, less than a fifth of what
// a rounding of their weights to bf16 changes.
TEST(ExpandMath, RoughTanhIsOffByFiveMillionths) {
  MathLevel level = levelWithTables();
  if (level.name.empty())
    GTEST_SKIP() << "this machine has no AVX-512";
  auto kernel = MathKernel::compile("tanh", "f32", 16, level, "fastmath<afn>");
  ASSERT_TRUE(bool(kernel));
  constexpr int64_t count = 1 << 16;
  std::vector<float> in(count), out(count);
  // Each sign up to 16.
  constexpr uint32_t step = 97, last = 0x41800000;
  for (uint32_t sign : {0u, 0x80000000u})
    for (uint64_t first = 0; first < last; first += uint64_t(count) * step) {
      for (int64_t i = 0; i < count; ++i)
        in[i] = std::bit_cast<float>(
            sign | uint32_t(std::min<uint64_t>(first + i * step, last)));
      (*kernel)->run(in.data(), out.data(), count);
      for (int64_t i = 0; i < count; ++i)
        ASSERT_LE(std::abs(out[i] - std::tanh(double(in[i]))), 5.1e-6) << in[i];
    }
}

// Large scores must stay equal, and those of 0 be exact.
TEST(ExpandMath, RoughTanhIsExactAtItsLimits) {
  MathLevel level = levelWithTables();
  if (level.name.empty())
    GTEST_SKIP() << "this machine has no AVX-512";
  auto kernel = MathKernel::compile("tanh", "f32", 0, level, "fastmath<afn>");
  ASSERT_TRUE(bool(kernel));
  auto run = [&](float value) {
    float result;
    (*kernel)->run(&value, &result, 1);
    return result;
  };
  EXPECT_EQ(run(0.0f), 0.0f);
  EXPECT_TRUE(std::signbit(run(-0.0f)));
  for (float value : {8.0f, 1e30f, INFINITY}) {
    EXPECT_EQ(run(value), 1.0f);
    EXPECT_EQ(run(-value), -1.0f);
  }
  EXPECT_TRUE(std::isnan(run(NAN)));
}
