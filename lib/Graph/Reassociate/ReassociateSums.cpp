//===- ReassociateSums.cpp - Reassociate products of concatenated features ===//
//
// See ReassociateSums.h.
//
//===----------------------------------------------------------------------===//

#include "Reassociate/ReassociateSums.h"

#include "Reassociate/ReassociateRewrite.h"
#include "ViewPart.h"

#include "attnc/Dialect/Attn/MapFormula.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

//===----------------------------------------------------------------------===//
// Taking apart
//===----------------------------------------------------------------------===//

/// The parts of one operand of the root, in the root's letters: a concat, seen
/// through views that leave the axis along which it goes alone.
bool ProductSum::findParts(unsigned side) {
  attn::Labels labels = root.getAxisLabels();
  SmallVector<attn::ViewOp> views;
  Value operand = side ? root.getRhs() : root.getLhs();
  while (auto view = operand.getDefiningOp<attn::ViewOp>()) {
    if (!view->hasOneUse())
      return false;
    views.push_back(view);
    operand = view.getSource();
  }
  auto concat = operand.getDefiningOp<attn::ConcatOp>();
  if (!concat || !concat->hasOneUse() || !concat.isFixed())
    return false;
  replaced.push_back(concat);
  attn::Labels inConcat = concat.getAxisLabels();
  char along = concat.getAlong()[0];
  OpBuilder b(root);
  for (unsigned part = 0; part < concat.getParts().size(); ++part) {
    std::string whole = inConcat.output.str(),
                name = inConcat.inputs[part].str();
    Value tensor = concat.getParts()[part];
    for (attn::ViewOp view : llvm::reverse(views)) {
      // The next letters: those of the root, or any distinct ones.
      bool isLast = view == views.front();
      std::string next = isLast ? labels.inputs[side].str() : "";
      for (size_t i = 0; !isLast && i < view.getViewLabels().output.size(); ++i)
        next += char('a' + i);
      tensor = viewPart(b, view, whole, tensor, name, next);
      if (!tensor)
        return false;
      made.push_back(tensor.getDefiningOp());
      whole = next;
    }
    if (views.empty())
      name = attn::renameLetters(name, whole, labels.inputs[side]);
    parts[side].push_back({tensor, name, concat.getPartSize(part)});
  }
  for (attn::ViewOp view : views)
    replaced.push_back(view);
  return findSummed(side, concat, views, along);
}

/// The root's letter of the axis along which a concat goes.
bool ProductSum::findSummed(unsigned side, attn::ConcatOp concat,
                            ArrayRef<attn::ViewOp> views, char along) {
  attn::Labels labels = root.getAxisLabels();
  unsigned axis = *attn::axisOf(concat.getAxisLabels().output, along);
  for (attn::ViewOp view : llvm::reverse(views)) {
    attn::ViewLabels names = view.getViewLabels();
    auto *place = llvm::find(names.output, names.input[axis]);
    if (names.input[axis].size() != 1 || place == names.output.end())
      return false;
    axis = place - names.output.begin();
  }
  char letter = labels.inputs[side][axis];
  bool isSame = !summed || letter == summed;
  summed = letter;
  return isSame && !labels.output.contains(letter);
}

bool ProductSum::isPutTogether(unsigned side) {
  Value operand = side ? root.getRhs() : root.getLhs();
  while (auto view = operand.getDefiningOp<attn::ViewOp>())
    operand = view.getSource();
  return isa_and_present<attn::ConcatOp>(operand.getDefiningOp());
}

/// Pieces of an operand that is not put together, at the places of the other's
/// parts.
bool ProductSum::sliceParts(unsigned side) {
  StringRef letters = root.getAxisLabels().inputs[side];
  Value operand = side ? root.getRhs() : root.getLhs();
  std::optional<unsigned> along = attn::axisOf(letters, summed);
  if (!along)
    return false;
  OpBuilder b(root);
  int64_t offset = 0;
  for (const Part &other : parts[1 - side]) {
    SmallVector<Attribute> sizes;
    for (unsigned axis = 0; axis < letters.size(); ++axis)
      sizes.push_back(axis == *along ? b.getI64IntegerAttr(other.size)
                                     : attn::axisSize(operand.getType(), axis));
    auto slice = attn::SliceOp::create(
        b, root.getLoc(), attn::tensorType(sizes, elementOf(operand)), letters,
        operand, StringRef(&summed, 1), offset, other.size);
    made.push_back(slice);
    parts[side].push_back({slice, letters.str(), other.size});
    offset += other.size;
  }
  return true;
}

