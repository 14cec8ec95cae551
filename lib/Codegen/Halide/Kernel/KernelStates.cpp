//===- KernelStates.cpp - States of linear attention ----------------------===//
//
// Form chunked. What all keys before key r = n C contribute to a later query is
// one matrix of features by values, and a last column for the sum of weights:
//
//   state_n = sum over k < r of D(a_n, k) g(k) feature(k) [value(k), 1]
//
// where D is the score's decay, g its factors of the key, and a_n the first row
// that sees all keys before r, or row 0. A pipeline of its own computes the
// states of some features, which are its lanes, in their order:
//
//   kf(i, k)    = D(a_n, k) g(k) feature i of key k of the chunk
//   cs(i, e)   += kf(i, k) * value[k, e]       in registers, a tile of cv
//   cz(i)      += kf(i, k)
//   state_n     = state_(n-1) * rt(i) + [cv, cz]
//
// with rt = D(a_n, .) / D(a_(n-1), .). State 0, which is empty, has instead
// what rounding has lost of the last one. The kernel's own pipeline starts a
// block from the last state before which its first row sees every key:
//
//   qs(i, c)    = f(q) D(q, .) / D(a_n, .) q[q, c]
//   sp(i, e)   += qs(i, c) * state_n[e, c]     in registers, a tile of sv
//
// The state keeps its a_n for decays that features have of their own: a row of
// queries before the block may have been overwritten by results.
//
// A decay of more than 2^20 is NaN there. Where a result is not finite, the
// pipeline runs again over all keys.
// Tests: test/Integration/halide/linear/linear-attention.test
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

#include "attnc/Analysis/Kernel/LeastRows.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace attnc::halide {

static int64_t featuresOf(attn::KernelOp kernel, const FunctionPlan &plan) {
  return plan.fixedSize(attn::axisSize(kernel.getQ().getType(), 4)).value_or(1);
}

static int64_t paddedFeatures(attn::KernelOp kernel, const FunctionPlan &plan) {
  return llvm::alignTo(featuresOf(kernel, plan),
                       kernel.getSchedule()->getTarget().getGranule());
}

/// The columns of a state beside values and sum.
static size_t countAnchors(const ScoreFactors &factors) {
  return factors.feature ? factors.feature->decays.size() : 0;
}

unsigned KernelWriter::countAnchors() const {
  return unsigned(halide::countAnchors(chunks->factors));
}

ChunkStates planChunks(attn::KernelOp kernel, ScoreFactors factors,
                       FunctionPlan &plan) {
  using Size = SizeExpr::Op;
  MLIRContext *context = kernel.getContext();
  auto number = [](int64_t value) { return SizeExpr::constant(value); };
  auto axis = [&](Value tensor, unsigned axis) {
    return plan.formulaOf(attn::axisSize(tensor.getType(), axis));
  };
  Value q = kernel.getQ();
  SizeExpr chunk = number(kernel.getSchedule()->getChunk());
  SizeExpr keys = axis(kernel.getK(), kernel.getKeyAxis());
  SizeExpr before = SizeExpr::binary(Size::Max, keys - number(1), number(0));
  int64_t columns = 1;
  if (Value v = kernel.getV()) {
    auto type = cast<RankedTensorType>(v.getType());
    columns +=
        plan.fixedSize(attn::axisSize(type, type.getRank() - 1)).value_or(0);
  }
  // With fewer rows, visiting the keys costs less.
  SizeExpr rows = axis(q, 3);
  if (!factors.differsInGroup)
    rows = rows * axis(q, 2);
  int64_t least = leastRowsOfStates(featuresOf(kernel, plan), columns,
                                    kernel.getSchedule()->getChunk(),
                                    factors.feature.has_value());
  SizeExpr enough = SizeExpr::binary(Size::FloorDiv, rows, number(least));
  SizeExpr last = SizeExpr::binary(Size::FloorDiv, before, chunk) *
                  SizeExpr::binary(Size::Min, enough, number(1));
  ChunkStates states;
  states.factors = std::move(factors);
  states.last = sizeAttribute(context, last);
  states.features = paddedFeatures(kernel, plan);
  SmallVector<Attribute> sizes;
  for (unsigned at : {0, 1, 2})
    sizes.push_back(attn::axisSize(q.getType(), at));
  if (!states.factors.differsInGroup)
    sizes.back() = sizeAttribute(context, number(1));
  states.group = sizes.back();
  sizes.push_back(sizeAttribute(context, last + number(1)));
  columns += int64_t(countAnchors(states.factors));
  sizes.push_back(sizeAttribute(context, number(columns)));
  sizes.push_back(sizeAttribute(context, number(states.features)));
  states.workspace = plan.workspaces.size();
  plan.workspaces.push_back(
      attn::tensorType(sizes, kernel.getAccumulateType()));
  states.lanes =
      sizeAttribute(context, SizeExpr::binary(Size::Min, last, number(1)) *
                                 number(states.features));
  return states;
}

