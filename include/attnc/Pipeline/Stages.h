//===- Stages.h - From stage to stage ---------------------------*- C++ -*-===//
//
// spec -> graph -> fused -> scheduled, then the stages of a backend: tile ->
// llvm -> object. Each stage is a module of text that parses back; its passes
// and its verifier are an entry of the tables (Backends.h).
// Tests: test/Pipeline
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_STAGES_H
#define ATTNC_PIPELINE_STAGES_H

#include "attnc/Target/NeutralTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct Backend;
struct Target;
class StageTable;

/// The tables of this compiler (Backends.h).
const StageTable &stageTable();

/// A stage, as its number in the table. Numbers ascend along the path of every
/// backend.
class Stage {
public:
  /// Those that all backends share; the others are known by name only.
  static const Stage Spec, Graph, Fused, Scheduled;

  constexpr explicit Stage(unsigned number) : position(number) {}
  constexpr unsigned number() const { return position; }
  friend constexpr auto operator<=>(Stage, Stage) = default;

private:
  unsigned position;
};

inline constexpr Stage Stage::Spec{0};
inline constexpr Stage Stage::Graph{1};
inline constexpr Stage Stage::Fused{2};
inline constexpr Stage Stage::Scheduled{3};

/// "spec", "graph", ...
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// "spec graph fused scheduled tile llvm"
std::string listStages(const StageTable &table = stageTable());
/// "spec graph fused scheduled"
std::string listSharedStages(const StageTable &table = stageTable());

/// Whether some stage has a pass of this name, such as attn-fold-scale.
bool isPassName(llvm::StringRef name, const StageTable &table = stageTable());
/// The pass of some stage whose name is most like `name`; empty if none is.
std::string similarPass(llvm::StringRef name,
                        const StageTable &table = stageTable());
/// What --print-passes prints: the passes of each stage with their summaries.
void printPasses(llvm::raw_ostream &os, const StageTable &table = stageTable());
/// Registers a pipeline attnc-<stage>-to-<stage> for each two neighbors. The
/// table outlives their use.
void registerStagePipelines(const StageTable &table = stageTable());

/// The passes that may be left out: those to stage fused, its verifier apart.
/// Without one the result is the same, and takes longer.
std::vector<std::string> skippablePasses();

/// What the passes are told; everything else is in the IR.
struct PipelineOptions {
  const Target *target = nullptr;
  /// Null: the first backend that compiles for the target.
  const Backend *backend = nullptr;
  /// FLOP in the time of reading one byte of memory, for what is decided before
  /// the target is (NeutralTarget.h).
  double ridge = kDefaultRidge;
  /// Text of a #attn.schedule for all kernels; empty: chosen.
  std::string schedule;
  /// How many of the best schedules of each kernel are kept, for --tune.
  unsigned candidates = 0;
  /// Weights may be multiplied with weights.
  bool allowWeightProducts = false;
  /// The object has no code for other processors: its interface may depend on
  /// the target.
  bool isOnlyPart = true;
  /// Some of skippablePasses().
  std::vector<std::string> skippedPasses;
  /// Names of passes after which the IR is printed on the standard error.
  std::vector<std::string> printAfter;
  /// Print what each pass changed.
  bool printChanged = false;
  /// Where the name of the running pass is kept; null: nowhere.
  std::string *runningPass = nullptr;
  /// A pass that crashes when it is done, to test what a crash leaves behind.
  std::string crashAfter;
  /// Where the time of the passes is recorded; null: nowhere.
  mlir::TimingScope *timing = nullptr;
  /// Called with every pass manager before it runs (--check-stages).
  std::function<void(mlir::PassManager &)> instrument;
  /// Called before the passes of one of several processors, with its name and
  /// its module (--check-stages).
  std::function<void(llvm::StringRef, mlir::ModuleOp)> beginPart;
};

/// The dialects of every stage.
void registerDialects(mlir::DialectRegistry &registry);

/// Checks a module that was read back as stage `expected`: its ops belong to
/// that stage, and the stage's verifier passes. Errors were emitted.
mlir::LogicalResult checkStage(mlir::ModuleOp module, Stage expected);

/// The backend that `options` select.
const Backend &backendOf(const PipelineOptions &options);

/// The backend of the first target in a module; null if it has none.
const Backend *backendOfDump(mlir::ModuleOp module);

/// The stage that the backend of `options` makes object code of.
Stage lastStage(const PipelineOptions &options);

/// Runs the passes of the stages after `from` up to `to`. The module is in
/// stage `to` afterwards and its verifier has passed; errors were emitted.
mlir::LogicalResult advance(mlir::ModuleOp module, Stage from, Stage to,
                            const PipelineOptions &options);

} // namespace attnc

#endif // ATTNC_PIPELINE_STAGES_H
