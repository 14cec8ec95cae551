//===- KernelForms.cpp - Rows and online softmax --------------------------===//
//
// Form online has the scores of a block of keys only. State st(i, column) has
// the sums of the values, then l, then m; a block is merged by one update:
//
//   bm(i, j) = max over the block's keys of s        bl, pv: relative to bm
//   st(i, x) = st(i, x) * exp2(m - m') + (pv | bl) * exp2(bm - m')
//
// where m' is the greater of m and bm, and column m is updated last.
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

/// A vector at a time along i, all of them unrolled; updates run over the
/// variables of `loop` outside.
void KernelWriter::scheduleVectors(StringRef function, unsigned updates,
                                   StringRef loop) {
  b.schedule(function, 0, "bound", {"i"}, {0, schedule.getQ()});
  b.schedule(function, 0, "vectorize", {"i"}, {target.getLanes()});
  b.schedule(function, 0, "unroll", {"i"});
  for (unsigned update = 1; update <= updates; ++update) {
    b.schedule(function, int(update), "reorder", {"i", loop.str()});
    b.schedule(function, int(update), "vectorize", {"i"}, {target.getLanes()});
    b.schedule(function, int(update), "unroll", {"i"});
  }
}

/// Tiles of `user` for the products that are computed in registers for it:
/// tile[0] indices `along` by tile[1] vectors.
void KernelWriter::scheduleTiles(StringRef user, StringRef along,
                                 ArrayRef<int64_t> tile) {
  int64_t width = tile[1] * target.getLanes();
  std::string y = along.str();
  b.schedule(user, 0, "bound", {"i"}, {0, schedule.getQ()});
  b.schedule(user, 0, "split", {"i", "io", "ii"}, {width});
  b.schedule(user, 0, "split_rounded", {y, "yo", "yi"}, {tile[0]});
  b.schedule(user, 0, "reorder", {"ii", "yi", "io", "yo"});
  b.schedule(user, 0, "vectorize", {"ii"}, {target.getLanes()});
  b.schedule(user, 0, "unroll", {"ii"});
  b.schedule(user, 0, "unroll", {"yi"});
}

/// `product`, a sum over a domain of its own, in registers for a tile of
/// `user`, its only user.
void KernelWriter::scheduleProduct(StringRef product, StringRef user,
                                   StringRef along, ArrayRef<int64_t> tile) {
  int64_t width = tile[1] * target.getLanes();
  std::string y = along.str(), sum = (product + "_sum.x").str();
  b.schedule(product, 0, "compute_at", {user.str(), "io"});
  b.schedule(product, 0, "in_registers");
  b.schedule(product, 0, "bound_extent", {"i"}, {width});
  b.schedule(product, 0, "bound_extent", {y}, {tile[0]});
  for (int stage : {0, 1}) {
    if (stage == 1)
      b.schedule(product, 1, "reorder", {"i", y, sum});
    b.schedule(product, stage, "vectorize", {"i"}, {target.getLanes()});
    b.schedule(product, stage, "unroll", {"i"});
    b.schedule(product, stage, "unroll", {y});
  }
}

/// The score of sums; -inf where a pair is masked, or 0 where the score is the
/// weight.
KernelWriter::Result KernelWriter::scoreOf(StringRef prefix, Ex i, Ex k) {
  FailureOr<Ex> score = ofSums(kernel.getScore(), prefix, i, k);
  if (failed(score))
    return failure();
  std::optional<Ex> visible;
  if (masks) {
    FailureOr<Ex> mask = maskOf(prefix, i, k);
    if (failed(mask))
      return failure();
    visible = *mask;
  }
  if (isOnline) { // the last block is not full
    Ex inRange = b.less(k, b.add(first, count));
    visible = visible ? b.both(*visible, inRange) : inRange;
  }
  bool isWeight = norm.getWeight() == attn::NormWeight::Identity;
  double hidden = isWeight ? 0 : -std::numeric_limits<double>::infinity();
  return visible ? b.keepWhere(*visible, *score, hidden) : *score;
}

LogicalResult KernelWriter::defineScores() {
  Ex i = b.variable("i"), k = b.variable("k");
  if (failed(defineRowsOfSums()) || failed(defineSums("qk")))
    return failure();
  FailureOr<Ex> score = scoreOf("qk", i, k);
  if (failed(score))
    return failure();
  b.define("s", {"i", "k"}, *score);
  scheduleSums("qk", "s");
  if (!kernel.hasGate())
    return success();
  if (failed(defineSums("qg")))
    return failure();
  FailureOr<Ex> gate = ofSums(kernel.getGate(), "qg", i, k);
  if (failed(gate))
    return failure();
  b.define("gate", {"i", "k"}, *gate);
  scheduleSums("qg", "gate");
  return success();
}

