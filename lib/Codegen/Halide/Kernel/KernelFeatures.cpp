//===- KernelFeatures.cpp - Online softmax with features in the lanes -----===//
//
// A few queries fill few lanes. With `mapping = features`, lanes of products
// are features, so that vectors of K and V are loaded as they are stored, each
// once for the queries of a register tile. What is computed of a pair has keys
// in its lanes. In memory features and keys vary fastest.
//
//   qk0_part(i, r, v, j) += rows0_0(i, d * lanes + v) * key[k, d * lanes + v]
//   qk0_by8(i, r, v, j)   = qk0_part(i, r, v, j) + qk0_part(i, r, v + 8, j) ...
//   qkt0(i, r, j)         = qk0_by1(i, r, 0, j)    all in registers but this
//   s(i, r, j)            = score formula of qkt0, -inf where masked
//   bm_part(i, v, j)      = maximum of every lanes-th score    bm: of these
//   p, bl_part, bl        the same of weights
//   pv(i, e, j)          += p(i, r, j) * value[k, e]           in registers
//
// where k is key r of block j: bounds inference would take the first key of a
// block for an interval.
//
// Where a row has no whole vectors of features, vectors are shorter.
// Tests: test/Codegen/Halide/features.test,
// test/Integration/halide/few-queries
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

/// Vectors of a state whose updates are unrolled, in all loops together.
static constexpr int64_t kMostVectors = 40;

/// Vectors of `lanes` along x, of which there are `extent`, which vary fastest;
/// an update, if there is one, runs over the variables of `loop` outside.
void KernelWriter::scheduleAlong(StringRef function, StringRef x, int64_t lanes,
                                 int64_t extent, StringRef loop) {
  std::string along = x.str();
  b.schedule(function, 0, "reorder_storage", {along, "i"});
  b.schedule(function, 0, "bound", {"i"}, {0, width});
  b.schedule(function, 0, "bound", {along}, {0, extent});
  for (int stage : {0, 1}) {
    if (stage == 1 && loop.empty())
      continue;
    std::vector<std::string> order{along, "i"};
    if (stage == 1)
      order.push_back(loop.str());
    b.schedule(function, stage, "reorder", order);
    if (lanes > 1)
      b.schedule(function, stage, "vectorize", {along}, {lanes});
  }
}

/// Copies of rows.
void KernelWriter::scheduleRowsAlong(StringRef function, int64_t features) {
  scheduleAlong(function, "c", target.getLanesOf(features), features);
  if (std::optional<Ex> isContiguous = b.readsContiguous(function))
    b.schedule(function, 0, "specialize", {}, {isContiguous->number});
}

static std::string nameOfLevel(StringRef sum, int64_t lanes) {
  return (sum + "_by" + Twine(lanes)).str();
}

/// The functions PREFIX0, PREFIX1, .. of the sums that scores depend on: sums
/// of vectors, whose halves are added until one number is left.
LogicalResult KernelWriter::defineFoldedSums(const KeyLoop &loop,
                                             StringRef prefix) {
  Ex i = b.variable("i"), r = b.variable("r"), j = b.variable("j");
  Ex v = b.variable("v"), k = b.add(firstKey(loop, j), r);
  for (auto [number, sum] : llvm::enumerate(kernel.getSums())) {
    std::string name = numbered(prefix, number), last = name + "_part";
    std::string domain = last + "_sum";
    Value rows = sum.rows.front().first;
    int64_t features = *plan.fixedSize(attn::axisSize(rows.getType(), 4));
    int64_t lanes = target.getLanesOf(features);
    b.domain(domain, {{b.integer(0), b.integer(features / lanes)}});
    Ex step = b.variable(domain + ".x");
    Result term =
        termOfSum(number, i, k, b.add(b.mul(step, b.integer(lanes)), v));
    if (failed(term))
      return failure();
    std::vector<std::string> variables{"i", "r", "v", "j"};
    b.define(last, variables, b.real(0, acc));
    b.update({i, r, v, j}, b.add(b.call(last, acc, {i, r, v, j}), *term));
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      Ex other = b.add(v, b.integer(half));
      std::string level = nameOfLevel(name, half);
      b.define(level, variables,
               b.add(b.call(last, acc, {i, r, v, j}),
                     b.call(last, acc, {i, r, other, j})));
      last = level;
    }
    b.define(name, {"i", "r", "j"}, b.call(last, acc, {i, r, b.integer(0), j}));
  }
  return success();
}

