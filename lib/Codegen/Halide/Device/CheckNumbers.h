//===- CheckNumbers.h - Devices without numbers of 64 bits ------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_CHECKNUMBERS_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_CHECKNUMBERS_H

#include "Step.h"

namespace attnc {
struct Target;
} // namespace attnc

namespace attnc::halide {

/// Emits an error at the first value of a type that kernels of the device
/// cannot have. Halide would throw without its place.
mlir::LogicalResult refuseWideNumbers(mlir::func::FuncOp function,
                                      const Target &target);

/// Emits an error at an integer operation that exceeds 32 bits with the sizes
/// that are fixed; the others are checked by each call.
mlir::LogicalResult checkFixedRanges(const FunctionPlan &plan, const Step &step,
                                     const Target &target);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_DEVICE_CHECKNUMBERS_H
