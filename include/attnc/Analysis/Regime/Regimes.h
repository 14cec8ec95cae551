//===- Regimes.h - Sizes to optimize for ------------------------*- C++ -*-===//
//
// A function is expected to run at some sizes more than at others: `expect` of
// a spec, `attnc.expect` of a function. Whoever chooses between two ways to
// compute the same evaluates both there, and only there.
//
// Tests: test/Schedule/select-schedule.mlir, test/Graph/reassociate-expect.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_REGIME_REGIMES_H
#define ATTNC_ANALYSIS_REGIME_REGIMES_H

#include "attnc/Interface/Interface.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace attnc {

/// Sizes at which a function is expected to run.
struct Regime {
  llvm::StringMap<int64_t> sizes;
  double weight = 1;
  /// "query_len = 1024, kv_len = 1024": the sizes that are known at run time.
  std::string text;

  /// The value of a size, an axis of a type, or a formula of sizes; 1 where it
  /// is not known.
  int64_t sizeOf(mlir::Attribute axis) const;
  int64_t sizeOf(llvm::StringRef name) const;
  /// The rows of one sequence along an axis of Q, K or V, as a call would allow
  /// it; of ragged rows those of all sequences in equal parts.
  int64_t rowsOf(mlir::Value tensor, unsigned axis) const;
};

/// The regimes of `function`: its attribute `attnc.expect`, or one of 1024
/// queries and keys. `interface` (or null) has fixed and derived sizes.
llvm::SmallVector<Regime> getRegimes(mlir::Operation *function,
                                     const Interface *interface);
/// Those of them that `expect` of the spec lists: without the border of a copy.
/// None of a copy for sizes that it does not list.
llvm::SmallVector<Regime> getExpectedRegimes(mlir::Operation *function,
                                             const Interface *interface);

} // namespace attnc

#endif // ATTNC_ANALYSIS_REGIME_REGIMES_H
