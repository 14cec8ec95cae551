//===- LinearFormTest.cpp - Sums of symbols and contradictions ------------===//

#include "Proof/LinearForm.h"

#include "gtest/gtest.h"

using namespace attnc::spec;

static LinearForm x() { return LinearForm::of(0); }
static LinearForm y() { return LinearForm::of(1); }

static bool contradicts(FactSet set) {
  size_t budget = 1000000;
  set.project([](Symbol) { return false; }, budget);
  return set.contradicts();
}

TEST(LinearForm, TermsVanish) {
  LinearForm form = x() + y() - x();
  EXPECT_EQ(form, y());
  EXPECT_TRUE((form - y()).isConstant());
}

TEST(LinearForm, OverflowIsRemembered) {
  LinearForm large(INT64_MAX);
  EXPECT_TRUE((large + LinearForm(1)).overflow);
  EXPECT_TRUE((x() + large.scaled(2)).overflow);
}

TEST(FactSet, FindsContradictions) {
  FactSet set; // x <= y, y <= 3, x >= 4
  set.add(y() - x());
  set.add(LinearForm(3) - y());
  set.add(x() - LinearForm(4));
  EXPECT_TRUE(contradicts(set));
}

TEST(FactSet, KeepsWhatIsPossible) {
  FactSet set; // x <= y, y <= 4, x >= 4
  set.add(y() - x());
  set.add(LinearForm(4) - y());
  set.add(x() - LinearForm(4));
  EXPECT_FALSE(contradicts(set));
}

TEST(FactSet, RoundsToIntegers) {
  FactSet set; // 1 <= 2 x <= 1 has a rational solution only
  set.add(x().scaled(2) - LinearForm(1));
  set.add(LinearForm(1) - x().scaled(2));
  EXPECT_TRUE(contradicts(set));
}

TEST(FactSet, ProjectsOntoWhatIsKept) {
  FactSet set; // 0 <= x < y
  set.add(x());
  set.add(y() - x() - LinearForm(1));
  size_t budget = 1000000;
  set.project([](Symbol symbol) { return symbol == 1; }, budget);
  ASSERT_EQ(set.facts().size(), 1u);
  EXPECT_EQ(set.facts()[0], y() - LinearForm(1));
}

TEST(FactSet, GivesUpWithoutBudget) {
  FactSet set;
  set.add(x());
  set.add(LinearForm(-1) - x());
  size_t budget = 0;
  set.project([](Symbol) { return false; }, budget);
  EXPECT_FALSE(set.contradicts());
}

TEST(FactSet, DropsNumbersThatAreTooLarge) {
  FactSet set;
  set.add(x().scaled(INT64_MAX) - LinearForm(INT64_MAX - 1));
  EXPECT_TRUE(set.facts().empty());
}
