//===- NvptxRequest.h - Schedule fields that a user fixed -------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_NVPTXREQUEST_H
#define ATTNC_LIB_SCHEDULE_NVPTX_NVPTXREQUEST_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"

#include <optional>
#include <string>

namespace attnc::schedule::nvptx {

/// What the user fixed; the rest is chosen.
struct NvptxRequest {
  std::optional<int64_t> q, k, split, warps, rows, stages;
  std::optional<attn::RowAxes> rowAxes;
  std::optional<tile::NvptxMapping> mapping;
  std::optional<tile::NvptxLoads> loads;
  std::optional<bool> fastExp, sharedRows, overlap, producers, pingPong, tf32;

  /// Reads `field = value, ...`, which may stand in `#attn.schedule<...>`, with
  /// the target's fields among them or in `target = #tile.nvptx<...>`. Nothing
  /// and a sentence in `error` for anything else. `target` is the only legal
  /// architecture.
  static std::optional<NvptxRequest>
  parse(llvm::StringRef text, llvm::StringRef target, std::string &error);
};

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_NVPTXREQUEST_H