/// Whole vectors of features, as many as a tile has if those divide all.
int64_t KernelWriter::stateVectors() const {
  int64_t vectors = target.getValueTile()[1];
  bool divides = chunks->features % (vectors * target.getLanes()) == 0;
  return divides ? vectors : 1;
}

Ex KernelWriter::chunkSize() { return b.integer(schedule.getChunk()); }

/// How many keys row 0 sees; row i sees i more.
KernelWriter::Result KernelWriter::visibleKeys() {
  const ScoreFactors::Causal &causal = chunks->factors.causal;
  FactorArguments arguments = factorArguments();
  Ex zero = b.integer(0);
  Result high = maskValue(arguments, causal.high, zero, zero);
  Result low = maskValue(arguments, causal.low, zero, zero);
  if (failed(high) || failed(low))
    return failure();
  // Beyond that nothing, or everything, is seen; no difference may overflow.
  constexpr int64_t kMost = 1 << 28;
  ScalarType type = high->type;
  int64_t greatest = type.bits == 64 ? std::numeric_limits<int64_t>::max()
                                     : std::numeric_limits<int32_t>::max();
  Ex most = b.integer(kMost, type);
  Ex above = b.add(b.min(*low, b.integer(greatest - kMost, type)), most);
  Ex below = b.sub(b.max(*low, b.integer(kMost - greatest, type)), most);
  Ex seen = b.sub(b.max(b.min(*high, above), below), *low);
  return b.add(b.cast(seen, kInt32), b.integer(causal.strict ? 0 : 1));
}

FactorArguments KernelWriter::factorArguments() {
  auto element = [this](unsigned number, const FactorPlace &at) -> Result {
    auto sums = kernel.getSums();
    auto [rows, keys] = sums.front().rows[number / 2];
    return number % 2 ? keyElement(keys, at.key, at.feature)
                      : elementOfRow(rows, at.row, at.feature);
  };
  return {b, tensors, kernel, headIndices(), element};
}

/// The factors of features, where each has its own.
std::optional<RegionFactors>
KernelWriter::featureFactors(const FactorArguments &arguments) {
  const std::optional<ScoreFactors::Product> &product = chunks->factors.feature;
  if (!product)
    return std::nullopt;
  Region &pair = kernel.getPairs().front();
  return RegionFactors(pair, attn::KernelOp::countRows(pair), *product,
                       arguments);
}

/// From where the state before key `first` is measured.
FactorPlace KernelWriter::anchorOf(Ex first, Ex visible) {
  Ex zero = b.integer(0), one = b.integer(1);
  Ex key =
      chunks->factors.causal.strict ? first : b.sub(b.max(first, one), one);
  return {b.max(b.sub(first, visible), zero), key};
}

/// The product of decays at one place over another, for feature `d`.
KernelWriter::Result KernelWriter::decayRatio(FactorPlace to, FactorPlace from,
                                              Ex d) {
  FactorArguments arguments = factorArguments();
  RegionFactors score(kernel.getScore(), 0, chunks->factors.score, arguments);
  Result ratio = score.ratio(to, from);
  std::optional<RegionFactors> feature = featureFactors(arguments);
  if (failed(ratio) || !feature || !feature->hasDecays())
    return ratio;
  to.feature = from.feature = d;
  Result ofFeature = feature->ratio(to, from);
  if (failed(ofFeature))
    return failure();
  return b.mul(*ratio, *ofFeature);
}

