//===- LinearMatch.cpp - Match linear attention in a graph ----------------===//
//
// See LinearMatch.h.
//
//===----------------------------------------------------------------------===//

#include "Kernel/LinearMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

using namespace mlir;

namespace attnc::fusion {

std::string without(StringRef letters, StringRef others) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept),
                [&](char letter) { return !others.contains(letter); });
  return kept;
}

std::string LinearMatch::stateLetters() const {
  std::string of = without(keyLetters, std::string(1, over));
  return of + without(valueLetters, of + std::string(1, over));
}

/// The arguments of `block` that a value needs.
static void findArguments(Value value, Block &block,
                          std::set<unsigned> &numbers) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &block)
      numbers.insert(argument.getArgNumber());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == &block)
    for (Value operand : op->getOperands())
      findArguments(operand, block, numbers);
}

namespace {
/// Splits the formula of a score into its factors.
class FactorSplit {
public:
  FactorSplit(LinearMatch &match)
      : match(match), block(match.formula.getBody().front()) {}

  /// Whether `value` is the score times factors of one side each.
  bool split(Value value) {
    if (value == block.getArgument(0))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<arith::MulFOp>(op)) {
      bool left = needsScore(op->getOperand(0));
      return split(op->getOperand(left ? 0 : 1)) &&
             add(op->getOperand(left ? 1 : 0), false);
    }
    if (isa<arith::DivFOp>(op))
      return split(op->getOperand(0)) && add(op->getOperand(1), true);
    return false;
  }

private:
  bool needsScore(Value value) {
    std::set<unsigned> numbers;
    findArguments(value, block, numbers);
    return numbers.count(0);
  }

  bool add(Value factor, bool inverse) {
    std::set<unsigned> numbers;
    findArguments(factor, block, numbers);
    auto within = [&](StringRef letters) {
      return llvm::all_of(numbers, [&](unsigned number) {
        return number > 0 && letters.contains(match.pairs[number - 1]);
      });
    };
    if (within(match.queryLetters))
      match.ofQuery.push_back({factor, inverse});
    else if (within(match.keyLetters))
      match.ofKey.push_back({factor, inverse});
    else
      return false;
    return true;
  }

  LinearMatch &match;
  Block &block;
};
} // namespace

/// Scores as a product of one summed axis or more, under the letters of pairs.
static bool matchProduct(LinearMatch &match, Value scores) {
  if (auto map = scores.getDefiningOp<attn::MapOp>()) {
    attn::Labels labels = map.getAxisLabels();
    if (labels.inputs.size() != 1 || labels.inputs[0] != match.pairs ||
        labels.output != match.pairs)
      return false;
    match.formula = map;
    scores = map.getInputs()[0];
  }
  match.product = scores.getDefiningOp<attn::ContractOp>();
  if (!match.product || match.product.getMask())
    return false;
  attn::Labels labels = match.product.getAxisLabels();
  if (labels.output != match.pairs)
    return false;
  bool keyIsLeft = labels.inputs[0].contains(match.over);
  match.query = keyIsLeft ? match.product.getRhs() : match.product.getLhs();
  match.key = keyIsLeft ? match.product.getLhs() : match.product.getRhs();
  match.queryLetters = labels.inputs[!keyIsLeft ? 0 : 1].str();
  match.keyLetters = labels.inputs[keyIsLeft ? 0 : 1].str();
  if (StringRef(match.queryLetters).contains(match.over) ||
      !without(match.rows, match.queryLetters).empty() ||
      !without(match.queryLetters, match.rows + match.keyLetters).empty())
    return false;
  if (!match.formula)
    return true;
  Value yielded =
      match.formula.getBody().front().getTerminator()->getOperand(0);
  return FactorSplit(match).split(yielded);
}

std::optional<LinearMatch> matchLinear(attn::ContractOp value) {
  LinearMatch match;
  match.value = value;
  match.norm = value.getLhs().getDefiningOp<attn::NormalizeOp>();
  if (!match.norm || value.getMask() || match.norm.getMask() ||
      match.norm.getNorm().getShift() != attn::NormShift::None ||
      match.norm.getNorm().getWeight() != attn::NormWeight::Identity ||
      !match.norm.getWeights().hasOneUse())
    return std::nullopt;
  attn::Labels labels = value.getAxisLabels();
  match.pairs = match.norm.getLabels().str();
  match.over = match.norm.getOver()[0];
  match.rows = match.norm.getRowLabels();
  match.valueLetters = labels.inputs[1].str();
  match.outLetters = labels.output.str();
  StringRef valueLetters = match.valueLetters;
  if (labels.inputs[0] != match.pairs || !valueLetters.contains(match.over) ||
      labels.output.contains(match.over) ||
      !without(match.rows, match.outLetters).empty() ||
      !matchProduct(match, match.norm.getScores()))
    return std::nullopt;
  // Summed features of the score are none of the values, and axes of the values
  // are axes of the keys or features.
  std::string summed = without(match.keyLetters, match.pairs);
  std::string features =
      without(match.valueLetters, match.keyLetters + match.rows);
  if (!without(summed, match.valueLetters).size() ||
      summed != without(summed, match.valueLetters) ||
      match.outLetters != without(match.outLetters, summed) ||
      !without(features, match.outLetters).empty())
    return std::nullopt;
  return match;
}

} // namespace attnc::fusion