/// What a key contributes to feature e, with its weight and gate.
KernelWriter::Result KernelWriter::contribution(Ex weight,
                                                std::optional<Ex> gate, Ex i,
                                                Ex key, Ex e) {
  e = b.min(e, b.integer(valueDim - 1));
  FailureOr<Ex> value = keyElement(kernel.getV(), key, e);
  if (failed(value))
    return failure();
  if (kernel.hasValue()) {
    SmallVector<Ex> arguments{*value, b.position(e, valueDim)};
    arguments.append(indicesOf(i, key));
    value = Formula(b, tensors).runOne(kernel.getValue(), arguments);
    if (failed(value))
      return failure();
  }
  Ex rounded = round(weight);
  return b.mul(gate ? b.mul(rounded, *gate) : rounded, *value);
}

/// The gate of a pair, if there is one, from the function of gates.
std::optional<Ex> KernelWriter::storedGate(Ex i, Ex key) {
  if (!kernel.hasGate())
    return std::nullopt;
  return b.call("gate", acc, {i, key});
}

LogicalResult KernelWriter::defineRows() {
  Ex i = b.variable("i"), k = b.variable("k"), e = b.variable("e");
  b.domain("keys", {{first, count}});
  Ex key = b.variable("keys.x");
  b.schedule("s", 0, "compute_root");
  if (kernel.hasGate())
    b.schedule("gate", 0, "compute_root");
  Ex init = lowest();
  if (kernel.hasInit()) {
    FailureOr<Ex> made = initOf(i);
    if (failed(made))
      return failure();
    init = *made;
  }
  Ex shift = b.real(0, acc);
  if (norm.isSoftmax()) {
    Ex m = b.call("m", acc, i), s = b.call("s", acc, {i, key});
    b.define("m", {"i"}, init);
    b.update(i, b.select(b.less(m, s), s, m));
    b.schedule("m", 0, "compute_root");
    scheduleVectors("m", 1, "keys.x");
    shift = b.select(b.equal(m, lowest()), b.real(0, acc), m);
  }
  FailureOr<Ex> weight = weigh(b.sub(b.call("s", acc, {i, k}), shift));
  FailureOr<Ex> initWeight =
      kernel.hasInit() ? weigh(b.sub(init, shift)) : b.real(0, acc);
  if (failed(weight) || failed(initWeight))
    return failure();
  b.define("p", {"i", "k"}, *weight);
  b.schedule("p", 0, "compute_root");
  b.schedule("p", 0, "reorder", {"i", "k"});
  scheduleVectors("p");
  b.define("l", {"i"}, *initWeight);
  b.update(i, b.add(b.call("l", acc, i), b.call("p", acc, {i, key})));
  b.schedule("l", 0, "compute_root");
  scheduleVectors("l", 1, "keys.x");
  if (valueDim == 0)
    return success();
  b.domain("pv_sum", {{first, count}});
  Ex at = b.variable("pv_sum.x");
  FailureOr<Ex> term =
      contribution(b.call("p", acc, {i, at}), storedGate(i, at), i, at, e);
  if (failed(term))
    return failure();
  b.define("pv", {"i", "e"}, b.real(0, acc));
  b.update({i, e}, b.add(b.call("pv", acc, {i, e}), *term));
  b.define("ov", {"i", "e"}, b.call("pv", acc, {i, e}));
  b.schedule("ov", 0, "compute_root");
  int64_t tile[] = {std::min(target.getValueTile()[0], valueDim),
                    target.getValueTile()[1]};
  scheduleTiles("ov", "e", tile);
  scheduleProduct("pv", "ov", "e", tile);
  return success();
}

/// The maximum, the weights, their sum and the values of block j.
LogicalResult KernelWriter::defineBlock() {
  Ex i = b.variable("i"), j = b.variable("j"), r = b.variable("r");
  Ex e = b.variable("e");
  auto keyAt = [&](Ex r) {
    return b.add(first, b.add(b.mul(j, b.integer(schedule.getK())), r));
  };
  auto atBlock = [&](StringRef function) {
    b.schedule(function, 0, "compute_at", {"st", "merge.y"});
  };
  atBlock("s");
  if (kernel.hasGate())
    atBlock("gate");
  b.domain("block", {{b.integer(0), b.integer(schedule.getK())}});
  Ex at = b.variable("block.x"), shift = b.real(0, acc);
  if (norm.isSoftmax()) {
    Ex m = b.call("bm", acc, {i, j}), s = b.call("s", acc, {i, keyAt(at)});
    b.define("bm", {"i", "j"}, lowest());
    b.update({i, j}, b.select(b.less(m, s), s, m));
    atBlock("bm");
    scheduleVectors("bm", 1, "block.x");
    shift = b.select(b.equal(m, lowest()), b.real(0, acc), m);
  }
  FailureOr<Ex> weight = weigh(b.sub(b.call("s", acc, {i, keyAt(r)}), shift));
  if (failed(weight))
    return failure();
  b.define("p", {"i", "r", "j"}, *weight);
  atBlock("p");
  b.schedule("p", 0, "reorder", {"i", "r"});
  scheduleVectors("p");
  b.define("bl", {"i", "j"}, b.real(0, acc));
  b.update({i, j},
           b.add(b.call("bl", acc, {i, j}), b.call("p", acc, {i, at, j})));
  atBlock("bl");
  scheduleVectors("bl", 1, "block.x");
  if (valueDim == 0)
    return success();
  b.domain("pv_sum", {{b.integer(0), b.integer(schedule.getK())}});
  Ex key = b.variable("pv_sum.x");
  FailureOr<Ex> term =
      contribution(b.call("p", acc, {i, key, j}), storedGate(i, keyAt(key)), i,
                   keyAt(key), e);
  if (failed(term))
    return failure();
  b.define("pv", {"i", "e", "j"}, b.real(0, acc));
  b.update({i, e, j}, b.add(b.call("pv", acc, {i, e, j}), *term));
  b.define("bv", {"i", "e", "j"}, b.call("pv", acc, {i, e, j}));
  atBlock("bv");
  int64_t tile[] = {std::min(target.getValueTile()[0], valueDim),
                    target.getValueTile()[1]};
  scheduleTiles("bv", "e", tile);
  scheduleProduct("pv", "bv", "e", tile);
  return success();
}

