//===- Functions.h - Kernels and what their host asks -----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_FUNCTIONS_H
#define ATTNC_LIB_CODEGEN_NVPTX_FUNCTIONS_H

#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Target/Target.h"

namespace attnc::ptx {

/// The target of a grid: its own, or the program's.
tile::NvptxAttr targetOf(tile::GridOp grid);

/// Refuses, at the op, what the emitter has no code for on `target`.
mlir::LogicalResult checkProgram(tile::ProgramOp program, const Target &target);

/// Adds the functions of a checked program to the end of its module. An error
/// says which grid needs more shared memory than a block of `target` has.
mlir::LogicalResult emitFunctions(tile::ProgramOp program,
                                  const Target &target);

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_FUNCTIONS_H
