//===- ProductLeaves.cpp - Find the leaves of a product tree --------------===//

#include "Product/ProductLeaves.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The constant that a map multiplies by, whatever it rounds to.
static std::optional<double> factorOf(attn::MapOp map) {
  attn::Labels labels = map.getAxisLabels();
  if (labels.inputs.size() != 1 ||
      labels.inputs[0].size() != labels.output.size() ||
      !isa<FloatType>(elementOf(map.getInputs()[0])))
    return std::nullopt;
  Value element = map.getBody().getArgument(0);
  Value result = map.getBody().front().getTerminator()->getOperand(0);
  double factor = 1;
  while (result != element) {
    Operation *op = result.getDefiningOp();
    APFloat constant(0.0);
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    bool isRight = matchPattern(op->getOperand(1), m_ConstantFloat(&constant));
    if (!isRight &&
        (!isa<arith::MulFOp>(op) ||
         !matchPattern(op->getOperand(0), m_ConstantFloat(&constant))))
      return std::nullopt;
    bool loses = false;
    constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &loses);
    if (isa<arith::MulFOp>(op))
      factor *= constant.convertToDouble();
    else if (isa<arith::DivFOp>(op) && constant.isNonZero())
      factor /= constant.convertToDouble();
    else
      return std::nullopt;
    result = op->getOperand(isRight ? 0 : 1);
  }
  return factor;
}

std::optional<double> attnc::getConstantFactor(attn::MapOp map) {
  std::optional<double> factor = factorOf(map);
  if (!factor ||
      elementOf(map.getResult()) !=
          widerType(elementOf(map.getResult()), elementOf(map.getInputs()[0])))
    return std::nullopt;
  return factor;
}

bool attnc::leadsToProduct(Value value, ArrayRef<Operation *> ignored) {
  size_t readers = llvm::count_if(value.getUsers(), [&](Operation *user) {
    return !llvm::is_contained(ignored, user);
  });
  if (readers != 1)
    return false;
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast_if_present<attn::ViewOp>(op))
    return leadsToProduct(view.getSource(), ignored);
  if (auto map = dyn_cast_if_present<attn::MapOp>(op))
    return getConstantFactor(map) &&
           leadsToProduct(map.getInputs()[0], ignored);
  auto product = dyn_cast_if_present<attn::ContractOp>(op);
  if (!product)
    return false;
  Type operands =
      widerType(elementOf(product.getLhs()), elementOf(product.getRhs()));
  return elementOf(value) == widerType(elementOf(value), operands);
}

//===----------------------------------------------------------------------===//
// What a leaf is
//===----------------------------------------------------------------------===//

static Value skipViews(Value value) {
  while (auto view = value.getDefiningOp<attn::ViewOp>())
    value = view.getSource();
  return value;
}

DictionaryAttr attnc::interfaceFieldsOf(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto module = function ? function->getParentOfType<ModuleOp>() : ModuleOp();
  auto entries =
      module ? module->getAttrOfType<ArrayAttr>(kInterfaceAttr) : ArrayAttr();
  for (Attribute entry : entries ? entries.getValue() : ArrayRef<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
    auto tensors = fields ? fields.getAs<ArrayAttr>("tensors") : ArrayAttr();
    if (name && tensors && name.getValue() == ownerOfBody(function.getName()) &&
        argument.getArgNumber() < tensors.size())
      return dyn_cast<DictionaryAttr>(tensors[argument.getArgNumber()]);
  }
  return {};
}

static std::string nameOf(BlockArgument argument) {
  DictionaryAttr fields = interfaceFieldsOf(argument);
  auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
  return name ? name.str() : "arg" + std::to_string(argument.getArgNumber());
}

/// The arguments that a value is made of, by the names that the spec has for
/// them: the first few. Rows that a cache gets are the cache's.
static std::string describeSources(Value value) {
  constexpr size_t most = 4;
  llvm::SetVector<Value> open, sources;
  open.insert(value);
  for (size_t i = 0; i < open.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(open[i]);
    if (argument && isa<RankedTensorType>(argument.getType()))
      sources.insert(argument);
    if (Operation *op = open[i].getDefiningOp())
      for (Value read : readBy(op)) {
        open.insert(read);
        if (isa<attn::AppendOp>(op))
          break;
      }
  }
  std::string text;
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (i == most)
      return text + ", ..";
    text += (i ? ", " : "") + nameOf(cast<BlockArgument>(source));
  }
  return text;
}

attn::NormalizeOp attnc::normalizerOf(Value weights) {
  return skipViews(weights).getDefiningOp<attn::NormalizeOp>();
}

ProductLeaf attnc::describeLeaf(Value value) {
  ProductLeaf leaf;
  leaf.tensor = value;
  leaf.residency = residencyOf(value);
  Value source = skipViews(value), whole = source;
  while (auto slice = whole.getDefiningOp<attn::SliceOp>())
    whole = skipViews(slice.getSource());
  if (auto argument = dyn_cast<BlockArgument>(whole)) {
    leaf.name = nameOf(argument);
    return leaf;
  }
  Operation *op = source.getDefiningOp();
  leaf.name = describeSources(value);
  if (!isa<attn::AppendOp>(op))
    leaf.name = "f(" + leaf.name + ")";
  if (auto norm = dyn_cast<attn::NormalizeOp>(op)) {
    leaf.name = "weights";
    leaf.isStored = !value.hasOneUse() || !norm.getWeights().hasOneUse();
  }
  return leaf;
}

std::optional<unsigned> attnc::findNormalizedAxis(Value scores) {
  std::optional<unsigned> found;
  for (Operation *user : scores.getUsers()) {
    std::optional<unsigned> axis;
    if (auto norm = dyn_cast<attn::NormalizeOp>(user)) {
      Value weights = norm.getWeights(); // a kernel has no place for others
      bool isRead =
          weights.use_empty() ||
          (weights.hasOneUse() && isa<attn::ContractOp>(*weights.user_begin()));
      if (isRead && norm.getScores() == scores)
        axis = attn::axisOf(norm.getLabels(), norm.getOver()[0]);
    } else if (auto reduce = dyn_cast<attn::ReduceOp>(user)) {
      if (reduce.getScores() == scores)
        axis = attn::axisOf(reduce.getLabels(), reduce.getOver()[0]);
    } else if (auto map = dyn_cast<attn::MapOp>(user)) {
      attn::Labels labels = map.getAxisLabels();
      auto below = findNormalizedAxis(map.getResult());
      for (auto [input, letters] :
           llvm::zip_equal(map.getInputs(), labels.inputs))
        if (below && input == scores && letters.size() == labels.output.size())
          axis = attn::axisOf(letters, labels.output[*below]);
    }
    if (!axis || (found && found != axis))
      return std::nullopt;
    found = axis;
  }
  return found;
}
