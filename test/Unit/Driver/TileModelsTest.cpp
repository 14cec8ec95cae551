//===- TileModelsTest.cpp - Tests of a matrix unit in software ------------===//

#include "Run/Model/TileModels.h"

#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstdint>

using namespace attnc;

namespace {

using Shapes = std::array<unsigned char, 64>;
using Sums = std::array<float, 256>;
using Halves = std::array<uint16_t, 512>;

/// Eight registers of `rows` rows of `rowBytes` bytes.
Shapes shapesOf(unsigned char rows, unsigned char rowBytes) {
  Shapes shapes = {};
  shapes[0] = 1;
  for (unsigned i = 0; i < 8; ++i) {
    shapes[16 + 2 * i] = rowBytes;
    shapes[48 + i] = rows;
  }
  return shapes;
}

void configure(const Shapes &shapes) {
  const void *address = shapes.data();
  const void *arguments[] = {&address};
  configureTiles(nullptr, arguments);
}

void onRegister(void (*function)(void *, const void *const *), uint8_t number,
                void *address) {
  int64_t stride = 64;
  const void *arguments[] = {&number, &address, &stride};
  function(nullptr, arguments);
}

void multiply(uint8_t sums, uint8_t a, uint8_t b) {
  const void *arguments[] = {&sums, &a, &b};
  multiplyTiles(nullptr, arguments);
}

uint16_t bf16(float value) {
  return uint16_t(llvm::bit_cast<uint32_t>(value) >> 16);
}

class TileModelsTest : public testing::Test {
protected:
  void SetUp() override {
    releaseTiles(nullptr, nullptr);
    takeTileFault();
  }
  /// The sums that a product adds to `start`.
  Sums product(Halves a, Halves b, Sums start) {
    configure(shapesOf(16, 64));
    onRegister(loadTile, 0, start.data());
    onRegister(loadTile, 4, a.data());
    onRegister(loadTile, 6, b.data());
    multiply(0, 4, 6);
    onRegister(storeTile, 0, start.data());
    EXPECT_EQ(takeTileFault(), "");
    return start;
  }
};

TEST_F(TileModelsTest, AProductAddsPairsOfRowsOfB) {
  Halves a = {}, b = {};
  Sums start = {}, expected = {};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < 32; ++k)
      a[32 * row + k] = bf16(float(int(row + 3 * k) % 7 - 3));
  for (unsigned k = 0; k < 32; ++k)
    for (unsigned column = 0; column < 16; ++column)
      b[32 * (k / 2) + 2 * column + k % 2] =
          bf16(float(int(5 * k + column) % 9 - 4));
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      float sum = start[16 * row + column] = float(row) - float(column);
      for (int k = 0; k < 32; ++k)
        sum += float((int(row) + 3 * k) % 7 - 3) *
               float((5 * k + int(column)) % 9 - 4);
      expected[16 * row + column] = sum;
    }
  EXPECT_EQ(product(a, b, start), expected);
}

/// Even and odd products have sums of their own: 2^24 + 1 is rounded in one
/// sum, but not in two.
TEST_F(TileModelsTest, SumsAreOfEvenAndOfOddElements) {
  Halves a = {}, b = {};
  b[0] = b[1] = b[32] = bf16(1); // elements 0, 1 and 2 of column 0
  a[0] = bf16(0x1p24F), a[1] = bf16(1), a[2] = bf16(-0x1p24F);
  EXPECT_EQ(product(a, b, {})[0], 1.0F);
  a[1] = bf16(-0x1p24F), a[2] = bf16(1);
  EXPECT_EQ(product(a, b, {})[0], 0.0F);
}

TEST_F(TileModelsTest, DenormalsAreZeros) {
  Halves a = {}, b = {};
  Sums start = {};
  a[0] = bf16(0x1p-130F), b[0] = bf16(1), start[0] = 0x1p-130F;
  EXPECT_EQ(product(a, b, start)[0], 0.0F);
}

/// Bytes with their highest bit: -128 or 128 in A, always -128 in B.
TEST_F(TileModelsTest, BytesAreMultipliedByQuadruples) {
  using Bytes = std::array<int8_t, 1024>;
  std::array<int32_t, 256> start = {}, made = {};
  Bytes a = {}, b = {};
  for (unsigned i = 0; i < 1024; ++i)
    a[i] = int8_t(37 * i + 5), b[i] = int8_t(91 * i + 64);
  a[0] = b[0] = -128;
  start.fill(7);
  for (bool isUnsigned : {false, true}) {
    configure(shapesOf(16, 64));
    onRegister(loadTile, 1, start.data());
    onRegister(loadTile, 4, a.data());
    onRegister(loadTile, 6, b.data());
    uint8_t numbers[] = {1, 4, 6};
    const void *arguments[] = {&numbers[0], &numbers[1], &numbers[2]};
    (isUnsigned ? multiplyUnsignedTiles : multiplySignedTiles)(nullptr,
                                                               arguments);
    onRegister(storeTile, 1, made.data());
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 16; ++column) {
        int sum = 7;
        for (unsigned k = 0; k < 64; ++k) {
          int left = a[64 * row + k];
          sum += (isUnsigned ? left & 0xff : left) *
                 b[64 * (k / 4) + 4 * column + k % 4];
        }
        EXPECT_EQ(made[16 * row + column], sum);
      }
  }
  EXPECT_EQ(takeTileFault(), "");
}

