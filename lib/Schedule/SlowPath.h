//===- SlowPath.h - Warn about slow paths -----------------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_SLOWPATH_H
#define ATTNC_LIB_SCHEDULE_SLOWPATH_H

#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::schedule {

/// Warns, with the id `slow-path`, about each part of the function that is
/// compiled right but not fast, and says why; in a copy for some sizes, for
/// which calls. `interface` may be null. `isChosen`: whether the schedule of a
/// kernel was chosen by its predicted time.
void warnAboutSlowPaths(mlir::func::FuncOp function, const Target &target,
                        const Interface *interface,
                        llvm::function_ref<bool(mlir::Operation *)> isChosen);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SLOWPATH_H
