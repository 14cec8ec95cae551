//===- KeyAxes.cpp - Find the axes along which key rows differ ------------===//
//
// From the scores back to the factors that have an axis of keys, and from the
// weights to the values, and back to their factors.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KeyAxes.h"

#include "Product/ProductLeaves.h"

#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;
using namespace attnc;

/// The letters of a tensor with axes `own`, by those of one with axes `known`.
static AxisLetters carry(StringRef own, StringRef known,
                         const AxisLetters &letters) {
  AxisLetters carried;
  for (char letter : own) {
    std::optional<unsigned> axis = attn::axisOf(known, letter);
    carried.push_back(axis ? letters[*axis] : "");
  }
  return carried;
}

/// Through a view: a part of an axis, or one that it is a part of, may be each
/// of its letters.
static AxisLetters carry(const attn::ViewLabels::Side &own,
                         const attn::ViewLabels::Side &known,
                         const AxisLetters &letters) {
  AxisLetters carried;
  for (StringRef group : own) {
    std::string &all = carried.emplace_back();
    for (auto [other, its] : llvm::zip_equal(known, letters))
      if (other.find_first_of(group) != StringRef::npos)
        all += its;
  }
  return carried;
}

/// Whether a map leaves its product free to be taken in another order.
static bool isTransparent(attn::MapOp map) {
  Block &body = map.getBody().front();
  bool repeats = map.getInputs().size() == 1 &&
                 body.getTerminator()->getOperand(0) == body.getArgument(0);
  return repeats || getConstantFactor(map);
}

bool KeyAxes::hasKey(const AxisLetters &letters) const {
  return llvm::any_of(letters, [&](const std::string &of) {
    return StringRef(of).contains(key);
  });
}

/// Rows of keys or values, whatever they are made of.
void KeyAxes::addKeys(Value keys, const AxisLetters &letters) {
  if (!hasKey(letters))
    return;
  auto addInputs = [&](const attn::Labels &labels, ValueRange inputs) {
    for (auto [own, input] : llvm::zip(labels.inputs, inputs))
      addKeys(input, carry(own, labels.output, letters));
  };
  Operation *op = keys.getDefiningOp();
  if (auto view = dyn_cast_if_present<attn::ViewOp>(op)) {
    attn::ViewLabels labels = view.getViewLabels();
    return addKeys(view.getSource(),
                   carry(labels.input, labels.output, letters));
  }
  if (auto slice = dyn_cast_if_present<attn::SliceOp>(op))
    return addKeys(slice.getSource(), letters);
  if (auto concat = dyn_cast_if_present<attn::ConcatOp>(op))
    return addInputs(concat.getAxisLabels(), concat.getParts());
  if (auto product = dyn_cast_if_present<attn::ContractOp>(op))
    return addInputs(product.getAxisLabels(),
                     {product.getLhs(), product.getRhs()});
  if (auto map = dyn_cast_if_present<attn::MapOp>(op);
      map && isTransparent(map))
    return addInputs(map.getAxisLabels(), map.getInputs());
  for (const std::string &of : letters)
    found.insert(of.begin(), of.end());
}

/// Scores, or what they are made of for each pair.
void KeyAxes::addPairs(Value pairs, const AxisLetters &letters) {
  auto addInputs = [&](const attn::Labels &labels, ValueRange inputs,
                       auto add) {
    for (auto [own, input] : llvm::zip(labels.inputs, inputs))
      add(input, carry(own, labels.output, letters));
  };
  auto again = [&](Value input, const AxisLetters &its) {
    addPairs(input, its);
  };
  Operation *op = pairs.getDefiningOp();
  if (!hasKey(letters))
    return;
  if (auto view = dyn_cast_if_present<attn::ViewOp>(op)) {
    attn::ViewLabels labels = view.getViewLabels();
    addPairs(view.getSource(), carry(labels.input, labels.output, letters));
  } else if (auto map = dyn_cast_if_present<attn::MapOp>(op)) {
    addInputs(map.getAxisLabels(), map.getInputs(), again);
  } else if (auto product = dyn_cast_if_present<attn::ContractOp>(op)) {
    products[product] = letters;
    addInputs(
        product.getAxisLabels(), {product.getLhs(), product.getRhs()},
        [&](Value input, const AxisLetters &its) { addKeys(input, its); });
  }
}

KeyAxes::KeyAxes(attn::NormalizeOp norm)
    : norm(norm), key(norm.getOver().front()) {
  AxisLetters letters;
  for (char letter : norm.getLabels())
    letters.emplace_back(1, letter);
  addPairs(norm.getScores(), letters);
  for (Operation *user : norm.getWeights().getUsers()) {
    auto product = dyn_cast<attn::ContractOp>(user);
    if (!product)
      continue;
    bool isLeft = product.getLhs() == norm.getWeights();
    attn::Labels labels = product.getAxisLabels();
    addKeys(isLeft ? product.getRhs() : product.getLhs(),
            carry(labels.inputs[isLeft], labels.inputs[!isLeft], letters));
  }
  found.erase(key);
}

AxisLetters KeyAxes::lettersOf(attn::ContractOp product) const {
  return products.lookup(product);
}

AxisLetters KeyAxes::lettersOf(Value weights) const {
  if (auto view = weights.getDefiningOp<attn::ViewOp>()) {
    attn::ViewLabels labels = view.getViewLabels();
    return carry(labels.output, labels.input, lettersOf(view.getSource()));
  }
  AxisLetters letters;
  for (char letter : attn::NormalizeOp(norm).getLabels())
    letters.emplace_back(1, letter);
  return letters;
}

attn::NormalizeOp attnc::findNormalizer(Value pairs) {
  for (Operation *user : pairs.getUsers()) {
    if (auto norm = dyn_cast<attn::NormalizeOp>(user))
      return norm;
    if (isa<attn::MapOp, attn::ViewOp>(user))
      if (auto norm = findNormalizer(user->getResult(0)))
        return norm;
  }
  return {};
}