/// A function of the chunk before state n, which on a device is a task.
void KernelWriter::defineOfChunk(StringRef name,
                                 ArrayRef<std::string> variables, Ex value) {
  if (tasks.isDevice()) {
    tasks.define(name, variables, value);
    b.schedule(name, 0, "compute_root");
    tasks.scheduleOnDevice(name, 0, variables.front(),
                           variables.size() > 1 ? variables[1] : "");
    return;
  }
  std::vector<std::string> all(variables);
  all.push_back("n");
  b.define(name, all, value);
  if (variables.front() == "i")
    scheduleVectors(name);
}

Ex KernelWriter::callOfChunk(StringRef name, ArrayRef<Ex> at, Ex n) {
  if (tasks.isDevice())
    return tasks.call(name, acc, at);
  SmallVector<Ex> all(at);
  all.push_back(n);
  return b.call(name, acc, all);
}

/// "kf", and "kw", what it has of all features of a key alike.
LogicalResult KernelWriter::defineStateKeys(Ex n, Ex visible, Ex d) {
  Ex k = b.variable("k");
  FactorArguments arguments = factorArguments();
  RegionFactors score(kernel.getScore(), 0, chunks->factors.score, arguments);
  Ex key = b.add(b.mul(b.sub(n, b.integer(1)), chunkSize()), k);
  FactorPlace at = anchorOf(b.mul(n, chunkSize()), visible);
  at.key = key;
  at.feature = d;
  std::optional<RegionFactors> feature = featureFactors(arguments);
  Result value =
      feature ? feature->ofKey(at) : keyElement(kernel.getK(), key, d);
  if (failed(value))
    return failure();
  if (score.hasKeyFactors()) {
    Result weight = score.ofKey(at);
    if (failed(weight))
      return failure();
    defineOfChunk("kw", {"k"}, *weight);
    value = b.mul(*value, callOfChunk("kw", k, n));
  }
  for (Value condition : chunks->factors.keyMask) {
    Result held = maskValue(arguments, condition, at.row, key);
    if (failed(held))
      return failure();
    value = b.keepWhere(*held, *value, 0);
  }
  defineOfChunk("kf", {"i", "k"}, *value);
  return success();
}

/// Of key k of the chunk before state n, for column e: 0 where it is masked.
KernelWriter::Result KernelWriter::stateValue(Ex n, Ex k, Ex e) {
  Ex key = b.add(b.mul(b.sub(n, b.integer(1)), chunkSize()), k);
  Result value =
      keyElement(kernel.getV(), key, b.min(e, b.integer(valueDim - 1)));
  if (failed(value))
    return failure();
  FactorArguments arguments = factorArguments();
  for (Value condition : chunks->factors.keyMask) {
    Result held = maskValue(arguments, condition, b.integer(0), key);
    if (failed(held))
      return failure();
    value = b.keepWhere(*held, *value, 0);
  }
  return *value;
}

/// What the keys of a chunk add to a state.
LogicalResult KernelWriter::defineStateSums() {
  Ex i = b.variable("i"), e = b.variable("e"), n = b.variable("n");
  std::pair<Ex, Ex> all{b.integer(0), chunkSize()};
  b.domain("cz_sum", {all});
  b.define("cz", {"i", "n"}, b.real(0, acc));
  b.update({i, n}, b.add(b.call("cz", acc, {i, n}),
                         b.call("kf", acc, {i, b.variable("cz_sum.x"), n})));
  scheduleVectors("cz", 1, "cz_sum.x");
  if (valueDim == 0)
    return success();
  b.domain("cs_sum", {all});
  Ex k = b.variable("cs_sum.x");
  Result value = stateValue(n, k, e);
  if (failed(value))
    return failure();
  Ex term = b.mul(b.call("kf", acc, {i, k, n}), *value);
  b.define("cs", {"i", "e", "n"}, b.real(0, acc));
  b.update({i, e, n}, b.add(b.call("cs", acc, {i, e, n}), term));
  b.define("cv", {"i", "e", "n"}, b.call("cs", acc, {i, e, n}));
  int64_t tile[] = {std::min(target.getValueTile()[0], valueDim),
                    stateVectors()};
  scheduleProducts({"cs"}, "cv", "e", tile);
  return success();
}