/// A function of `lanes` numbers of a pair, in registers for a tile of `user`.
void KernelWriter::scheduleFolded(StringRef function, int64_t lanes,
                                  const std::string &user) {
  ArrayRef<int64_t> tile = target.getScoreTile();
  b.schedule(function, 0, "compute_at", {user, "io"});
  b.schedule(function, 0, "in_registers");
  b.schedule(function, 0, "reorder_storage", {"v", "r", "i"});
  b.schedule(function, 0, "bound_extent", {"i"}, {tile[1]});
  b.schedule(function, 0, "bound_extent", {"r"}, {tile[0]});
  b.schedule(function, 0, "bound", {"v"}, {0, lanes});
  b.schedule(function, 0, "reorder", {"v", "r", "i"});
}

/// Sum `number`, stored for a block, in tiles of keys and rows.
void KernelWriter::scheduleFoldedSum(const KeyLoop &loop, unsigned number,
                                     StringRef prefix,
                                     const std::string &stored) {
  ArrayRef<int64_t> tile = target.getScoreTile();
  b.schedule(stored, 0, "compute_at", {"st", loop.prefix + "merge.y"});
  b.schedule(stored, 0, "reorder_storage", {"r", "i"});
  b.schedule(stored, 0, "bound", {"i"}, {0, width});
  b.schedule(stored, 0, "bound", {"r"}, {0, loop.keys});
  b.schedule(stored, 0, "split", {"i", "io", "ii"}, {tile[1]});
  b.schedule(stored, 0, "split", {"r", "ro", "ri"}, {tile[0]});
  b.schedule(stored, 0, "reorder", {"ri", "ii", "io", "ro"});
  b.schedule(stored, 0, "vectorize", {"ri"});
  b.schedule(stored, 0, "unroll", {"ii"});
  Value rows = kernel.getSums()[number].rows.front().first;
  int64_t lanes =
      target.getLanesOf(*plan.fixedSize(attn::axisSize(rows.getType(), 4)));
  std::string name = numbered(prefix, number), part = name + "_part";
  scheduleFolded(part, lanes, stored);
  for (int stage : {0, 1}) {
    if (stage == 1)
      b.schedule(part, 1, "reorder", {"v", "r", "i", part + "_sum.x"});
    b.schedule(part, stage, "vectorize", {"v"});
    b.schedule(part, stage, "unroll", {"r"});
    b.schedule(part, stage, "unroll", {"i"});
  }
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    std::string level = nameOfLevel(name, half);
    scheduleFolded(level, half, stored);
    for (const char *dimension : {"v", "r", "i"})
      b.schedule(level, 0, "vectorize", {dimension});
  }
  specializeProduct(part);
}

/// `function`, a formula of the sums PREFIX0, ..., which are stored for a
/// block.
LogicalResult KernelWriter::defineOfFoldedSums(
    const KeyLoop &loop, const std::string &function, const std::string &prefix,
    function_ref<Result(StringRef)> make) {
  if (failed(defineFoldedSums(loop, prefix)))
    return failure();
  Ex i = b.variable("i"), r = b.variable("r"), j = b.variable("j");
  std::string stored = prefix + "t";
  for (unsigned number = 0; number < kernel.getSums().size(); ++number) {
    std::string sum = numbered(stored, number);
    b.define(sum, {"i", "r", "j"},
             b.call(numbered(prefix, number), acc, {i, r, j}));
    scheduleFoldedSum(loop, number, prefix, sum);
  }
  pairInBlock = {i, r, j};
  Result value = make(stored);
  pairInBlock.clear();
  if (failed(value))
    return failure();
  b.define(function, {"i", "r", "j"}, *value);
  b.schedule(function, 0, "compute_at", {"st", loop.prefix + "merge.y"});
  scheduleAlong(function, "r", target.getLanes(), loop.keys);
  return success();
}

