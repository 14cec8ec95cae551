//===- KernelParts.cpp - Keys in parts, and the merge of their states -----===//
//
// With few queries there are few tasks. Parts of the keys are tasks of their
// own: each computes a state as form online does, without the sink. On a CPU
// states are stored in workspaces, which a second pipeline merges; on a device
// they are the function res of one pipeline.
//
//   m(i)          = max(sink, maxima of the parts)
//   factor(i, n)  = exp2(maximum of part n - m(i))
//   l(i)         += sum of part n * factor(i, n)
//   ov(i, e)     += values of part n * factor(i, n)
//
// The parts depend on sizes and the schedule only and are added in their order,
// so results are the same for any number of threads.
// Tests: test/Integration/halide/split-keys.test
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::halide {

static SizeExpr divideUp(const SizeExpr &a, const SizeExpr &b) {
  return SizeExpr::binary(SizeExpr::Op::FloorDiv, a + b - SizeExpr::constant(1),
                          b);
}

static SizeExpr atLeast(int64_t least, const SizeExpr &size) {
  return SizeExpr::binary(SizeExpr::Op::Max, SizeExpr::constant(least), size);
}

/// Keys of a part, whole blocks of them: as many as `split`, and as make no
/// more tasks of a sequence than keep the machine busy. The batch does not
/// count, so that a sequence has the same results in any batch.
static SizeExpr lengthOfParts(attn::KernelOp kernel, const FunctionPlan &plan) {
  attn::ScheduleAttr schedule = *kernel.getSchedule();
  auto size = [&](Value tensor, unsigned axis) {
    return plan.formulaOf(attn::axisSize(tensor.getType(), axis));
  };
  auto number = [](int64_t value) { return SizeExpr::constant(value); };
  Value q = kernel.getQ();
  SizeExpr tasks = size(q, 1), rows = size(q, 3);
  if (schedule.getRowAxes() == attn::RowAxes::GQ)
    rows = rows * size(q, 2);
  else
    tasks = tasks * size(q, 2);
  if (!isRagged(q)) // where the axis has the queries of all sequences
    tasks = tasks * divideUp(rows, number(schedule.getQ()));
  SizeExpr wanted = divideUp(number(schedule.getTarget().getMostInstances()),
                             atLeast(1, tasks));
  SizeExpr k = number(schedule.getK());
  SizeExpr blocks = divideUp(size(kernel.getK(), kernel.getKeyAxis()), k);
  int64_t least = llvm::divideCeil(schedule.getSplit(), schedule.getK());
  return atLeast(least, divideUp(blocks, wanted)) * k;
}

KeyParts planParts(attn::KernelOp kernel, FunctionPlan &plan) {
  MLIRContext *context = kernel.getContext();
  SizeExpr keys = plan.formulaOf(
      attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis()));
  SizeExpr length = lengthOfParts(kernel, plan);
  KeyParts parts;
  parts.length = sizeAttribute(context, length);
  // Devices cannot compute without a task.
  parts.count = sizeAttribute(context, atLeast(1, divideUp(keys, length)));
  if (plan.isDevice)
    return parts;
  SmallVector<Attribute> sizes;
  for (unsigned axis : {0, 1, 2, 3})
    sizes.push_back(attn::axisSize(kernel.getQ().getType(), axis));
  sizes.insert(sizes.begin() + 3, parts.count);
  auto add = [&] {
    plan.workspaces.push_back(
        attn::tensorType(sizes, kernel.getAccumulateType()));
    return unsigned(plan.workspaces.size() - 1);
  };
  parts.maxima = add();
  parts.sums = add();
  if (Value v = kernel.getV()) {
    auto type = cast<RankedTensorType>(v.getType());
    sizes.push_back(attn::axisSize(type, type.getRank() - 1));
    parts.values = add();
  }
  return parts;
}

Ex KernelWriter::firstKeyOfPart() {
  return b.mul(tasks.coordinate("task_part"), tensors.sizeOf(parts->length));
}

Ex KernelWriter::keyInTensor(Ex key) {
  return parts && tasks.isDevice() ? b.add(firstKeyOfPart(), key) : key;
}

