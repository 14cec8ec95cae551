//===- KernelOnDevice.cpp - A kernel as launches of a device --------------===//
//
// Form online, for all tasks at once. A group of threads computes a task, one
// query per thread along x:
//
//   rows(i, c, t), ...              in global memory, by a launch of its own
//   res(i, x, t) = st(i, x, t)      one launch: blocks are groups
//     for each block j of keys that some query of the task sees:
//       s(i, k)     bits of the score; a tag where the pair is masked
//       bm(i), bl(i), p(i, r), bv(i, e)
//       st(i, x)    merged, the maximum last
//   outputs                         one launch each
//
// The tag is a NaN that no operation makes. It is never added, so that NaNs in
// masked rows of V do not reach the result.
//
// Two faults of Halide 21 shape this. Shared arrays that are only read inside a
// loop lose their memory to those written in it, so rows are in global memory.
// Where a condition of a domain can be solved for its variable, stages get
// conditions of their own with barriers inside, so the bounds of the loop over
// blocks are unknown to Halide until it has lowered it (Plugin/TrimLoops.cpp).
// Tests: test/Integration/halide/opencl.test
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

static ScalarType bitsOf(ScalarType type) { return {Kind::Int, type.bits}; }

/// The bits of a masked score or weight.
Ex KernelWriter::tag() {
  return b.integer(acc.bits == 64 ? 0x7ffdeadbeef00000 : 0x7fdeadbe,
                   bitsOf(acc));
}

Ex KernelWriter::isTagged(Ex bits) { return b.equal(bits, tag()); }

/// A key of block `block`, counted from the first one of the part: an index of
/// a function must not depend on the task, whose remainders Halide cannot
/// bound.
Ex KernelWriter::keyAt(Ex block, Ex inside) {
  return b.add(b.mul(block, b.integer(schedule.getK())), inside);
}

void KernelWriter::scheduleRowsOnDevice(StringRef function) {
  b.schedule(function, 0, "bound", {"i"}, {0, schedule.getQ()});
  tasks.scheduleOnDevice(function, 0, "c", "i");
}

/// The condition that a query of the task sees a key of block `block`.
SmallVector<Ex> KernelWriter::visitedWhere(Ex block) {
  bool isPart = kernel.hasRanges() || parts || chunks; // may begin or end early
  if (!tasks.isDevice() || !isPart)
    return {};
  Ex zero = b.integer(0), start = parts ? firstKeyOfPart() : zero;
  Ex from = b.max(b.sub(first, start), zero);
  Ex to = b.max(b.sub(b.add(first, count), start), zero);
  return {b.make(Op::Within, kBool,
                 {block, b.div(from, b.integer(schedule.getK())),
                  divideUp(to, schedule.getK())})};
}

/// Where the products of a block are computed. Of form chunked, few blocks
/// count, and not every device has loops over them only. Otherwise the
/// conditions, which are in the innermost loops, cost what they save (PoCL).
SmallVector<Ex> KernelWriter::computedWhere(Ex block) {
  return chunks ? visitedWhere(block) : SmallVector<Ex>();
}

/// An array of a block of keys, or of the whole loop over them.
void KernelWriter::placeOnDevice(StringRef function, StringRef array) {
  bool isState = function == "st";
  b.schedule(function, 0, "compute_at",
             isState ? ArrayRef<std::string>{"res", "t"}
                     : ArrayRef<std::string>{"st", "merge.y"});
  bool isShared = array.empty() || device.hasShared(array);
  b.schedule(function, 0, isShared ? "in_shared" : "on_heap");
  b.schedule(function, 0, "bound", {"i"}, {0, schedule.getQ()});
}

/// `product`, the sum over a domain of its own, in registers of a thread of
/// `user`: `width` indices `along`.
void KernelWriter::scheduleProductOnDevice(StringRef product, StringRef user,
                                           StringRef along, int64_t width) {
  std::string y = along.str(), sum = (product + "_sum.x").str();
  b.schedule(product, 0, "compute_at", {user.str(), along == "k" ? "i" : "eo"});
  b.schedule(product, 0, "in_registers");
  b.schedule(product, 0, "bound_extent", {"i"}, {1});
  b.schedule(product, 0, "bound_extent", {y}, {width});
  b.schedule(product, 0, "unroll", {y});
  b.schedule(product, 1, "reorder", {y, sum});
  b.schedule(product, 1, "unroll", {y});
}

