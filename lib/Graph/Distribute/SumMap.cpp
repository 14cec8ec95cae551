//===- SumMap.cpp - Maps that add a term to a product ---------------------===//
//
// See SumMap.h. Tests: test/Graph/distribute-terms.mlir
//
//===----------------------------------------------------------------------===//

#include "Distribute/SumMap.h"

#include "attnc/Analysis/Product/ProductTree.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static std::optional<double> constantOf(Value value) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return std::nullopt;
  bool loses = false;
  constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return constant.convertToDouble();
}

bool SumMap::dependsOn(Value value,
                       function_ref<bool(BlockArgument)> is) const {
  Block *body = &map.getBody().front();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == body && is(argument);
  Operation *op = value.getDefiningOp();
  return op->getBlock() == body &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, is); });
}

/// Whether `scale * value` is a sum of terms and of a constant times the
/// product; adds them.
bool SumMap::split(Value value, double scale) {
  auto isProduct = [&](BlockArgument argument) {
    return argument.getArgNumber() == input;
  };
  if (!dependsOn(value, isProduct)) {
    terms.push_back({value, scale});
    return true;
  }
  if (isa<BlockArgument>(value)) {
    bool isFirst = !hasProduct;
    hasProduct = true;
    factor = scale;
    return isFirst;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddFOp>(op))
    return split(op->getOperand(0), scale) && split(op->getOperand(1), scale);
  if (isa<arith::SubFOp>(op))
    return split(op->getOperand(0), scale) && split(op->getOperand(1), -scale);
  if (isa<arith::NegFOp>(op))
    return split(op->getOperand(0), -scale);
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return false;
  if (auto right = constantOf(op->getOperand(1)))
    return split(op->getOperand(0),
                 isa<arith::MulFOp>(op) ? scale * *right : scale / *right);
  auto left = constantOf(op->getOperand(0));
  return left && isa<arith::MulFOp>(op) &&
         split(op->getOperand(1), scale * *left);
}

/// Whether a term differs along an axis of the map's result.
bool SumMap::hasAxis(unsigned axis) const {
  attn::Labels labels = map.getAxisLabels();
  auto is = [&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    return number < labels.inputs.size()
               ? labels.inputs[number].contains(labels.output[axis])
               : number - labels.inputs.size() == axis;
  };
  return llvm::any_of(
      terms, [&](const Term &term) { return dependsOn(term.value, is); });
}

std::optional<SumMap> SumMap::match(attn::MapOp map) {
  attn::Labels labels = map.getAxisLabels();
  Block &body = map.getBody().front();
  bool isFlat =
      llvm::all_of(body, [](Operation &op) { return op.getNumRegions() == 0; });
  if (!isFlat || !isa<FloatType>(elementOf(map.getResult())))
    return std::nullopt;
  for (auto [i, tensor] : llvm::enumerate(map.getInputs())) {
    if (labels.inputs[i] != labels.output || !leadsToProduct(tensor, {}))
      continue;
    SumMap sum;
    sum.map = map;
    sum.input = i;
    auto yield = cast<attn::YieldOp>(body.getTerminator());
    if (!sum.split(yield.getValue(), 1) || sum.terms.empty())
      continue;
    bool hasAll = true;
    for (unsigned axis = 0; axis < labels.output.size(); ++axis)
      hasAll &= sum.hasAxis(axis);
    if (!hasAll)
      return sum;
  }
  return std::nullopt;
}

Value SumMap::buildProduct(OpBuilder &b) const {
  Value product = map.getInputs()[input];
  if (factor == 1)
    return product;
  std::string letters = map.getAxisLabels().output.str();
  Type real = attn::accumulateType(product.getType());
  return attn::MapOp::create(
      b, map.getLoc(), product.getType(), letters + "->" + letters, product,
      [&](OpBuilder &inner, Location at, ValueRange x) {
        Value constant =
            arith::ConstantOp::create(inner, at, FloatAttr::get(real, factor));
        Value scaled = arith::MulFOp::create(inner, at, x[0], constant);
        attn::YieldOp::create(inner, at, scaled);
      });
}

Value SumMap::buildTerms(OpBuilder &b, SmallVector<unsigned> &axes) const {
  attn::MapOp source = map;
  attn::Labels labels = source.getAxisLabels();
  Block &body = source.getBody().front();
  Type real = source.getAccumulateType();
  std::string output, names;
  SmallVector<Attribute> sizes;
  for (auto [axis, letter] : llvm::enumerate(labels.output))
    if (hasAxis(axis)) {
      axes.push_back(axis);
      output += letter;
      sizes.push_back(attn::axisSize(source.getType(), axis));
    }
  if (auto argument = dyn_cast<BlockArgument>(terms.front().value);
      argument && terms.size() == 1 && terms.front().factor == 1 &&
      argument.getArgNumber() < labels.inputs.size() &&
      labels.inputs[argument.getArgNumber()] == output)
    return source.getInputs()[argument.getArgNumber()];
  SmallVector<unsigned> used;
  SmallVector<Value> inputs;
  for (auto [i, tensor] : llvm::enumerate(source.getInputs())) {
    auto is = [&, i = i](BlockArgument argument) {
      return argument.getArgNumber() == i;
    };
    if (llvm::none_of(
            terms, [&](const Term &term) { return dependsOn(term.value, is); }))
      continue;
    used.push_back(i);
    inputs.push_back(tensor);
    names += (used.size() > 1 ? "," : "") + labels.inputs[i].str();
  }
  auto build = [&](OpBuilder &inner, Location at, ValueRange x) {
    IRMapping places;
    for (auto [place, i] : llvm::enumerate(used))
      places.map(body.getArgument(i), x[place]);
    for (auto [place, axis] : llvm::enumerate(axes))
      places.map(body.getArgument(labels.inputs.size() + axis),
                 x[used.size() + place]);
    Value sum;
    for (const Term &term : terms) {
      Value value = attn::cloneValue(inner, body, term.value, places);
      if (term.factor != 1)
        value = arith::MulFOp::create(
            inner, at, value,
            arith::ConstantOp::create(inner, at,
                                      FloatAttr::get(real, term.factor)));
      sum = sum ? arith::AddFOp::create(inner, at, sum, value).getResult()
                : value;
    }
    attn::YieldOp::create(inner, at, sum);
  };
  return attn::MapOp::create(b, source.getLoc(), attn::tensorType(sizes, real),
                             names + "->" + output, inputs, build);
}
