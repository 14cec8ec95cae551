//===- SharedLanes.h - Rows of few queries in one vector --------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_SHAREDLANES_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_SHAREDLANES_H

#include "Ops.h"

namespace attnc::cpu {

/// What `apply`, a function of each lane, makes of `rows`, vectors of which
/// only the first `queries` lanes are used. It is applied to as many rows at
/// once as a vector has room for. The other lanes of the results repeat those.
mlir::SmallVector<mlir::Value>
applyToShared(Ops &ops, mlir::ArrayRef<mlir::Value> rows, int64_t queries,
              llvm::function_ref<mlir::Value(mlir::Value)> apply);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_SHAREDLANES_H
