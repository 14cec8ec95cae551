//===- Stages.cpp - The shared stages, and what is read from the tables ---===//
//
// The compiler up to stage scheduled on a page. An entry says which passes make
// a stage from the one before, as text: `attnc-opt --pass-pipeline` takes the
// same. Backends.cpp has the stages after these.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace attnc {
namespace {

constexpr StageEntry stages[] = {
    {"spec", "", ""},
    {"graph", "attn-verify-graph", "attn-verify-graph"}, // by importSpecs
    {"fused",
     "attn-view-pages," // rows of products
     "attn-distribute-products,"
     "attn-fuse-maps,"
     "canonicalize,"
     "cse,"
     "func.func(attn-distribute-values),"
     "func.func(attn-factor-values)," // before the products are ordered
     "attn-split-regimes{ridge=@ridge@ weight-products=@weights@},"
     "func.func(attn-reassociate{ridge=@ridge@ weight-products=@weights@}),"
     "attn-pack-weights{weight-products=@weights@},"
     "func.func(attn-reorder-products)|" // before fusion makes pairs of them
     "func.func(attn-fuse-rows)," // before the kernels that read the rows
     "func.func(attn-fuse-kernel),"
     "attn-fold-scale,"
     "attn-base-two,"
     "attn-split-merged-sums," // views that fusion looks for are gone
     "attn-mask-ranges,"    // after the others: it reads the final mask region
     "attn-classify-tiles," // after the segments: it mends what they are not
     "canonicalize,"
     "cse,"
     "attn-verify-fused",
     "attn-verify-fused"},
    {"scheduled",
     "func.func(attn-store-views)," // canonicalize undoes it
     "attn-split-schedules{@level@},"
     "attn-select-schedule{@level@@candidates@},"
     "attn-pack-panels{@level@ weight-products=@weights@ only-part=@only@},"
     "attn-explain-products{@level@}," // after all that choose blocks
     "attn-verify-scheduled",
     // A scheduled module is a fused one whose kernels have schedules.
     "attn-verify-fused,attn-verify-scheduled"},
};

constexpr const StageEntry *entries[] = {&stages[0], &stages[1], &stages[2],
                                         &stages[3]};

} // namespace

llvm::ArrayRef<const StageEntry *> sharedStages() { return entries; }

llvm::StringRef stageName(Stage stage) { return stageTable()[stage].name; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  return stageTable().parse(name);
}

/// "attn-reassociate" of "func.func(attn-reassociate{cpu=@cpu@})".
static llvm::StringRef passName(llvm::StringRef entry) {
  entry.consume_front("func.func(");
  return entry.take_until([](char c) { return c == '{' || c == ')'; });
}

/// Passes of the table, without those that the user leaves out.
static std::string withoutSkipped(llvm::StringRef passes,
                                  const PipelineOptions &options) {
  llvm::SmallVector<llvm::StringRef> entries;
  passes.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::erase_if(entries, [&](llvm::StringRef entry) {
    return llvm::is_contained(options.skippedPasses, passName(entry));
  });
  return llvm::join(entries, ",");
}

static std::string fillIn(std::string text, const PipelineOptions &options) {
  std::string level = "cpu=" + options.target->name.str();
  bool isCpu = options.target->kind == TargetKind::Cpu;
  if (options.backend || !isCpu) // the pass assumes that of CPUs
    level += " backend=" + backendOf(options).name.str();
  // The text form of pipelines takes a value with blanks in braces.
  if (!options.schedule.empty())
    level += " schedule={" + options.schedule + "}";
  std::string candidates;
  if (options.candidates > 0)
    candidates = " candidates=" + std::to_string(options.candidates);
  auto replace = [&](llvm::StringRef word, const std::string &by) {
    for (size_t place; (place = text.find(word)) != std::string::npos;)
      text.replace(place, word.size(), by);
  };
  replace("@level@", level);
  replace("@candidates@", candidates);
  replace("@cpu@", options.target->name.str());
  replace("@ridge@", llvm::formatv("{0}", options.ridge).str());
  replace("@weights@", options.allowWeightProducts ? "true" : "false");
  replace("@only@", options.isOnlyPart ? "true" : "false");
  return text;
}

/// The passes of a stage: those in front of the bar, and those behind it.
static std::pair<std::string, std::string>
passesOf(Stage stage, const PipelineOptions &options, const StageTable &table) {
  auto [front, back] = table[stage].passes.split('|');
  if (stage != Stage::Fused) // the only one whose passes may be left out
    return {fillIn(front.str(), options), fillIn(back.str(), options)};
  return {fillIn(withoutSkipped(front, options), options),
          fillIn(withoutSkipped(back, options), options)};
}

std::string stagePasses(Stage stage, const PipelineOptions &options,
                        const StageTable &table) {
  auto [front, back] = passesOf(stage, options, table);
  return front + (front.empty() || back.empty() ? "" : ",") + back;
}

std::string orderingPasses(const PipelineOptions &options) {
  return passesOf(Stage::Fused, options, stageTable()).first;
}

std::string fusingPasses(const PipelineOptions &options) {
  return passesOf(Stage::Fused, options, stageTable()).second;
}

std::vector<std::string> skippablePasses() {
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef> entries;
  stageTable()[Stage::Fused].passes.split(entries, ',');
  for (llvm::StringRef entry : llvm::ArrayRef(entries).drop_back())
    for (llvm::StringRef part : llvm::split(entry, '|'))
      if (std::string name = passName(part).str();
          !llvm::is_contained(names, name))
        names.push_back(name);
  return names;
}

static std::string join(llvm::ArrayRef<Stage> stages, const StageTable &table) {
  std::string list;
  for (Stage stage : stages)
    list += (list.empty() ? "" : " ") + table[stage].name.str();
  return list;
}

std::string listStages(const StageTable &table) {
  return join(table.stages(), table);
}

std::string listSharedStages(const StageTable &table) {
  return join(
      llvm::ArrayRef(table.stages()).take_front(table.sharedStages().size()),
      table);
}

} // namespace attnc
