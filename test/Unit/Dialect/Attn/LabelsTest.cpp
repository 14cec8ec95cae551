//===- LabelsTest.cpp - Letters of axes -----------------------------------===//

#include "attnc/Dialect/Attn/Labels.h"

#include "gtest/gtest.h"

using namespace attnc::attn;

TEST(Labels, ReadsAndPrints) {
  std::string error;
  for (const char *text :
       {"bhgqd,bhkd->bhgqk", "a->a", "->ab", "a,,a->a", "a->"}) {
    std::optional<Labels> labels = Labels::parse(text, error);
    ASSERT_TRUE(labels) << text;
    EXPECT_EQ(labels->str(), text);
  }
  std::optional<Labels> labels = Labels::parse("qd,kd->qk", error);
  EXPECT_EQ(labels->inputs.size(), 2u);
  EXPECT_EQ(labels->inputs[1], "kd");
  EXPECT_EQ(labels->output, "qk");
  EXPECT_EQ(Labels::parse("->qk", error)->inputs.size(), 0u);
}

TEST(Labels, RefusesWithASentence) {
  std::string error;
  EXPECT_FALSE(Labels::parse("qd,kd", error));
  EXPECT_EQ(error, "labels 'qd,kd' need one '->', as in \"qd,kd->qk\"");
  EXPECT_FALSE(Labels::parse("a->b->c", error));
  EXPECT_FALSE(Labels::parse("aa->a", error));
  EXPECT_EQ(error, "'aa' in labels 'aa->a' is not a list of distinct letters "
                   "a-z");
  EXPECT_FALSE(Labels::parse("A->a", error));
  EXPECT_FALSE(Labels::parse("", error));
}

TEST(ViewLabels, ReadsAndPrints) {
  std::string error;
  for (const char *text :
       {"b(hg)qd->bhgqd", "bhgq->b(hg)q", "ab->(ba)", "->"}) {
    std::optional<ViewLabels> labels = ViewLabels::parse(text, error);
    ASSERT_TRUE(labels) << text;
    EXPECT_EQ(labels->str(), text);
  }
  std::optional<ViewLabels> labels = ViewLabels::parse("b(hg)q->bhgq", error);
  ASSERT_EQ(labels->input.size(), 3u);
  EXPECT_EQ(labels->input[1], "hg");
  EXPECT_EQ(labels->output.size(), 4u);
}

TEST(ViewLabels, RefusesWithASentence) {
  std::string error;
  for (const char *text : {"a->b", "ab", "(a->a", "()a->a", "aa->aa", "a)->a",
                           "a(b->ab", "ab->a", "a->(a)b"}) {
    error.clear();
    EXPECT_FALSE(ViewLabels::parse(text, error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

TEST(Letters, AxisOf) {
  EXPECT_EQ(axisOf("bhq", 'q'), 2u);
  EXPECT_FALSE(axisOf("bhq", 'k'));
  EXPECT_TRUE(areDistinctLetters(""));
  EXPECT_FALSE(areDistinctLetters("a1"));
}
