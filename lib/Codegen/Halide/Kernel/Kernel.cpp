//===- Kernel.cpp - A kernel as a pipeline --------------------------------===//
//
// A task is a block of queries of one head: b, h, g and q0 are parameters, so
// that functions have two dimensions and nothing is left to bounds inference
// but the keys. Form rows:
//
//   qt(i, c)  = q[q0 + i, c] * scale          queries are lanes: transposed
//   qk(i, k) += qt(i, c) * key[k, c]          a register tile at a time
//   s(i, k)   = mask ? score(qk(i, k)) : -inf
//   m(i)      = max over k of s(i, k)
//   p(i, k)   = exp2(s(i, k) - m(i))
//   l(i)     += p(i, k)
//   pv(i, e) += p(i, k) * value[k, e]         a register tile at a time
//   o(i, e)   = pv(i, e) / l(i)
//
// Tests: test/Codegen/Halide, test/Integration/halide
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc::halide {

KernelWriter::KernelWriter(attn::KernelOp kernel, const FunctionPlan &plan,
                           Step &step, const KernelJob &job)
    : kernel(kernel), plan(plan), part(job.part), parts(job.parts),
      chunks(job.chunks), step(step), b(step.builder), tensors(plan, step),
      tasks(step, tensors), norm(kernel.getNorm()),
      schedule(*kernel.getSchedule()),
      target(dyn_cast<ScheduleAttr>(schedule.getTarget())),
      device(dyn_cast<GpuScheduleAttr>(schedule.getTarget())),
      acc(scalarTypeOf(kernel.getAccumulateType())) {
  if (schedule.getRowAxes() == attn::RowAxes::GQ)
    group = groupOf(kernel);
  isOnline = schedule.getForm() != attn::ScheduleForm::Rows;
  bool isOfStates = part == KernelPart::Chunks && target;
  width = isOfStates ? stateVectors() * target.getLanes() : schedule.getQ();
}

LogicalResult KernelWriter::check() {
  auto refuse = [&](const Twine &what) -> LogicalResult {
    return kernel.emitError("the Halide backend does not support ")
           << what << " yet";
  };
  if (!norm)
    return refuse(kernel.getRowKind() ? "per-row scalars of scores"
                                      : "stored scores");
  if (kernel.getDense())
    return refuse("stored weights");
  auto fixed = [&](Value tensor, unsigned axis) {
    return plan.fixedSize(attn::axisSize(tensor.getType(), axis));
  };
  for (attn::KernelOp::Sum &sum : kernel.getSums())
    for (auto [row, key] : sum.rows) {
      std::optional<int64_t> features = fixed(row, 4);
      if (!features)
        return refuse("run-time numbers of features");
      headDim += *features;
    }
  std::optional<int64_t> values =
      kernel.getV()
          ? fixed(kernel.getV(),
                  cast<RankedTensorType>(kernel.getV().getType()).getRank() - 1)
          : 0;
  if (!values)
    return refuse("run-time numbers of features");
  valueDim = *values;
  Operation *yield = kernel.getMask().front().getTerminator();
  auto constant = yield->getOperand(0).getDefiningOp<arith::ConstantOp>();
  masks = kernel.hasSelect() || !constant ||
          cast<IntegerAttr>(constant.getValue()).getValue().isZero();
  return success();
}

/// Of the states before chunks.
void KernelWriter::makeGridOfStates() {
  auto axis = [&](unsigned number) {
    return attn::axisSize(kernel.getQ().getType(), number);
  };
  step.grid = {{"task_b", axis(0)},
               {"task_h", axis(1)},
               {"task_g", chunks->group},
               {"task_d0", chunks->lanes, width}};
  if (tasks.isDevice()) {
    step.grid.back() = {"task_n", chunks->last};
    return;
  }
  int64_t keys = schedule.getChunk() * (width + 1);
  step.scratchBytes =
      acc.bits / 8 * (keys + width * (valueDim + 4) + 64) + (1 << 14);
}

/// The number of rows that blocks divide: queries, times the heads of a group
/// if these are rows.
Attribute KernelWriter::sizeOfRows() {
  Attribute queries = attn::axisSize(kernel.getQ().getType(), 3);
  if (group == 1)
    return queries;
  return sizeAttribute(kernel.getContext(),
                       plan.formulaOf(queries) * SizeExpr::constant(group));
}

void KernelWriter::makeGrid() {
  static constexpr StringLiteral names[] = {"b", "h", "g"};
  for (auto [axis, name] : llvm::enumerate(names))
    if (axis != 2 || group == 1)
      step.grid.push_back({("task_" + name).str(),
                           attn::axisSize(kernel.getQ().getType(), axis), 1});
  step.grid.push_back({"task_q0", sizeOfRows(), schedule.getQ()});
  if (parts && part != KernelPart::Merge)
    step.grid.push_back({"task_part", parts->count, 1});
  int64_t q = schedule.getQ(), bytes = acc.bits / 8;
  int64_t pairs = 3 * q * bytes; // scores, weights and gates
  if (hasFeatureLanes())         // and their sums, and rounded weights
    pairs += (2 * int64_t(kernel.getSums().size()) + 1) * q * bytes;
  step.scratchBytes =
      q * bytes * (headDim + 4 * valueDim + 64) + 64 * pairs + (1 << 14);
  step.scratchBytes += pairs * (schedule.getK() + 64);
  if (isOnline)
    return;
  step.scratchSize =
      attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis());
  step.scratchPerSize = pairs;
}

