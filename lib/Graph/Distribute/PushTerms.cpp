//===- PushTerms.cpp - Turn terms of sums into products -------------------===//
//
// See PushTerms.h. What follows the map is built twice, op by op: of the
// product without the terms, and of the terms, which have fewer axes.
//
//===----------------------------------------------------------------------===//

#include "Distribute/PushTerms.h"

#include "Distribute/SumMap.h"
#include "ViewPart.h"

#include "attnc/Analysis/Product/ProductTree.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/MapFormula.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

static constexpr StringLiteral kAlphabet = "abcdefghijklmnopqrstuvwxyz";

/// The op that reads a value, if there is one.
static Operation *readerOf(Value value) {
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

/// The products that a value goes into, one after the other, through views and
/// beside other features.
static SmallVector<attn::ContractOp> findProducts(Value value) {
  SmallVector<attn::ContractOp> products;
  while (isa_and_present<attn::ContractOp, attn::ViewOp, attn::ConcatOp>(
      readerOf(value))) {
    Operation *op = readerOf(value);
    if (auto product = dyn_cast<attn::ContractOp>(op))
      products.push_back(product);
    value = op->getResult(0);
  }
  return products;
}

SmallVector<graph::Sum> graph::findSums(func::FuncOp function) {
  SmallVector<Sum> sums;
  for (auto map : function.getOps<attn::MapOp>())
    if (size_t products = findProducts(map.getResult()).size();
        products && SumMap::match(map))
      sums.push_back({map, products});
  return sums;
}

namespace {
/// A tensor and its axes, as letters of the value on the way: a, b, c, ...
struct Part {
  Value tensor;
  std::string letters;
};

class Pusher {
public:
  explicit Pusher(attn::MapOp map) : map(map), b(map) {}
  LogicalResult run(attn::ContractOp last);

private:
  LogicalResult viewTerms(attn::ViewOp view);
  LogicalResult pushThrough(attn::ViewOp view);
  LogicalResult pushThrough(attn::ConcatOp concat, unsigned part);
  LogicalResult pushThrough(attn::ContractOp product, unsigned side);
  LogicalResult multiply(attn::ContractOp product, unsigned side);
  LogicalResult sumWeights(attn::ContractOp product, unsigned side, char key);
  Value rowFactor(OpBuilder &inner, Location at, Value lse) const;
  Part materializeRow();
  Value zeros(int64_t size, char letter, Type real);
  void finish(Value whole);

  attn::MapOp map;
  OpBuilder b;
  Value product; // without the terms
  Part terms;
  /// Of weights what the normaliser knows of a row: `lse`. Its factor times
  /// `terms` is the term.
  Part row;
  attn::NormAttr norm;
};
} // namespace

/// Letters for the axes of a value.
static StringRef lettersOf(Value value) {
  return kAlphabet.take_front(
      cast<RankedTensorType>(value.getType()).getRank());
}

/// `letters` of a value, of which op calls the axes `names`, as the op does.
static std::string rename(StringRef letters, StringRef names) {
  std::string renamed;
  for (char letter : letters)
    renamed += names[letter - 'a'];
  return renamed;
}

static bool contains(StringRef letters, char letter) {
  return letters.contains(letter);
}

LogicalResult Pusher::viewTerms(attn::ViewOp view) {
  Part viewed[] = {terms, row};
  for (Part &part : viewed)
    if (part.tensor && !(part.tensor = viewPart(
                             b, view, lettersOf(view.getSource()), part.tensor,
                             part.letters, lettersOf(view.getResult()))))
      return failure();
  terms = viewed[0];
  row = viewed[1];
  return success();
}

LogicalResult Pusher::pushThrough(attn::ViewOp view) {
  if (failed(viewTerms(view))) {
    // The view merges an axis of only one of them.
    if (!row.tensor)
      return failure();
    terms = materializeRow();
    if (failed(viewTerms(view)))
      return failure();
  }
  Type type = view.getType().clone(getElementTypeOrSelf(product.getType()));
  product =
      attn::ViewOp::create(b, view.getLoc(), type, view.getLabels(), product);
  return success();
}

/// Beside other features terms stand beside zeros.
LogicalResult Pusher::pushThrough(attn::ConcatOp op, unsigned part) {
  attn::Labels labels = op.getAxisLabels();
  char along = op.getAlong().front();
  terms = materializeRow();
  std::string mine = rename(terms.letters, labels.inputs[part]);
  Type real = getElementTypeOrSelf(terms.tensor.getType());
  if (!op.isFixed() || !contains(mine, along) ||
      getElementTypeOrSelf(product.getType()) !=
          getElementTypeOrSelf(op.getType()))
    return failure();
  std::string text;
  SmallVector<Value> parts;
  for (unsigned i = 0; i < op.getParts().size(); ++i) {
    text += (i ? "," : "") + (i == part ? mine : std::string(1, along));
    parts.push_back(i == part ? terms.tensor
                              : zeros(op.getPartSize(i), along, real));
  }
  SmallVector<Attribute> sizes;
  for (auto [axis, letter] : llvm::enumerate(mine))
    sizes.push_back(
        letter == along
            ? attn::axisSize(op.getType(), *attn::axisOf(labels.output, along))
            : attn::axisSize(terms.tensor.getType(), axis));
  terms.tensor =
      attn::ConcatOp::create(b, op.getLoc(), attn::tensorType(sizes, real),
                             text + "->" + mine, std::string(1, along), parts);
  terms.letters = attn::renameLetters(mine, labels.output, kAlphabet);
  SmallVector<Value> all(op.getParts());
  all[part] = product;
  product = attn::ConcatOp::create(b, op.getLoc(), op.getType(), op.getLabels(),
                                   op.getAlong(), all);
  return success();
}

Value Pusher::zeros(int64_t size, char letter, Type real) {
  return attn::MapOp::create(
      b, map.getLoc(), attn::tensorType({b.getI64IntegerAttr(size)}, real),
      "->" + std::string(1, letter), ValueRange(),
      [&](OpBuilder &inner, Location at, ValueRange) {
        Type scalar = attn::accumulateType(real);
        Value zero =
            arith::ConstantOp::create(inner, at, FloatAttr::get(scalar, 0.0));
        attn::YieldOp::create(inner, at, zero);
      });
}

/// Whether what only `value` is made of holds a product, or features that are
/// put together, which the order of products takes apart.
static bool hasProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return false;
  return isa<attn::ContractOp, attn::ConcatOp>(op) ||
         (isa<attn::ViewOp, attn::MapOp>(op) &&
          llvm::any_of(op->getOperands(), hasProduct));
}

