//===- FetchAhead.h - Addresses of what later tasks read --------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHAHEAD_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHAHEAD_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Whether a value is known, or follows from such by arithmetic and reads of
/// tables.
bool isCheap(Value value, const mlir::IRMapping &scalars);

void forgetScalars(Block &block, mlir::IRMapping &scalars);

/// Gives the scalars of a grid's body the values of the task after the one at
/// hand: the next one of the last axis, or behind its end of the axis before.
/// The first task follows the last one.
void bindNextTask(Ops &ops, tile::GridOp grid, mlir::IRMapping &scalars);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHAHEAD_H