Ex KernelWriter::rowOf(Ex i) { return b.add(tasks.coordinate("task_q0"), i); }

/// The head of the group and the query that a row is of.
std::pair<Ex, Ex> KernelWriter::headAndQueryOf(Ex row) {
  if (group == 1)
    return {tasks.coordinate("task_g"), row};
  Ex heads = b.integer(group);
  return {b.make(Op::Mod, kInt32, {row, heads}), b.div(row, heads)};
}

/// The number of rows of an operand.
Ex KernelWriter::countRows(Value rows) {
  Ex queries = tensors.extentOf(rows, 3);
  return group == 1 ? queries : b.mul(queries, b.integer(group));
}

KernelWriter::Result KernelWriter::rowElement(Value rows, Ex i, Ex feature) {
  return elementOfRow(rows, rowOf(i), feature);
}

/// Of a row of the queries; those after the last one are copies of it.
KernelWriter::Result KernelWriter::elementOfRow(Value rows, Ex row,
                                                Ex feature) {
  Ex last = b.sub(countRows(rows), b.integer(1));
  auto [head, query] = headAndQueryOf(b.min(row, last));
  FailureOr<Ex> stored =
      tensors.element(rows, {tasks.coordinate("task_b"),
                             tasks.coordinate("task_h"), head, query, feature});
  if (failed(stored))
    return failure();
  return b.cast(*stored, acc);
}

/// Keys after the last one are copies of it, which no sum reads or the mask
/// hides. Blocks that are not checked have none.
KernelWriter::Result KernelWriter::keyElement(Value keys, Ex key, Ex feature) {
  bool isGrouped = cast<RankedTensorType>(keys.getType()).getRank() > 4;
  unsigned axis = isGrouped ? 3 : 2;
  Ex last = b.sub(tensors.extentOf(keys, axis), b.integer(1));
  SmallVector<Ex> indices{tasks.coordinate("task_b"),
                          tasks.coordinate("task_h")};
  if (isGrouped)
    indices.push_back(tasks.coordinate("task_g"));
  key = keyInTensor(key);
  if (checksKeys)
    key = b.max(b.min(key, last), b.integer(0));
  indices.push_back(key);
  indices.push_back(feature);
  FailureOr<Ex> stored = tensors.element(keys, indices);
  if (failed(stored))
    return failure();
  return b.cast(*stored, acc);
}

