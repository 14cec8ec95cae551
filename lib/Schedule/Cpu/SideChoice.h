//===- SideChoice.h - Choose the block axes of ops outside kernels --------===//
//
// Tests: test/Schedule/side-ops.mlir, products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_SIDECHOICE_H
#define ATTNC_LIB_SCHEDULE_CPU_SIDECHOICE_H

#include "SideAxes.h"

#include <optional>
#include <string>

namespace attnc::schedule::cpu {

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

#endif // ATTNC_LIB_SCHEDULE_CPU_SIDECHOICE_H
