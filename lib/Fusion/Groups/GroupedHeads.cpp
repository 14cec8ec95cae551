//===- GroupedHeads.cpp - Decide whether to pack grouped heads ------------===//
//
// Heads one by one leave lanes idle with few queries, and read keys more often
// with some dozens (RowBlocks). As rows they are moved to their place and back.
// Tests: test/Fusion/merge-groups.mlir, split-groups.mlir
//
//===----------------------------------------------------------------------===//

#include "Groups/GroupedHeads.h"

#include "attnc/Analysis/Cost/RowBlocks.h"
#include "attnc/Analysis/Kernel/ScoreFactors.h"
#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

unsigned fusion::groupArgument(attn::KernelOp kernel, Region &region) {
  auto isIndex = [](Value argument) { return argument.getType().isIndex(); };
  unsigned elements = llvm::find_if(region.getArguments(), isIndex) -
                      region.getArguments().begin();
  bool hasFeature = &region == &kernel.getValue() ||
                    llvm::any_of(kernel.getPairs(), [&](Region &pair) {
                      return &pair == &region;
                    });
  return elements + (hasFeature ? 3 : 2);
}

ViewedRows fusion::skipViews(Value rows) {
  ViewedRows viewed{rows, {}};
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(
      viewed.source.getDefiningOp())) {
    viewed.views.push_back(viewed.source.getDefiningOp());
    viewed.source = viewed.views.back()->getOperand(0);
  }
  return viewed;
}

SmallVector<attn::KernelOp> fusion::findGroupedKernels(func::FuncOp f) {
  SmallVector<attn::KernelOp> kernels;
  f.walk([&](attn::KernelOp kernel) {
    if (kernel.getQ().getType().getDimSize(2) > 1) // not open, and no 1
      kernels.push_back(kernel);
  });
  return kernels;
}

//===----------------------------------------------------------------------===//
// Whether
//===----------------------------------------------------------------------===//

static StringRef findRowObstacle(Value rows) {
  ViewedRows viewed = skipViews(rows);
  if (isa_and_present<attn::UnpackOp, attn::PagesOp>(
          viewed.source.getDefiningOp()))
    return "a table locates its queries";
  for (Operation *op : viewed.views)
    if (auto view = dyn_cast<attn::ViewOp>(op))
      for (StringRef letters : view.getViewLabels().output)
        if (letters.size() > 1)
          return "a view merges its query axes";
  return "";
}

StringRef fusion::findGroupObstacle(attn::KernelOp kernel) {
  if (kernel.getDense())
    return "it stores per-pair values";
  auto isRead = [](Operation *user) { return isa<attn::ReadOp>(user); };
  if (kernel.getKey() && !llvm::all_of(kernel.getKey().getUsers(), isRead))
    return "its ranks return key indices";
  if (kernel.hasGroupedKeys())
    return "its keys or values differ between heads";
  if (kernel.hasRanges() || kernel.hasClassify())
    return "its ranges are already computed";
  std::string reason;
  if (findScoreFactors(kernel, reason)) // not of rows that share a position
    return "linear attention carries its sums from chunk to chunk";
  auto dependsOnHead = [&](Region &region) {
    return !region.empty() &&
           !region.getArgument(groupArgument(kernel, region)).use_empty();
  };
  if (dependsOnHead(kernel.getMask()))
    return "its mask differs between heads"; // ranges would be of all
  if (llvm::any_of(kernel.getPairs(), dependsOnHead) ||
      dependsOnHead(kernel.getValue()))
    return "a per-feature formula differs between heads";
  if (!attn::axisSize(kernel.getQ().getType(), 3))
    return "the number of queries has no name";
  StringRef obstacle = findRowObstacle(kernel.getQ());
  for (unsigned i = 0; i < kernel.getProducts().size() && obstacle.empty();
       i += 2)
    obstacle = findRowObstacle(kernel.getProducts()[i]);
  return obstacle;
}

//===----------------------------------------------------------------------===//
// When
//===----------------------------------------------------------------------===//

/// What moves a row to its block and back takes 2 cycles an element, and up to
/// 7 where the memory for it is new to the process (measured on Sapphire
/// Rapids).
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

double fusion::groupCycles(attn::KernelOp kernel, bool areRows,
                           const Regime &at, const Target &target) {
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
