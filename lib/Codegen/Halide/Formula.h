//===- Formula.h - Scalar ops as expressions --------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_FORMULA_H
#define ATTNC_LIB_CODEGEN_HALIDE_FORMULA_H

#include "Builder.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::halide {

class Tensors;

/// The function of the module that is exp2, exp or log2 of a scalar, after its
/// expansion: "attnc.exp2.f32".
std::string nameOfMath(llvm::StringRef function, mlir::Type type);

/// As a function of that kind, exp of an argument that is at most 0.
inline constexpr llvm::StringLiteral kExpAtMostOne = "exp_at_most_one";

/// Values of a region, or of a function of one block, as expressions.
class Formula {
public:
  Formula(Builder &builder, Tensors &tensors) : b(builder), tensors(tensors) {}

  /// What the terminator of the block yields, where its arguments are
  /// `arguments`. Emits an error at an op that has no expression.
  mlir::FailureOr<llvm::SmallVector<Ex>> run(mlir::Block &block,
                                             llvm::ArrayRef<Ex> arguments);
  mlir::FailureOr<Ex> runOne(mlir::Region &region,
                             llvm::ArrayRef<Ex> arguments);
  /// A value of the region, which reads the arguments that have a number only.
  mlir::FailureOr<Ex> runFor(mlir::Value value, mlir::Region &region,
                             llvm::ArrayRef<Ex> arguments);
  /// exp2, exp, log or log2 of `x`, of f32 or f64.
  mlir::FailureOr<Ex> math(mlir::Operation *user, llvm::StringRef function,
                           mlir::Type type, Ex x);

private:
  mlir::FailureOr<Ex> value(mlir::Value value);
  mlir::FailureOr<Ex> compute(mlir::Operation *op);
  void noteRange(mlir::Operation *op, Ex result);
  std::optional<Ex> arithmetic(mlir::Operation *op, llvm::ArrayRef<Ex> x);
  std::optional<Ex> conversion(mlir::Operation *op, llvm::ArrayRef<Ex> x);
  bool isLargeConstant(Ex x) const;
  Ex compareFloats(int64_t predicate, Ex a, Ex b);
  Ex compareIntegers(int64_t predicate, Ex a, Ex b);

  Builder &b;
  Tensors &tensors;
  llvm::DenseMap<mlir::Value, Ex> known;
};

/// Whether all ops of a block have an expression; then `run` does not fail.
bool isKnown(mlir::Block &block);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_FORMULA_H
