//===- SideAxes.h - Axes of ops outside kernels -----------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_SIDE_SIDEAXES_H
#define ATTNC_LIB_SCHEDULE_SIDE_SIDEAXES_H

#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>

namespace attnc::schedule {

/// The letters of a side op and their sizes.
struct SideAxes {
  std::string result; // letters along which vectors may lie
  llvm::SmallDenseMap<char, int64_t> sizes; // dynamic ones: kOpen

  static constexpr int64_t kOpen = 1 << 20;

  static SideAxes of(mlir::Operation *op);
  void add(llvm::StringRef letters, mlir::Value tensor);
  int64_t sizeOf(char letter) const { return sizes.lookup(letter); }
  /// The letter that fills vectors best; of equals the last one.
  std::optional<char> bestLanes(llvm::StringRef letters, int64_t lanes) const;
  std::optional<char> largest(llvm::StringRef letters) const;
};

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SIDE_SIDEAXES_H
