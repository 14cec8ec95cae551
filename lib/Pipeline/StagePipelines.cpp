//===- StagePipelines.cpp - The passes of each stage by name --------------===//
//
// What --print-passes lists, what a misspelt pass is compared with, and the
// pipelines of attnc-opt from one stage to the next. All of it is read from the
// table of stages.
// Tests: test/Tools/debugging.test, test/Tools/attnc-opt.test
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"

#include "attnc/Target/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

static constexpr Stage stagesWithPasses[] = {
    Stage::Graph, Stage::Fused, Stage::Scheduled, Stage::Tile, Stage::Llvm};

/// The names of passes in "builtin.module(a{x=1},func.func(b))": neither the
/// ops that they run on nor options.
static std::vector<std::string> namesIn(llvm::StringRef pipeline) {
  std::vector<std::string> names;
  std::string name;
  int braces = 0;
  for (char c : pipeline) {
    braces += (c == '{') - (c == '}');
    if (braces || c == '}')
      continue;
    if (c != ',' && c != '(' && c != ')') {
      name += c;
      continue;
    }
    if (c != '(' && !name.empty())
      names.push_back(name);
    name.clear();
  }
  return names;
}

/// The passes that make a stage, those of pipelines in the place of their name.
static std::vector<std::string> passNames(Stage stage) {
  registerAllPasses();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  PassManager manager(&context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  PipelineOptions options;
  options.target = &getDefaultTarget();
  if (failed(parsePassPipeline(stagePasses(stage, options), manager)))
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  return namesIn(text);
}

/// Passes of MLIR that our pipelines build in C++ are not registered.
static llvm::StringRef summaryOf(llvm::StringRef pass) {
  const PassInfo *info = PassInfo::lookup(pass);
  return info ? info->getPassDescription() : "(MLIR)";
}

bool isPassName(llvm::StringRef name) {
  return llvm::any_of(stagesWithPasses, [&](Stage stage) {
    return llvm::is_contained(passNames(stage), name.str());
  });
}

void printPasses(llvm::raw_ostream &os) {
  for (Stage stage : stagesWithPasses) {
    os << "passes to stage " << stageName(stage) << ":\n";
    for (const std::string &name : passNames(stage))
      os << llvm::formatv("  {0,-28} {1}\n", name, summaryOf(name));
  }
}

std::string similarPass(llvm::StringRef name) {
  std::string best;
  unsigned distance = name.size() / 3 + 1;
  for (Stage stage : stagesWithPasses)
    for (const std::string &known : passNames(stage))
      if (unsigned d = name.edit_distance(known); d < distance) {
        distance = d;
        best = known;
      }
  return best;
}

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("Micro-architecture, as -mcpu"),
                          llvm::cl::init("x86-64-v3")};
  Option<std::string> schedule{
      *this, "schedule", llvm::cl::desc("Part of a schedule, as --schedule"),
      llvm::cl::init("")};
  Option<bool> weightProducts{
      *this, "weight-products",
      llvm::cl::desc("Allow products of weights, as --allow-weight-products"),
      llvm::cl::init(false)};
};
} // namespace

static LogicalResult
buildStage(Stage stage, OpPassManager &manager, llvm::StringRef text,
           llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
  StageOptions chosen;
  if (failed(chosen.parseFromString(text)))
    return failure();
  PipelineOptions options;
  options.target = lookupTarget(chosen.cpu);
  if (!options.target)
    return fail("unknown cpu '" + chosen.cpu +
                "'; levels: " + listTargetNames());
  options.schedule = chosen.schedule;
  options.allowWeightProducts = chosen.weightProducts;
  return parsePassPipeline(stagePasses(stage, options), manager);
}

void registerStagePipelines() {
  for (Stage to : llvm::ArrayRef(stagesWithPasses).drop_front()) {
    llvm::StringRef from = stageName(Stage(static_cast<unsigned>(to) - 1));
    std::string name = ("attnc-" + from + "-to-" + stageName(to)).str();
    std::string description =
        ("Run all passes from stage " + from + " to stage " + stageName(to))
            .str();
    registerPassPipeline(
        name, description,
        [to](OpPassManager &manager, llvm::StringRef text,
             llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
          return buildStage(to, manager, text, fail);
        },
        [](llvm::function_ref<void(const detail::PassOptions &)> show) {
          show(StageOptions());
        });
  }
}

} // namespace attnc