/// The indices of a column of a state in their workspace.
SmallVector<Ex> KernelWriter::stateIndices(Ex number, Ex column, Ex feature) {
  Ex group = b.integer(0);
  if (chunks->factors.differsInGroup)
    group = tasks.coordinate("task_g");
  return {tasks.coordinate("task_b"),
          tasks.coordinate("task_h"),
          group,
          number,
          column,
          feature};
}

/// The column of a state with the anchors of decay `number`.
Ex KernelWriter::anchorColumn(unsigned number) {
  return b.integer(valueDim + 1 + number);
}

/// "an0", ...: from where states are measured, for each decay of features.
LogicalResult KernelWriter::defineAnchors(FactorPlace from, Ex d) {
  FactorArguments arguments = factorArguments();
  std::optional<RegionFactors> feature = featureFactors(arguments);
  if (!feature)
    return success();
  from.feature = d;
  FailureOr<SmallVector<Ex>> anchors = feature->anchors(from);
  if (failed(anchors))
    return failure();
  for (auto [number, anchor] : llvm::enumerate(*anchors))
    defineOfChunk(numbered("an", number), {"i"}, anchor);
  return success();
}

/// "kf", "rt" and "an0", ... of state n, for feature d.
LogicalResult KernelWriter::defineStateFactors(Ex n, Ex visible, Ex d) {
  Ex one = b.integer(1);
  FactorPlace anchor = anchorOf(b.mul(n, chunkSize()), visible), to = anchor;
  FactorPlace from = anchorOf(b.mul(b.sub(n, one), chunkSize()), visible);
  to.key = from.key;
  Result ratio = decayRatio(to, from, d);
  if (failed(ratio) || failed(defineStateKeys(n, visible, d)) ||
      failed(defineAnchors(anchor, d)))
    return failure();
  defineOfChunk("rt", {"i"}, b.select(b.equal(n, one), b.real(0, acc), *ratio));
  return success();
}

/// State n, or what rounding loses of it in place of state 0, from the state
/// before, what that lost, and what the chunk adds.
Ex KernelWriter::nextState(const StateElement &at, Ex ratio, Ex added,
                           ArrayRef<Ex> anchors) {
  Ex column = at.column, n = at.number;
  std::string states = Tensors::nameOfStored(chunks->workspace);
  auto stored = [&](Ex number) {
    return b.call(states, acc, stateIndices(number, column, at.feature));
  };
  Ex zero = b.real(0, acc), one = b.integer(1);
  Ex isFirst = b.equal(n, one);
  Ex old = b.select(isFirst, zero, stored(b.sub(n, one)));
  Ex lost = b.select(isFirst, zero, stored(b.integer(0)));
  added = b.add(added, b.mul(lost, ratio));
  Ex scaled = b.mul(old, ratio), sum = stored(n);
  if (tasks.isDevice()) // whose compiler may take what was stored for the sum
    sum = b.hidden(sum);
  Ex ofAdded = b.sub(sum, scaled), ofScaled = b.sub(sum, ofAdded);
  Ex error = b.add(b.sub(scaled, ofScaled), b.sub(added, ofAdded));
  Ex made =
      b.select(b.equal(at.which, b.integer(0)), b.add(scaled, added), error);
  for (auto [number, anchor] : llvm::enumerate(anchors))
    made = b.select(b.equal(column, anchorColumn(number)), anchor, made);
  return made;
}

/// What nextState() needs, from the functions of a CPU.
std::tuple<Ex, Ex, SmallVector<Ex>>
KernelWriter::partsOfState(Ex lane, Ex column, Ex n) {
  Ex added = b.call("cz", acc, {lane, n});
  if (valueDim > 0) {
    Ex e = b.min(column, b.integer(valueDim - 1));
    added = b.select(b.equal(column, b.integer(valueDim)), added,
                     b.call("cv", acc, {lane, e, n}));
  }
  SmallVector<Ex> anchors;
  for (unsigned number = 0; number < countAnchors(); ++number)
    anchors.push_back(callOfChunk(numbered("an", number), lane, n));
  return {callOfChunk("rt", lane, n), added, anchors};
}