TEST_F(TileModelsTest, ProductsOfBytesNeedAConfiguration) {
  uint8_t numbers[] = {0, 4, 4};
  const void *arguments[] = {&numbers[0], &numbers[1], &numbers[2]};
  multiplySignedTiles(nullptr, arguments);
  EXPECT_EQ(takeTileFault(), "TDPBSSD uses tmm0 before LDTILECFG");
  configure(shapesOf(16, 64));
  multiplyUnsignedTiles(nullptr, arguments);
  EXPECT_EQ(takeTileFault(), "TDPBUSD uses a register twice");
  Shapes shapes = shapesOf(16, 64);
  shapes[16 + 2 * 6] = 32;
  configure(shapes);
  numbers[2] = 6;
  multiplySignedTiles(nullptr, arguments);
  EXPECT_EQ(takeTileFault(),
            "TDPBSSD has operands of shapes that do not match");
}

TEST_F(TileModelsTest, WhatWasNotWrittenIsNotANumber) {
  Sums sums = {};
  configure(shapesOf(16, 64));
  onRegister(storeTile, 3, sums.data());
  for (float sum : sums)
    EXPECT_TRUE(std::isnan(sum));
  onRegister(clearTile, 3, nullptr);
  onRegister(storeTile, 3, sums.data());
  EXPECT_EQ(sums, Sums());
  EXPECT_EQ(takeTileFault(), "");
}

TEST_F(TileModelsTest, ARegisterHasTheShapeThatItWasGiven) {
  Sums from, to = {};
  from.fill(1);
  configure(shapesOf(2, 12));
  onRegister(loadTile, 1, from.data());
  onRegister(storeTile, 1, to.data());
  for (unsigned i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i], i / 16 < 2 && i % 16 < 3 ? 1.0F : 0.0F);
}

TEST_F(TileModelsTest, RegistersNeedAShape) {
  Sums sums = {};
  onRegister(loadTile, 2, sums.data());
  EXPECT_EQ(takeTileFault(), "TILELOADD uses tmm2 before LDTILECFG");
  configure(shapesOf(16, 64));
  onRegister(storeTile, 8, sums.data());
  EXPECT_EQ(takeTileFault(), "TILESTORED uses tmm8 which does not exist");
  Shapes shapes = shapesOf(16, 64);
  shapes[16 + 2 * 5] = shapes[48 + 5] = 0;
  configure(shapes);
  onRegister(clearTile, 5, nullptr);
  EXPECT_EQ(takeTileFault(), "TILEZERO uses tmm5 which has no shape");
  releaseTiles(nullptr, nullptr);
  onRegister(clearTile, 0, nullptr);
  multiply(0, 4, 6); // only the first fault is kept
  EXPECT_EQ(takeTileFault(), "TILEZERO uses tmm0 before LDTILECFG");
  EXPECT_EQ(takeTileFault(), "");
}

TEST_F(TileModelsTest, ShapesOfAProductMatch) {
  configure(shapesOf(16, 64));
  multiply(0, 0, 6);
  EXPECT_EQ(takeTileFault(), "TDPBF16PS uses a register twice");
  Shapes shapes = shapesOf(16, 64);
  shapes[48 + 4] = 8;
  configure(shapes);
  multiply(0, 4, 6);
  EXPECT_EQ(takeTileFault(),
            "TDPBF16PS has operands of shapes that do not match");
}

TEST_F(TileModelsTest, AConfigurationIsChecked) {
  auto faultOf = [](unsigned at, unsigned char value) {
    Shapes shapes = shapesOf(16, 64);
    shapes[at] = value;
    configure(shapes);
    return takeTileFault();
  };
  EXPECT_EQ(faultOf(0, 2), "LDTILECFG reads a palette other than 1");
  EXPECT_EQ(faultOf(1, 1), "LDTILECFG reads a start row");
  EXPECT_EQ(faultOf(7, 1), "LDTILECFG reads reserved bytes");
  EXPECT_EQ(faultOf(48, 17),
            "LDTILECFG reads a register that is too large or does not exist");
  EXPECT_EQ(faultOf(48 + 8, 1),
            "LDTILECFG reads a register that is too large or does not exist");
  EXPECT_EQ(faultOf(48, 0),
            "LDTILECFG reads a register with rows or bytes only");
}

} // namespace
