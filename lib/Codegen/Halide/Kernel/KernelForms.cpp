//===- KernelForms.cpp - Rows and online softmax --------------------------===//
//
// Form online has the scores of a block of keys only. State st(i, column) has
// the two factors of a merge (on CPUs only), the sums of the values, l and m; a
// block is merged by one update, column by column, of
// the loop over blocks that every query sees ("", without masks), or of the
// loop over smaller ones before and after them ("edge_"):
//
//   bm(i, j) = max over the block's keys of s        bl, pv: relative to bm
//   f(i) = exp2(m - m'), g(i) = exp2(bm - m')        columns 0 and 1
//   st(i, x) = st(i, x) * f(i) + (pv | bl) * g(i)
//
// where m' is the greater of m and bm, and column m is updated last.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

/// Of the states whose updates are unrolled. With 260 columns, unrolled code
/// took half of the compile.
static constexpr int64_t kMostColumns = 200;

/// Operations of a formula whose code may stand once for each accumulator: in
/// the loop over most keys, and in that over the others. AVX-512: a bias of 37
/// took 1.0 to 1.2 times as long with its sums stored.
static constexpr size_t kMostUnrolled = 70, kMostUnrolledBeside = 40;

/// A vector at a time along i, all of them unrolled; updates run over the
/// variables of `loop` outside.
void KernelWriter::scheduleVectors(StringRef function, unsigned updates,
                                   StringRef loop) {
  b.schedule(function, 0, "bound", {"i"}, {0, width});
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
  std::string y = along.str();
  b.schedule(user, 0, "bound", {"i"}, {0, width});
  b.schedule(user, 0, "split", {"i", "io", "ii"},
             {tile[1] * target.getLanes()});
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
  std::string y = along.str(), sum = (product + "_sum.x").str();
  b.schedule(product, 0, "compute_at", {user.str(), "io"});
  b.schedule(product, 0, "in_registers");
  b.schedule(product, 0, "bound_extent", {"i"}, {tile[1] * target.getLanes()});
  b.schedule(product, 0, "bound_extent", {y}, {tile[0]});
  for (int stage : {0, 1}) {
    if (stage == 1)
      b.schedule(product, 1, "reorder", {"i", y, sum});
    b.schedule(product, stage, "vectorize", {"i"}, {target.getLanes()});
    b.schedule(product, stage, "unroll", {"i"});
    b.schedule(product, stage, "unroll", {y});
  }
}

/// Loops of their own for tensors whose features are contiguous in memory,
/// where addresses need no arithmetic: 30 instead of 43 to 52 instructions for
/// 16 fma. What `user` computes of the sums stands once, after both.
void KernelWriter::specializeProduct(StringRef product) {
  if (std::optional<Ex> isContiguous = b.readsContiguous(product))
    b.schedule(product, 1, "specialize", {}, {isContiguous->number});
}

/// `products`, sums over domains of their own, in registers for tiles of
/// `user`, their only user.
void KernelWriter::scheduleProducts(ArrayRef<std::string> products,
                                    StringRef user, StringRef along,
                                    ArrayRef<int64_t> tile) {
  scheduleTiles(user, along, tile);
  for (const std::string &product : products) {
    scheduleProduct(product, user, along, tile);
    specializeProduct(product);
  }
}

