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
static std::vector<std::string> passNames(Stage stage,
                                          const StageTable &table) {
  registerAllPasses();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  PassManager manager(&context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  PipelineOptions options;
  options.target = &getDefaultTarget();
  if (failed(parsePassPipeline(stagePasses(stage, options, table), manager)))
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

bool isPassName(llvm::StringRef name, const StageTable &table) {
  return llvm::any_of(table.stages(), [&](Stage stage) {
    return llvm::is_contained(passNames(stage, table), name.str());
  });
}

void printPasses(llvm::raw_ostream &os, const StageTable &table) {
  for (Stage stage : table.stages()) {
    if (table[stage].passes.empty())
      continue;
    os << "passes to stage " << table[stage].name << ":\n";
    for (const std::string &name : passNames(stage, table))
      os << llvm::formatv("  {0,-28} {1}\n", name, summaryOf(name));
  }
}

std::string similarPass(llvm::StringRef name, const StageTable &table) {
  std::string best;
  unsigned distance = name.size() / 3 + 1;
  for (Stage stage : table.stages())
    for (const std::string &known : passNames(stage, table))
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
buildStage(Stage stage, const StageTable &table, OpPassManager &manager,
           llvm::StringRef text,
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
  return parsePassPipeline(stagePasses(stage, options, table), manager);
}

void registerStagePipelines(const StageTable &table) {
  for (auto [before, to] : table.steps()) {
    llvm::StringRef from = table[before].name, name = table[to].name;
    std::string flag = ("attnc-" + from + "-to-" + name).str();
    std::string description =
        ("Run all passes from stage " + from + " to stage " + name).str();
    registerPassPipeline(
        flag, description,
        [to,
         &table](OpPassManager &manager, llvm::StringRef text,
                 llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
          return buildStage(to, table, manager, text, fail);
        },
        [](llvm::function_ref<void(const detail::PassOptions &)> show) {
          show(StageOptions());
        });
  }
}

} // namespace attnc
