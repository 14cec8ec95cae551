//===- KernelResults.cpp - What a kernel stores ---------------------------===//
//
// A NaN in a masked row of the values makes a product with the weight 0 a NaN.
// If a result has one, the pipeline stores nothing and runs again for the
// block, with a select per product. Later runs read inputs that are whole even
// if an output is stored in the place of one. Form chunked has another run in
// between, over all keys, where a state may be to blame.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

using namespace mlir;

namespace attnc::halide {

/// Whether weights have to be computed once more for exact values: form online
/// keeps none, and masks and gates may depend on sums.
bool KernelWriter::repeatsSums() {
  return isOnline || kernel.hasSelect() || kernel.hasGate();
}

/// The sums "qx" and the score "sx" of a key at a time.
LogicalResult KernelWriter::defineExactScores() {
  Ex i = b.variable("i"), k = b.variable("k");
  if (failed(defineSums("qx")))
    return failure();
  FailureOr<Ex> score = scoreOf("qx", i, k);
  if (failed(score))
    return failure();
  b.define("sx", {"i", "k"}, *score);
  auto atKey = [&](const std::string &function) {
    b.schedule(function, 0, "compute_at", {"exact", "exact_sum.x"});
    b.schedule(function, 0, "bound", {"i"}, {0, schedule.getQ()});
    if (!hasFeatureLanes())
      b.schedule(function, 0, "vectorize", {"i"}, {target.getLanes()});
  };
  atKey("sx");
  for (unsigned number = 0; number < kernel.getSums().size(); ++number) {
    std::string name = numbered("qx", number);
    atKey(name);
    if (hasFeatureLanes())
      continue;
    b.schedule(name, 1, "reorder", {"i", name + "_sum.x"});
    b.schedule(name, 1, "vectorize", {"i"}, {target.getLanes()});
  }
  return success();
}

/// The contribution of a key to "exact", and whether it is visible.
FailureOr<std::pair<Ex, Ex>> KernelWriter::exactTerm(Ex i, Ex key, Ex e) {
  if (repeatsSums() && failed(defineExactScores()))
    return failure();
  Ex score = b.call(repeatsSums() ? "sx" : "s", acc, {i, key});
  Ex shift = b.real(0, acc);
  if (norm.isSoftmax())
    shift = shiftOf(b.call("m", acc, i));
  Result weight = weigh(score, shift);
  std::optional<Ex> gate;
  if (kernel.hasGate()) {
    Result made = ofSums(kernel.getGate(), "qx", i, key);
    if (failed(made))
      return failure();
    gate = *made;
  }
  Result mask = masks ? maskOf("qx", i, key) : b.integer(1, kBool);
  if (failed(weight) || failed(mask))
    return failure();
  Result term = contribution(*weight, gate, i, key, e);
  if (failed(term))
    return failure();
  return std::pair(*term, *mask);
}

/// By its bits: Halide takes comparisons with the greatest float for known.
Ex KernelWriter::isNotFinite(Ex value) {
  ScalarType bits{Kind::Int, acc.bits};
  Ex exponent = b.integer(
      acc.bits == 64 ? 0x7ff0000000000000 : int64_t(0x7f800000), bits);
  return b.equal(b.make(Op::And, bits, {b.bitcast(value, bits), exponent}),
                 exponent);
}

/// "nans", whether a result has a NaN, of "bad" for each row. The first run of
/// form chunked has more reasons for another one: what states may do is limited
/// to finite numbers.
void KernelWriter::defineNans() {
  auto isBad = [&](Ex result) {
    Ex isNan = b.make(Op::IsNan, kBool, result);
    if (!chunks)
      return b.cast(isNan, kInt32);
    Ex isFirstRun = b.equal(b.parameter(kExact), b.integer(0));
    return b.cast(b.select(isFirstRun, isNotFinite(result), isNan), kInt32);
  };
  Ex i = b.variable("i"), zero = b.integer(0);
  if (hasFeatureLanes())
    return defineNansAlong(isBad);
  b.define("bad", {"i"}, chunks ? isBad(b.call("l", acc, i)) : zero);
  if (valueDim > 0) {
    b.domain("bad_sum", {{zero, b.integer(valueDim)}});
    Ex value = b.call("ov", acc, {i, b.variable("bad_sum.x")});
    b.update({i}, b.max(b.call("bad", kInt32, i), isBad(value)));
  }
  b.schedule("bad", 0, "compute_root");
  scheduleVectors("bad", valueDim > 0 ? 1 : 0, "bad_sum.x");
  b.domain("nan_sum", {{zero, b.integer(schedule.getQ())}});
  Ex ofRow = b.call("bad", kInt32, b.variable("nan_sum.x"));
  b.define("nans", {}, zero);
  b.update({}, b.max(b.call("nans", kInt32, {}), ofRow));
  b.schedule("nans", 0, "compute_root");
}

/// The same with features in the lanes, of every lane of a row.
void KernelWriter::defineNansAlong(function_ref<Ex(Ex result)> isBad) {
  Ex i = b.variable("i"), v = b.variable("v"), zero = b.integer(0);
  int64_t lanes = valueLanes();
  b.domain("bad_sum", {{zero, b.integer(valueDim / lanes)}});
  Ex e = b.add(b.mul(b.variable("bad_sum.x"), b.integer(lanes)), v);
  b.define("bad", {"i", "v"}, zero);
  b.update({i, v}, b.max(b.call("bad", kInt32, {i, v}),
                         isBad(b.call("ov", acc, {i, e}))));
  b.schedule("bad", 0, "compute_root");
  scheduleAlong("bad", "v", lanes, lanes, "bad_sum.x");
  b.domain("nan_sum",
           {{zero, b.integer(lanes)}, {zero, b.integer(schedule.getQ())}});
  Ex ofLane =
      b.call("bad", kInt32, {b.variable("nan_sum.y"), b.variable("nan_sum.x")});
  b.define("nans", {}, zero);
  b.update({}, b.max(b.call("nans", kInt32, {}), ofLane));
  b.schedule("nans", 0, "compute_root");
}

/// Whether this is the run of exact values.
Ex KernelWriter::isLastRun() {
  return b.less(b.integer(lastRun - 1), b.parameter(kExact));
}

/// "exact", the values without the products of masked pairs, of the last run.
LogicalResult KernelWriter::defineExactValues() {
  Ex i = b.variable("i"), e = b.variable("e");
  Ex isExact = isLastRun();
  b.domain("exact_sum", {{first, b.select(isExact, count, b.integer(0))}});
  auto term = exactTerm(i, b.variable("exact_sum.x"), e);
  if (failed(term))
    return failure();
  b.define("exact", {"i", "e"}, b.real(0, acc));
  b.update({i, e}, b.add(b.call("exact", acc, {i, e}),
                         b.keepWhere(term->second, term->first, 0)));
  b.schedule("exact", 0, "compute_root");
  if (hasFeatureLanes()) {
    scheduleAlong("exact", "e", valueLanes(), valueDim, "exact_sum.x");
    return success();
  }
  b.schedule("exact", 0, "bound", {"i"}, {0, schedule.getQ()});
  b.schedule("exact", 0, "vectorize", {"i"}, {target.getLanes()});
  b.schedule("exact", 1, "reorder", {"i", "e", "exact_sum.x"});
  b.schedule("exact", 1, "vectorize", {"i"}, {target.getLanes()});
  return success();
}

/// The runs after the first one; `mayHide`: a masked pair may have made a
/// result NaN.
LogicalResult KernelWriter::defineRuns(bool mayHide) {
  hasExact = mayHide;
  bool mayRepeat = chunks && !tasks.isDevice();
  lastRun = (hasExact ? 1 : 0) + (mayRepeat ? 1 : 0);
  if (lastRun > 0)
    defineNans();
  return hasExact ? defineExactValues() : success();
}

/// The dimensions of a store: `inner`, then queries, then tasks.
SmallVector<std::pair<Ex, Ex>>
KernelWriter::storedDims(ArrayRef<std::pair<Ex, Ex>> inner) {
  SmallVector<std::pair<Ex, Ex>> dims(inner);
  Ex zero = b.integer(0), rows = b.integer(schedule.getQ());
  if (!tasks.isDevice()) {
    Ex all = countRows(kernel.getQ());
    rows = b.min(rows, b.sub(all, tasks.coordinate("task_q0")));
  }
  dims.push_back({zero, rows});
  if (tasks.isDevice())
    dims.push_back({zero, tasks.count()});
  return dims;
}

/// What is stored is of the task that is a variable of the domain.
void KernelWriter::beginStore(const Twine &task) {
  if (tasks.isDevice())
    tasks.setTask(b.variable(task.str()));
}

/// On a device the number of rows cannot depend on the task. Where another run
/// follows if a result is NaN, this one stores nothing then.
SmallVector<Ex> KernelWriter::storedWhere(Ex i) {
  SmallVector<Ex> where;
  if (tasks.isDevice())
    where.push_back(b.less(rowOf(i), tensors.extentOf(kernel.getQ(), 3)));
  if (lastRun > 0) {
    Ex isFine = b.equal(b.call("nans", kInt32, {}), b.integer(0));
    where.push_back(b.make(Op::Or, kBool, {isFine, isLastRun()}));
  }
  return where;
}

/// Of the weighted values, before a division.
Ex KernelWriter::sumOfValues(Ex i, Ex e) {
  Ex sum = b.real(0, acc);
  if (valueDim > 0)
    sum = tasks.call("ov", acc, {i, e});
  if (!hasExact)
    return sum;
  return b.select(isLastRun(), b.call("exact", acc, {i, e}), sum);
}

/// The indices of a row in results.
SmallVector<Ex> KernelWriter::placeOf(Ex i) {
  auto [head, query] = headAndQueryOf(rowOf(i));
  return {tasks.coordinate("task_b"), tasks.coordinate("task_h"), head, query};
}

/// Element e of the output.
Ex KernelWriter::resultOf(Ex i, Ex e) {
  Ex zero = b.real(0, acc), sum = tasks.call("l", acc, i);
  Ex o = sumOfValues(i, e);
  if (norm.getDivide() != attn::NormDivide::Sum)
    return o;
  return b.select(b.equal(sum, zero), zero, b.div(o, sum));
}

/// A block of queries is divided by vectors, "o", before its elements are
/// scattered. A merge of parts has few rows, and its lanes are features.
LogicalResult KernelWriter::storeValues() {
  bool isBlock = !tasks.isDevice() && part != KernelPart::Merge;
  if (isBlock) {
    b.define("o", {"i", "e"}, resultOf(b.variable("i"), b.variable("e")));
    b.schedule("o", 0, "compute_root");
    if (hasFeatureLanes())
      scheduleAlong("o", "e", valueLanes(), valueDim);
    else
      scheduleVectors("o");
  }
  auto value = [&](StringRef domain) -> FailureOr<Tensors::Stored> {
    beginStore(domain + ".z");
    Ex e = b.variable((domain + ".x").str());
    Ex i = b.variable((domain + ".y").str());
    SmallVector<Ex> indices = placeOf(i);
    indices.push_back(e);
    Ex o = isBlock ? b.call("o", acc, {i, e}) : resultOf(i, e);
    return Tensors::Stored{indices, o, storedWhere(i), isBlock};
  };
  return tensors.store(
      kernel.getO(), storedDims({{b.integer(0), b.integer(valueDim)}}), value);
}

/// Where the pipeline runs again if a result is NaN, it says so.
void KernelWriter::reportNans() {
  if (lastRun == 0 || step.outputs.empty())
    return;
  step.reruns = lastRun;
  b.pipeline.outputs.push_back("nans");
}

/// Of a part of the keys, into its workspaces.
LogicalResult KernelWriter::storeState() {
  if (failed(defineRuns(valueDim > 0)))
    return failure();
  auto store = [&](unsigned workspace, ArrayRef<std::pair<Ex, Ex>> inner,
                   function_ref<Ex(Ex i, Ex e)> value) {
    tensors.storeIn(workspace, storedDims(inner), [&](StringRef domain) {
      Ex x = b.variable((domain + ".x").str()), i = x;
      if (!inner.empty())
        i = b.variable((domain + ".y").str());
      SmallVector<Ex> indices = placeOf(i);
      indices.insert(indices.begin() + 3, tasks.coordinate("task_part"));
      if (!inner.empty())
        indices.push_back(x);
      return Tensors::Stored{indices, value(i, x), storedWhere(i),
                             /*isCopy=*/!inner.empty() && !hasExact};
    });
  };
  if (valueDim > 0)
    store(parts->values, {{b.integer(0), b.integer(valueDim)}},
          [&](Ex i, Ex e) { return sumOfValues(i, e); });
  if (norm.isSoftmax())
    store(parts->maxima, {}, [&](Ex i, Ex) { return b.call("m", acc, i); });
  store(parts->sums, {}, [&](Ex i, Ex) { return b.call("l", acc, i); });
  reportNans();
  return success();
}

LogicalResult KernelWriter::storeResults() {
  // On a device no masked product is added in the first place, and states of
  // parts have none.
  bool mayHide = (masks || isOnline) && valueDim > 0 && !tasks.isDevice() &&
                 part == KernelPart::Whole;
  if (failed(defineRuns(mayHide)))
    return failure();
  if (kernel.getO() && failed(storeValues()))
    return failure();
  auto perRow = [&](Value result, function_ref<Result(Ex)> make) {
    if (!result || result.use_empty())
      return success();
    return tensors.store(result, storedDims({}),
                         [&](StringRef domain) -> FailureOr<Tensors::Stored> {
                           beginStore(domain + ".y");
                           Ex i = b.variable((domain + ".x").str());
                           FailureOr<Ex> value = make(i);
                           if (failed(value))
                             return failure();
                           return Tensors::Stored{placeOf(i), *value,
                                                  storedWhere(i)};
                         });
  };
  auto maximum = [&](Ex i) -> Result { return tasks.call("m", acc, i); };
  auto logarithm = [&](Ex i) -> Result {
    Ex sum = tasks.call("l", acc, i);
    if (kernel.getRow())
      return sum;
    Ex shift = b.real(0, acc);
    if (norm.isSoftmax())
      shift = shiftOf(tasks.call("m", acc, i));
    return logOfSum(sum, shift);
  };
  if (failed(perRow(kernel.getRow(), maximum)))
    return failure();
  if (failed(perRow(kernel.getLse(), logarithm)))
    return failure();
  reportNans();
  return success();
}

} // namespace attnc::halide
