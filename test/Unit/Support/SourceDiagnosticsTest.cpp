//===- SourceDiagnosticsTest.cpp - Errors that point into a text ----------===//

#include "attnc/Support/SourceDiagnostics.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace attnc;
using namespace llvm;

namespace {
class SourceDiagnosticsTest : public ::testing::Test {
protected:
  /// The buffer's text; begin and end of ranges are offsets in it.
  void setText(StringRef text) {
    sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "a.yaml"),
                               SMLoc());
  }
  SMRange at(size_t begin, size_t end) {
    const char *start = sources.getMemoryBuffer(1)->getBufferStart();
    return {SMLoc::getFromPointer(start + begin),
            SMLoc::getFromPointer(start + end)};
  }
  std::string print() {
    std::string text;
    raw_string_ostream os(text);
    diagnostics.print(os);
    return text;
  }

  SourceMgr sources;
  SourceDiagnostics diagnostics{sources};
};
} // namespace

TEST_F(SourceDiagnosticsTest, NothingIsPrintedForNothing) {
  setText("heads: 12\n");
  EXPECT_EQ(print(), "");
}

TEST_F(SourceDiagnosticsTest, FixStandsBehindTheCaret) {
  setText("attnc: 1\nhead: 12\n");
  diagnostics.error("unknown-key", at(9, 13), "unknown key 'head'")
      .fix("heads");
  EXPECT_EQ(print(), "a.yaml:2:1: error: unknown key 'head' [unknown-key]\n"
                     "    2 | head: 12\n"
                     "      | ^~~~ fix: heads\n"
                     "1 error\n");
}

TEST_F(SourceDiagnosticsTest, NotesStandBelowEachOtherAndPlacesLast) {
  setText("a: 6\nb: 16\n");
  diagnostics.error("x", at(3, 4), "wrong")
      .note(at(8, 10), "set here")
      .note("one")
      .note("two");
  EXPECT_EQ(print(), "a.yaml:1:4: error: wrong [x]\n"
                     "    1 | a: 6\n"
                     "      |    ^ note: one\n"
                     "      |      note: two\n"
                     "a.yaml:2:4: note: set here\n"
                     "1 error\n");
}

TEST_F(SourceDiagnosticsTest, TheOrderIsThatOfTheFile) {
  setText("a\nb\nc\n");
  diagnostics.error("x", at(4, 5), "third");
  diagnostics.warning("x", at(2, 3), "second");
  diagnostics.error("x", at(0, 1), "first");
  std::string text = print();
  EXPECT_LT(text.find("first"), text.find("second"));
  EXPECT_LT(text.find("second"), text.find("third"));
  EXPECT_TRUE(StringRef(text).ends_with("2 errors\n"));
}

TEST_F(SourceDiagnosticsTest, TheSameIsToldOnce) {
  setText("abc\n");
  diagnostics.error("x", at(0, 1), "wrong");
  diagnostics.error("x", at(0, 1), "wrong").note("lost");
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(print().find("lost"), std::string::npos);
}

TEST_F(SourceDiagnosticsTest, WarningsAreNotCounted) {
  setText("abc\n");
  diagnostics.warning("x", at(0, 3), "odd");
  EXPECT_EQ(print(), "a.yaml:1:1: warning: odd [x]\n"
                     "    1 | abc\n"
                     "      | ^~~\n");
}

TEST_F(SourceDiagnosticsTest, TheCaretCountsCharactersNotBytes) {
  setText(
      "\xE2\x89\xA4\tx\x01y\r\n"); // a sign of three bytes, a tab, a control
  diagnostics.error("x", at(4, 7), "wrong");
  EXPECT_EQ(print(), "a.yaml:1:5: error: wrong [x]\n"
                     "    1 | \xE2\x89\xA4 x?y\n"
                     "      |   ^~~\n"
                     "1 error\n");
}

TEST_F(SourceDiagnosticsTest, AByteOrderMarkIsNoColumn) {
  setText("\xEF\xBB\xBF"
          "ab\n");
  diagnostics.error("x", at(4, 5), "wrong");
  EXPECT_EQ(print(), "a.yaml:1:2: error: wrong [x]\n"
                     "    1 | ab\n"
                     "      |  ^\n"
                     "1 error\n");
}

TEST_F(SourceDiagnosticsTest, ARangeEndsWithItsLine) {
  setText("ab\ncd\n");
  diagnostics.error("x", at(1, 5), "wrong");
  EXPECT_NE(print().find("    1 | ab\n      |  ^\n"), std::string::npos);
}

TEST_F(SourceDiagnosticsTest, LongLinesAreCut) {
  setText(std::string(1000, 'a') + "X" + std::string(1000, 'b') + "\n");
  diagnostics.error("x", at(1000, 1001), "wrong");
  std::string text = print();
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("...a"), std::string::npos);
  EXPECT_NE(text.find("b...\n"), std::string::npos);
}

TEST_F(SourceDiagnosticsTest, AtMostTwentyErrorsAreShown) {
  setText(std::string(30, 'a'));
  for (size_t i = 0; i < 30; ++i)
    diagnostics.error("x", at(i, i + 1), "wrong");
  std::string text = print();
  EXPECT_EQ(StringRef(text).count("error: wrong"), 20u);
  EXPECT_TRUE(StringRef(text).ends_with("30 errors, the first 20 are shown\n"));
}

TEST_F(SourceDiagnosticsTest, WithoutAPlaceTheFileIsNamed) {
  setText("abc\n");
  diagnostics.error("x", {}, "wrong").note("why");
  EXPECT_EQ(print(), "a.yaml: error: wrong [x]\n"
                     "      | note: why\n"
                     "1 error\n");
}
