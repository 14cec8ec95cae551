//===- SideAxes.h - Choose the block axes of ops outside kernels ----------===//
//
// Tests: test/Schedule/side-ops.mlir, products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_SIDEAXES_H
#define ATTNC_LIB_SCHEDULE_CPU_SIDEAXES_H

#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>

namespace attnc::schedule::cpu {

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

/// How what lies along the lanes of a product lies in memory: along the lanes,
/// or across them, along the sum.
enum class InPassing { No, Along, Across };

/// Which axes a block goes along.
struct SideChoice {
  attn::BlockForm form = attn::BlockForm::Element;
  std::string lanes, rows;
  std::string inner; // letters between the blocks of rows and of lanes
  char summed = 0;   // of form dot: the letter along which a sum goes in steps
  mlir::Value onLanes = {}; // of form dot: what lies along the lanes,
  InPassing inPassing = InPassing::No; // and how it can be read without a copy
};

/// Whether an op sums over tensors of which neighbours along `lane` are rows
/// apart.
bool liesAcross(mlir::Operation *op, char lane);

/// The axes of a product of matrices, or nothing.
std::optional<SideChoice> chooseDot(attn::ContractOp op, const SideAxes &axes,
                                    int64_t lanes);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_SIDEAXES_H