/// Of the task; of a group, the first head.
SmallVector<Ex> KernelWriter::headIndices() {
  SmallVector<Ex> indices;
  static constexpr StringLiteral names[] = {"task_b", "task_h", "task_g"};
  for (auto [axis, name] : llvm::enumerate(names)) {
    bool isRow = axis == 2 && group > 1;
    indices.push_back(
        b.position(isRow ? b.integer(0) : tasks.coordinate(name),
                   attn::axisSize(kernel.getQ().getType(), axis)));
  }
  return indices;
}

/// Of a row of the task.
SmallVector<Ex> KernelWriter::rowIndices(Ex i) {
  SmallVector<Ex> indices = headIndices();
  auto [head, query] = headAndQueryOf(rowOf(i));
  if (group > 1)
    indices[2] = b.position(head, group);
  indices.push_back(
      b.position(query, attn::axisSize(kernel.getQ().getType(), 3)));
  return indices;
}

SmallVector<Ex> KernelWriter::indicesOf(Ex i, Ex key) {
  SmallVector<Ex> indices = rowIndices(i);
  indices.push_back(
      b.position(keyInTensor(key),
                 attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis())));
  return indices;
}

KernelWriter::Result KernelWriter::maskOf(StringRef prefix, Ex i, Ex key) {
  FailureOr<Ex> mask =
      Formula(b, tensors).runOne(kernel.getMask(), indicesOf(i, key));
  if (failed(mask))
    return failure();
  if (kernel.hasSelect()) {
    FailureOr<Ex> select = ofSums(kernel.getSelect(), prefix, i, key);
    if (failed(select))
      return failure();
    mask = b.both(*mask, *select);
  }
  return *mask;
}

KernelWriter::Result KernelWriter::math(StringRef function, Ex x) {
  return Formula(b, tensors)
      .math(kernel, function, kernel.getAccumulateType(), x);
}

/// exp or exp2 of a score, or the score.
KernelWriter::Result KernelWriter::weigh(Ex score) {
  if (norm.getWeight() == attn::NormWeight::Identity)
    return score;
  return math(norm.getWeight() == attn::NormWeight::Exp2 ? "exp2" : "exp",
              score);
}

/// The weight of a score relative to `shift`, the maximum of a softmax.
KernelWriter::Result KernelWriter::weigh(Ex score, Ex shift) {
  Ex distance = b.sub(score, shift);
  if (!norm.isSoftmax() || norm.getWeight() != attn::NormWeight::Exp)
    return weigh(distance);
  return math(kExpAtMostOne, distance);
}

KernelWriter::Result KernelWriter::initOf(Ex i) {
  return Formula(b, tensors).runOne(kernel.getInit(), rowIndices(i));
}

Ex KernelWriter::shiftOf(Ex maximum) {
  return b.select(b.equal(maximum, lowest()), b.real(0, acc), maximum);
}

FailureOr<std::pair<Ex, Ex>> KernelWriter::initialState(Ex i) {
  if (!kernel.hasInit())
    return std::pair(lowest(), b.real(0, acc));
  Result init = initOf(i);
  if (failed(init))
    return failure();
  Result weight =
      norm.isSoftmax() ? weigh(*init, shiftOf(*init)) : weigh(*init);
  if (failed(weight))
    return failure();
  return std::pair(*init, *weight);
}

/// As the weight is multiplied.
Ex KernelWriter::round(Ex weight) {
  return b.cast(b.cast(weight, scalarTypeOf(kernel.getRoundedWeightType())),
                acc);
}

KernelWriter::Result KernelWriter::logOfSum(Ex sum, Ex shift) {
  if (!norm.isSoftmax())
    return sum;
  bool isBase2 = norm.getWeight() == attn::NormWeight::Exp2;
  FailureOr<Ex> log = math(isBase2 ? "log2" : "log", sum);
  if (failed(log))
    return failure();
  Ex lse = b.add(shift, *log);
  if (isBase2)
    lse = b.mul(lse, b.real(0.693147180559945309417, acc));
  return b.select(b.equal(sum, b.real(0, acc)), lowest(), lse);
}

