//===- HalideRequest.h - Schedule fields that a user fixed ------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_HALIDE_HALIDEREQUEST_H
#define ATTNC_LIB_SCHEDULE_HALIDE_HALIDEREQUEST_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Target/RegisterTile.h"

#include <optional>
#include <string>

namespace attnc::schedule::halide {

/// What the user fixed; the rest is chosen.
struct HalideRequest {
  std::optional<attn::ScheduleForm> form;
  std::optional<int64_t> q, k, chunk, split, lanes;
  std::optional<RegisterTile> score, value;
  std::optional<attn::RowAxes> rowAxes;
  std::optional<::attnc::halide::Mapping> mapping;
  /// Of devices.
  std::optional<RegisterTile> group; // rows: queries, vectors: threads of each
  std::optional<int64_t> keys, features;
  std::optional<llvm::SmallVector<std::string>> shared;

  /// Reads `field = value, ...`, which may stand in `#attn.schedule<...>`, with
  /// the target's fields among them or in `target = #halide.schedule<...>`; for
  /// a device in `target = #halide.gpu_schedule<...>`.
  /// Nothing and a sentence in `error` for anything else.
  static std::optional<HalideRequest>
  parse(llvm::StringRef text, TargetKind kind, std::string &error);
};

} // namespace attnc::schedule::halide

#endif // ATTNC_LIB_SCHEDULE_HALIDE_HALIDEREQUEST_H
