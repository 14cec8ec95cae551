//===- RunCase.h - One function at one set of sizes -------------*- C++ -*-===//
//
// What attnc-run does with it: call it, compare it with the reference
// (Check/RunCheck.cpp), time it (RunBench.cpp), look at its mask (RunMask.cpp),
// and tell (RunReport.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_RUNCASE_H
#define ATTNC_LIB_DRIVER_RUN_RUNCASE_H

#include "Options/CommandLine.h"
#include "Run/RunMemory.h"
#include "Run/RunnableObject.h"
#include "Tensor/TensorFiles.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Compare.h"
#include "attnc/Reference/KernelTiles.h"
#include "attnc/Reference/Tensor.h"
#include "attnc/Spec/Spec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>

namespace attnc {

using reference::CheckResult, reference::OutputCheck, reference::placeText;

struct Target;

/// A function's text at some stage, for the reference.
struct Oracle {
  mlir::func::FuncOp function;
  /// What it takes; not what the spec says where weights are packed.
  const Interface *interface = nullptr;
  /// What packs weights for it, or null.
  mlir::func::FuncOp packing;
  const Interface *packingInterface = nullptr;
};

struct ReferenceFunctions {
  Oracle graph, fused;
  /// Whose formulas the graph is of; null for a dump.
  const spec::AttentionSpec *spec = nullptr;
};

/// What the object has for a function of the spec.
struct CallPlan {
  const Interface *function = nullptr;
  Entry entry;
  /// What is called before, once for some weights; or null.
  const Interface *packing = nullptr;
  Entry packEntry;
};

/// Some calls between two measurements of the peak: the milliseconds of a call,
/// and rates in GFLOP/s.
struct BenchRound {
  double call = 0, needed = 0, peak = 0;
  double percentOfPeak() const { return peak > 0 ? 100 * needed / peak : 0; }
};

/// Figures of --bench; wall times of single calls in milliseconds.
struct BenchResult {
  double median = 0, min = 0, p95 = 0;
  int64_t calls = 0;
  int64_t bytes = 0; // of all inputs and outputs of a call
  /// The round whose share of the peak is the median.
  BenchRound round;
  bool isCpuTime = true;         // the times of rounds
  UnitKind unit = UnitKind::Fma; // of the peak
  /// Of a function with copies by sizes the one that runs, named as in
  /// --explain, and for which calls it is: "query_len <= 16".
  std::string copy, when;
};

class RunCase {
public:
  RunCase(const Interface &function, std::vector<int64_t> sizes,
          const RunOptions &options, uint64_t seed, mlir::MLIRContext *context);

  /// Takes inputs from files; an error if they do not fit.
  llvm::Error take(const TensorFiles &files) {
    return files.fill(function, inputs);
  }
  llvm::Error save(const TensorFiles &files) const {
    return files.save(function, inputs, results);
  }
  /// Makes NaN of the rows of caches that are not stored after the call, but
  /// for caches that come from files: who reads them is seen.
  void forgetUnstoredRows(mlir::func::FuncOp graph, const TensorFiles &files);
  /// Makes the tensors in memory; an error if there is no memory for them.
  llvm::Error prepare();
  /// One call of the entry; an error with the kernel's own sentence.
  llvm::Error call(const CallPlan &plan, const attnc_runtime &runtime);
  /// Makes the packed weights that the calls take.
  llvm::Error pack(const CallPlan &plan, const attnc_runtime &runtime);
  /// What a call checks: sizes and values of tables; the error says which.
  llvm::Error checkPreconditions() const;
  /// Puts the reference's results into the outputs.
  mlir::LogicalResult interpret(const ReferenceFunctions &reference);
  /// Which tiles each kernel of a function of stage scheduled computes.
  mlir::FailureOr<std::vector<reference::KernelTiles>>
  countTiles(const Oracle &scheduled) const;
  /// Compares the results of the call with the exact ones; `comparesGraph`: the
  /// imported graph, too.
  mlir::FailureOr<CheckResult> check(const ReferenceFunctions &reference,
                                     bool comparesGraph);
  /// `operand`: the type of what the unit multiplies whose peak is measured.
  mlir::FailureOr<BenchResult> bench(const CallPlan &plan,
                                     const attnc_runtime &runtime,
                                     const ReferenceFunctions &reference,
                                     const Target &target, DType operand);
  /// Seconds per call, of calls that take at least `seconds` together after one
  /// that warms up: CPU time of a single thread, else wall time.
  llvm::Expected<double> time(const CallPlan &plan,
                              const attnc_runtime &runtime, double seconds);

