//===- Signature.h - Arguments of the program -------------------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_PLAN_SIGNATURE_H
#define ATTNC_LIB_LOWERING_PLAN_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace attnc::lowering {

/// Names of what a program takes: tensors (the function's arguments, then its
/// results), then sizes.
struct Signature {
  std::vector<std::string> tensors;
  std::vector<bool> nullable; // per tensor: the caller may pass NULL
  std::vector<std::string> sizes;
  unsigned outputs = 0; // results of the function with a buffer of their own

  /// Whether the caller may leave out a result: caches are arguments.
  bool isNullableResult(unsigned number) const {
    return number < outputs && nullable[nullable.size() - outputs + number];
  }
};

/// Results behind the outputs are arguments that the function changes in place.
/// From `attnc.interface` of the module; without that attribute from the
/// function itself: sizes are the names in its types and `attn.size` ops.
/// Emits an error when the two do not fit.
mlir::FailureOr<Signature> signatureOf(mlir::func::FuncOp function);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_PLAN_SIGNATURE_H