/// The value again, so that the products it is made of have one reader each.
static Value repeat(OpBuilder &b, Value value) {
  if (!hasProduct(value))
    return value;
  Operation *op = value.getDefiningOp();
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, repeat(b, operand));
  return b.clone(*op, operands)->getResult(0);
}

/// 1 for rows whose weights add up to 1, 0 for those without any; or the sum.
Value Pusher::rowFactor(OpBuilder &inner, Location at, Value lse) const {
  if (norm.getDivide() == attn::NormDivide::None)
    return lse;
  auto constant = [&](double number) -> Value {
    return arith::ConstantOp::create(inner, at,
                                     FloatAttr::get(lse.getType(), number));
  };
  bool isLog = norm.getShift() == attn::NormShift::Max;
  Value isEmpty = arith::CmpFOp::create(
      inner, at, arith::CmpFPredicate::OEQ, lse,
      constant(isLog ? -std::numeric_limits<double>::infinity() : 0));
  return arith::SelectOp::create(inner, at, isEmpty, constant(0), constant(1));
}

/// The term of weights that sum over `key`: the sum of a row's weights times
/// what the terms are for each key.
LogicalResult Pusher::sumWeights(attn::ContractOp op, unsigned side, char key) {
  attn::Labels labels = op.getAxisLabels();
  Value weights = op->getOperand(1 - side);
  auto source = weights.getDefiningOp<attn::NormalizeOp>();
  if (!source || weights != source.getWeights() || !source.getInit().empty() ||
      row.tensor)
    return failure();
  StringRef letters = labels.inputs[1 - side];
  bool isOver =
      key == letters[*attn::axisOf(source.getLabels(), source.getOver()[0])];
  bool isSame = !op.getMask() || (op.getMask() == source.getMask() &&
                                  *op.getMaskLabels() == letters);
  bool isKnown = source.getNorm().getDivide() == attn::NormDivide::None
                     ? source.getNorm().getShift() == attn::NormShift::None
                     : true;
  std::string mine = rename(terms.letters, labels.inputs[side]);
  for (char letter : letters.str() + mine) // only keys are summed over
    isOver &= letter == key || contains(labels.output, letter);
  if (!isOver || !isSame || !isKnown)
    return failure();
  norm = source.getNorm();
  std::string ofRow;
  for (char letter : letters)
    if (letter != key)
      ofRow += letter;
  row = {source.getLse(), attn::renameLetters(ofRow, labels.output, kAlphabet)};
  terms.letters = attn::renameLetters(mine, labels.output, kAlphabet);
  return success();
}

/// The row's factor times the terms as one tensor.
Part Pusher::materializeRow() {
  if (!row.tensor)
    return terms;
  Type real = getElementTypeOrSelf(row.tensor.getType());
  Value factors = attn::MapOp::create(
      b, map.getLoc(), row.tensor.getType(), row.letters + "->" + row.letters,
      row.tensor, [&](OpBuilder &inner, Location at, ValueRange x) {
        attn::YieldOp::create(inner, at, rowFactor(inner, at, x[0]));
      });
  std::string letters = row.letters;
  SmallVector<Attribute> sizes;
  for (unsigned axis = 0; axis < letters.size(); ++axis)
    sizes.push_back(attn::axisSize(row.tensor.getType(), axis));
  for (auto [axis, letter] : llvm::enumerate(terms.letters))
    if (!contains(letters, letter)) {
      letters += letter;
      sizes.push_back(attn::axisSize(terms.tensor.getType(), axis));
    }
  Value made = attn::ContractOp::create(
      b, map.getLoc(), attn::tensorType(sizes, real),
      row.letters + "," + terms.letters + "->" + letters, factors,
      terms.tensor);
  row = {};
  return {made, letters};
}

