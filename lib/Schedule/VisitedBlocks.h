//===- VisitedBlocks.h - Blocks of rows that kernels visit ------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_VISITEDBLOCKS_H
#define ATTNC_LIB_SCHEDULE_VISITEDBLOCKS_H

#include "attnc/Analysis/Kernel/VisitedRows.h"
#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule {

/// The letter of a side op's result along which a block can tell whether a
/// kernel visits it; empty if it cannot, or if kernels visit all.
std::string findVisited(mlir::Operation *op, attn::BlockAttr block,
                        const VisitedRowsOf &visited);

/// Lets side ops leave out blocks that no kernel visits, where there may be
/// any: what a table bounds is known to calls only, else the regimes tell.
void leaveOutUnvisited(mlir::func::FuncOp function,
                       llvm::ArrayRef<Regime> regimes,
                       const Interface *interface);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_VISITEDBLOCKS_H