LogicalResult KernelWriter::defineScoresOnDevice() {
  Ex i = b.variable("i"), k = b.variable("k");
  if (failed(defineRowsOfSums()) || failed(defineSums("qk")))
    return failure();
  FailureOr<Ex> score = ofSums(kernel.getScore(), "qk", i, k);
  if (failed(score))
    return failure();
  Ex visible = b.less(keyInTensor(k),
                      tensors.extentOf(kernel.getK(), kernel.getKeyAxis()));
  if (masks) {
    FailureOr<Ex> mask = maskOf("qk", i, k);
    if (failed(mask))
      return failure();
    visible = b.both(visible, *mask);
  }
  // By bits, as Builder::keepWhere; every NaN that is no tag is the same one.
  ScalarType type = bitsOf(acc);
  Ex nan = b.integer(acc.bits == 64 ? 0x7ff8000000000000 : 0x7fc00000, type);
  Ex bits =
      b.select(b.make(Op::IsNan, kBool, *score), nan, b.bitcast(*score, type));
  Ex zero = b.integer(0, type), ones = b.integer(-1, type);
  Ex kept = b.make(Op::And, type, {bits, b.select(visible, ones, zero)});
  tasks.define("s", {"i", "k"},
               b.make(Op::Or, type, {kept, b.select(visible, zero, tag())}));
  if (!kernel.hasGate())
    return success();
  if (failed(defineSums("qg")))
    return failure();
  FailureOr<Ex> gate = ofSums(kernel.getGate(), "qg", i, k);
  if (failed(gate))
    return failure();
  tasks.define("gate", {"i", "k"}, *gate);
  return success();
}

/// The maximum, the weights, their sum and the values of block j.
LogicalResult KernelWriter::defineBlockOnDevice() {
  Ex i = b.variable("i"), j = b.variable("j"), r = b.variable("r");
  Ex e = b.variable("e"), zero = b.real(0, acc), shift = zero;
  ScalarType bits = bitsOf(acc);
  b.domain("block", {{b.integer(0), b.integer(schedule.getK())}});
  Ex at = b.variable("block.x");
  if (norm.isSoftmax()) {
    Ex m = tasks.call("bm", acc, {i, j});
    // A tag is less than nothing.
    Ex s = b.bitcast(tasks.call("s", bits, {i, keyAt(j, at)}), acc);
    tasks.define("bm", {"i", "j"}, lowest());
    tasks.update({i, j}, b.select(b.less(m, s), s, m));
    shift = b.select(b.equal(m, lowest()), zero, m);
  }
  Ex score = tasks.call("s", bits, {i, keyAt(j, r)});
  FailureOr<Ex> weight = weigh(b.bitcast(score, acc), shift);
  if (failed(weight))
    return failure();
  tasks.define("p", {"i", "r", "j"},
               b.select(isTagged(score), tag(), b.bitcast(*weight, bits)));
  Ex p = tasks.call("p", bits, {i, at, j});
  tasks.define("bl", {"i", "j"}, zero);
  tasks.update({i, j}, b.add(tasks.call("bl", acc, {i, j}),
                             b.select(isTagged(p), zero, b.bitcast(p, acc))));
  if (valueDim == 0)
    return success();
  b.domain("pv_sum", {{b.integer(0), b.integer(schedule.getK())}},
           computedWhere(j));
  Ex inside = b.variable("pv_sum.x"), key = keyAt(j, inside);
  p = tasks.call("p", bits, {i, inside, j});
  std::optional<Ex> gate;
  if (kernel.hasGate())
    gate = tasks.call("gate", acc, {i, key});
  FailureOr<Ex> term = contribution(b.bitcast(p, acc), gate, i, key, e);
  if (failed(term))
    return failure();
  tasks.define("pv", {"i", "e", "j"}, zero);
  tasks.update({i, e, j}, b.add(tasks.call("pv", acc, {i, e, j}),
                                b.select(isTagged(p), zero, *term)));
  tasks.define("bv", {"i", "e", "j"}, tasks.call("pv", acc, {i, e, j}));
  return success();
}

/// States the extents of an array of one block, which Halide cannot prove:
/// `extent` indices `along`. Not every interface launches groups whose sizes
/// are run-time values.
void KernelWriter::fixExtents(StringRef function, StringRef along,
                              int64_t extent) {
  if (!along.empty())
    b.schedule(function, 0, "bound_extent", {along.str()}, {extent});
  if (function != "s" && function != "gate")
    b.schedule(function, 0, "bound_extent", {"j"}, {1});
}