LogicalResult KernelWriter::defineFoldedScores(const KeyLoop &loop) {
  Ex i = b.variable("i");
  Ex k = b.add(firstKey(loop, b.variable("j")), b.variable("r"));
  auto score = [&](StringRef sums) { return scoreOf(sums, i, k); };
  auto gate = [&](StringRef sums) {
    return ofSums(kernel.getGate(), sums, i, k);
  };
  if (failed(defineOfFoldedSums(loop, loop.prefix + "s", loop.prefix + "qk",
                                score)))
    return failure();
  return kernel.hasGate() ? defineOfFoldedSums(loop, loop.prefix + "gate",
                                               loop.prefix + "qg", gate)
                          : success();
}

/// `function`, of a row and a block: what `element`, of the keys of the block,
/// combines to. In vectors, whose lanes are combined afterwards.
void KernelWriter::defineFoldedKeys(const KeyLoop &loop,
                                    const std::string &function, Ex start,
                                    function_ref<Ex(Ex key)> element,
                                    function_ref<Ex(Ex a, Ex b)> combine) {
  int64_t lanes = target.getLanes();
  Ex i = b.variable("i"), j = b.variable("j"), v = b.variable("v");
  std::string part = function + "_part", keys = part + "_keys";
  std::string fold = function + "_lanes";
  b.domain(keys, {{b.integer(0), b.integer(loop.keys / lanes)}});
  Ex key = b.add(b.mul(b.variable(keys + ".x"), b.integer(lanes)), v);
  b.define(part, {"i", "v", "j"}, start);
  b.update({i, v, j}, combine(b.call(part, acc, {i, v, j}), element(key)));
  scheduleAlong(part, "v", lanes, lanes, keys + ".x");
  b.domain(fold, {{b.integer(0), b.integer(lanes)}});
  Ex lane = b.call(part, acc, {i, b.variable(fold + ".x"), j});
  b.define(function, {"i", "j"}, start);
  b.update({i, j}, combine(b.call(function, acc, {i, j}), lane));
  b.schedule(function, 0, "bound", {"i"}, {0, width});
  for (const std::string &one : {part, function})
    b.schedule(one, 0, "compute_at", {"st", loop.prefix + "merge.y"});
}

/// The scores of block j, their maximum, the weights and their sum, and the
/// values.
LogicalResult KernelWriter::defineBlockAlong(const KeyLoop &loop) {
  Ex i = b.variable("i"), j = b.variable("j"), r = b.variable("r");
  auto name = [&](StringRef function) { return loop.prefix + function.str(); };
  std::string p = name("p");
  auto scoreAt = [&](Ex key) { return b.call(name("s"), acc, {i, key, j}); };
  if (failed(defineFoldedScores(loop)))
    return failure();
  Ex shift = b.real(0, acc);
  if (norm.isSoftmax()) {
    defineFoldedKeys(loop, name("bm"), lowest(), scoreAt, [&](Ex m, Ex score) {
      return b.select(b.less(m, score), score, m);
    });
    shift = shiftOf(b.call(name("bm"), acc, {i, j}));
  }
  FailureOr<Ex> weight = weigh(scoreAt(r), shift);
  if (failed(weight))
    return failure();
  b.define(p, {"i", "r", "j"}, *weight);
  scheduleAlong(p, "r", target.getLanes(), loop.keys);
  b.schedule(p, 0, "compute_at", {"st", loop.prefix + "merge.y"});
  defineFoldedKeys(
      loop, name("bl"), b.real(0, acc),
      [&](Ex key) { return b.call(p, acc, {i, key, j}); },
      [&](Ex sum, Ex next) { return b.add(sum, next); });
  if (valueDim == 0)
    return success();
  FailureOr<std::string> factors = defineFactors(loop);
  return failed(factors) ? failure() : defineValuesAlong(loop, *factors);
}

