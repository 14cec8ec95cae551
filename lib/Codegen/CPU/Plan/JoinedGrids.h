//===- JoinedGrids.h - Grids that run unit by unit --------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_JOINEDGRIDS_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_JOINEDGRIDS_H

#include "attnc/Dialect/Tile/Tile.h"

#include <vector>

namespace attnc::cpu {

/// For each grid of a program the number of leading axes in which it is joined
/// to the grid before: a task may run once all tasks of that grid, and of those
/// that it is joined to, with the same indices on these axes have run. 0: not
/// joined, so it waits for all of their tasks.
std::vector<unsigned> findJoinedGrids(tile::ProgramOp program);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_JOINEDGRIDS_H
