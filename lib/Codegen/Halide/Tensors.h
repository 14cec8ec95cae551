//===- Tensors.h - Elements of tensors, read and stored ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_TENSORS_H
#define ATTNC_LIB_CODEGEN_HALIDE_TENSORS_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"

namespace attnc::halide {

/// Schedules a stage on a device: a group of 8 threads, or 8 x 16, runs over
/// the indices of one or two variables, and each thread over those of `inner`.
/// Each value of the variable `task` has a group. Parts of a variable v are
/// called v_o and v_i, so that those of a domain's variable are named as such.
void shareAmongThreads(Builder &b, llvm::StringRef function, int stage,
                       llvm::ArrayRef<std::string> variables,
                       llvm::StringRef task,
                       llvm::ArrayRef<std::string> inner = {});

class Tensors {
public:
  Tensors(const FunctionPlan &plan, Step &step)
      : plan(plan), step(step), b(step.builder) {}

  /// Of 32 bits.
  Ex sizeOf(mlir::Attribute size);
  Ex extentOf(mlir::Value tensor, unsigned axis) {
    return sizeOf(attn::axisSize(tensor.getType(), axis));
  }
  /// The element at indices of 32 bits, which are in range. Views and formulas
  /// that no op stores are computed here. Emits an error.
  mlir::FailureOr<Ex> element(mlir::Value tensor, llvm::ArrayRef<Ex> indices);
  /// What the formula of a map gives there.
  mlir::FailureOr<Ex> formulaOf(attn::MapOp map, llvm::ArrayRef<Ex> indices);
  /// The value of attn.read at indices of a formula.
  mlir::FailureOr<Ex> readClamped(attn::ReadOp read,
                                  llvm::ArrayRef<Ex> indices);

  /// Stores `value` at `indices` of an op's result wherever it goes, over the
  /// variables of a domain: `dims` are those of the letters that are not fixed
  /// by the task. `make` writes indices and value for the domain of a name.
  struct Stored {
    llvm::SmallVector<Ex> indices;
    Ex value;
    /// Conditions of the store, besides those of the destination.
    llvm::SmallVector<Ex> where = {};
    /// The value is an element of a function in memory.
    bool isCopy = false;
  };
  mlir::LogicalResult
  store(mlir::Value result, llvm::ArrayRef<std::pair<Ex, Ex>> dims,
        llvm::function_ref<mlir::FailureOr<Stored>(llvm::StringRef)> make);
  /// Stores in a workspace that is the result of no op.
  void storeIn(unsigned workspace, llvm::ArrayRef<std::pair<Ex, Ex>> dims,
               llvm::function_ref<Stored(llvm::StringRef)> make);
  /// The function that stores in a workspace.
  static std::string nameOfStored(unsigned workspace);
  Ex readWorkspace(unsigned workspace, llvm::ArrayRef<Ex> indices);
  /// Stores rows in the cache of attn.append; `make` gives indices in the rows.
  mlir::LogicalResult
  storeRows(attn::AppendOp append, llvm::ArrayRef<std::pair<Ex, Ex>> dims,
            llvm::function_ref<mlir::FailureOr<Stored>(llvm::StringRef)> make);

private:
  struct Destination {
    Place place;
    llvm::SmallVector<Ex> indices;
    llvm::SmallVector<Ex> where;
  };
  /// The value of `stored` over a domain called `name`.
  void storeAt(const Destination &to, llvm::StringRef name,
               llvm::ArrayRef<std::pair<Ex, Ex>> dims, const Stored &stored,
               ScalarType type);
  void scheduleCopies(llvm::StringRef function, llvm::StringRef domain,
                      const Destination &to, Ex extent);
  mlir::LogicalResult destinations(mlir::Value value,
                                   llvm::ArrayRef<Ex> indices,
                                   llvm::ArrayRef<Ex> where,
                                   llvm::SmallVectorImpl<Destination> &list);
  llvm::SmallVector<Ex> throughView(attn::ViewOp view, bool toResult,
                                    llvm::ArrayRef<Ex> indices);
  mlir::FailureOr<Ex> unpacked(attn::UnpackOp op, llvm::ArrayRef<Ex> indices);
  mlir::FailureOr<Ex> paged(attn::PagesOp op, llvm::ArrayRef<Ex> indices);
  Ex readBuffer(Place place, mlir::Type element, llvm::ArrayRef<Ex> indices);
  mlir::FailureOr<Ex> tableEntry(mlir::Value table, llvm::ArrayRef<Ex> indices);
  Ex clamped(Ex index, Ex extent);
  int rangeOf(Place place, ScalarType type);
  Ex whereStored(Ex condition, Ex element);

  const FunctionPlan &plan;
  Step &step;
  Builder &b;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_TENSORS_H
