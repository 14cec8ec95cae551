//===- Scope.h - Values that a kernel's regions may use ---------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_PLAN_SCOPE_H
#define ATTNC_LIB_LOWERING_PLAN_SCOPE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/StringMap.h"

namespace attnc::lowering {

/// The function's values in terms of the program.
struct Scope {
  mlir::IRMapping values;             // arguments and scalars of the function
  llvm::StringMap<mlir::Value> sizes; // values of attn.size

  /// Whether a size of a tensor type (attn::axisSize) has a value here.
  bool knows(mlir::Attribute size) const;
  /// That value: a constant, an argument, or arithmetic on arguments.
  mlir::Value sizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Attribute size) const;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_PLAN_SCOPE_H
