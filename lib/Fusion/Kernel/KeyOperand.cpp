//===- KeyOperand.cpp - Operands that differ from pair to pair ------------===//
//
// See KeyOperand.h.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KeyOperand.h"

#include "attnc/Dialect/Attn/MapFormula.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;
using attn::axisOf;

LetteredTensor attnc::fusion::skipPermutations(LetteredTensor tensor) {
  while (auto view = tensor.tensor.getDefiningOp<attn::ViewOp>()) {
    attn::ViewLabels labels = view.getViewLabels();
    std::string from = llvm::join(labels.input, "");
    std::string to = llvm::join(labels.output, "");
    if (from.size() != labels.input.size() || to.size() != labels.output.size())
      break;
    tensor = {view.getSource(), attn::renameLetters(from, to, tensor.letters)};
  }
  return tensor;
}

SmallVector<LetteredTensor> attnc::fusion::rowsOf(const LetteredTensor &made,
                                                  char feature) {
  auto map = made.tensor.getDefiningOp<attn::MapOp>();
  SmallVector<LetteredTensor> rows;
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    std::string renamed = lettersOfInput(map, made.letters, i);
    bool isRow = StringRef(renamed).contains(feature) &&
                 isa<FloatType>(getElementTypeOrSelf(input.getType()));
    if (isRow)
      rows.push_back({input, renamed});
  }
  return rows;
}

bool attnc::fusion::isRowOfKey(StringRef letters, char key, char feature,
                               std::optional<StringRef> shared) {
  constexpr size_t kAxesOfKeys = 4; // b, h, k and the feature
  if (!shared)
    return letters.size() <= kAxesOfKeys;
  return llvm::all_of(letters, [&](char letter) {
    return letter == key || letter == feature || shared->contains(letter);
  });
}

LetteredTensor attnc::fusion::findKeyRow(const LetteredTensor &operand,
                                         char key, char feature,
                                         std::optional<StringRef> shared,
                                         LetteredTensor &made) {
  LetteredTensor plain = skipPermutations(operand);
  if (!plain.tensor.getDefiningOp<attn::MapOp>())
    return operand;
  if (isRowOfKey(plain.letters, key, feature, shared))
    return operand;
  LetteredTensor best = operand;
  for (const LetteredTensor &row : rowsOf(plain, feature))
    if (StringRef(row.letters).contains(key) &&
        row.letters.size() < best.letters.size())
      best = row;
  if (best.tensor != operand.tensor)
    made = plain;
  return best;
}
