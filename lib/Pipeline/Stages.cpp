//===- Stages.cpp - The table of stages -----------------------------------===//
//
// The whole compiler on a page. A stage's line says which passes make it from
// the stage before, as text: `attnc-opt --pass-pipeline` takes the same.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Stages.h"

#include "PassTable.h"

#include "attnc/Target/Target.h"

namespace attnc {
namespace {

struct StageEntry {
  llvm::StringLiteral name;
  /// The passes from the stage before; @word@ stands for what the user chose.
  /// `|` is a comma: in front of it is chosen what is multiplied, in which
  /// order.
  llvm::StringLiteral passes;
};

constexpr StageEntry stages[] = {
    {"spec", ""},
    {"graph", "attn-verify-graph"}, // made by importSpecs
    {"fused",
     "attn-distribute-products,"
     "attn-fuse-maps,"
     "canonicalize,"
     "cse,"
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
     "attn-verify-fused"},
    {"scheduled", "func.func(attn-store-views)," // canonicalize undoes it
                  "attn-select-schedule{@schedule@},"
                  "attn-verify-scheduled"},
    {"tile", "convert-attn-to-tile,"
             "canonicalize,"
             "cse,"
             "tile-verify-program"},
    {"llvm", "tile-to-llvm{target=@cpu@}"},
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

static std::string fillIn(std::string text, const PipelineOptions &options) {
  std::string schedule = "cpu=" + options.target->name.str();
  // The text form of pipelines takes a value with blanks in braces.
  if (!options.schedule.empty())
    schedule += " schedule={" + options.schedule + "}";
  auto replace = [&](llvm::StringRef word, const std::string &by) {
    for (size_t place; (place = text.find(word)) != std::string::npos;)
      text.replace(place, word.size(), by);
  };
  replace("|", ",");
  replace("@schedule@", schedule);
  replace("@cpu@", options.target->name.str());
  replace("@weights@", options.allowWeightProducts ? "true" : "false");
  return text;
}

std::string stagePasses(Stage stage, const PipelineOptions &options) {
  return fillIn(stages[static_cast<unsigned>(stage)].passes.str(), options);
}

std::string orderingPasses(const PipelineOptions &options) {
  llvm::StringRef passes = stages[static_cast<unsigned>(Stage::Fused)].passes;
  return fillIn(passes.split('|').first.str(), options);
}

std::string fusingPasses(const PipelineOptions &options) {
  llvm::StringRef passes = stages[static_cast<unsigned>(Stage::Fused)].passes;
  return fillIn(passes.split('|').second.str(), options);
}

std::string listStages() {
  std::string list;
  for (const StageEntry &entry : stages)
    list += (list.empty() ? "" : " ") + entry.name.str();
  return list;
}

} // namespace attnc
