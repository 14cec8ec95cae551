//===- CheckStages.h - Which pass changes the meaning -----------*- C++ -*-===//
//
// --check-stages: after each pass the module is interpreted on small inputs and
// compared with what it gave before the pass. The first pass that changes the
// result is named, with the IR before and after it. A difference of integer
// inputs that do not stay exact is judged as attnc-run does.
// Tests: test/Pipeline/check-stages.test, check-stages-inexact.test,
// test/Unit/Pipeline/CheckStagesTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_CHECKSTAGES_H
#define ATTNC_PIPELINE_CHECKSTAGES_H

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Tensor.h"
#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mlir {
class Pass;
} // namespace mlir

namespace attnc {

struct PipelineOptions;

class StageChecker {
public:
  /// Watches every pass manager that is made with `options` from now on; both
  /// must outlive the checker's use.
  StageChecker(PipelineOptions &options, llvm::raw_ostream &os);

  /// The specs of the functions, if there are any: the graph is compared with
  /// their formulas before the first pass. They outlive the checker's use.
  llvm::ArrayRef<spec::AttentionSpec> specs;
  /// Values of run-time sizes; those without one get small odd ones.
  llvm::StringMap<int64_t> sizes;
  /// Where before.mlir and after.mlir of a failing pass go; empty: nowhere.
  std::string dumpFolder;

  bool failed() const { return hasFailed; }

  /// Called by the instrumentation.
  void before(mlir::ModuleOp module);
  /// The next passes run on `module`, the part for a processor.
  void beginPart(llvm::StringRef name, mlir::ModuleOp module);
  void after(mlir::Pass *pass, mlir::ModuleOp module);

private:
  /// The outputs of one function on one set of inputs.
  struct Run {
    std::string function;
    bool isInteger; // else normal
    /// Of each of its bodies: what a case computes, the others do, too.
    std::vector<std::vector<reference::Tensor>> outputs;
  };
  std::optional<std::vector<Run>> interpret(mlir::ModuleOp module);
  bool interpret(mlir::ModuleOp module, llvm::ArrayRef<Interface> functions,
                 const Interface &original, std::vector<Run> &runs);
  /// The limit of a difference that roundings of integer inputs may make, if
  /// it is kept.
  std::optional<double> inexactLimit(const Run &before,
                                     llvm::ArrayRef<reference::Tensor> after);
  /// How the graph of a spec differs from its formulas; else an empty text.
  std::string importDifference(mlir::ModuleOp module, const Run &run);
  void checkImport(mlir::ModuleOp module);
  void announce();
  void report(llvm::StringRef pass, const std::string &difference,
              mlir::ModuleOp module);

  llvm::raw_ostream &os;
  /// As before the first pass: what is called, and with which inputs.
  std::vector<Interface> originals;
  mlir::OwningOpRef<mlir::ModuleOp> first;
  std::vector<Run> last;
  std::string lastText;
  bool hasRun = false, hasFailed = false;
};

} // namespace attnc

#endif // ATTNC_PIPELINE_CHECKSTAGES_H
