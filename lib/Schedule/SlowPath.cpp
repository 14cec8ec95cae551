//===- SlowPath.cpp - Warnings about what will be slow --------------------===//
//
// A kernel that takes the plain way gives the right result, and nobody would
// notice that another one exists. The driver shows, hides or forbids these
// warnings by their id (-Wno-slow-path, -Werror).
// Tests: test/Schedule/slow-path.mlir
//
//===----------------------------------------------------------------------===//

#include "SlowPath.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;
using namespace attnc;

/// Where the element type of an operand comes from: what computes it, or the
/// declaration of the argument that it is a view or a cache of.
static Location placeOf(Value operand, Location otherwise) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<attn::ViewOp, attn::AppendOp>(op)) {
    operand = op->getOperand(0);
    op = operand.getDefiningOp();
  }
  return isa<UnknownLoc>(operand.getLoc()) ? otherwise : operand.getLoc();
}

/// 16-bit kernels are computed like f32 ones.
static void warnAboutConversions(attn::KernelOp kernel) {
  Type accumulate = kernel.getAccumulateType();
  for (Value operand : kernel->getOperands()) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (element == accumulate)
      continue;
    emitWarning(placeOf(operand, kernel.getLoc()))
        << element << " is converted to " << accumulate
        << " tile by tile and computed in it, without the "
           "matrix units for "
        << element << " [slow-path]";
    return;
  }
}

/// A formula per feature of each pair, where others have a product.
static void warnAboutFeatures(attn::KernelOp kernel) {
  auto warn = [](Region &region, StringRef what) {
    emitWarning(region.getLoc())
        << "the " << what
        << " is a formula of each feature of each pair, computed without the "
           "registers of a matrix product [slow-path]";
  };
  if (kernel.hasPairs())
    warn(kernel.getPairs().front(), "score");
  if (kernel.hasValue())
    warn(kernel.getValue(), "value");
}

/// A threshold is searched for; how, is in lib/Lowering/Rank.cpp, Simplex.cpp.
static void warnAboutSearches(attn::KernelOp kernel) {
  attn::RowAttr row = kernel.getRowKind();
  if (!row)
    return;
  bool isRank = row.getKind() == attn::RowKind::Rank;
  if (!isRank && row.getKind() != attn::RowKind::Simplex)
    return;
  bool isWide = kernel.getAccumulateType().isF64();
  unsigned passes = isRank ? (isWide ? 17 : 9) : (isWide ? 15 : 8);
  std::string ties =
      ", " + std::to_string(passes + 8) + " where scores are equal";
  kernel.emitWarning() << (isRank ? "the n-th greatest score"
                                  : "the threshold of sparsemax")
                       << " is searched for in " << passes
                       << " passes over the keys" << (isRank ? ties : "")
                       << ", each of which computes the scores [slow-path]";
}

/// Tensors with a number for each pair of a query and a key that no kernel
/// holds: scores and weights of an attn.normalize, and what has their shape.
static void warnAboutUnfused(func::FuncOp function) {
  SmallVector<ArrayRef<int64_t>> pairs;
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  function.walk(
      [&](attn::NormalizeOp op) { pairs.push_back(shapeOf(op.getScores())); });
  function.walk([&](Operation *op) {
    if (isa<attn::NormalizeOp>(op) ||
        (isa<attn::ContractOp, attn::MapOp>(op) &&
         llvm::is_contained(pairs, shapeOf(op->getResult(0)))))
      op->emitWarning() << "no kernel takes "
                        << (isa<attn::NormalizeOp>(op)  ? "these weights"
                            : isa<attn::ContractOp>(op) ? "this product"
                                                        : "this formula")
                        << ", so its result goes through memory: a number for "
                           "each query and key [slow-path]";
  });
}

void schedule::warnAboutSlowPaths(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (auto kernel = dyn_cast<attn::KernelOp>(op)) {
      warnAboutConversions(kernel);
      warnAboutFeatures(kernel);
      warnAboutSearches(kernel);
    }
  });
  warnAboutUnfused(function);
}
