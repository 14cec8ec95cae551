//===- Tf32.h - Products that may be rounded to tf32 ------------*- C++ -*-===//
//
// Tests: test/Unit/Reference/FunctionTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_TF32_H
#define ATTNC_REFERENCE_TF32_H

#include "mlir/IR/BuiltinOps.h"

namespace attnc::reference {

/// From now on plain evaluation of the functions of a module has products in
/// f32, whether they permit tf32 or not: for code that makes no use of it.
void forbidTf32(mlir::ModuleOp module);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_TF32_H
