//===- RegimeCopies.h - Specialize a function for regimes -------*- C++ -*-===//
//
// What a pass does that found that no way is good at all regimes: `@f` becomes
// `@f.case0`, ... and `@f`, each with some of the regimes of `attnc.expect`,
// and the interface says at which sizes a call takes which.
//
// Tests: test/Graph/split-regimes.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_REGIME_REGIMECOPIES_H
#define ATTNC_ANALYSIS_REGIME_REGIMECOPIES_H

#include "attnc/Analysis/Regime/RegimeCases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// A regime of `attnc.expect` with another value of one size, which `expect`
/// does not list.
struct MovedRegime {
  unsigned regime;
  std::string size;
  int64_t value;
};

/// Which regimes each function is for: those of the cases, then the rest.
/// Numbers after those of `attnc.expect` are those of `moved`.
struct RegimeSplit {
  llvm::SmallVector<WayCase> cases;
  llvm::SmallVector<llvm::SmallVector<unsigned>> groups;
  llvm::SmallVector<MovedRegime> moved;
};

/// Whether there is anything to tell apart, by as many cases as calls test.
bool isWorthCopies(const WayCases &found);

/// `wayOf`: the way of each regime.
RegimeSplit groupRegimes(llvm::ArrayRef<unsigned> wayOf, const WayCases &found);

/// Copies each function that `plan` finds cases for and that has none, and says
/// so in its interface; without an interface nobody could choose. The copies
/// stand before the function, in the order of the cases. A copy runs at all
/// sizes up to the border of its case, so that joins its regimes with half of
/// their weight: blocks that suit one query may be poor for fifty. Moved
/// regimes stand for such sizes and have no border. The function must have
/// `attnc.expect`.
llvm::LogicalResult splitFunctions(
    mlir::ModuleOp module,
    llvm::function_ref<std::optional<RegimeSplit>(mlir::func::FuncOp)> plan);

/// "with query_len <= 16", or "with all other sizes": the calls of this way.
std::string describeCase(const WayCases &found, unsigned way);

} // namespace attnc

#endif // ATTNC_ANALYSIS_REGIME_REGIMECOPIES_H
