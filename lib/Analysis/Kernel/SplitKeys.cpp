//===- SplitKeys.cpp - Kernels whose keys can be split --------------------===//

#include "attnc/Analysis/Kernel/SplitKeys.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"

using namespace attnc;

std::string attnc::whyNotSplit(attn::KernelOp kernel) {
  if (kernel.getDense())
    return "the kernel stores a value per pair of query and key";
  attn::RowAttr row = kernel.getRowKind();
  if (row && row.getKind() != attn::RowKind::Sum &&
      row.getKind() != attn::RowKind::Max)
    return "ranks and sparsemax need all scores of a row";
  return {};
}

bool attnc::isRagged(mlir::Value tensor) {
  return sourceOfViews(tensor).getDefiningOp<attn::UnpackOp>() != nullptr;
}
