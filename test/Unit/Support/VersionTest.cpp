//===- VersionTest.cpp - Tests of the version -----------------------------===//

#include "attnc/Support/Version.h"

#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"

namespace {

TEST(VersionTest, HasThreeNumbers) {
  llvm::SmallVector<llvm::StringRef> parts;
  attnc::getVersion().split(parts, '.');
  ASSERT_EQ(parts.size(), 3u);
  for (llvm::StringRef part : parts) {
    unsigned number;
    EXPECT_FALSE(part.getAsInteger(10, number)) << part.str();
  }
}

} // namespace
