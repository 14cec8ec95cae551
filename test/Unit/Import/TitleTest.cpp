//===- TitleTest.cpp - Tests of the words that open a header --------------===//

#include "attnc/Import/Import.h"
#include "attnc/Spec/Parse.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

std::string titleOf(const std::string &keys) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy("attnc: 1\n" + keys, "title.yaml"),
      llvm::SMLoc());
  SourceDiagnostics diagnostics(sources);
  auto specs = spec::parseSpecs(sources, diagnostics);
  if (!specs)
    return "the spec is wrong";
  mlir::MLIRContext context;
  auto interface = importInterface(context, sources, specs->front());
  return succeeded(interface) ? interface->title : "the import failed";
}

TEST(TitleTest, NamesHeadsTypeAndMask) {
  EXPECT_EQ(titleOf("heads: 12\nhead_dim: 64\nmask: causal\n"),
            "12 heads of 64, f32, causal");
}

TEST(TitleTest, RecognisesCausalHoweverItIsWritten) {
  EXPECT_EQ(titleOf("heads: 1\nhead_dim: 8\nmask: k <= q\n"),
            "1 head of 8, f32, causal");
}

TEST(TitleTest, SpellsOutOtherMasks) {
  EXPECT_EQ(titleOf("heads: 4\nkv_heads: 2\nhead_dim: 8\ndtype: bf16\n"
                    "mask: first(4)\n"),
            "4 heads of 8 on 2 KV heads, bf16, mask k < 4");
}

TEST(TitleTest, LeavesOutAMaskThatIsTrue) {
  EXPECT_EQ(titleOf("heads: 4\nhead_dim: 8\n"), "4 heads of 8, f32");
}

} // namespace