LogicalResult KernelWriter::writeStates() {
  if (tasks.isDevice())
    return writeStatesOnDevice();
  Ex i = b.variable("i"), n = b.variable("n"), one = b.integer(1);
  checksKeys = false;
  Result visible = visibleKeys();
  if (failed(visible))
    return failure();
  Ex first = tasks.coordinate("task_d0");
  int64_t features = featuresOf(kernel, plan);
  Ex d = b.add(first, i);
  if (features < chunks->features)
    d = b.min(d, b.integer(features - 1));
  if (failed(defineStateFactors(n, *visible, d)) || failed(defineStateSums()))
    return failure();
  // States that no row uses are not made.
  Ex lastRow = b.sub(tensors.extentOf(kernel.getQ(), 3), one);
  Ex used = b.div(b.add(lastRow, *visible), chunkSize());
  Ex count = b.max(b.min(used, tensors.sizeOf(chunks->last)), b.integer(0));
  std::string domain;
  Ex zero = b.integer(0);
  tensors.storeIn(
      chunks->workspace,
      {{zero, b.integer(width)},
       {zero, b.integer(2)},
       {zero, anchorColumn(countAnchors())},
       {one, count}},
      [&](StringRef name) {
        domain = name.str();
        Ex lane = b.variable(domain + ".x"), which = b.variable(domain + ".y");
        Ex column = b.variable(domain + ".z"), n = b.variable(domain + ".w");
        Ex feature = b.add(first, lane);
        Ex number = b.select(b.equal(which, zero), n, zero);
        auto [ratio, added, anchors] = partsOfState(lane, column, n);
        return Tensors::Stored{
            stateIndices(number, column, feature),
            nextState({which, n, column, feature}, ratio, added, anchors)};
      });
  scheduleStates(domain);
  return success();
}

void KernelWriter::scheduleStates(const std::string &domain) {
  std::string states = Tensors::nameOfStored(chunks->workspace);
  std::string lane = domain + ".x";
  b.schedule(states, 1, "allow_races");
  b.schedule(states, 1, "split", {lane, lane + "_o", lane + "_i"},
             {target.getLanes()});
  b.schedule(states, 1, "vectorize", {lane + "_i"});
  b.schedule(states, 1, "unroll", {lane + "_o"});
  b.schedule(states, 1, "unroll", {domain + ".y"});
  for (const Function &function : b.pipeline.functions)
    if (function.name != states && function.name != "cs")
      b.schedule(function.name, 0, "compute_at", {states, domain + ".w"});
}

/// Limits the keys that a block visits to those after its state, and finds the
/// number of that, 0 for none.
LogicalResult KernelWriter::findState() {
  Result visible = visibleKeys();
  if (failed(visible))
    return failure();
  Ex zero = b.integer(0), one = b.integer(1);
  Ex keys = tensors.extentOf(kernel.getK(), kernel.getKeyAxis());
  Ex seen =
      b.min(b.add(tasks.coordinate("task_q0"), *visible), b.sub(keys, one));
  Ex before = b.div(b.max(seen, zero), chunkSize());
  stateNumber = b.min(before, tensors.sizeOf(chunks->last));
  seenByFirst = *visible;
  if (!tasks.isDevice())
    stateNumber =
        b.select(b.less(zero, b.parameter(kExact)), zero, stateNumber);
  else if (failed(checkStateOnDevice()))
    return failure();
  Ex from = b.mul(stateNumber, chunkSize()), end = b.add(first, count);
  first = b.max(first, from);
  count = b.max(b.sub(end, first), zero);
  if (whole)
    whole->first = b.max(whole->first, first);
  return success();
}

