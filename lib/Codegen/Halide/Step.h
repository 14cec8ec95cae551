//===- Step.h - One op as a grid of tasks -----------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_STEP_H
#define ATTNC_LIB_CODEGEN_HALIDE_STEP_H

#include "Builder.h"

#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::halide {

/// Where a tensor is in memory: an argument of the call, or a workspace.
struct Place {
  bool isWorkspace = false;
  unsigned number = 0;
  bool operator==(const Place &) const = default;
};

/// The function and what its ops store for each other.
struct FunctionPlan {
  mlir::func::FuncOp function;
  const Interface *interface = nullptr;
  bool isDevice = false; // see Step
  /// Results that later ops read.
  llvm::DenseMap<mlir::Value, unsigned> workspaceOf;
  std::vector<mlir::RankedTensorType> workspaces;

  /// The value of a size, if it is fixed.
  std::optional<int64_t> fixedSize(mlir::Attribute size) const;
  SizeExpr formulaOf(mlir::Attribute size) const;
  mlir::RankedTensorType typeOf(Place place) const;
};

/// A size as an attribute of a type: a number, or the text of a formula.
mlir::Attribute sizeAttribute(mlir::MLIRContext *context,
                              const SizeExpr &formula);

/// A coordinate of a task: `name` counts from 0 in steps of `step` below
/// `size`. The last coordinate varies fastest.
struct Coordinate {
  std::string name;
  mlir::Attribute size;
  int64_t step = 1;
};

inline constexpr llvm::StringLiteral kExact = "task_exact";

/// One grid. Parameters of the pipeline are "size_NAME", names of
/// coordinates ("task_..."), and "want_N": whether the caller gave tensor N.
struct Step {
  Builder builder;
  /// The pipeline launches kernels and computes all tasks; see Tasks.h.
  bool isDevice = false;
  std::vector<Place> inputs, outputs; // as in the pipeline
  std::vector<Coordinate> grid;
  /// Bytes that the pipeline allocates, at most, about: a constant, and so many
  /// for each of a size.
  int64_t scratchBytes = 0;
  mlir::Attribute scratchSize;
  int64_t scratchPerSize = 0;
  /// If not 0, the last output of the pipeline is a number, not in `outputs`:
  /// where it is not 0 the pipeline has stored nothing and runs again with the
  /// parameter kExact = 1, and so on up to this one.
  int64_t reruns = 0;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_STEP_H
