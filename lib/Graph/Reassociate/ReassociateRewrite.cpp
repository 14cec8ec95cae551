//===- ReassociateRewrite.cpp - Rewrite products to a given order ---------===//
//
// See ReassociateRewrite.h. Tests: test/Graph/reassociate.mlir
//
//===----------------------------------------------------------------------===//

#include "Reassociate/ReassociateRewrite.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attnc;

static constexpr StringLiteral kAlphabet = "abcdefghijklmnopqrstuvwxyz";

bool graph::canRewrite(const ProductTree &tree) {
  LetterSet used = tree.outputLetters();
  for (const ProductLeaf &leaf : tree.leaves)
    used |= leaf.letters();
  return llvm::popcount(used) <= int(kAlphabet.size());
}

namespace {
class Rewriter {
public:
  Rewriter(const ProductTree &tree, ArrayRef<ProductStep> steps,
           const LetterSizes &sizes)
      : tree(tree), steps(steps), sizes(sizes), b(tree.root),
        loc(tree.root.getLoc()) {}
  Value run();

private:
  /// A tensor with one letter per axis.
  struct Operand {
    Value tensor;
    SmallVector<unsigned> letters;
  };
  void nameLetters();
  std::string text(ArrayRef<unsigned> letters) const;
  std::string groups(const ProductAxes &axes) const;
  Type typeOf(ArrayRef<unsigned> letters, Type element);
  Operand split(Value tensor, const ProductAxes &axes);
  Operand multiply(const ProductStep &step, bool isRoot);
  Value scaled(const Operand &operand);
  size_t smallestStep() const;

  const ProductTree &tree;
  ArrayRef<ProductStep> steps;
  const LetterSizes &sizes;
  OpBuilder b;
  Location loc;
  SmallVector<char> names;
  SmallVector<Operand> operands; // leaves, then steps
};
} // namespace

/// What a product sums over: letters of an operand that its result lacks.
static LetterSet summedBy(const ProductTree &tree,
                          ArrayRef<ProductStep> steps) {
  unsigned leaves = tree.leaves.size();
  auto letters = [&](unsigned number) {
    return number < leaves ? tree.leaves[number].letters()
                           : steps[number - leaves].result;
  };
  const ProductStep &root = steps.back();
  return (letters(root.lhs) | letters(root.rhs)) & ~root.result;
}

/// Letters keep their names where they can; what a product of scores sums over
/// is called as before, so that fusion sees the labels that import writes.
void Rewriter::nameLetters() {
  LetterSet used = tree.outputLetters();
  for (const ProductLeaf &leaf : tree.leaves)
    used |= leaf.letters();
  names.assign(tree.names.size(), 0);
  std::string taken;
  auto name = [&](unsigned letter, char wish) {
    if (names[letter] || !(used >> letter & 1))
      return;
    bool isTaken = StringRef(taken).contains(wish);
    names[letter] =
        isTaken ? kAlphabet[kAlphabet.find_first_not_of(taken)] : wish;
    taken += names[letter];
  };
  for (const ProductAxis &axis : tree.output)
    for (unsigned letter : axis)
      name(letter, tree.names[letter]);
  std::string wishes;
  LetterSet before = summedBy(tree, tree.written);
  LetterSet now = summedBy(tree, steps);
  for (auto [letter, wish] : llvm::enumerate(tree.names))
    if (before >> letter & 1)
      wishes += wish;
  for (unsigned letter = 0; tree.key && letter < tree.names.size(); ++letter)
    if ((now >> letter & 1) && !wishes.empty()) {
      name(letter, wishes.front());
      wishes.erase(0, 1);
    }
  for (auto [letter, wish] : llvm::enumerate(tree.names))
    name(letter, wish);
}

std::string Rewriter::text(ArrayRef<unsigned> letters) const {
  std::string text;
  for (unsigned letter : letters)
    text += names[letter];
  return text;
}

/// "b(hd)" for an axis b and one that h and d share.
std::string Rewriter::groups(const ProductAxes &axes) const {
  std::string all;
  for (const ProductAxis &axis : axes)
    all += axis.size() == 1 ? text(axis) : "(" + text(axis) + ")";
  return all;
}

Type Rewriter::typeOf(ArrayRef<unsigned> letters, Type element) {
  SmallVector<Attribute> axes;
  for (unsigned letter : letters)
    axes.push_back(tree.sizes[letter]);
  return attn::tensorType(axes, element);
}

