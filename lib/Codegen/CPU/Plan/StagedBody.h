//===- StagedBody.h - The stages of a loop over keys ------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_STAGEDBODY_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_STAGEDBODY_H

#include "Plan/SteadyMaximum.h"

#include <array>

namespace attnc::cpu {

/// The body of a tile.for as a pipeline of three stages (Stages.cpp). In one
/// turn of the loop each stage works on another tile of keys.
enum class Stage : unsigned { Scores, Weights, Values };

struct StagedBody {
  /// Items by stage, in order. Scalars may belong to several stages.
  std::array<llvm::SmallVector<size_t>, 3> items;
  /// The nest of stage Weights next to whose granules products are computed.
  size_t paced = 0;
  std::optional<SteadyMaximum> steady;
  /// Of paired values (PairedValues.cpp) the item that rescales their sums.
  std::optional<size_t> rescaling;

  llvm::ArrayRef<size_t> of(Stage stage) const { return items[size_t(stage)]; }
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_STAGEDBODY_H
