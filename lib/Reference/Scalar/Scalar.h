//===- Scalar.h - Meaning of one arith or math op on numbers ----*- C++ -*-===//
//
// Tests: test/Unit/Reference/FunctionTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_SCALAR_SCALAR_H
#define ATTNC_LIB_REFERENCE_SCALAR_SCALAR_H

#include "Scalar/Column.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace attnc::reference {

/// How real arithmetic is done.
struct Arithmetic {
  /// True: every result is rounded to the type that its op has in the IR, as
  /// plain unfused code would. False: no rounding, also not by arith.truncf;
  /// this is the meaning of the formula.
  bool rounded = false;
  /// In which order sums of features and of keys go (SumOrder.h).
  unsigned order = 0;
  /// True: a comparison, and a rank, is of numbers of the type that the IR
  /// says. What a type cannot tell apart is equal then, also without other
  /// roundings.
  bool comparesTyped = false;
  /// With `rounded`: f32 operands of products are rounded to tf32 (Tf32.h).
  bool roundsToTf32 = false;

  template <typename Real> Real round(Real value, mlir::Type type) const;
  /// What of `value` is compared.
  template <typename Real> Real compared(Real value, mlir::Type type) const;
};

/// The column of the result of one op of the dialects arith or math, element by
/// element over `operands`. Division by zero gives 0 for integers. Fails with
/// an error at `op` if the reference does not know it.
template <typename Real>
mlir::FailureOr<Column<Real>>
evaluateScalarOp(mlir::Operation *op,
                 llvm::ArrayRef<const Column<Real> *> operands,
                 Arithmetic arithmetic);

/// Integer division that rounds towards minus infinity; 0 if `b` is 0.
int64_t floorDivide(int64_t a, int64_t b);

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_SCALAR_SCALAR_H
