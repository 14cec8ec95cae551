//===- Tables.cpp - Meaning of questions about tables ---------------------===//
//
// attn.table_min, attn.table_max, attn.lower_bound, and those of tile: plain
// scans, so that nothing cleverer is ever its own judge.
// Tests: test/Unit/Reference/TablesTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Tensor/Space.h"

using namespace mlir;

namespace attnc::reference {

template <typename Real>
static size_t lanesOf(ArrayRef<const Column<Real> *> c) {
  size_t lanes = 1;
  for (const Column<Real> *column : c)
    lanes = std::max(lanes, column->size());
  return lanes;
}

template <typename Real>
Column<Real> tableEnd(const Array<Real> &array,
                      ArrayRef<const Column<Real> *> ends, bool greatest) {
  Column<Real> result;
  size_t rank = array.shape.size();
  for (size_t lane = 0; lane < lanesOf(ends); ++lane) {
    if (array.size() == 0) {
      result.integers.push_back(0);
      continue;
    }
    Space box;
    SmallVector<int64_t> starts;
    for (auto [axis, extent] : llvm::enumerate(array.shape)) {
      auto clamped = [&](size_t i) {
        return std::clamp<int64_t>(ends[i]->integerAt(lane), 0, extent - 1);
      };
      starts.push_back(clamped(axis));
      box.names.push_back(std::to_string(axis));
      box.extents.push_back(
          std::max<int64_t>(clamped(rank + axis) - starts.back(), 0) + 1);
    }
    box.names.push_back("element");
    box.extents.push_back(1);
    std::optional<int64_t> best;
    (void)forEachRow(box, [&](ArrayRef<int64_t> index) {
      int64_t offset = 0;
      for (size_t axis = 0; axis < rank; ++axis)
        offset = offset * array.shape[axis] + starts[axis] + index[axis];
      int64_t value = array.data.integers[offset];
      best = !best      ? value
             : greatest ? std::max(*best, value)
                        : std::min(*best, value);
      return success();
    });
    result.integers.push_back(*best);
  }
  return result;
}
template Column<double> tableEnd(const Array<double> &,
                                 ArrayRef<const Column<double> *>, bool);
template Column<long double> tableEnd(const Array<long double> &,
                                      ArrayRef<const Column<long double> *>,
                                      bool);

template <typename Real>
Column<Real> lowerBound(const Array<Real> &array,
                        ArrayRef<const Column<Real> *> operands) {
  Column<Real> result;
  int64_t length = array.shape.back();
  for (size_t lane = 0; lane < lanesOf(operands); ++lane) {
    int64_t row = 0, place = 0;
    for (auto [extent, index] :
         llvm::zip(ArrayRef(array.shape).drop_back(), operands))
      row =
          row * extent + std::clamp<int64_t>(index->integerAt(lane), 0,
                                             std::max<int64_t>(extent - 1, 0));
    if (array.size() != 0)
      while (place < length && array.data.integers[row * length + place] <
                                   operands.back()->integerAt(lane))
        ++place;
    result.integers.push_back(array.size() == 0 ? 0 : place);
  }
  return result;
}
template Column<double> lowerBound(const Array<double> &,
                                   ArrayRef<const Column<double> *>);
template Column<long double> lowerBound(const Array<long double> &,
                                        ArrayRef<const Column<long double> *>);

} // namespace attnc::reference
