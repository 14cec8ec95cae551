//===- Stages.h - The table of stages ---------------------------*- C++ -*-===//
//
// spec -> graph -> fused -> scheduled -> tile -> llvm -> object. Each stage is
// a module of text that parses back; its passes and its verifier stand in one
// line of the table in Stages.cpp.
// Tests: test/Pipeline
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_STAGES_H
#define ATTNC_PIPELINE_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct Target;

enum class Stage : unsigned { Spec, Graph, Fused, Scheduled, Tile, Llvm };

/// "spec", "graph", ...
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// "spec graph fused scheduled tile llvm"
std::string listStages();

/// Whether some stage has a pass of this name, such as attn-fold-scale.
bool isPassName(llvm::StringRef name);
/// The pass of some stage whose name is most like `name`; empty if none is.
std::string similarPass(llvm::StringRef name);
/// What --print-passes prints: the passes of each stage with their summaries.
void printPasses(llvm::raw_ostream &os);
/// Registers a pipeline attnc-<stage>-to-<stage> for each two neighbours.
void registerStagePipelines();

/// The passes that may be left out: those to stage fused, its verifier apart.
/// Without one the result is the same, and takes longer.
std::vector<std::string> skippablePasses();

/// What the passes are told; everything else is in the IR.
struct PipelineOptions {
  const Target *target = nullptr;
  /// Text of a #attn.schedule for all kernels; empty: chosen.
  std::string schedule;
  /// Weights may be multiplied with weights.
  bool allowWeightProducts = false;
  /// Some of skippablePasses().
  std::vector<std::string> skippedPasses;
  /// Names of passes after which the IR is printed on the standard error.
  std::vector<std::string> printAfter;
  /// Print what each pass changed.
  bool printChanged = false;
  /// Where the time of the passes is recorded; null: nowhere.
  mlir::TimingScope *timing = nullptr;
  /// Called with every pass manager before it runs (--check-stages).
  std::function<void(mlir::PassManager &)> instrument;
};

/// The dialects of every stage.
void registerDialects(mlir::DialectRegistry &registry);

/// Checks a module that was read back as stage `expected`: its ops belong to
/// that stage, and the stage's verifier passes. Errors were emitted.
mlir::LogicalResult checkStage(mlir::ModuleOp module, Stage expected);

/// Runs the passes of the stages after `from` up to `to`. The module is in
/// stage `to` afterwards and its verifier has passed; errors were emitted.
mlir::LogicalResult advance(mlir::ModuleOp module, Stage from, Stage to,
                            const PipelineOptions &options);

} // namespace attnc

#endif // ATTNC_PIPELINE_STAGES_H
