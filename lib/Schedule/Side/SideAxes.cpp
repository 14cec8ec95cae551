//===- SideAxes.cpp - Axes of ops outside kernels -------------------------===//
//
// Tests: test/Schedule/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Side/SideAxes.h"

#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;

namespace attnc::schedule {

void SideAxes::add(StringRef letters, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [letter, size] : llvm::zip(letters, type.getShape()))
    sizes[letter] = ShapedType::isDynamic(size) ? kOpen : size;
}

std::optional<char> SideAxes::bestLanes(StringRef letters,
                                        int64_t lanes) const {
  std::optional<char> best;
  for (char letter : letters)
    if (!best ||
        std::min(sizeOf(letter), lanes) >= std::min(sizeOf(*best), lanes))
      best = letter;
  return best;
}

std::optional<char> SideAxes::largest(StringRef letters) const {
  std::optional<char> best;
  for (char letter : letters)
    if (!best || sizeOf(letter) >= sizeOf(*best))
      best = letter;
  return best;
}

static std::string pick(StringRef letters,
                        llvm::function_ref<bool(char)> keep) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept), keep);
  return kept;
}

SideAxes SideAxes::of(Operation *op) {
  SideAxes axes;
  if (auto normalize = dyn_cast<attn::NormalizeOp>(op)) {
    axes.add(normalize.getLabels(), normalize.getScores());
    axes.result = normalize.getRowLabels();
    return axes;
  }
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    axes.add(reduce.getLabels(), reduce.getScores());
    axes.result = reduce.getRowLabels();
    return axes;
  }
  if (auto append = dyn_cast<attn::AppendOp>(op)) {
    // A block is of one place of `at`: its rows follow each other.
    axes.add(append.getLabels(), append.getRows());
    axes.result = pick(append.getLabels(), [&](char l) {
      return !append.getAtLabels().contains(l);
    });
    return axes;
  }
  if (auto scan = dyn_cast<attn::ScanOp>(op)) {
    axes.add(scan.getLabels(), scan.getSource());
    axes.result = scan.getOtherLabels();
    return axes;
  }
  attn::Labels labels;
  if (auto contract = dyn_cast<attn::ContractOp>(op)) {
    labels = contract.getAxisLabels();
    axes.add(labels.inputs[0], contract.getLhs());
    axes.add(labels.inputs[1], contract.getRhs());
  } else {
    auto map = dyn_cast<attn::MapOp>(op);
    labels =
        map ? map.getAxisLabels() : cast<attn::ConcatOp>(op).getAxisLabels();
    axes.add(labels.output, op->getResult(0));
  }
  axes.result = labels.output.str();
  return axes;
}

} // namespace attnc::schedule
