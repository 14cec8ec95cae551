//===- GraphOps.cpp - Meaning of the unfused graph ------------------------===//

#include "Attn/FunctionInterpreter.h"
#include "Attn/NormalizeRow.h"
#include "Attn/SumOrder.h"

using namespace mlir;

namespace attnc::reference {

/// Axis by axis the letters of a side, as one string.
static std::string joined(ArrayRef<StringRef> groups) {
  std::string letters;
  for (StringRef group : groups)
    letters += group;
  return letters;
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::ViewOp op) {
  attn::ViewLabels labels = op.getViewLabels();
  auto it = arrays.find(op.getSource());
  if (it == arrays.end())
    return op.emitError("has no source array");
  const Array<Real> &source = it->second;
  // A letter alone on an axis of either side has that axis' extent; the one
  // unknown letter of a group gets what is left of it. Of more all but one have
  // the extent that their size says.
  llvm::StringMap<int64_t> extents;
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  for (auto [axis, group] : llvm::enumerate(labels.output))
    if (group.size() == 1 && !resultType.isDynamicDim(axis))
      extents[group] = resultType.getDimSize(axis);
  for (auto [axis, group] : llvm::enumerate(labels.input))
    if (group.size() == 1)
      extents[group] = source.shape[axis];
  for (auto [axis, group] : llvm::enumerate(labels.input)) {
    int64_t known = 1;
    SmallVector<StringRef> unknown;
    for (size_t i = 0; i < group.size(); ++i)
      if (auto found = extents.find(group.substr(i, 1)); found != extents.end())
        known *= found->second;
      else
        unknown.push_back(group.substr(i, 1));
    for (; unknown.size() > 1; unknown.pop_back()) {
      std::optional<int64_t> extent = extentOf(op.sizeOf(unknown.back()[0]));
      if (!extent)
        return op.emitError("extents of '") << group << "' are not known";
      known *= extents[unknown.back()] = *extent;
    }
    if (!unknown.empty())
      extents[unknown[0]] =
          known ? source.shape[axis] / known
                : extentOf(op.sizeOf(unknown[0][0])).value_or(0);
  }
  Array<Real> split = source;
  std::string from = joined(labels.input), to = joined(labels.output);
  split.names = letterNames(from);
  split.shape.clear();
  for (const std::string &name : split.names)
    split.shape.push_back(extents.lookup(name));
  if (split.size() != source.size())
    return op.emitError("does not split the source's axes evenly");
  Space space;
  space.names = letterNames(to);
  for (const std::string &name : space.names)
    space.extents.push_back(extents.lookup(name));
  Array<Real> result;
  result.isReal = source.isReal;
  for (StringRef group : labels.output) {
    int64_t extent = 1;
    for (size_t i = 0; i < group.size(); ++i)
      extent *= extents.lookup(group.substr(i, 1));
    result.shape.push_back(extent);
    result.names.push_back(group.str());
  }
  result.resize();
  SmallVector<int64_t> steps = stepsIn(split, space);
  int64_t place = 0;
  (void)forEachRow(space, [&](ArrayRef<int64_t> index) {
    int64_t offset = offsetOf(steps, index);
    int64_t step = steps.empty() ? 0 : steps.back();
    for (int64_t lane = 0; lane < space.rowLength(); ++lane, ++place)
      if (source.isReal)
        result.data.reals[place] = source.data.reals[offset + lane * step];
      else
        result.data.integers[place] =
            source.data.integers[offset + lane * step];
    return success();
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::ContractOp op) {
  std::string error;
  auto labels = attn::Labels::parse(op.getLabels(), error);
  if (!labels)
    return op.emitError(error);
  auto lhs = named(op.getLhs(), labels->inputs[0]);
  auto rhs = named(op.getRhs(), labels->inputs[1]);
  FailureOr<Array<Real>> mask = Array<Real>();
  if (op.getMask())
    mask = named(op.getMask(), *op.getMaskLabels());
  if (failed(lhs) || failed(rhs) || failed(mask))
    return failure();
  std::string summed;
  for (char letter : labels->inputs[0].str() + labels->inputs[1].str())
    if (!StringRef(labels->output.str() + summed).contains(letter))
      summed += letter;
  auto space = spaceOf(op.getResult(), labels->output, {&*lhs, &*rhs});
  auto all =
      spaceOf(op.getResult(), labels->output.str() + summed, {&*lhs, &*rhs});
  if (failed(space) || failed(all))
    return failure();
  MultiplyAdd<Real> multiplyAdd(attn::accumulateType(op->getOperandTypes()),
                                arithmetic);
  Array<Real> result;
  result.names = space->names;
  result.shape = space->extents;
  result.resize();
  if (!op.getMask()) {
    double products = 2;
    for (int64_t extent : all->extents)
      products *= double(extent);
    flop += products;
    if (skipsProducts) {
      define(op.getResult(), std::move(result));
      return success();
    }
  }
  SmallVector<int64_t> left = stepsIn(*lhs, *all), right = stepsIn(*rhs, *all);
  SmallVector<int64_t> where = stepsIn(*mask, *all);
  SmallVector<int64_t> out = stepsIn(result, *all);
  auto last = [](ArrayRef<int64_t> steps) {
    return steps.empty() ? 0 : steps.back();
  };
  // The last axis is the one that is summed, if there is one.
  std::vector<size_t> lanes = sumOrder(all->rowLength(), arithmetic.order);
  (void)forEachRow(*all, [&](ArrayRef<int64_t> index) {
    int64_t a = offsetOf(left, index), b = offsetOf(right, index);
    int64_t m = offsetOf(where, index), o = offsetOf(out, index);
    for (size_t lane : lanes) {
      if (op.getMask() && !mask->data.integers[m + lane * last(where)])
        continue;
      Real &sum = result.data.reals[o + lane * last(out)];
      sum = multiplyAdd(sum, lhs->data.reals[a + lane * last(left)],
                        rhs->data.reals[b + lane * last(right)]);
    }
    return success();
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::MapOp op) {
  attn::Labels labels = op.getAxisLabels();
  SmallVector<Array<Real>> inputs;
  for (auto [value, letters] : llvm::zip_equal(op.getInputs(), labels.inputs)) {
    auto input = named(value, letters);
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  SmallVector<const Array<Real> *> pointers;
  for (const Array<Real> &input : inputs)
    pointers.push_back(&input);
  auto space = spaceOf(op.getResult(), labels.output, pointers);
  if (failed(space))
    return failure();
  Array<Real> result;
  result.names = space->names;
  result.shape = space->extents;
  result.isReal = !cast<RankedTensorType>(op.getResult().getType())
                       .getElementType()
                       .isInteger(1);
  result.resize();
  SmallVector<unsigned> axes =
      llvm::to_vector(llvm::seq<unsigned>(0, space->names.size()));
  SmallVector<int64_t> starts(axes.size(), 0);
  RegionEvaluator<Real> run = evaluator();
  auto store = [&](int64_t place, const Column<Real> &column) {
    for (int64_t lane = 0; lane < space->rowLength(); ++lane)
      if (result.isReal)
        result.data.reals[place + lane] = column.realAt(lane);
      else
        result.data.integers[place + lane] = column.integerAt(lane);
  };
  if (failed(evaluateOver<Real>(*space, op.getBody().front(), pointers, axes,
                                starts, run, store)))
    return failure();
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::MaskOp op) {
  auto space = spaceOf(op.getResult(), op.getLabels(), {});
  if (failed(space))
    return failure();
  Array<Real> result;
  result.names = space->names;
  result.shape = space->extents;
  result.isReal = false;
  result.resize();
  SmallVector<unsigned> axes =
      llvm::to_vector(llvm::seq<unsigned>(0, space->names.size()));
  SmallVector<int64_t> starts(axes.size(), 0);
  RegionEvaluator<Real> run = evaluator();
  auto store = [&](int64_t place, const Column<Real> &column) {
    for (int64_t lane = 0; lane < space->rowLength(); ++lane)
      result.data.integers[place + lane] = column.integerAt(lane);
  };
  if (failed(evaluateOver<Real>(*space, op.getBody().front(), {}, axes, starts,
                                run, store)))
    return failure();
  define(op.getResult(), std::move(result));
  return success();
}

/// The further score of each row, in row-major order of `rows`; nothing without
/// an init region.
template <typename Real>
FailureOr<Array<Real>> FunctionInterpreter<Real>::runInit(Region &region,
                                                          const Space &rows) {
  Array<Real> init;
  init.names = rows.names;
  init.shape = rows.extents;
  init.resize();
  if (region.empty())
    return init;
  SmallVector<unsigned> axes =
      llvm::to_vector(llvm::seq<unsigned>(0, rows.names.size()));
  SmallVector<int64_t> starts(axes.size(), 0);
  RegionEvaluator<Real> run = evaluator();
  auto store = [&](int64_t place, const Column<Real> &column) {
    for (int64_t lane = 0; lane < rows.rowLength(); ++lane)
      init.data.reals[place + lane] = column.realAt(lane);
  };
  if (failed(evaluateOver<Real>(rows, region.front(), {}, axes, starts, run,
                                store)))
    return failure();
  return init;
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::NormalizeOp op) {
  StringRef letters = op.getLabels();
  auto scores = named(op.getScores(), letters);
  FailureOr<Array<Real>> mask = Array<Real>();
  if (op.getMask())
    mask = named(op.getMask(), letters);
  if (failed(scores) || failed(mask))
    return failure();
  Space rows;
  int64_t keys = 0;
  for (auto [name, extent] : llvm::zip_equal(scores->names, scores->shape))
    if (name == op.getOver())
      keys = extent;
    else
      rows.names.push_back(name), rows.extents.push_back(extent);
  // One step per row: a row without any key still has an lse.
  Space walk = rows;
  walk.names.push_back(op.getOver().str());
  walk.extents.push_back(1);

  Array<Real> weights = *scores, lse;
  weights.resize();
  lse.names = rows.names;
  lse.shape = rows.extents;
  lse.resize();
  auto init = runInit(op.getInit(), rows);
  if (failed(init))
    return failure();
  SmallVector<int64_t> in = stepsIn(*scores, walk);
  SmallVector<int64_t> where = stepsIn(*mask, walk);
  SmallVector<int64_t> row = stepsIn(lse, walk);
  (void)forEachRow(walk, [&](ArrayRef<int64_t> index) {
    int64_t base = offsetOf(in, index), m = offsetOf(where, index);
    int64_t place = offsetOf(row, index);
    std::vector<Real> allowed;
    std::vector<int64_t> offsets;
    for (int64_t key = 0; key < keys; ++key)
      if (!op.getMask() || mask->data.integers[m + key * where.back()]) {
        offsets.push_back(base + key * in.back());
        allowed.push_back(scores->data.reals[offsets.back()]);
      }
    std::optional<Real> extra;
    if (!op.getInit().empty())
      extra = init->data.reals[place];
    RowWeights<Real> result = normalizeRow<Real>(
        op.getNorm(), allowed, extra, op.getAccumulateType(), arithmetic);
    for (auto [offset, weight] : llvm::zip_equal(offsets, result.weights))
      weights.data.reals[offset] = weight;
    lse.data.reals[place] = result.lse;
    return success();
  });
  define(op.getWeights(), std::move(weights));
  define(op.getLse(), std::move(lse));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::ReduceOp op) {
  auto scores = named(op.getScores(), op.getLabels());
  FailureOr<Array<Real>> mask = Array<Real>();
  if (op.getMask())
    mask = named(op.getMask(), op.getLabels());
  if (failed(scores) || failed(mask))
    return failure();
  Space walk;
  int64_t keys = 0;
  for (auto [name, extent] : llvm::zip_equal(scores->names, scores->shape))
    if (name == op.getOver())
      keys = extent;
    else
      walk.names.push_back(name), walk.extents.push_back(extent);
  Array<Real> row, key;
  row.names = key.names = walk.names;
  row.shape = key.shape = walk.extents;
  key.isReal = false;
  row.resize();
  key.resize();
  walk.names.push_back(op.getOver().str());
  walk.extents.push_back(1);
  Type type = cast<RankedTensorType>(op.getRow().getType()).getElementType();
  SmallVector<int64_t> in = stepsIn(*scores, walk);
  SmallVector<int64_t> where = stepsIn(*mask, walk);
  SmallVector<int64_t> out = stepsIn(row, walk);
  (void)forEachRow(walk, [&](ArrayRef<int64_t> index) {
    int64_t base = offsetOf(in, index), m = offsetOf(where, index);
    int64_t place = offsetOf(out, index);
    std::vector<Real> allowed;
    std::vector<int64_t> places;
    for (int64_t k = 0; k < keys; ++k)
      if (!op.getMask() || mask->data.integers[m + k * where.back()]) {
        places.push_back(k);
        allowed.push_back(scores->data.reals[base + k * in.back()]);
      }
    RowNumber<Real> number =
        reduceRow<Real>(op.getKind(), allowed, type, arithmetic);
    row.data.reals[place] = number.value;
    key.data.integers[place] =
        number.place < places.size() ? places[number.place] : keys - 1;
    return success();
  });
  define(op.getRow(), std::move(row));
  if (op.getKey())
    define(op.getKey(), std::move(key));
  return success();
}

#define ATTNC_INSTANTIATE(OP)                                                  \
  template LogicalResult FunctionInterpreter<double>::run(attn::OP);           \
  template LogicalResult FunctionInterpreter<long double>::run(attn::OP);
ATTNC_INSTANTIATE(ViewOp)
ATTNC_INSTANTIATE(ContractOp)
ATTNC_INSTANTIATE(MapOp)
ATTNC_INSTANTIATE(MaskOp)
ATTNC_INSTANTIATE(NormalizeOp)
ATTNC_INSTANTIATE(ReduceOp)

} // namespace attnc::reference
