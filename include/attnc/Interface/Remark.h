//===- Remark.h - Remarks of passes -----------------------------*- C++ -*-===//
//
// A remark is about an op: of one case of a function that has cases by sizes,
// of one kernel of several. It knows of which, for --explain. Tests:
// test/Tools/explain-kernels.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_INTERFACE_REMARK_H
#define ATTNC_INTERFACE_REMARK_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace attnc {

/// A remark about an op, which knows for which case of its function it is, if
/// there are cases by now.
mlir::InFlightDiagnostic remarkOn(mlir::Operation *op);

/// The body that a remark of `remarkOn` is about; empty: all bodies.
std::string bodyOf(mlir::Diagnostic &remark);

/// The location of kernel `number` of a function: of its scores and of the
/// product with its values, which may be the formula of several kernels.
mlir::Location nameKernel(unsigned number, mlir::Location scores,
                          mlir::Location values);

/// The number in such a location; 0 in others.
unsigned kernelNumberOf(mlir::Location location);

/// "kernel 2 at 8:38" of such a location; empty for others.
std::string describeKernel(mlir::Location location);

} // namespace attnc

#endif // ATTNC_INTERFACE_REMARK_H
