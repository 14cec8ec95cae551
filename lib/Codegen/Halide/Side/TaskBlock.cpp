//===- TaskBlock.cpp - What one task computes of a tensor -----------------===//
//
// Tests: test/Integration/halide
//
//===----------------------------------------------------------------------===//

#include "Side/TaskBlock.h"

using namespace mlir;

namespace attnc::halide {

static constexpr int64_t kRows = 32;
static constexpr int64_t kLanes = 16;

static std::string nameOf(unsigned axis) {
  return "task_" + std::to_string(axis);
}

TaskBlock::TaskBlock(Value tensor, Step &step, Tensors &tensors,
                     std::optional<unsigned> scanned)
    : tensor(tensor), step(step), b(step.builder), tensors(tensors),
      tasks(step, tensors),
      rank(cast<RankedTensorType>(tensor.getType()).getRank()),
      scanned(scanned) {
  bool isWhole = scanned && !scansLastAxis();
  if (rank > 1)
    rows = isWhole ? *scanned : rank - 2;
  auto extentFrom = [&](unsigned axis, int64_t most) {
    if (step.isDevice) // see storedWhere
      return b.integer(most);
    return b.min(b.integer(most), b.sub(tensors.extentOf(tensor, axis),
                                        tasks.coordinate(nameOf(axis))));
  };
  for (unsigned axis = 0; axis < rank; ++axis)
    if (axis + 1 == rank ? isWhole : !isWhole || axis != *scanned)
      step.grid.push_back({nameOf(axis), attn::axisSize(tensor.getType(), axis),
                           axis + 1 == rank           ? kLanes
                           : !isWhole && axis == rows ? kRows
                                                      : 1});
  Ex width = b.integer(1);
  if (rank > 0)
    width = isWhole ? extentFrom(rank - 1, kLanes)
                    : tensors.extentOf(tensor, rank - 1);
  dims.push_back({b.integer(0), width});
  if (rows)
    dims.push_back({b.integer(0), isWhole ? tensors.extentOf(tensor, *rows)
                                          : extentFrom(*rows, kRows)});
}

/// Whether the block's elements differ along the axis and start at the task's
/// coordinate.
bool TaskBlock::hasBlock(unsigned axis) const {
  bool isWhole = scanned && !scansLastAxis();
  return isWhole ? axis + 1 == rank : axis == rows;
}

SmallVector<Ex> TaskBlock::indicesOf(Ex x, Ex y) {
  SmallVector<Ex> indices;
  for (unsigned axis = 0; axis < rank; ++axis) {
    bool isLast = axis + 1 == rank;
    Ex inside = isLast ? x : y;
    if (hasBlock(axis))
      indices.push_back(b.add(tasks.coordinate(nameOf(axis)), inside));
    else if (isLast || axis == rows)
      indices.push_back(inside);
    else
      indices.push_back(tasks.coordinate(nameOf(axis)));
  }
  return indices;
}

std::pair<Ex, Ex> TaskBlock::placeOf(ArrayRef<Ex> indices) {
  auto inside = [&](unsigned axis) {
    return hasBlock(axis) ? b.sub(indices[axis], tasks.coordinate(nameOf(axis)))
                          : indices[axis];
  };
  return {rank > 0 ? inside(rank - 1) : b.integer(0),
          rows ? inside(*rows) : b.integer(0)};
}

SmallVector<std::pair<Ex, Ex>> TaskBlock::storedDims() {
  SmallVector<std::pair<Ex, Ex>> all(dims);
  if (step.isDevice)
    all.push_back({b.integer(0), tasks.count()});
  return all;
}

void TaskBlock::beginStore(StringRef domain) {
  if (step.isDevice)
    tasks.setTask(b.variable((domain + (dims.size() > 1 ? ".z" : ".y")).str()));
}

SmallVector<Ex> TaskBlock::storedWhere(Ex x, Ex y) {
  SmallVector<Ex> where;
  if (!step.isDevice)
    return where;
  for (unsigned axis = 0; axis < rank; ++axis)
    if (hasBlock(axis))
      where.push_back(b.less(
          b.add(tasks.coordinate(nameOf(axis)), axis + 1 == rank ? x : y),
          tensors.extentOf(tensor, axis)));
  return where;
}

void TaskBlock::reserve() const {
  if (step.isDevice)
    return;
  step.scratchBytes = 1 << 14;
  if (rank == 0)
    return;
  bool isWhole = scanned && !scansLastAxis();
  step.scratchSize =
      attn::axisSize(tensor.getType(), isWhole ? *scanned : rank - 1);
  step.scratchPerSize = (isWhole ? kLanes : kRows) * 8;
}

} // namespace attnc::halide
