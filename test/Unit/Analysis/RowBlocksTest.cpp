//===- RowBlocksTest.cpp - Tests of what rows take by a kernel's keys -----===//

#include "attnc/Analysis/Cost/RowBlocks.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

RowBlocks blocks(double features) {
  return {lookupTarget("x86-64-v3"), DType::F32, features};
}

// 32 FLOPs a cycle: half a cycle for a vector's multiply-adds.
TEST(RowBlocksTest, WholeBlocksTakeTheirFlops) {
  EXPECT_EQ(blocks(128).vectors(), 4);
  EXPECT_EQ(blocks(128).cyclesPerKey(64, 64, 4 * 64), 2 * 4 * 32);
}

TEST(RowBlocksTest, SingleVectorsWaitForTheirKeys) {
  EXPECT_EQ(blocks(128).cyclesPerKey(8, 64, 4 * 64), 64);
  EXPECT_EQ(blocks(128).cyclesPerKey(40, 64, 4 * 64), 4 * 32 + 64);
}

TEST(RowBlocksTest, OneRowTakesAVector) {
  EXPECT_EQ(blocks(128).cyclesPerKey(1, 64, 4 * 64),
            blocks(128).cyclesPerKey(8, 64, 4 * 64));
}

// Rows of a latent cache: one vector of them fits.
TEST(RowBlocksTest, WideRowsComeInSingleVectors) {
  EXPECT_EQ(blocks(1088).vectors(), 1);
  EXPECT_EQ(blocks(1088).cyclesPerKey(64, 576, 4 * 576), 8 * 576);
}

TEST(RowBlocksTest, ALargerCacheHoldsMoreOfThem) {
  RowBlocks wide{lookupTarget("x86-64-v4"), DType::F32, 1088};
  EXPECT_EQ(wide.vectors(), 4);
}

} // namespace