/// State "st": the update for each of `blocks` blocks of which the conditions
/// hold. The maximum is the last column, since the others read it.
LogicalResult KernelWriter::defineState(Ex blocks, ArrayRef<Ex> where) {
  Ex i = b.variable("i"), x = b.variable("x");
  Ex zero = b.real(0, acc), zeroWeight = zero, init = lowest();
  Ex columnOfSum = b.integer(valueDim), columnOfMax = b.integer(valueDim + 1);
  auto shiftOf = [&](Ex m) { return b.select(b.equal(m, lowest()), zero, m); };
  if (kernel.hasInit()) {
    FailureOr<Ex> made = initOf(i);
    if (failed(made))
      return failure();
    init = *made;
    FailureOr<Ex> weight =
        weigh(norm.isSoftmax() ? b.sub(init, shiftOf(init)) : init);
    if (failed(weight))
      return failure();
    zeroWeight = *weight;
  }
  b.domain("merge",
           {{b.integer(0), b.integer(valueDim + 2)}, {b.integer(0), blocks}},
           where);
  Ex column = b.variable("merge.x"), j = b.variable("merge.y");
  tasks.define("st", {"i", "x"},
               b.select(b.equal(x, columnOfMax), init,
                        b.select(b.equal(x, columnOfSum), zeroWeight, zero)));
  Ex old = tasks.call("st", acc, {i, column});
  Ex isSum = b.equal(column, columnOfSum), isMax = b.equal(column, columnOfMax);
  Ex ofBlock = tasks.call("bl", acc, {i, j});
  if (valueDim > 0) {
    Ex feature = b.min(column, b.integer(valueDim - 1));
    ofBlock = b.select(isSum, ofBlock, tasks.call("bv", acc, {i, feature, j}));
  }
  Ex merged = b.add(old, ofBlock), most = old;
  if (norm.isSoftmax()) {
    Ex m = tasks.call("st", acc, {i, columnOfMax});
    Ex bm = tasks.call("bm", acc, {i, j});
    most = b.select(b.less(m, bm), bm, m);
    FailureOr<Ex> before = weigh(b.sub(m, shiftOf(most)));
    FailureOr<Ex> now = weigh(b.sub(bm, shiftOf(most)));
    if (failed(before) || failed(now))
      return failure();
    merged = b.add(b.mul(old, *before), b.mul(ofBlock, *now));
  }
  tasks.update({i, column}, b.select(isMax, most, merged));
  return success();
}

LogicalResult KernelWriter::defineOnline() {
  int64_t size = schedule.getK();
  Ex blocks = b.div(b.add(count, b.integer(size - 1)), b.integer(size));
  if (failed(defineBlock()) || failed(defineState(blocks, {})))
    return failure();
  Ex i = b.variable("i"), e = b.variable("e");
  Ex columnOfSum = b.integer(valueDim), columnOfMax = b.integer(valueDim + 1);
  b.schedule("st", 0, "compute_root");
  scheduleVectors("st");
  b.schedule("st", 0, "bound", {"x"}, {0, valueDim + 2});
  b.schedule("st", 1, "split", {"i", "io", "ii"}, {target.getLanes()});
  b.schedule("st", 1, "reorder", {"ii", "merge.x", "io", "merge.y"});
  b.schedule("st", 1, "vectorize", {"ii"});
  b.define("l", {"i"}, b.call("st", acc, {i, columnOfSum}));
  b.define("m", {"i"}, b.call("st", acc, {i, columnOfMax}));
  b.define("ov", {"i", "e"}, b.call("st", acc, {i, e}));
  return success();
}

} // namespace attnc::halide