/// The function of what values are multiplied by: weights, or where they are
/// rounded or gated, these.
FailureOr<std::string> KernelWriter::defineFactors(const KeyLoop &loop) {
  std::string p = loop.prefix + "p", factors = loop.prefix + "pf";
  bool isRounded = scalarTypeOf(kernel.getRoundedWeightType()) != acc;
  if (!isRounded && !kernel.hasGate())
    return p;
  Ex i = b.variable("i"), j = b.variable("j"), r = b.variable("r");
  Ex factor = round(b.call(p, acc, {i, r, j}));
  if (kernel.hasGate())
    factor = b.mul(factor, b.call(loop.prefix + "gate", acc, {i, r, j}));
  b.define(factors, {"i", "r", "j"}, factor);
  scheduleAlong(factors, "r", target.getLanes(), loop.keys);
  b.schedule(factors, 0, "compute_at", {"st", loop.prefix + "merge.y"});
  return factors;
}

LogicalResult KernelWriter::defineValuesAlong(const KeyLoop &loop,
                                              const std::string &factors) {
  Ex i = b.variable("i"), j = b.variable("j"), e = b.variable("e");
  std::string pv = loop.prefix + "pv", bv = loop.prefix + "bv";
  std::string domain = pv + "_sum";
  b.domain(domain, {{b.integer(0), b.integer(loop.keys)}});
  Ex key = b.variable(domain + ".x");
  Result value = valueOf(i, b.add(firstKey(loop, j), key), e);
  if (failed(value))
    return failure();
  Ex term = b.mul(b.call(factors, acc, {i, key, j}), *value);
  b.define(pv, {"i", "e", "j"}, b.real(0, acc));
  b.update({i, e, j}, b.add(b.call(pv, acc, {i, e, j}), term));
  b.define(bv, {"i", "e", "j"}, b.call(pv, acc, {i, e, j}));
  int64_t lanes = valueLanes(), rows = target.getValueTile()[1];
  int64_t features = target.getValueTile()[0] * lanes;
  b.schedule(bv, 0, "compute_at", {"st", loop.prefix + "merge.y"});
  b.schedule(bv, 0, "reorder_storage", {"e", "i"});
  b.schedule(bv, 0, "bound", {"i"}, {0, width});
  b.schedule(bv, 0, "bound", {"e"}, {0, valueDim});
  b.schedule(bv, 0, "split", {"i", "io", "ii"}, {rows});
  b.schedule(bv, 0, "split", {"e", "eo", "ei"}, {features});
  b.schedule(bv, 0, "reorder", {"ei", "ii", "io", "eo"});
  b.schedule(pv, 0, "compute_at", {bv, "io"});
  b.schedule(pv, 0, "in_registers");
  b.schedule(pv, 0, "reorder_storage", {"e", "i"});
  b.schedule(pv, 0, "bound_extent", {"i"}, {rows});
  b.schedule(pv, 0, "bound_extent", {"e"}, {features});
  b.schedule(pv, 0, "reorder", {"e", "i"});
  b.schedule(pv, 1, "reorder", {"e", "i", domain + ".x"});
  auto unroll = [&](StringRef function, int stage, const char *x,
                    const char *row) {
    if (lanes > 1)
      b.schedule(function, stage, "vectorize", {x}, {lanes});
    b.schedule(function, stage, "unroll", {x});
    b.schedule(function, stage, "unroll", {row});
  };
  unroll(bv, 0, "ei", "ii");
  unroll(pv, 0, "e", "i");
  unroll(pv, 1, "e", "i");
  specializeProduct(pv);
  return success();
}

/// Columns are in the lanes: the factors of a merge begin a vector, the values
/// the next one, and the sum and the maximum one after these.
void KernelWriter::scheduleStateAlong(ArrayRef<KeyLoop> loops) {
  int64_t lanes = valueLanes(), columns = stateColumns();
  scheduleAlong("st", "x", lanes, columns);
  for (auto [n, loop] : llvm::enumerate(loops)) {
    int update = int(n) + 1;
    std::string column = loop.prefix + "merge.x";
    b.schedule("st", update, "allow_races");
    b.schedule("st", update, "reorder", {column, "i", loop.prefix + "merge.y"});
    if (lanes > 1)
      b.schedule("st", update, "vectorize", {column}, {lanes});
    if (columns / lanes * int64_t(loops.size()) <= kMostVectors)
      b.schedule("st", update, "unroll", {column});
  }
}

} // namespace attnc::halide
