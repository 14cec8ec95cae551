//===- PredictCycles.h - Compare schedules of backends ----------*- C++ -*-===//

#ifndef ATTNC_SCHEDULE_PREDICTCYCLES_H
#define ATTNC_SCHEDULE_PREDICTCYCLES_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace attnc {

struct Target;

/// What the kernels of a module at stage scheduled take: cycles of one head on
/// one core, summed over kernels, the weighted mean over the sizes of `expect`.
/// Nothing if the module has ops beside kernels, whose cycles are not
/// predicted, or a kernel that is not scheduled by `backend`.
std::optional<double> predictCycles(mlir::ModuleOp module, const Target &target,
                                    llvm::StringRef backend);

} // namespace attnc

#endif // ATTNC_SCHEDULE_PREDICTCYCLES_H
