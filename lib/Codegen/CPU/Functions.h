//===- Functions.h - The functions of one program ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_FUNCTIONS_H
#define ATTNC_LIB_CODEGEN_CPU_FUNCTIONS_H

#include "Plan/Plan.h"

namespace attnc::cpu {

/// The plans of the copies of a grid's body.
struct GridPlan {
  tile::GridOp grid;
  tile::CpuAttr target;
  Plan whole; // a whole block of queries
  Plan piece; // `tail` queries; `vectors` is 0 when there is no such copy
  mlir::Value validQueries; // of a block; null: all
};

/// Fails with a diagnostic at an op for which there is no code.
mlir::LogicalResult checkOps(tile::GridOp grid);

/// Fails with a diagnostic at `op`, which has the target, if that is not one of
/// the level in the module's attnc.target.
mlir::LogicalResult checkTarget(mlir::Operation *op, tile::CpuAttr target);

/// Plans the copies of a grid's body. Fails with a diagnostic.
mlir::FailureOr<GridPlan> planGrid(tile::GridOp grid, tile::CpuAttr target);

struct ProgramPlan {
  tile::ProgramOp program;
  std::vector<GridPlan> grids;
};

/// Writes the functions of planned programs at the end of the module.
mlir::LogicalResult emitFunctions(llvm::ArrayRef<ProgramPlan> programs);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_FUNCTIONS_H
