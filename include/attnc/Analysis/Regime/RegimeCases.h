//===- RegimeCases.h - Select one of several versions by sizes --*- C++ -*-===//
//
// A function can be computed in several ways, and where they are compared (at
// the regimes of `expect`) no way is good everywhere. Then the call decides, by
// its sizes: the first case that holds names the way.
//
// This is about costs alone. What the ways are (orders of products, tiles) is
// the caller's business.
//
// Tests: test/Unit/Analysis/RegimeCasesTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_REGIME_REGIMECASES_H
#define ATTNC_ANALYSIS_REGIME_REGIMECASES_H

#include "attnc/Analysis/Regime/Regimes.h"

#include <optional>

namespace attnc {

/// What a way costs at some sizes, greater than 0.
using CostOfWay = llvm::function_ref<double(unsigned way, const Regime &at)>;

/// One way is good enough at a regime where it costs at most this times the
/// best: a case costs code, and costs are predictions.
inline constexpr double kWorthACase = 1.1;

/// For each regime one of as few of `ways` as are good enough everywhere;
/// of equals the first. All the same where one way will do.
llvm::SmallVector<unsigned> assignWays(llvm::ArrayRef<Regime> regimes,
                                       unsigned ways, CostOfWay cost,
                                       double worthACase = kWorthACase);

/// `way` if `when` holds: a bound of one size, up to `border` or from there on.
struct WayCase {
  unsigned way;
  InterfaceCase when;
  std::string size;
  int64_t border;
};

/// The first case that holds, else `otherwise`.
struct WayCases {
  llvm::SmallVector<WayCase> cases;
  unsigned otherwise = 0;
};

/// Bounds of sizes such that each regime gets its way of `wayOf`, and sizes
/// between the regimes the cheapest of these ways as far as bounds of one size
/// can tell; they are compared at about `points` of these sizes. Nothing if no
/// such bounds give each regime its way.
std::optional<WayCases> findCases(llvm::ArrayRef<Regime> regimes,
                                  llvm::ArrayRef<unsigned> wayOf,
                                  CostOfWay cost, unsigned points = 1000);

} // namespace attnc

#endif // ATTNC_ANALYSIS_REGIME_REGIMECASES_H
