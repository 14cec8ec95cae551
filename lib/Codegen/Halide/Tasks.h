//===- Tasks.h - The coordinates of a task ----------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_TASKS_H
#define ATTNC_LIB_CODEGEN_HALIDE_TASKS_H

#include "Tensors.h"

namespace attnc::halide {

/// On a CPU a call of the pipeline is one task, whose coordinates are
/// parameters. On a device one call computes all tasks: functions have the
/// number t of the task as their last dimension, in which the last coordinate
/// of the grid varies fastest.
class Tasks {
public:
  Tasks(Step &step, Tensors &tensors)
      : step(step), b(step.builder), tensors(tensors), task{} {
    if (step.isDevice)
      task = b.variable("t");
  }

  bool isDevice() const { return step.isDevice; }
  /// Of the task that expressions are written for.
  Ex coordinate(llvm::StringRef name);
  /// The number of tasks.
  Ex count();
  /// Expressions are about task `t` until the other is set again.
  void setTask(Ex t) { task = t; }
  Ex getTask() const { return task; }

  /// A function with one value per task, besides its own dimensions.
  Ex call(llvm::StringRef function, ScalarType type, llvm::ArrayRef<Ex> at);
  void define(llvm::StringRef function, llvm::ArrayRef<std::string> variables,
              Ex value);
  void update(llvm::ArrayRef<Ex> at, Ex value);

  /// A function of all tasks in the device's memory; see shareAmongThreads. `y`
  /// may be empty.
  void scheduleOnDevice(llvm::StringRef function, int stage, llvm::StringRef x,
                        llvm::StringRef y = "",
                        llvm::ArrayRef<std::string> inner = {});

private:
  Ex extentOf(const Coordinate &one);

  Step &step;
  Builder &b;
  Tensors &tensors;
  Ex task;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_TASKS_H
