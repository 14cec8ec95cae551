//===- Space.cpp - Iterating over named axes ------------------------------===//

#include "Tensor/Space.h"

using namespace mlir;

namespace attnc::reference {

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

template <typename Real> int64_t Array<Real>::size() const {
  return product(shape);
}

template <typename Real> void Array<Real>::resize() {
  if (isReal)
    data.reals.assign(size(), Real(0));
  else
    data.integers.assign(size(), 0);
}
template struct Array<double>;
template struct Array<long double>;

int64_t Space::size() const { return product(extents); }

int Space::find(StringRef name) const {
  for (auto [i, own] : llvm::enumerate(names))
    if (own == name)
      return i;
  return -1;
}

template <typename Real>
SmallVector<int64_t> stepsIn(const Array<Real> &array, const Space &space) {
  SmallVector<int64_t> steps(space.names.size(), 0);
  int64_t step = 1;
  for (size_t axis = array.names.size(); axis-- > 0;) {
    if (int place = space.find(array.names[axis]); place >= 0)
      steps[place] = step;
    step *= array.shape[axis];
  }
  return steps;
}
template SmallVector<int64_t> stepsIn(const Array<double> &, const Space &);
template SmallVector<int64_t> stepsIn(const Array<long double> &,
                                      const Space &);

LogicalResult forEachRow(const Space &space,
                         function_ref<LogicalResult(ArrayRef<int64_t>)> row) {
  if (space.size() == 0)
    return success();
  SmallVector<int64_t> index(space.extents.size(), 0);
  while (true) {
    if (failed(row(index)))
      return failure();
    int axis = static_cast<int>(index.size()) - 2;
    for (; axis >= 0; --axis) {
      if (++index[axis] < space.extents[axis])
        break;
      index[axis] = 0;
    }
    if (axis < 0)
      return success();
  }
}

int64_t offsetOf(ArrayRef<int64_t> steps, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [step, position] : llvm::zip_equal(steps, index))
    offset += step * position;
  return offset;
}

/// The elements of one row of `array`.
template <typename Real>
static Column<Real> loadRow(const Array<Real> &array, int64_t offset,
                            int64_t step, int64_t length) {
  Column<Real> column;
  if (step == 0)
    length = 1;
  if (array.isReal)
    for (int64_t lane = 0; lane < length; ++lane)
      column.reals.push_back(array.data.reals[offset + lane * step]);
  else
    for (int64_t lane = 0; lane < length; ++lane)
      column.integers.push_back(array.data.integers[offset + lane * step]);
  return column;
}

template <typename Real>
LogicalResult
evaluateOver(const Space &space, Block &block,
             ArrayRef<const Array<Real> *> inputs, ArrayRef<unsigned> axes,
             ArrayRef<int64_t> starts, RegionEvaluator<Real> &evaluator,
             function_ref<void(int64_t, const Column<Real> &)> store) {
  SmallVector<SmallVector<int64_t>> steps;
  for (const Array<Real> *input : inputs)
    steps.push_back(stepsIn(*input, space));
  int64_t length = space.rowLength(), place = 0;
  return forEachRow(space, [&](ArrayRef<int64_t> index) -> LogicalResult {
    SmallVector<Column<Real>> arguments;
    for (auto [input, step] : llvm::zip_equal(inputs, steps))
      arguments.push_back(loadRow(*input, offsetOf(step, index),
                                  step.empty() ? 0 : step.back(), length));
    for (auto [axis, start] : llvm::zip_equal(axes, starts)) {
      Column<Real> column;
      bool last = axis + 1 == space.names.size();
      for (int64_t lane = 0; lane < (last ? length : 1); ++lane)
        column.integers.push_back(start + (last ? lane : index[axis]));
      arguments.push_back(std::move(column));
    }
    auto results = evaluator.run(block, arguments);
    if (failed(results))
      return failure();
    store(place, results->front());
    place += length;
    return success();
  });
}
template LogicalResult
evaluateOver(const Space &, Block &, ArrayRef<const Array<double> *>,
             ArrayRef<unsigned>, ArrayRef<int64_t>, RegionEvaluator<double> &,
             function_ref<void(int64_t, const Column<double> &)>);
template LogicalResult
evaluateOver(const Space &, Block &, ArrayRef<const Array<long double> *>,
             ArrayRef<unsigned>, ArrayRef<int64_t>,
             RegionEvaluator<long double> &,
             function_ref<void(int64_t, const Column<long double> &)>);

template <typename Real>
Column<Real> readClamped(const Array<Real> &array,
                         ArrayRef<const Column<Real> *> positions, Type type,
                         Arithmetic arithmetic) {
  size_t count = 1;
  for (const Column<Real> *column : positions)
    count = std::max(count, column->size());
  bool isEmpty = array.size() == 0;
  Column<Real> result;
  for (size_t lane = 0; lane < count; ++lane) {
    int64_t offset = 0;
    for (auto [axis, extent] : llvm::enumerate(array.shape))
      offset = offset * extent +
               std::clamp<int64_t>(positions[axis]->integerAt(lane), 0,
                                   std::max<int64_t>(extent - 1, 0));
    if (array.isReal)
      result.reals.push_back(arithmetic.round<Real>(
          isEmpty ? Real(0) : array.data.reals[offset], type));
    else
      result.integers.push_back(isEmpty ? 0 : array.data.integers[offset]);
  }
  return result;
}
template Column<double> readClamped(const Array<double> &,
                                    ArrayRef<const Column<double> *>, Type,
                                    Arithmetic);
template Column<long double> readClamped(const Array<long double> &,
                                         ArrayRef<const Column<long double> *>,
                                         Type, Arithmetic);

} // namespace attnc::reference
