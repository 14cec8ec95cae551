//===- KernelSchedules.h - Schedules of single kernels ----------*- C++ -*-===//
//
// What a schedule file needs: the names of kernels, a request for one of them,
// and the best candidates that attn-select-schedule{candidates=N} lists.
// Tests: test/Schedule/list-candidates.test, test/Tools/Schedules
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SCHEDULE_KERNELSCHEDULES_H
#define ATTNC_SCHEDULE_KERNELSCHEDULES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace attnc {

/// A kernel by its name in schedule files: that of its function, with `/N`
/// where the function has several.
struct NamedKernel {
  std::string name;
  /// The function, one of Interface::bodies().
  llvm::StringRef body;
  mlir::Operation *kernel;
};

/// The kernels of a module from stage fused on.
std::vector<NamedKernel> listKernels(mlir::ModuleOp module);

/// Requests a schedule, a text as of `--schedule`, for a kernel of stage fused.
/// `place` is where messages about it point.
void requestSchedule(mlir::Operation *kernel, llvm::StringRef schedule,
                     mlir::Location place);

/// The candidates of a scheduled kernel as texts, the choice first.
std::vector<std::string> candidatesOf(mlir::Operation *kernel);

} // namespace attnc

#endif // ATTNC_SCHEDULE_KERNELSCHEDULES_H