  const Interface &function;
  std::vector<int64_t> sizes; // of all sizes of the interface
  /// The type of the first input with elements of floating point.
  DType productType() const;
  /// Rows of all heads and batches.
  double rows() const;
  /// Scores that the unfused graph holds at once.
  double scores() const;
  /// "batch 1, query_len 1024": the run-time sizes.
  std::string describeSizes() const;

private:
  /// What the oracle takes where the spec's function takes `given`.
  mlir::FailureOr<std::vector<reference::Tensor>>
  inputsFor(const Oracle &oracle, llvm::ArrayRef<reference::Tensor> given,
            reference::Precision precision, unsigned order = 0) const;
  mlir::FailureOr<std::vector<reference::Tensor>>
  evaluate(const Oracle &oracle, llvm::ArrayRef<reference::Tensor> given,
           reference::Precision precision, unsigned order = 0) const;
  /// The exact results: by the formulas of the spec; of a dump, and of a case
  /// that is too large for that, by the oracle.
  mlir::FailureOr<std::vector<reference::Tensor>>
  evaluateExactly(const ReferenceFunctions &functions,
                  llvm::ArrayRef<reference::Tensor> given) const;
  bool isSmall() const;
  mlir::FailureOr<reference::GraphCheck>
  checkGraph(const ReferenceFunctions &functions,
             llvm::ArrayRef<reference::Tensor> plain,
             llvm::ArrayRef<reference::Tensor> wanted) const;
  /// Calls with the tensors of these names.
  llvm::Error callWith(const Interface &called, const Entry &entry,
                       const attnc_runtime &runtime) const;
  attnc_tensor *descriptorOf(llvm::StringRef name) const;
  std::vector<attnc_tensor *> descriptorsOf(const Interface &called) const;
  void forEachInOut(llvm::function_ref<void(size_t, size_t)> visit) const;
  /// Excuses places over the limit where plain evaluation is as far off when it
  /// sums in other orders.
  mlir::LogicalResult tryOrders(const Oracle &oracle,
                                llvm::ArrayRef<reference::Tensor> plain,
                                llvm::ArrayRef<reference::Tensor> exact,
                                CheckResult &result) const;
  /// Rows of which the mask allows no key have to be exactly 0.
  mlir::LogicalResult checkEmptyRows(const ReferenceFunctions &functions,
                                     llvm::ArrayRef<reference::Tensor> plain,
                                     llvm::ArrayRef<reference::Tensor> exact,
                                     CheckResult &result) const;
  /// Rows of a cache where none is stored have to be as before.
  void checkKeptRows(llvm::ArrayRef<reference::Tensor> exact,
                     CheckResult &result) const;
  double product(llvm::ArrayRef<llvm::StringRef> names) const;
  llvm::StringMap<int64_t> namedSizes() const;
  bool hasDoubles() const;
  int64_t countNobodys(const InterfaceTensor &declared,
                       const reference::Tensor &values) const;

  const RunOptions &options;
  uint64_t seed;
  mlir::MLIRContext *context;
  std::vector<reference::Tensor> inputs;
  /// What the call writes: outputs, then the new values of inputs in place.
  std::vector<reference::Tensor> results;
  std::vector<std::unique_ptr<CallTensor>> memory;
  llvm::StringMap<std::unique_ptr<CallTensor>> packedMemory;
};

/// One line of the outcome: text for people, or JSON.
void reportCase(const RunCase &run, const RunOptions &options,
                const Target &target, const std::optional<CheckResult> &check,
                const std::optional<BenchResult> &bench);
/// The outcome of --mask: text for people, or one line of JSON.
void reportTiles(const RunCase &run, const RunOptions &options,
                 const Target &target,
                 llvm::ArrayRef<reference::KernelTiles> kernels);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_RUNCASE_H