/// Of the visited keys, those of the task's part.
void KernelWriter::limitToPart() {
  Ex from = firstKeyOfPart();
  Ex end =
      b.min(b.add(first, count), b.add(from, tensors.sizeOf(parts->length)));
  first = b.max(first, from);
  count = b.max(b.sub(end, first), b.integer(0));
  if (whole)
    whole.emplace(b.max(whole->first, first), b.min(whole->second, end));
}

Ex KernelWriter::stateOf(Ex number, Ex i, StateKind kind, Ex e) {
  if (tasks.isDevice()) {
    Ex column = kind == StateKind::Values ? e
                : kind == StateKind::Sum  ? columnOfSum()
                                          : columnOfMax();
    Ex task =
        b.add(b.mul(tasks.getTask(), tensors.sizeOf(parts->count)), number);
    return b.call("res", acc, {i, column, task});
  }
  SmallVector<Ex> indices = placeOf(i);
  indices.insert(indices.begin() + 3, number);
  if (kind == StateKind::Values)
    indices.push_back(e);
  return tensors.readWorkspace(kind == StateKind::Values ? parts->values
                               : kind == StateKind::Sum  ? parts->sums
                                                         : parts->maxima,
                               indices);
}

/// A function of rows, or of `along` of rows, with an update over `domain`
/// unless that is empty.
void KernelWriter::scheduleMerged(StringRef function, StringRef domain,
                                  StringRef along) {
  b.schedule(function, 0, "compute_root");
  std::string part = (domain + ".x").str(), x = along.str();
  for (int stage : {0, 1}) {
    if (stage == 1 && domain.empty())
      continue;
    std::vector<std::string> inner;
    if (stage == 1)
      inner.push_back(part);
    if (tasks.isDevice()) {
      tasks.scheduleOnDevice(function, stage, x.empty() ? "i" : along,
                             x.empty() ? "" : "i", inner);
      continue;
    }
    if (x.empty())
      continue;
    b.schedule(function, stage, "split_guarded", {x, x + "_o", x + "_i"},
               {target.getLanes()});
    inner.insert(inner.begin(), {x + "_i", x + "_o"});
    inner.push_back("i");
    b.schedule(function, stage, "reorder", inner);
    b.schedule(function, stage, "vectorize", {x + "_i"});
  }
}

LogicalResult KernelWriter::defineMerged() {
  Ex i = b.variable("i"), e = b.variable("e"), zero = b.real(0, acc);
  Ex n = b.variable("n");
  auto initial = initialState(i);
  if (failed(initial))
    return failure();
  auto [init, initWeight] = *initial;
  std::pair<Ex, Ex> all{b.integer(0), tensors.sizeOf(parts->count)};
  if (norm.isSoftmax()) {
    b.domain("maxima", {all});
    Ex m = tasks.call("m", acc, i);
    Ex next = stateOf(b.variable("maxima.x"), i, StateKind::Maximum);
    tasks.define("m", {"i"}, init);
    tasks.update({i}, b.select(b.less(m, next), next, m));
    scheduleMerged("m", "maxima");
    Result factor = weigh(stateOf(n, i, StateKind::Maximum), shiftOf(m));
    Result before = weigh(init, shiftOf(m));
    if (failed(factor) || failed(before))
      return failure();
    tasks.define("factor", {"i", "n"}, *factor);
    scheduleMerged("factor", "", "n");
    initWeight = b.mul(initWeight, *before);
  }
  auto weighted = [&](Ex state, Ex number) {
    return norm.isSoftmax()
               ? b.mul(state, tasks.call("factor", acc, {i, number}))
               : state;
  };
  b.domain("sums", {all});
  Ex part = b.variable("sums.x");
  tasks.define("l", {"i"}, initWeight);
  tasks.update({i}, b.add(tasks.call("l", acc, i),
                          weighted(stateOf(part, i, StateKind::Sum), part)));
  scheduleMerged("l", "sums");
  if (valueDim == 0)
    return success();
  b.domain("values", {all});
  part = b.variable("values.x");
  tasks.define("ov", {"i", "e"}, zero);
  tasks.update({i, e},
               b.add(tasks.call("ov", acc, {i, e}),
                     weighted(stateOf(part, i, StateKind::Values, e), part)));
  scheduleMerged("ov", "values", "e");
  return success();
}

} // namespace attnc::halide
