//===- StatesOnDevice.cpp - States of linear attention on a device --------===//
//
// As KernelStates.cpp, in launches. A task of the first ones is a chunk of keys
// of a head; the last one has a thread for each element of a state, which
// visits the chunks in their order:
//
//   kf(i, k, t)     feature i of key k of the chunk, with decays and factors
//   cs(i, x, t)    += kf(i, k) * value[k, x]; x after the last: kf(i, k)
//   state_n         = state_(n-1) * rt(i) + cs(i, x)
//
// The kernel's own pipeline starts a block from a state:
//
//   sp(i, x, t)    += qs(i, c) * state_n[x, c]
//   bad(i, t)       whether an element of a row of sp is not finite
//   all(i, t)       whether one of a row is bad: the block visits all keys
//
// Blocks of keys are counted from key 0, so a state ends with one.
// Tests: test/Integration/halide/linear/devices.test
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

/// A function of all tasks that is a sum or a maximum over `domain`.
void KernelWriter::scheduleSumOnDevice(StringRef function, StringRef x,
                                       StringRef y,
                                       ArrayRef<std::string> domain) {
  b.schedule(function, 0, "compute_root");
  tasks.scheduleOnDevice(function, 0, x, y);
  tasks.scheduleOnDevice(function, 1, x, y, domain);
}

/// What the keys of a chunk add to a state: "cs".
LogicalResult KernelWriter::defineStateSumsOnDevice(Ex n) {
  Ex i = b.variable("i"), x = b.variable("x");
  b.domain("cs_sum", {{b.integer(0), chunkSize()}});
  Ex k = b.variable("cs_sum.x");
  Ex term = tasks.call("kf", acc, {i, k});
  if (valueDim > 0) {
    Result value = stateValue(n, k, x);
    if (failed(value))
      return failure();
    term = b.select(b.less(x, b.integer(valueDim)), b.mul(term, *value), term);
  }
  tasks.define("cs", {"i", "x"}, b.real(0, acc));
  tasks.update({i, x}, b.add(tasks.call("cs", acc, {i, x}), term));
  scheduleSumOnDevice("cs", "i", "x", {"cs_sum.x"});
  return success();
}

/// The states before chunks, element by element.
void KernelWriter::storeStatesOnDevice() {
  Coordinate ofChunks = step.grid.back();
  step.grid.pop_back(); // what follows is of all chunks
  Ex zero = b.integer(0), one = b.integer(1);
  Ex features = b.integer(chunks->features);
  int64_t columns = valueDim + 1 + countAnchors();
  Ex last = tensors.sizeOf(chunks->last);
  auto make = [&](StringRef name) {
    std::string domain = name.str();
    Ex which = b.variable(domain + ".x"), n = b.variable(domain + ".y");
    Ex element = b.variable(domain + ".z"), head = b.variable(domain + ".w");
    Ex feature = b.make(Op::Mod, kInt32, {element, features});
    Ex column = b.div(element, features);
    tasks.setTask(b.add(b.mul(head, last), b.sub(n, one))); // the chunk's
    Ex ratio = tasks.call("rt", acc, feature);
    Ex added =
        tasks.call("cs", acc, {feature, b.min(column, b.integer(valueDim))});
    SmallVector<Ex> anchors;
    for (unsigned number = 0; number < countAnchors(); ++number)
      anchors.push_back(tasks.call(numbered("an", number), acc, feature));
    tasks.setTask(head);
    Ex number = b.select(b.equal(which, zero), n, zero);
    return Tensors::Stored{
        stateIndices(number, column, feature),
        nextState({which, n, column, feature}, ratio, added, anchors)};
  };
  tensors.storeIn(chunks->workspace,
                  {{zero, b.integer(2)},
                   {one, last},
                   {zero, b.integer(columns * chunks->features)},
                   {zero, tasks.count()}},
                  make);
  step.grid.push_back(ofChunks);
}

LogicalResult KernelWriter::writeStatesOnDevice() {
  checksKeys = false;
  Ex n = b.add(tasks.coordinate("task_n"), b.integer(1));
  Result visible = visibleKeys();
  if (failed(visible) ||
      failed(defineStateFactors(n, *visible, b.variable("i"))) ||
      failed(defineStateSumsOnDevice(n)))
    return failure();
  storeStatesOnDevice();
  return success();
}

/// Products of the queries with the state of their block, "sp", and "all":
/// whether one of them is not finite. Then the block starts without a state.
LogicalResult KernelWriter::checkStateOnDevice() {
  if (failed(defineStateRows()))
    return failure();
  Ex i = b.variable("i"), x = b.variable("x"), zero = b.integer(0);
  b.domain("sp_sum", {{zero, b.integer(chunks->features)}});
  Ex c = b.variable("sp_sum.x");
  Ex state =
      tensors.readWorkspace(chunks->workspace, stateIndices(stateNumber, x, c));
  Ex term = b.mul(tasks.call("qs", acc, {i, c}), state);
  tasks.define("sp", {"i", "x"}, b.real(0, acc));
  tasks.update({i, x}, b.add(tasks.call("sp", acc, {i, x}), term));
  scheduleSumOnDevice("sp", "x", "i", {"sp_sum.x"});
  auto define = [&](StringRef name, Ex isBad, StringRef domain) {
    Ex old = tasks.call(name, kInt32, i);
    tasks.define(name, {"i"}, zero);
    tasks.update(i, b.max(old, isBad));
    scheduleSumOnDevice(name, "i", "", {(domain + ".x").str()});
  };
  b.domain("bad_sum", {{zero, b.integer(valueDim + 1)}});
  Ex product = tasks.call("sp", acc, {i, b.variable("bad_sum.x")});
  define("bad", b.cast(isNotFinite(product), kInt32), "bad_sum");
  b.domain("all_sum", {{zero, b.integer(schedule.getQ())}});
  define("all", tasks.call("bad", kInt32, b.variable("all_sum.x")), "all_sum");
  stateNumber = b.select(b.equal(tasks.call("all", kInt32, zero), zero),
                         stateNumber, zero);
  return success();
}

} // namespace attnc::halide
