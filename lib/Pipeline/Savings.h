//===- Savings.h - What each pass saved -------------------------*- C++ -*-===//
//
// The work of each function at each of its regimes is counted before the first
// pass and after every one. Whichever pass changed it, that is what it saved.
// Tests: test/Tools/accounting-saved.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_PIPELINE_SAVINGS_H
#define ATTNC_LIB_PIPELINE_SAVINGS_H

#include "attnc/Analysis/Cost/Work.h"

#include "mlir/Pass/PassManager.h"

namespace attnc {

/// Of one function at one regime.
struct Savings {
  struct Step {
    std::string pass;
    Work saved; // negative: it takes more than before
    Work left;  // when it had run
  };
  Work written, compiled;
  /// The passes that changed something, in their order; one that ran several
  /// times once.
  std::vector<Step> steps;
};

/// Watches the passes over one module. Passes have to run one after another
/// (a context without threads).
class SavingsWatch {
public:
  SavingsWatch(mlir::ModuleOp module, const Target &target)
      : module(module), target(target) {}

  /// To be called for each function and regime before the first pass; what it
  /// gives is the place of the savings. `sizes` has the values of all sizes.
  size_t add(llvm::StringRef function, const llvm::StringMap<int64_t> &sizes);
  void watch(mlir::PassManager &manager);
  const Savings &get(size_t place) const { return watched[place].savings; }

  /// Called by the instrumentation.
  void after(llvm::StringRef pass);

private:
  struct Watched {
    std::string function;
    Regime regime;
    Savings savings;
  };
  std::optional<Work> count(llvm::ArrayRef<Interface> functions,
                            const Watched &one) const;

  mutable mlir::ModuleOp module;
  const Target &target;
  std::vector<Watched> watched;
};

} // namespace attnc

#endif // ATTNC_LIB_PIPELINE_SAVINGS_H