/// The keys from the first to the last that a row of the block may see, and
/// those that every row sees: the longest such range.
LogicalResult KernelWriter::findRange() {
  Ex keys = tensors.extentOf(kernel.getK(), kernel.getKeyAxis());
  first = b.integer(0);
  count = keys;
  if (!masks && isOnline && !tasks.isDevice())
    whole.emplace(first, keys);
  if (!kernel.hasRanges() || !isKnown(kernel.getRanges().front()))
    return success();
  bool readsTable = false;
  kernel.getRanges().walk([&](attn::ReadOp) { readsTable = true; });
  if (readsTable && !tasks.isDevice()) // bounds of a domain are numbers;
                                       // without ranges it is right
    return success();
  Ex q0 = tasks.coordinate("task_q0");
  Ex q1 =
      b.min(b.add(q0, b.integer(schedule.getQ())), countRows(kernel.getQ()));
  if (group > 1) {
    q0 = b.div(q0, b.integer(group));
    q1 = divideUp(q1, group);
  }
  SmallVector<Ex> arguments = headIndices();
  for (Ex index : {q0, q1})
    arguments.push_back(
        b.position(index, attn::axisSize(kernel.getQ().getType(), 3)));
  FailureOr<SmallVector<Ex>> bounds =
      Formula(b, tensors).run(kernel.getRanges().front(), arguments);
  if (failed(bounds))
    return failure();
  Ex wide = b.cast(keys, b.indexType), zero = b.integer(0, b.indexType);
  // Between the state and the first query are fewer keys than in a chunk.
  bool isShort = chunks && schedule.getChunk() <= schedule.getK();
  bool hasWhole =
      isOnline && !tasks.isDevice() && !kernel.hasSelect() && !isShort;
  Ex low = wide, high = zero, from = zero, to = zero;
  for (size_t i = 0; i + 3 < bounds->size(); i += 4) {
    if (hasWhole) {
      Ex seenFrom = b.max((*bounds)[i + 1], zero);
      Ex seenTo = b.min((*bounds)[i + 2], wide);
      Ex isLonger = b.less(b.sub(to, from), b.sub(seenTo, seenFrom));
      from = b.select(isLonger, seenFrom, from);
      to = b.select(isLonger, seenTo, to);
    }
    Ex begin = (*bounds)[i], end = (*bounds)[i + 3];
    Ex isEmpty = b.make(Op::LessEqual, kBool, {end, begin});
    low = b.min(low, b.select(isEmpty, wide, begin));
    high = b.max(high, b.select(isEmpty, zero, end));
  }
  low = b.max(low, zero);
  high = b.min(high, wide);
  first = b.cast(low, kInt32);
  count = b.cast(b.max(b.sub(high, low), zero), kInt32);
  if (masks && hasWhole)
    whole.emplace(b.cast(b.max(from, low), kInt32),
                  b.cast(b.min(to, high), kInt32));
  return success();
}

LogicalResult KernelWriter::write() {
  if (failed(check()))
    return failure();
  if (part == KernelPart::Chunks) {
    makeGridOfStates();
    return writeStates();
  }
  makeGrid();
  if (part == KernelPart::Merge)
    return failed(defineMerged()) ? failure() : storeResults();
  if (failed(findRange()))
    return failure();
  if (parts && !tasks.isDevice())
    limitToPart();
  if (chunks && (failed(findState()) || failed(startFromState())))
    return failure();
  if (tasks.isDevice()) {
    if (failed(defineOnDevice()))
      return failure();
  } else if (failed(defineRowsOfSums()) ||
             failed(isOnline ? defineOnline() : defineRows())) {
    return failure();
  }
  return part == KernelPart::States ? storeState() : storeResults();
}

LogicalResult emitKernel(attn::KernelOp kernel, const FunctionPlan &plan,
                         Step &step, const KernelJob &job) {
  return KernelWriter(kernel, plan, step, job).write();
}

} // namespace attnc::halide
