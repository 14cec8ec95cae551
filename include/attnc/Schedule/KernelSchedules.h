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

/// Whether the schedule of a kernel multiplies f16 as terms of bf16.
bool multipliesTerms(mlir::Operation *kernel);

/// A schedule, a text as of `--schedule`, for the kernel of this name; empty:
/// tuning did not choose one. Messages about the name point at `namePlace`, all
/// others at `place`.
struct KernelRequest {
  llvm::StringRef kernel, schedule;
  mlir::Location namePlace, place;
};

/// Writes down requests for a module of stage fused, whose functions may still
/// be split.
void requestSchedules(mlir::ModuleOp module,
                      llvm::ArrayRef<KernelRequest> requests);

/// Hands each request to its kernel; remarks tell of kernels without one. An
/// error if no kernel has the name.
llvm::LogicalResult takeRequests(mlir::ModuleOp module);

/// The candidates of a scheduled kernel as texts, the choice first.
std::vector<std::string> candidatesOf(mlir::Operation *kernel);

} // namespace attnc

#endif // ATTNC_SCHEDULE_KERNELSCHEDULES_H