void KernelWriter::scheduleOnDevice() {
  auto scores = [&](StringRef function, StringRef sums) {
    placeOnDevice(function, "scores");
    fixExtents(function, "k", schedule.getK());
    b.schedule(function, 0, "split_rounded", {"k", "ko", "ki"},
               {device.getKeys()});
    b.schedule(function, 0, "reorder", {"ki", "i", "ko"});
    b.schedule(function, 0, "gpu_threads", {"i", "ko"});
    b.schedule(function, 0, "unroll", {"ki"});
    for (unsigned number = 0; number < kernel.getSums().size(); ++number)
      scheduleProductOnDevice(numbered(sums, number), function, "k",
                              device.getKeys());
  };
  auto rows = [&](StringRef function) { // a thread for each query
    placeOnDevice(function, "");
    fixExtents(function);
    for (int stage : {0, 1})
      b.schedule(function, stage, "gpu_threads", {"i"});
  };
  scores("s", "qk");
  if (kernel.hasGate())
    scores("gate", "qg");
  if (norm.isSoftmax())
    rows("bm");
  placeOnDevice("p", "weights");
  fixExtents("p", "r", schedule.getK());
  b.schedule("p", 0, "split_rounded", {"r", "ro", "ri"}, {device.getKeys()});
  b.schedule("p", 0, "reorder", {"ri", "i", "ro"});
  b.schedule("p", 0, "gpu_threads", {"i", "ro"});
  rows("bl");
  if (valueDim > 0) {
    placeOnDevice("bv", "values");
    fixExtents("bv");
    int64_t features = device.getFeatures(), threads = device.getGroup()[1];
    b.schedule("bv", 0, "split_rounded", {"e", "eo", "em"},
               {features * threads});
    b.schedule("bv", 0, "split", {"em", "ey", "ei"}, {features});
    b.schedule("bv", 0, "reorder", {"ei", "eo", "i", "ey"});
    b.schedule("bv", 0, "gpu_threads", {"i", "ey"});
    b.schedule("bv", 0, "unroll", {"ei"});
    scheduleProductOnDevice("pv", "bv", "e", features);
  }
  placeOnDevice("st", "state");
  b.schedule("st", 0, "bound", {"x"}, {0, valueDim + 2});
  b.schedule("st", 0, "reorder", {"x", "i"});
  b.schedule("st", 0, "gpu_threads", {"i"});
  b.schedule("st", 1, "reorder", {"merge.x", "i", "merge.y"});
  b.schedule("st", 1, "gpu_threads", {"i"});
  b.schedule("st", 1, "never_partition");
  b.schedule("res", 0, "compute_root");
  b.schedule("res", 0, "bound", {"i"}, {0, schedule.getQ()});
  b.schedule("res", 0, "bound", {"x"}, {0, valueDim + 2});
  b.schedule("res", 0, "reorder", {"x", "i", "t"});
  b.schedule("res", 0, "never_partition");
  b.schedule("res", 0, "gpu_blocks", {"t"});
  b.schedule("res", 0, "gpu_threads", {"i"});
}

LogicalResult KernelWriter::defineOnDevice() {
  if (failed(defineScoresOnDevice()) || failed(defineBlockOnDevice()))
    return failure();
  Ex size = b.integer(schedule.getK()), j = b.variable("merge.y");
  Ex keys = parts ? tensors.sizeOf(parts->length)
                  : tensors.extentOf(kernel.getK(), kernel.getKeyAxis());
  Ex blocks = b.div(b.add(keys, b.integer(schedule.getK() - 1)), size);
  if (failed(defineState()) || failed(mergeBlocks("", blocks, visitedWhere(j))))
    return failure();
  Ex i = b.variable("i"), x = b.variable("x"), e = b.variable("e");
  tasks.define("res", {"i", "x"}, tasks.call("st", acc, {i, x}));
  step.scratchBytes = 0;
  step.scratchSize = nullptr;
  scheduleOnDevice();
  if (parts) {
    step.grid.pop_back(); // what follows is of all parts
    return defineMerged();
  }
  auto column = [&](Ex at) { return tasks.call("res", acc, {i, at}); };
  tasks.define("l", {"i"}, column(b.integer(valueDim)));
  tasks.define("m", {"i"}, column(b.integer(valueDim + 1)));
  tasks.define("ov", {"i", "e"}, column(e));
  return success();
}

} // namespace attnc::halide