/// Operands put together along an axis that is summed over, at the same places;
/// one of them may be whole if a part of the other is a product.
std::optional<ProductSum> ProductSum::distribute(attn::ContractOp root) {
  ProductSum sum;
  sum.root = root;
  bool isPut[] = {sum.isPutTogether(0), sum.isPutTogether(1)};
  auto find = [&](unsigned side) {
    return !isPut[side] || sum.findParts(side);
  };
  auto slice = [&](unsigned side) {
    return isPut[side] || sum.sliceParts(side);
  };
  auto isProduct = [](const ProductTree &tree) {
    return tree.leaves.size() > 2;
  };
  if (root.getMask() || !(isPut[0] || isPut[1]) || !find(0) || !find(1) ||
      !slice(0) || !slice(1) || !sum.addTerms() ||
      (isPut[0] != isPut[1] && llvm::none_of(sum.trees, isProduct))) {
    sum.discard();
    return std::nullopt;
  }
  return sum;
}

/// One product for each part.
bool ProductSum::addTerms() {
  attn::Labels labels = root.getAxisLabels();
  for (unsigned side : {0, 1})
    for (char letter : labels.inputs[side])
      if (labels.output.contains(letter) &&
          !labels.inputs[1 - side].contains(letter))
        own[side] += letter;
  if (parts[0].size() != parts[1].size() || parts[0].size() < 2 ||
      own[0].empty() || own[1].empty())
    return false;
  OpBuilder b(root);
  for (auto [left, right] : llvm::zip_equal(parts[0], parts[1])) {
    bool hasAll = llvm::all_of(labels.output, [&](char letter) {
      return StringRef(left.letters + right.letters).contains(letter);
    });
    if (left.size != right.size || !hasAll)
      return false;
    terms.push_back(attn::ContractOp::create(
        b, root.getLoc(), root.getType(),
        left.letters + "," + right.letters + "->" + labels.output.str(),
        left.tensor, right.tensor));
    std::optional<ProductTree> tree =
        flattenProducts(terms.back(), {root, replaced});
    if (!tree || tree->leaves.size() > kMostLeaves || !canRewrite(*tree))
      return false;
    written.push_back(ProductSteps(tree->written));
    trees.push_back(std::move(*tree));
  }
  return true;
}

void ProductSum::discard() {
  for (attn::ContractOp term : terms)
    term->erase();
  terms.clear();
  for (Operation *op : llvm::reverse(made))
    op->erase();
  made.clear();
}

//===----------------------------------------------------------------------===//
// Putting together
//===----------------------------------------------------------------------===//

/// One side's operands of all products as one tensor.
Value ProductSum::join(unsigned side, ArrayRef<attn::ContractOp> products,
                       std::string &letters) {
  OpBuilder b(root);
  SmallVector<Value> operands;
  SmallVector<std::string> names;
  llvm::SmallDenseMap<char, Attribute> sizes;
  int64_t features = 0;
  for (attn::ContractOp product : products) {
    attn::Labels labels = product.getAxisLabels();
    bool isLeft = llvm::any_of(own[side], [&](char letter) {
      return labels.inputs[0].contains(letter);
    });
    Value operand = isLeft ? product.getLhs() : product.getRhs();
    std::string &name = names.emplace_back();
    for (auto [axis, letter] : llvm::enumerate(labels.inputs[isLeft ? 0 : 1])) {
      Attribute size = attn::axisSize(operand.getType(), axis);
      bool isFeature = !labels.output.contains(letter);
      name += isFeature ? summed : letter;
      if (isFeature)
        features += cast<IntegerAttr>(size).getInt();
      else
        sizes.insert({letter, size});
      if (!isFeature && !StringRef(letters).contains(letter))
        letters += letter;
    }
    operands.push_back(operand);
  }
  letters += summed;
  sizes[summed] = b.getI64IntegerAttr(features);
  SmallVector<Attribute> axes;
  for (char letter : letters)
    axes.push_back(sizes.lookup(letter));
  return attn::ConcatOp::create(b, root.getLoc(),
                                attn::tensorType(axes, elementOf(operands[0])),
                                llvm::join(names, ",") + "->" + letters,
                                std::string(1, summed), operands);
}

void ProductSum::rejoin(ArrayRef<Regime> regimes) {
  SmallVector<attn::ContractOp, 2> products;
  for (auto [tree, steps] : llvm::zip_equal(trees, chosen))
    products.push_back(cast<attn::ContractOp>(
        rewriteProducts(tree, steps, letterSizes(tree, regimes.front()))
            .getDefiningOp()));
  terms.clear();
  OpBuilder b(root);
  std::string letters[2];
  Value lhs = join(0, products, letters[0]);
  Value rhs = join(1, products, letters[1]);
  auto product = attn::ContractOp::create(b, root.getLoc(), root.getType(),
                                          letters[0] + "," + letters[1] + "->" +
                                              root.getAxisLabels().output.str(),
                                          lhs, rhs);
  root.getResult().replaceAllUsesWith(product.getResult());
  root->erase();
  for (attn::ContractOp term : products)
    term->erase();
  made.clear(); // some are gone, the others are dead
}