/// "qs", the features of queries with all their factors.
LogicalResult KernelWriter::defineStateRows() {
  Ex i = b.variable("i"), c = b.variable("c");
  FactorArguments arguments = factorArguments();
  RegionFactors score(kernel.getScore(), 0, chunks->factors.score, arguments);
  Ex last = b.sub(tensors.extentOf(kernel.getQ(), 3), b.integer(1));
  FactorPlace from = anchorOf(b.mul(stateNumber, chunkSize()), seenByFirst);
  FactorPlace at{b.min(rowOf(i), last), from.key};
  Result ratio = score.ratio(at, from);
  if (failed(ratio))
    return failure();
  Result factor = score.ofQuery(at, *ratio);
  if (failed(factor))
    return failure();
  factor = b.mul(*factor, b.real(kernel.getScale().convertToDouble(), acc));
  for (Value condition : chunks->factors.queryMask) {
    Result held = maskValue(arguments, condition, at.row, at.key);
    if (failed(held))
      return failure();
    factor = b.keepWhere(*held, *factor, 0);
  }
  defineOfRows("qw", {"i"}, *factor);
  Ex weight = tasks.call("qw", acc, i);
  std::optional<RegionFactors> feature = featureFactors(arguments);
  Result value;
  if (feature) {
    at.feature = c;
    SmallVector<Ex> anchors;
    for (unsigned number = 0; number < countAnchors(); ++number)
      anchors.push_back(tensors.readWorkspace(
          chunks->workspace,
          stateIndices(stateNumber, anchorColumn(number), c)));
    Result ofFeature = feature->ratio(at, anchors);
    if (failed(ofFeature))
      return failure();
    value = feature->ofQuery(at, b.mul(weight, *ofFeature));
  } else if (Result row = rowElement(kernel.getQ(), i, c); succeeded(row)) {
    value = b.mul(*row, weight);
  }
  if (failed(value))
    return failure();
  defineOfRows("qs", {"i", "c"}, *value);
  return success();
}

void KernelWriter::defineOfRows(StringRef name, ArrayRef<std::string> variables,
                                Ex value) {
  tasks.define(name, variables, value);
  b.schedule(name, 0, "compute_root");
  if (tasks.isDevice())
    tasks.scheduleOnDevice(name, 0, variables.back(),
                           variables.size() > 1 ? variables.front() : "");
  else
    scheduleVectors(name);
}

/// What a block of queries has of its state: a feature of the values, or the
/// sum of weights.
Ex KernelWriter::startOf(Ex i, std::optional<Ex> feature) {
  if (!tasks.isDevice())
    return feature ? b.call("sv", acc, {i, *feature}) : b.call("sz", acc, i);
  Ex column = feature ? *feature : b.integer(valueDim);
  return b.select(b.less(b.integer(0), stateNumber),
                  tasks.call("sp", acc, {i, column}), b.real(0, acc));
}

LogicalResult KernelWriter::startFromState() {
  if (tasks.isDevice()) // findState() has defined it
    return success();
  if (failed(defineStateRows()))
    return failure();
  Ex i = b.variable("i"), e = b.variable("e"), zero = b.integer(0);
  Ex features = b.select(b.less(zero, stateNumber),
                         b.integer(featuresOf(kernel, plan)), zero);
  auto term = [&](StringRef domain, Ex column) {
    b.domain(domain, {{zero, features}});
    Ex c = b.variable((domain + ".x").str());
    Ex state = tensors.readWorkspace(chunks->workspace,
                                     stateIndices(stateNumber, column, c));
    return b.mul(b.call("qs", acc, {i, c}), state);
  };
  Ex ofSum = term("sz_sum", b.integer(valueDim));
  b.define("sz", {"i"}, b.real(0, acc));
  b.update({i}, b.add(b.call("sz", acc, i), ofSum));
  b.schedule("sz", 0, "compute_root");
  scheduleVectors("sz", 1, "sz_sum.x");
  if (valueDim == 0)
    return success();
  Ex ofValue = term("sp_sum", b.min(e, b.integer(valueDim - 1)));
  b.define("sp", {"i", "e"}, b.real(0, acc));
  b.update({i, e}, b.add(b.call("sp", acc, {i, e}), ofValue));
  b.define("sv", {"i", "e"}, b.call("sp", acc, {i, e}));
  b.schedule("sv", 0, "compute_root");
  int64_t tile[] = {std::min(target.getValueTile()[0], valueDim),
                    target.getValueTile()[1]};
  scheduleProducts({"sp"}, "sv", "e", tile);
  return success();
}

} // namespace attnc::halide
