//===- EqualGrids.h - Grids that one function can run -----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_EQUALGRIDS_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_EQUALGRIDS_H

#include "attnc/Dialect/Tile/Tile.h"

#include <vector>

namespace attnc::cpu {

/// Which code a grid runs.
struct GridCode {
  unsigned owner;        // the number of the first grid with this code
  bool isShared = false; // whether several grids run it
  /// The grid's tensors and workspaces in the positions in which the grids that
  /// share the code differ.
  mlir::SmallVector<mlir::Value> buffers = {};
};

/// Grids of one program, or of programs with the same arguments, share code if
/// they differ only in their buffers: tensors of the call of one type, or
/// workspaces of the same sizes.
std::vector<GridCode> findEqualGrids(mlir::ArrayRef<tile::GridOp> grids);

/// Whether elements of the buffer are read one by one.
bool isReadByElement(mlir::Value buf);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_EQUALGRIDS_H
