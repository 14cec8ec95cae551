//===- GroupCycles.cpp - Cost of grouped heads as rows or one by one ------===//
//
// Heads one by one leave lanes idle with few queries, and read keys more often
// with some dozens (RowBlocks). As rows they are gathered from several places.
// Tests: test/Schedule/grouped-rows.mlir, test/Fusion/split-groups.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Cost/RowBlocks.h"
#include "attnc/Analysis/Kernel/GroupedRows.h"

using namespace mlir;

namespace attnc {

/// What gathers a row in its block and stores it takes per element.
static constexpr double kMoveCycles = 4;

/// The places of an axis of a tensor.
static double sizeOf(Value tensor, unsigned axis, const Regime &at) {
  return double(
      std::max<int64_t>(at.sizeOf(attn::axisSize(tensor.getType(), axis)), 1));
}

/// Features of the last axis, and the bytes that one row takes.
static double featuresOf(Value rows, const Regime &at, double &bytes) {
  unsigned last = cast<RankedTensorType>(rows.getType()).getRank() - 1;
  double features = sizeOf(rows, last, at);
  Type element = getElementTypeOrSelf(rows.getType());
  bytes += features * double(element.getIntOrFloatBitWidth()) / 8;
  return features;
}

double groupCycles(attn::KernelOp kernel, bool areRows, const Regime &at,
                   const Target &target) {
  double bytes = 0, features = featuresOf(kernel.getK(), at, bytes);
  if (kernel.getV())
    features += featuresOf(kernel.getV(), at, bytes);
  unsigned bits = kernel.getAccumulateType().getIntOrFloatBitWidth();
  RowBlocks blocks{&target, bits == 64 ? DType::F64 : DType::F32, features};
  double group = sizeOf(kernel.getQ(), 2, at);
  auto rows = double(std::max<int64_t>(at.rowsOf(kernel.getQ(), 3), 1));
  double rowsOfBlocks = areRows ? rows * group : rows;
  double perKey = blocks.cyclesPerKey(rowsOfBlocks, features, bytes);
  double keys = double(
      std::max<int64_t>(at.rowsOf(kernel.getK(), kernel.getKeyAxis()), 1));
  double cycles = areRows
                      ? keys * perKey + rowsOfBlocks * features * kMoveCycles
                      : group * keys * perKey;
  return sizeOf(kernel.getQ(), 0, at) * sizeOf(kernel.getQ(), 1, at) * cycles;
}

bool areRowsCheaper(attn::KernelOp kernel, ArrayRef<Regime> regimes,
                    const Target &target) {
  double before = 0, after = 0;
  for (const Regime &at : regimes) {
    double heads = groupCycles(kernel, /*areRows=*/false, at, target);
    double rows = groupCycles(kernel, /*areRows=*/true, at, target);
    before += at.weight * heads / std::min(heads, rows);
    after += at.weight * rows / std::min(heads, rows);
  }
  return after <= 0.9 * before;
}

} // namespace attnc
