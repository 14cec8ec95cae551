//===- RegimeCasesTest.cpp - Tests of which way at which sizes ------------===//

#include "attnc/Analysis/Regime/RegimeCases.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

Regime at(int64_t queries, int64_t keys) {
  Regime regime;
  regime.sizes["query_len"] = queries;
  regime.sizes["kv_len"] = keys;
  return regime;
}

double queriesOf(const Regime &regime) {
  return double(regime.sizeOf(llvm::StringRef("query_len")));
}
double keysOf(const Regime &regime) {
  return double(regime.sizeOf(llvm::StringRef("kv_len")));
}

/// Way 0 costs the same at each query, way 1 something at the start: as much
/// from 100 queries on.
double perQueryOrOnce(unsigned way, const Regime &regime) {
  return way ? 1000 + queriesOf(regime) : 11 * queriesOf(regime);
}

std::string text(const std::optional<WayCases> &cases) {
  if (!cases)
    return "none";
  std::string text;
  for (const WayCase &one : cases->cases)
    text += one.when.str() + ": " + std::to_string(one.way) + ", ";
  return text + "else " + std::to_string(cases->otherwise);
}

TEST(RegimeCasesTest, GivesEachRegimeItsWay) {
  Regime regimes[] = {at(1, 4096), at(4096, 4096)};
  EXPECT_EQ(assignWays(regimes, 2, perQueryOrOnce),
            (llvm::SmallVector<unsigned>{0, 1}));
}

TEST(RegimeCasesTest, KeepsOneWayThatLosesLittle) {
  Regime regimes[] = {at(95, 4096), at(105, 4096)};
  EXPECT_EQ(assignWays(regimes, 2, perQueryOrOnce),
            (llvm::SmallVector<unsigned>{0, 0}));
}

TEST(RegimeCasesTest, FindsTheBoundWhereCostsAreEqual) {
  Regime regimes[] = {at(1, 4096), at(4096, 4096)};
  EXPECT_EQ(text(findCases(regimes, {0, 1}, perQueryOrOnce)),
            "query_len <= 100: 0, else 1");
}

// Both sizes tell the regimes apart, one of them tells the costs apart.
TEST(RegimeCasesTest, TakesTheSizeThatDecides) {
  Regime regimes[] = {at(1, 4096), at(512, 512)};
  EXPECT_EQ(text(findCases(regimes, {0, 1}, perQueryOrOnce)),
            "query_len <= 100: 0, else 1");
  auto byKeys = [](unsigned way, const Regime &regime) {
    return way ? 1000 + keysOf(regime) : 2 * keysOf(regime);
  };
  EXPECT_EQ(text(findCases(regimes, {1, 0}, byKeys)),
            "kv_len <= 1000: 0, else 1");
}

TEST(RegimeCasesTest, PutsThreeWaysInAnOrder) {
  auto cost = [](unsigned way, const Regime &regime) {
    double least[] = {1, 110, 4096};
    double ratio = queriesOf(regime) / least[way];
    return std::max(ratio, 1 / ratio);
  };
  Regime regimes[] = {at(1, 1), at(110, 1), at(4096, 1)};
  EXPECT_EQ(text(findCases(regimes, {0, 1, 2}, cost)),
            "query_len <= 10: 0, query_len <= 671: 1, else 2");
}

TEST(RegimeCasesTest, FindsNothingWhereNoBoundTells) {
  Regime same[] = {at(8, 8), at(8, 8)};
  EXPECT_EQ(text(findCases(same, {0, 1}, perQueryOrOnce)), "none");
  // The ways of the ends are the same, the one between is another.
  Regime between[] = {at(1, 1), at(64, 1), at(4096, 1)};
  EXPECT_EQ(text(findCases(between, {0, 1, 0}, perQueryOrOnce)), "none");
}

} // namespace