static SmallVector<unsigned> flatten(const ProductAxes &axes) {
  SmallVector<unsigned> letters;
  for (const ProductAxis &axis : axes)
    llvm::append_range(letters, axis);
  return letters;
}

/// Axes that letters share are taken apart by a view.
Rewriter::Operand Rewriter::split(Value tensor, const ProductAxes &axes) {
  Operand operand{tensor, flatten(axes)};
  if (operand.letters.size() == axes.size())
    return operand;
  operand.tensor = attn::ViewOp::create(
      b, tensor.getLoc(),
      typeOf(operand.letters, getElementTypeOrSelf(tensor.getType())),
      groups(axes) + "->" + text(operand.letters), tensor);
  return operand;
}

Rewriter::Operand Rewriter::multiply(const ProductStep &step, bool isRoot) {
  const Operand &lhs = operands[step.lhs], &rhs = operands[step.rhs];
  Operand made;
  if (isRoot)
    made.letters = flatten(tree.output);
  else
    for (const Operand *operand : {&lhs, &rhs})
      for (unsigned letter : operand->letters)
        if ((step.result >> letter & 1) &&
            !llvm::is_contained(made.letters, letter))
          made.letters.push_back(letter);
  std::string labels =
      text(lhs.letters) + "," + text(rhs.letters) + "->" + text(made.letters);
  Type element =
      isRoot ? getElementTypeOrSelf(tree.root.getType()) : tree.elementType;
  bool isWhole = isRoot && made.letters.size() == tree.output.size();
  Type type =
      isWhole ? Type(tree.root.getType()) : typeOf(made.letters, element);
  Operand mask;
  for (unsigned number : {step.lhs, step.rhs})
    if (number < tree.leaves.size() && tree.leaves[number].mask)
      mask = split(tree.leaves[number].mask, tree.leaves[number].maskAxes);
  StringAttr maskLabels;
  if (mask.tensor)
    maskLabels = b.getStringAttr(text(mask.letters));
  made.tensor =
      attn::ContractOp::create(b, loc, type, b.getStringAttr(labels),
                               lhs.tensor, rhs.tensor, maskLabels, mask.tensor);
  return made;
}

Value Rewriter::scaled(const Operand &operand) {
  std::string letters = text(operand.letters);
  Type real = attn::accumulateType(operand.tensor.getType());
  return attn::MapOp::create(
      b, loc, operand.tensor.getType(), letters + "->" + letters,
      operand.tensor, [&](OpBuilder &inner, Location at, ValueRange x) {
        Value factor = arith::ConstantOp::create(
            inner, at, FloatAttr::get(real, tree.scale));
        Value product = arith::MulFOp::create(inner, at, x[0], factor);
        attn::YieldOp::create(inner, at, product);
      });
}

/// Of those before the root.
size_t Rewriter::smallestStep() const {
  auto volume = [&](const ProductStep &step) {
    double product = 1;
    for (auto [letter, size] : llvm::enumerate(sizes))
      if (step.result >> letter & 1)
        product *= size;
    return product;
  };
  size_t smallest = 0;
  for (size_t i = 1; i + 1 < steps.size(); ++i)
    if (volume(steps[i]) < volume(steps[smallest]))
      smallest = i;
  return smallest;
}

Value Rewriter::run() {
  nameLetters();
  for (const ProductLeaf &leaf : tree.leaves)
    operands.push_back(split(leaf.tensor, leaf.axes));
  size_t toScale = tree.scale == 1 ? steps.size() : smallestStep();
  for (auto [i, step] : llvm::enumerate(steps)) {
    operands.push_back(multiply(step, i + 1 == steps.size()));
    if (i == toScale)
      operands.back().tensor = scaled(operands.back());
  }
  Value result = operands.back().tensor;
  if (result.getType() != tree.root.getType()) {
    std::string labels =
        text(operands.back().letters) + "->" + groups(tree.output);
    result = attn::ViewOp::create(b, loc, tree.root.getType(), labels, result);
  }
  attn::ContractOp root = tree.root;
  root.getResult().replaceAllUsesWith(result);
  for (Operation *op : tree.ops) // from the root up
    if (isOpTriviallyDead(op))
      op->erase();
  return result;
}

Value graph::rewriteProducts(const ProductTree &tree,
                             ArrayRef<ProductStep> steps,
                             const LetterSizes &sizes) {
  return Rewriter(tree, steps, sizes).run();
}
