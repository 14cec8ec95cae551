//===- NearestTest.cpp - Tests of "did you mean" --------------------------===//

#include "attnc/Support/Nearest.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

constexpr llvm::StringRef kWords[] = {"min", "softmax", "sigmoid", "of"};

TEST(NearestTest, FindsAWordWithOneErrorInFiveLetters) {
  EXPECT_EQ(nearest("mim", kWords), "min");
  EXPECT_EQ(nearest("sofmax", kWords), "softmax");
  EXPECT_EQ(nearest("sigmiod", kWords), "sigmoid");
}

TEST(NearestTest, CountsExchangedLettersOnce) {
  EXPECT_EQ(nearest("mni", kWords), "min");
}

TEST(NearestTest, FindsNothingForOtherWords) {
  EXPECT_EQ(nearest("mean", kWords), "");
  EXPECT_EQ(nearest("maximum", kWords), "");
  EXPECT_EQ(nearest("if", kWords), "");
  EXPECT_EQ(nearest(std::string(100, 'x'), kWords), "");
}

} // namespace
