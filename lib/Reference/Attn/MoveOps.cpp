//===- MoveOps.cpp - Meaning of slices, concats, appends and scans --------===//
//
// The first three copy elements along axes with the same letters, moved by a
// number of places along one of them.
//
//===----------------------------------------------------------------------===//

#include "Attn/FunctionInterpreter.h"

using namespace mlir;

namespace attnc::reference {

/// Copies `from`, over all places of `space`, to where `shift` moves each along
/// one axis; what would lie outside of `to` is left out.
template <typename Real>
static void copyShifted(const Array<Real> &from, Array<Real> &to,
                        const Space &space, unsigned axis,
                        function_ref<int64_t(ArrayRef<int64_t>)> shift) {
  SmallVector<int64_t> in = stepsIn(from, space), out = stepsIn(to, space);
  // A last axis of one place: each row is one element, and has all indices.
  Space single = space;
  single.names.push_back("element");
  single.extents.push_back(1);
  (void)forEachRow(single, [&](ArrayRef<int64_t> index) {
    int64_t moved = shift(index.drop_back());
    int64_t place = index[axis] + moved;
    if (place < 0 || place >= to.shape[axis])
      return success();
    int64_t source = offsetOf(in, index.drop_back());
    int64_t target = offsetOf(out, index.drop_back()) + moved * out[axis];
    if (to.isReal)
      to.data.reals[target] = from.data.reals[source];
    else
      to.data.integers[target] = from.data.integers[source];
    return success();
  });
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::SliceOp op) {
  auto source = named(op.getSource(), op.getLabels());
  if (failed(source))
    return failure();
  unsigned axis = op.getAxis();
  Array<Real> result = *source;
  result.shape[axis] = op.getSize();
  result.resize();
  Space all{source->names, source->shape};
  copyShifted<Real>(*source, result, all, axis, [&](ArrayRef<int64_t>) {
    return -int64_t(op.getOffset());
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::ConcatOp op) {
  attn::Labels labels = op.getAxisLabels();
  SmallVector<Array<Real>> parts;
  SmallVector<const Array<Real> *> pointers;
  for (auto [value, letters] : llvm::zip_equal(op.getParts(), labels.inputs)) {
    auto part = named(value, letters);
    if (failed(part))
      return failure();
    parts.push_back(std::move(*part));
  }
  for (const Array<Real> &part : parts)
    pointers.push_back(&part);
  auto space = spaceOf(op.getResult(), labels.output, pointers);
  if (failed(space))
    return failure();
  unsigned axis = *attn::axisOf(labels.output, op.getAlong().front());
  Array<Real> result;
  result.names = space->names;
  result.shape = space->extents;
  auto sizeOf = [&](const Array<Real> &part) {
    auto *name = llvm::find(part.names, space->names[axis]);
    return part.shape[name - part.names.begin()];
  };
  result.shape[axis] = 0;
  for (const Array<Real> &part : parts)
    result.shape[axis] += sizeOf(part);
  result.resize();
  int64_t first = 0;
  for (const Array<Real> &part : parts) {
    space->extents[axis] = sizeOf(part);
    copyShifted<Real>(part, result, *space, axis,
                      [&](ArrayRef<int64_t>) { return first; });
    first += space->extents[axis];
  }
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::AppendOp op) {
  auto cache = named(op.getCache(), op.getLabels());
  auto rows = named(op.getRows(), op.getLabels());
  auto at = named(op.getAt(), op.getAtLabels());
  if (failed(cache) || failed(rows) || failed(at))
    return failure();
  Array<Real> result = *cache;
  Space space{rows->names, rows->shape};
  SmallVector<int64_t> steps = stepsIn(*at, space);
  copyShifted<Real>(*rows, result, space, op.getAxis(),
                    [&](ArrayRef<int64_t> index) {
                      return at->data.integers[offsetOf(steps, index)];
                    });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::ScanOp op) {
  auto source = named(op.getSource(), op.getLabels());
  if (failed(source))
    return failure();
  Array<Real> result = *source;
  unsigned axis = *attn::axisOf(op.getLabels(), op.getAlong().front());
  // The axis of the sums last, so that a row is one sum.
  Space rows{source->names, source->shape};
  std::rotate(rows.names.begin() + axis, rows.names.begin() + axis + 1,
              rows.names.end());
  std::rotate(rows.extents.begin() + axis, rows.extents.begin() + axis + 1,
              rows.extents.end());
  SmallVector<int64_t> steps = stepsIn(*source, rows);
  Type types[] = {op.getSource().getType(), op.getType()};
  Type real = attn::accumulateType(types);
  (void)forEachRow(rows, [&](ArrayRef<int64_t> index) {
    int64_t place = offsetOf(steps, index);
    Real sum = 0;
    for (int64_t i = 0; i < rows.rowLength(); ++i, place += steps.back()) {
      sum = arithmetic.round<Real>(sum + source->data.reals[place], real);
      result.data.reals[place] = sum;
    }
    return success();
  });
  define(op.getResult(), std::move(result));
  return success();
}

#define ATTNC_INSTANTIATE(OP)                                                  \
  template LogicalResult FunctionInterpreter<double>::run(attn::OP);           \
  template LogicalResult FunctionInterpreter<long double>::run(attn::OP);
ATTNC_INSTANTIATE(SliceOp)
ATTNC_INSTANTIATE(ConcatOp)
ATTNC_INSTANTIATE(AppendOp)
ATTNC_INSTANTIATE(ScanOp)

} // namespace attnc::reference