/// The score of sums; -inf where a pair is masked, or 0 where the score is the
/// weight.
KernelWriter::Result KernelWriter::scoreOf(StringRef prefix, Ex i, Ex k) {
  FailureOr<Ex> score = ofSums(kernel.getScore(), prefix, i, k);
  if (failed(score))
    return failure();
  if (!checksKeys)
    return *score;
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

/// `function`, a formula of the sums PREFIX0, ... of a pair. The code of a dear
/// one stands once, for a vector of stored sums, instead of once for each
/// accumulator of their tile.
LogicalResult KernelWriter::defineOfSums(const std::string &function,
                                         StringRef prefix,
                                         function_ref<Result(StringRef)> make) {
  if (failed(defineSums(prefix)))
    return failure();
  size_t before = b.pipeline.exprs.size();
  Result value = make(prefix);
  if (failed(value))
    return failure();
  bool isBeside = whole && checksKeys; // see makeLoops()
  size_t operations = b.pipeline.exprs.size() - before;
  if (operations <= (isBeside ? kMostUnrolledBeside : kMostUnrolled)) {
    b.define(function, {"i", "k"}, *value);
    scheduleSums(prefix, function);
    return success();
  }
  Ex i = b.variable("i"), k = b.variable("k");
  std::string stored = (prefix + "t").str();
  for (unsigned number = 0; number < kernel.getSums().size(); ++number)
    b.define(numbered(stored, number), {"i", "k"},
             b.call(numbered(prefix, number), acc, {i, k}));
  value = make(stored);
  if (failed(value))
    return failure();
  b.define(function, {"i", "k"}, *value);
  int64_t keys = target.getScoreTile()[0];
  b.schedule(function, 0, "bound", {"i"}, {0, width});
  b.schedule(function, 0, "split_rounded", {"k", "ko", "ki"}, {keys});
  b.schedule(function, 0, "reorder", {"i", "ki", "ko"});
  b.schedule(function, 0, "vectorize", {"i"}, {target.getLanes()});
  if (operations <= kMostUnrolled)
    b.schedule(function, 0, "unroll", {"i"});
  for (unsigned number = 0; number < kernel.getSums().size(); ++number) {
    std::string sum = numbered(stored, number);
    b.schedule(sum, 0, "compute_at", {function, "ko"});
    b.schedule(sum, 0, "bound_extent", {"k"}, {keys});
    scheduleProducts({numbered(prefix, number)}, sum, "k",
                     target.getScoreTile());
  }
  return success();
}

LogicalResult KernelWriter::defineScores(StringRef prefix) {
  Ex i = b.variable("i"), k = b.variable("k");
  auto score = [&](StringRef sums) { return scoreOf(sums, i, k); };
  auto gate = [&](StringRef sums) {
    return ofSums(kernel.getGate(), sums, i, k);
  };
  if (failed(defineOfSums((prefix + "s").str(), (prefix + "qk").str(), score)))
    return failure();
  return kernel.hasGate() ? defineOfSums((prefix + "gate").str(),
                                         (prefix + "qg").str(), gate)
                          : success();
}

/// What multiplies the weight of a key in feature e.
KernelWriter::Result KernelWriter::valueOf(Ex i, Ex key, Ex e) {
  FailureOr<Ex> value = keyElement(kernel.getV(), key, e);
  if (failed(value) || !kernel.hasValue())
    return value;
  SmallVector<Ex> arguments{*value, b.position(e, valueDim)};
  arguments.append(indicesOf(i, key));
  return Formula(b, tensors).runOne(kernel.getValue(), arguments);
}

/// What a key contributes to feature e, with its weight and gate.
KernelWriter::Result KernelWriter::contribution(Ex weight,
                                                std::optional<Ex> gate, Ex i,
                                                Ex key, Ex e) {
  if (!hasFeatureLanes()) // tiles of features may be incomplete
    e = b.min(e, b.integer(valueDim - 1));
  Result value = valueOf(i, key, e);
  if (failed(value))
    return failure();
  Ex rounded = round(weight);
  return b.mul(gate ? b.mul(rounded, *gate) : rounded, *value);
}

/// The gate of a pair, if there is one, from the function of gates.
std::optional<Ex> KernelWriter::storedGate(StringRef prefix, Ex i, Ex key) {
  if (!kernel.hasGate())
    return std::nullopt;
  return b.call((prefix + "gate").str(), acc, {i, key});
}

/// The scores of whole rows and their maxima; then blocks of keys are added to
/// the state, without factors, since all weights are relative to the maximum.
LogicalResult KernelWriter::defineRows() {
  if (failed(defineScores()))
    return failure();
  Ex i = b.variable("i");
  b.schedule("s", 0, "compute_root");
  if (kernel.hasGate())
    b.schedule("gate", 0, "compute_root");
  if (norm.isSoftmax()) {
    Result init = kernel.hasInit() ? initOf(i) : lowest();
    if (failed(init))
      return failure();
    b.domain("keys", {{first, count}});
    Ex m = b.call("m", acc, i);
    Ex s = b.call("s", acc, {i, b.variable("keys.x")});
    b.define("m", {"i"}, *init);
    b.update(i, b.select(b.less(m, s), s, m));
    b.schedule("m", 0, "compute_root");
    scheduleVectors("m", 1, "keys.x");
  }
  Ex k = b.integer(schedule.getK());
  KeyLoop full{"", schedule.getK(), /*isMasked=*/false, b.div(count, k)};
  full.shift = first;
  KeyLoop rest{"rest_", schedule.getK(), /*isMasked=*/false};
  rest.extent = b.make(Op::Mod, kInt32, {count, k});
  rest.blocks = b.min(rest.extent, b.integer(1));
  rest.shift = b.add(first, b.mul(full.blocks, k));
  checksKeys = false;
  if (failed(defineBlock(full)) || failed(defineBlock(rest)))
    return failure();
  checksKeys = true;
  return defineMerges({full, rest});
}

Ex KernelWriter::divideUp(Ex keys, int64_t size) {
  return b.div(b.add(keys, b.integer(size - 1)), b.integer(size));
}

/// The loop over the keys that every query sees, if such keys are known, and
/// the loop over the others: those before it, to a multiple of the smaller
/// blocks, and those after it.
SmallVector<KeyLoop> KernelWriter::makeLoops() {
  KeyLoop edge{"edge_", schedule.getK()};
  Ex zero = b.integer(0), end = b.add(first, count);
  edge.early = zero;
  edge.shift = edge.lateShift = first;
  if (!whole) {
    edge.blocks = divideUp(count, edge.keys);
    return {edge};
  }
  KeyLoop full{"", schedule.getK(), /*isMasked=*/false};
  edge.keys = schedule.getTarget().getPartialStep(schedule.getK());
  Ex before = b.max(b.sub(whole->first, first), zero);
  Ex early = divideUp(before, edge.keys);
  full.shift = b.add(first, b.mul(early, b.integer(edge.keys)));
  full.blocks = b.div(b.max(b.sub(whole->second, full.shift), zero),
                      b.integer(full.keys));
  Ex isEmpty = b.equal(full.blocks, zero);
  edge.early = b.select(isEmpty, zero, early);
  Ex late =
      b.select(isEmpty, first,
               b.add(full.shift, b.mul(full.blocks, b.integer(full.keys))));
  edge.blocks =
      b.add(edge.early, divideUp(b.max(b.sub(end, late), zero), edge.keys));
  edge.lateShift = b.sub(late, b.mul(edge.early, b.integer(edge.keys)));
  return {full, edge};
}

Ex KernelWriter::firstKey(const KeyLoop &loop, Ex block) {
  Ex shift = loop.shift;
  if (loop.isMasked)
    shift = b.select(b.less(block, loop.early), loop.shift, loop.lateShift);
  return b.add(b.mul(block, b.integer(loop.keys)), shift);
}

/// The scores of a block at a time and their maximum, to which its weights are
/// relative.
LogicalResult KernelWriter::defineBlockScores(const KeyLoop &loop, Ex score) {
  std::string bm = loop.prefix + "bm", s = loop.prefix + "s";
  if (failed(defineScores(loop.prefix)))
    return failure();
  computeAtBlock(loop, "s");
  if (kernel.hasGate())
    computeAtBlock(loop, "gate");
  if (!norm.isSoftmax())
    return success();
  Ex i = b.variable("i"), j = b.variable("j"), m = b.call(bm, acc, {i, j});
  b.define(bm, {"i", "j"}, lowest());
  b.update({i, j}, b.select(b.less(m, score), score, m));
  computeAtBlock(loop, "bm");
  scheduleVectors(bm, 1, loop.prefix + "block.x");
  return success();
}

void KernelWriter::computeAtBlock(const KeyLoop &loop, StringRef function) {
  b.schedule((loop.prefix + function).str(), 0, "compute_at",
             {"st", loop.prefix + "merge.y"});
}

/// The weights, their sum and the values of block j.
LogicalResult KernelWriter::defineBlock(const KeyLoop &loop) {
  Ex i = b.variable("i"), j = b.variable("j"), r = b.variable("r");
  Ex e = b.variable("e");
  auto name = [&](StringRef function) { return loop.prefix + function.str(); };
  auto keyAt = [&](Ex r) { return b.add(firstKey(loop, j), r); };
  std::string block = name("block"), s = isOnline ? name("s") : "s";
  std::string p = name("p"), bl = name("bl"), pv = name("pv"), bv = name("bv");
  auto overKeys = [&](const std::string &domain) {
    bool isFixed = loop.extent.number < 0;
    b.domain(domain,
             {{b.integer(0), isFixed ? b.integer(loop.keys) : loop.extent}});
    return b.variable(domain + ".x");
  };
  Ex at = overKeys(block), shift = b.real(0, acc);
  if (isOnline &&
      failed(defineBlockScores(loop, b.call(s, acc, {i, keyAt(at)}))))
    return failure();
  if (norm.isSoftmax())
    shift = shiftOf(isOnline ? b.call(name("bm"), acc, {i, j})
                             : b.call("m", acc, i));
  FailureOr<Ex> weight = weigh(b.call(s, acc, {i, keyAt(r)}), shift);
  if (failed(weight))
    return failure();
  b.define(p, {"i", "r", "j"}, *weight);
  computeAtBlock(loop, "p");
  b.schedule(p, 0, "reorder", {"i", "r"});
  scheduleVectors(p);
  b.define(bl, {"i", "j"}, b.real(0, acc));
  b.update({i, j}, b.add(b.call(bl, acc, {i, j}), b.call(p, acc, {i, at, j})));
  computeAtBlock(loop, "bl");
  scheduleVectors(bl, 1, block + ".x");
  if (valueDim == 0)
    return success();
  Ex key = overKeys(pv + "_sum");
  FailureOr<Ex> term = contribution(
      b.call(p, acc, {i, key, j}),
      storedGate(isOnline ? loop.prefix : "", i, keyAt(key)), i, keyAt(key), e);
  if (failed(term))
    return failure();
  b.define(pv, {"i", "e", "j"}, b.real(0, acc));
  b.update({i, e, j}, b.add(b.call(pv, acc, {i, e, j}), *term));
  b.define(bv, {"i", "e", "j"}, b.call(pv, acc, {i, e, j}));
  computeAtBlock(loop, "bv");
  int64_t tile[] = {std::min(target.getValueTile()[0], valueDim),
                    target.getValueTile()[1]};
  scheduleProducts({pv}, bv, "e", tile);
  return success();
}

/// State "st" before the first block.
LogicalResult KernelWriter::defineState() {
  Ex i = b.variable("i"), x = b.variable("x");
  Ex zero = b.real(0, acc), zeroWeight = zero, init = lowest();
  if (!isOnline) {
    Result start = kernel.hasInit() ? initOf(i) : zero;
    Result weight = zero;
    if (kernel.hasInit() && succeeded(start))
      weight =
          weigh(*start, norm.isSoftmax() ? shiftOf(b.call("m", acc, i)) : zero);
    if (failed(start) || failed(weight))
      return failure();
    zeroWeight = *weight;
  } else if (!parts) { // the merge has it once
    auto made = initialState(i);
    if (failed(made))
      return failure();
    std::tie(init, zeroWeight) = *made;
  }
  if (chunks) {
    Ex feature = b.sub(x, b.integer(firstColumn()));
    feature = b.max(b.min(feature, b.integer(valueDim - 1)), b.integer(0));
    zeroWeight = startOf(i);
    if (valueDim > 0)
      zero = startOf(i, feature);
  }
  tasks.define("st", {"i", "x"},
               b.select(b.equal(x, columnOfMax()), init,
                        b.select(b.equal(x, columnOfSum()), zeroWeight, zero)));
  return success();
}

/// The update of "st" for each of `blocks` blocks of the loop `prefix` of which
/// the conditions hold. The maximum is the last column, since the others read
/// it.
LogicalResult KernelWriter::mergeBlocks(StringRef prefix, Ex blocks,
                                        ArrayRef<Ex> where) {
  Ex i = b.variable("i");
  auto name = [&](StringRef function) { return (prefix + function).str(); };
  b.domain(name("merge"),
           {{b.integer(0), b.integer(stateColumns())}, {b.integer(0), blocks}},
           where);
  Ex column = b.variable(name("merge.x")), j = b.variable(name("merge.y"));
  auto state = [&](Ex x) { return tasks.call("st", acc, {i, x}); };
  Ex old = state(column), isSum = b.equal(column, columnOfSum());
  Ex ofBlock = tasks.call(name("bl"), acc, {i, j});
  if (valueDim > 0) {
    Ex feature = b.sub(column, b.integer(firstColumn()));
    feature = b.max(b.min(feature, b.integer(valueDim - 1)), b.integer(0));
    ofBlock =
        b.select(isSum, ofBlock, tasks.call(name("bv"), acc, {i, feature, j}));
  }
  if (!norm.isSoftmax() || !isOnline) {
    Ex isMax = b.equal(column, columnOfMax());
    tasks.update({i, column}, b.select(isMax, old, b.add(old, ofBlock)));
    return success();
  }
  Ex m = state(columnOfMax()), bm = tasks.call(name("bm"), acc, {i, j});
  Ex most = b.select(b.less(m, bm), bm, m);
  FailureOr<Ex> before = weigh(m, shiftOf(most));
  FailureOr<Ex> now = weigh(bm, shiftOf(most));
  if (failed(before) || failed(now))
    return failure();
  bool hasFactors = firstColumn() > 0;
  Ex f = hasFactors ? state(b.integer(0)) : *before;
  Ex g = hasFactors ? state(b.integer(1)) : *now;
  Ex sum = b.add(b.mul(old, f), b.mul(ofBlock, g));
  Ex merged = b.select(b.equal(column, columnOfMax()), most, sum);
  if (hasFactors) {
    merged = b.select(b.equal(column, b.integer(0)), *before,
                      b.select(b.equal(column, b.integer(1)), *now, merged));
    // A loop over the values needs no exponentials.
    Ex isValue = b.both(b.less(b.integer(firstColumn() - 1), column),
                        b.less(column, columnOfSum()));
    merged = b.select(isValue, b.make(Op::Likely, acc, sum), merged);
  }
  tasks.update({i, column}, merged);
  return success();
}

LogicalResult KernelWriter::defineOnline() {
  SmallVector<KeyLoop> loops = makeLoops();
  for (const KeyLoop &loop : loops) {
    checksKeys = loop.isMasked;
    if (failed(hasFeatureLanes() ? defineBlockAlong(loop) : defineBlock(loop)))
      return failure();
  }
  checksKeys = true;
  if (failed(defineMerges(loops)))
    return failure();
  Ex i = b.variable("i");
  b.define("m", {"i"}, b.call("st", acc, {i, columnOfMax()}));
  return success();
}

/// The state, the loops that merge blocks into it, and its sums.
LogicalResult KernelWriter::defineMerges(ArrayRef<KeyLoop> loops) {
  if (failed(defineState()))
    return failure();
  for (const KeyLoop &loop : loops)
    if (failed(mergeBlocks(loop.prefix, loop.blocks, {})))
      return failure();
  b.schedule("st", 0, "compute_root");
  if (hasFeatureLanes())
    scheduleStateAlong(loops);
  else
    scheduleStateVectors(loops);
  Ex i = b.variable("i"), e = b.variable("e");
  b.define("l", {"i"}, b.call("st", acc, {i, columnOfSum()}));
  Ex value = b.add(e, b.integer(firstColumn()));
  b.define("ov", {"i", "e"}, b.call("st", acc, {i, value}));
  return success();
}

void KernelWriter::scheduleStateVectors(ArrayRef<KeyLoop> loops) {
  int64_t columns = stateColumns();
  scheduleVectors("st");
  b.schedule("st", 0, "bound", {"x"}, {0, columns});
  for (auto [n, loop] : llvm::enumerate(loops)) {
    int update = int(n) + 1;
    std::string column = loop.prefix + "merge.x";
    b.schedule("st", update, "split", {"i", "io", "ii"}, {target.getLanes()});
    b.schedule("st", update, "reorder",
               {"ii", column, "io", loop.prefix + "merge.y"});
    b.schedule("st", update, "vectorize", {"ii"});
    // Then each column has its own code, and only two of them exponentials. The
    // few blocks beside those of a main loop do without.
    bool isBeside = loops.size() > 1 && !loop.prefix.empty();
    if (columns <= kMostColumns && !isBeside)
      b.schedule("st", update, "unroll", {column});
  }
}

} // namespace attnc::halide
