//===- SideChoice.h - Choose the block axes of ops outside kernels --------===//
//
// Tests: test/Schedule/side-ops.mlir, products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_SIDE_SIDECHOICE_H
#define ATTNC_LIB_SCHEDULE_SIDE_SIDECHOICE_H

#include "Side/SideAxes.h"

#include <optional>
#include <string>

namespace attnc::schedule {

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

/// The axes of a product of matrices, or nothing. The lanes run along `avoided`
/// only if they can run along no other axis.
std::optional<SideChoice> chooseDot(attn::ContractOp op, const SideAxes &axes,
                                    int64_t lanes,
                                    std::optional<char> avoided = {});

/// The form of a map in the blocks of the product that it reads, with the
/// letters of the map; null if it is no epilogue.
attn::BlockAttr chooseEpilogue(attn::MapOp map);

/// Why `op` cannot have `block`, whose form is epilogue; empty if it can.
std::string findEpilogueProblem(mlir::Operation *op, attn::BlockAttr block);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SIDE_SIDECHOICE_H
