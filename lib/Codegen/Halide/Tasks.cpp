//===- Tasks.cpp - The coordinates of a task ------------------------------===//
//
// Tests: test/Integration/halide/opencl.test
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

using namespace mlir;

namespace attnc::halide {

Ex Tasks::extentOf(const Coordinate &one) {
  Ex size = tensors.sizeOf(one.size);
  if (one.step == 1)
    return size;
  return b.div(b.add(size, b.integer(one.step - 1)), b.integer(one.step));
}

Ex Tasks::coordinate(StringRef name) {
  if (!isDevice())
    return b.parameter(name);
  Ex rest = task;
  for (const Coordinate &one : llvm::reverse(step.grid)) {
    Ex extent = extentOf(one);
    bool isOutermost = &one == &step.grid.front();
    if (one.name != name) {
      rest = b.div(rest, extent);
      continue;
    }
    Ex index = isOutermost ? rest : b.make(Op::Mod, kInt32, {rest, extent});
    return one.step == 1 ? index : b.mul(index, b.integer(one.step));
  }
  llvm_unreachable("a coordinate that the grid lacks");
}

Ex Tasks::count() {
  Ex tasks = b.integer(1);
  for (const Coordinate &one : step.grid)
    tasks = b.mul(tasks, extentOf(one));
  return tasks;
}

Ex Tasks::call(StringRef function, ScalarType type, ArrayRef<Ex> at) {
  SmallVector<Ex> indices(at);
  if (isDevice())
    indices.push_back(task);
  return b.call(function, type, indices);
}

void Tasks::define(StringRef function, ArrayRef<std::string> variables,
                   Ex value) {
  std::vector<std::string> all = variables.vec();
  if (isDevice())
    all.push_back("t");
  b.define(function, all, value);
}

void Tasks::update(ArrayRef<Ex> at, Ex value) {
  SmallVector<Ex> indices(at);
  if (isDevice())
    indices.push_back(task);
  b.update(indices, value);
}

void Tasks::scheduleOnDevice(StringRef function, int stage, StringRef x,
                             StringRef y, ArrayRef<std::string> inner) {
  std::vector<std::string> variables{x.str()};
  if (!y.empty())
    variables.push_back(y.str());
  shareAmongThreads(b, function, stage, variables, "t", inner);
}

void shareAmongThreads(Builder &b, StringRef function, int stage,
                       ArrayRef<std::string> variables, StringRef task,
                       ArrayRef<std::string> inner) {
  std::vector<std::string> order(inner), threads;
  int64_t width = 8;
  for (const std::string &one : variables) {
    b.schedule(function, stage, "split_guarded", {one, one + "_o", one + "_i"},
               {width});
    order.push_back(one + "_o");
    threads.push_back(one + "_i");
    width = 16;
  }
  order.insert(order.end(), threads.begin(), threads.end());
  order.push_back(task.str());
  // The loops of a store are the variables of its domain, in their order, which
  // Halide would have to prove irrelevant.
  if (variables.front().find('.') == std::string::npos)
    b.schedule(function, stage, "reorder", order);
  // One loop without special cases for its ends is less code.
  b.schedule(function, stage, "never_partition");
  b.schedule(function, stage, "gpu_blocks", {task.str()});
  b.schedule(function, stage, "gpu_threads", threads);
}

} // namespace attnc::halide