/// The terms times the other operand.
LogicalResult Pusher::multiply(attn::ContractOp op, unsigned side) {
  attn::Labels labels = op.getAxisLabels();
  if (op.getMask())
    return failure();
  terms = materializeRow();
  std::string mine = rename(terms.letters, labels.inputs[side]);
  StringRef other = labels.inputs[1 - side];
  std::string letters;
  SmallVector<Attribute> sizes;
  for (auto [axis, letter] : llvm::enumerate(labels.output))
    if (contains(mine, letter) || contains(other, letter)) {
      letters += letter;
      sizes.push_back(attn::axisSize(op.getType(), axis));
    }
  if (letters.empty())
    return failure();
  Value operand = repeat(b, op->getOperand(1 - side));
  Value operands[] = {terms.tensor, operand};
  std::string names[] = {mine, other.str()};
  Type real = attn::accumulateType(op->getOperandTypes());
  terms.tensor = attn::ContractOp::create(
      b, op.getLoc(), attn::tensorType(sizes, real),
      names[side] + "," + names[1 - side] + "->" + letters, operands[side],
      operands[1 - side]);
  terms.letters = attn::renameLetters(letters, labels.output, kAlphabet);
  return success();
}

LogicalResult Pusher::pushThrough(attn::ContractOp op, unsigned side) {
  attn::Labels labels = op.getAxisLabels();
  std::string mine = rename(terms.letters, labels.inputs[side]) +
                     rename(row.letters, labels.inputs[side]);
  std::string lost; // summed over, but no axis of the terms
  for (char letter : labels.inputs[side])
    if (!contains(labels.output, letter) && !contains(mine, letter))
      lost += letter;
  bool isWeighted = lost.size() == 1;
  if (lost.size() > 1 ||
      failed(isWeighted ? sumWeights(op, side, lost[0]) : multiply(op, side)))
    return failure();
  Value operands[] = {op.getLhs(), op.getRhs()};
  operands[side] = product;
  Type real = attn::accumulateType(op->getOperandTypes());
  product = attn::ContractOp::create(
      b, op.getLoc(), op.getType().clone(real), op.getLabelsAttr(), operands[0],
      operands[1], op.getMaskLabelsAttr(), op.getMask());
  return success();
}

/// Product and terms for `whole`.
void Pusher::finish(Value whole) {
  std::string letters = lettersOf(whole).str();
  SmallVector<Value> inputs{product, terms.tensor};
  std::string labels = letters + "," + terms.letters;
  if (row.tensor) {
    inputs.push_back(row.tensor);
    labels += "," + row.letters;
  }
  Value sum = attn::MapOp::create(
      b, map.getLoc(), whole.getType(), labels + "->" + letters, inputs,
      [&](OpBuilder &inner, Location at, ValueRange x) {
        Value term = x[1];
        if (row.tensor)
          term = arith::MulFOp::create(inner, at, term,
                                       rowFactor(inner, at, x[2]));
        attn::YieldOp::create(inner, at,
                              arith::AddFOp::create(inner, at, x[0], term));
      });
  whole.replaceAllUsesWith(sum);
}

LogicalResult Pusher::run(attn::ContractOp last) {
  std::optional<SumMap> sum = SumMap::match(map);
  if (!sum)
    return failure();
  SmallVector<unsigned> axes;
  terms.tensor = sum->buildTerms(b, axes);
  for (unsigned axis : axes)
    terms.letters += kAlphabet[axis];
  product = sum->buildProduct(b);
  Value whole = map.getResult();
  while (whole != last.getResult()) {
    Operation *op = readerOf(whole);
    b.setInsertionPoint(op);
    unsigned side = whole.use_begin()->getOperandNumber();
    auto push = [&] {
      if (auto view = dyn_cast<attn::ViewOp>(op))
        return pushThrough(view);
      if (auto concat = dyn_cast<attn::ConcatOp>(op))
        return pushThrough(concat, side);
      return pushThrough(cast<attn::ContractOp>(op), side);
    };
    if (failed(push()))
      return failure();
    whole = op->getResult(0);
  }
  b.setInsertionPointAfter(last);
  finish(whole);
  return success();
}

LogicalResult graph::pushTerms(attn::MapOp map, size_t products) {
  return Pusher(map).run(findProducts(map.getResult())[products - 1]);
}
