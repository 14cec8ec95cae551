//===- Stages.cpp - The table of stages -----------------------------------===//
//
// The whole compiler on a page. A stage's line says which passes make it from
// the stage before, as text: `attnc-opt --pass-pipeline` takes the same.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"

#include "attnc/Target/Target.h"

#include "llvm/ADT/StringExtras.h"

namespace attnc {
namespace {

struct StageEntry {
  llvm::StringLiteral name;
  /// The passes from the stage before; @word@ stands for what the user chose.
  /// `|` is a comma: in front of it is chosen what is multiplied, in which
  /// order. The last pass is the stage's verifier.
  llvm::StringLiteral passes;
  /// The passes that check a dump of the stage when it is read back.
  llvm::StringLiteral verifiers;
};

constexpr StageEntry stages[] = {
    {"spec", "", ""},
    {"graph", "attn-verify-graph", "attn-verify-graph"}, // by importSpecs
    {"fused",
     "attn-distribute-products,"
     "attn-fuse-maps,"
     "canonicalize,"
     "cse,"
     "func.func(attn-distribute-values),"
     "func.func(attn-factor-values)," // before the products are ordered
     "attn-split-regimes{cpu=@cpu@ weight-products=@weights@},"
     "func.func(attn-reassociate{cpu=@cpu@ weight-products=@weights@}),"
     "attn-pack-weights{weight-products=@weights@},"
     "func.func(attn-reorder-products)|" // before fusion makes pairs of them
     "func.func(attn-fuse-rows)," // before the kernels that read the rows
     "func.func(attn-fuse-kernel),"
     "attn-split-groups{cpu=@cpu@},"
     "func.func(attn-merge-groups{cpu=@cpu@}),"
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
     "attn-select-schedule{@schedule@},"
     "attn-verify-scheduled",
     // A scheduled module is a fused one whose kernels have schedules.
     "attn-verify-fused,attn-verify-scheduled"},
    {"tile",
     "convert-attn-to-tile,"
     "canonicalize,"
     "cse,"
     "tile-verify-program",
     "tile-verify-program"},
    {"llvm", "tile-to-llvm{target=@cpu@}", ""},
};

} // namespace

llvm::StringRef stageName(Stage stage) {
  return stages[static_cast<unsigned>(stage)].name;
}

std::optional<Stage> parseStage(llvm::StringRef name) {
  for (auto [i, entry] : llvm::enumerate(stages))
    if (entry.name == name)
      return static_cast<Stage>(i);
  return std::nullopt;
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
  std::string schedule = "cpu=" + options.target->name.str();
  // The text form of pipelines takes a value with blanks in braces.
  if (!options.schedule.empty())
    schedule += " schedule={" + options.schedule + "}";
  auto replace = [&](llvm::StringRef word, const std::string &by) {
    for (size_t place; (place = text.find(word)) != std::string::npos;)
      text.replace(place, word.size(), by);
  };
  replace("@schedule@", schedule);
  replace("@cpu@", options.target->name.str());
  replace("@weights@", options.allowWeightProducts ? "true" : "false");
  return text;
}

/// The passes of a stage: those in front of the bar, and those behind it.
static std::pair<std::string, std::string>
passesOf(Stage stage, const PipelineOptions &options) {
  auto [front, back] = stages[static_cast<unsigned>(stage)].passes.split('|');
  if (stage != Stage::Fused) // the only one whose passes may be left out
    return {fillIn(front.str(), options), fillIn(back.str(), options)};
  return {fillIn(withoutSkipped(front, options), options),
          fillIn(withoutSkipped(back, options), options)};
}

std::string stagePasses(Stage stage, const PipelineOptions &options) {
  auto [front, back] = passesOf(stage, options);
  return front + (front.empty() || back.empty() ? "" : ",") + back;
}

std::string verifyingPasses(Stage stage) {
  return stages[static_cast<unsigned>(stage)].verifiers.str();
}

std::string orderingPasses(const PipelineOptions &options) {
  return passesOf(Stage::Fused, options).first;
}

std::string fusingPasses(const PipelineOptions &options) {
  return passesOf(Stage::Fused, options).second;
}

std::vector<std::string> skippablePasses() {
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef> entries;
  stages[static_cast<unsigned>(Stage::Fused)].passes.split(entries, ',');
  for (llvm::StringRef entry : llvm::ArrayRef(entries).drop_back())
    for (llvm::StringRef part : llvm::split(entry, '|'))
      if (std::string name = passName(part).str();
          !llvm::is_contained(names, name))
        names.push_back(name);
  return names;
}

std::string listStages() {
  std::string list;
  for (const StageEntry &entry : stages)
    list += (list.empty() ? "" : " ") + entry.name.str();
  return list;
}

} // namespace attnc
