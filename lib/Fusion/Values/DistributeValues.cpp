//===- DistributeValues.cpp - Distribute weights over sums of rows --------===//
//
// What a key contributes may be a choice or a sum of rows by the pair:
//
//   %u = attn.map "bhke->bhqke" (%V) {k > q ? %V : -%V}
//   %o = attn.contract "bhgqk,bhqke->bhgqe" (%p, %u) where (%m)
//
// A kernel would compute that for each feature of each pair. But of one row it
// is a multiple by a number of the pair, V * (k > q ? 1 : -1), and of several
// rows a sum of products, each with the weights of the pairs that see the row:
//
//   k > q ? %V : %W
//
//   %a = attn.contract "bhgqk,bhke->bhgqe" (%pa, %V) where (%m and k > q)
//   %c = attn.contract "bhgqk,bhke->bhgqe" (%pc, %W) where (%m and k <= q)
//   %o = %a + %c
//
// with %pa and %pc the weights %p where such a mask is true. A mask and no
// factor of 0, because what a choice hides may be infinite.
// Tests: test/Fusion/distribute-values.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/KeyOperand.h"
#include "Kernel/MapPart.h"
#include "Values/RowCoefficients.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_DISTRIBUTEVALUES
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// One product with the values, taken apart.
class Distributor {
public:
  explicit Distributor(attn::ContractOp product)
      : product(product), b(product), loc(product.getLoc()),
        real(attn::accumulateType(product->getOperandTypes())) {}
  bool run();

private:
  bool match();
  void givePlaces(OpBuilder &inner, ArrayRef<unsigned> inputs, StringRef own,
                  ValueRange arguments, IRMapping &places);
  LetteredTensor makePart(Value value, StringRef own);
  Value makeMask(Value used);
  Value makePlainMask(Value used, attn::MaskOp mask);
  Value makeWeights(Value mask);
  Value multiply(unsigned row, Type element);

  attn::ContractOp product;
  OpBuilder b;
  Location loc;
  Type real;
  std::optional<WeightedSum> sum;
  attn::MapOp map;
  std::string letters; // of the map's axes, in those of the product
  std::optional<RowCoefficients> shares;
  Value whole; // the weights as scores, made once
};
} // namespace

bool Distributor::match() {
  sum = findWeightedSum(product);
  if (!sum)
    return false;
  LetteredTensor made = skipPermutations(sum->values);
  map = made.tensor.getDefiningOp<attn::MapOp>();
  if (!map || !map->hasOneUse() || getElementTypeOrSelf(map.getType()) != real)
    return false;
  letters = made.letters;
  shares.emplace(map, letters, sum->over, sum->feature);
  // Weights that are rounded are computed again where they are a part.
  LetteredTensor weights = sum->weights;
  return (getElementTypeOrSelf(weights.tensor.getType()) == real ||
          weights.tensor.getDefiningOp<attn::NormalizeOp>()) &&
         shares->match();
}

/// The arguments of the map's region are those of another one, which has the
/// `inputs` and the places of `own` letters.
void Distributor::givePlaces(OpBuilder &inner, ArrayRef<unsigned> inputs,
                             StringRef own, ValueRange arguments,
                             IRMapping &places) {
  Block &body = map.getBody().front();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value argument = arguments[i];
    Type type = body.getArgument(input).getType();
    if (argument.getType() != type)
      argument = arith::ExtFOp::create(inner, loc, type, argument);
    places.map(body.getArgument(input), argument);
  }
  for (auto [place, letter] : llvm::enumerate(own))
    if (auto axis = attn::axisOf(letters, letter))
      places.map(body.getArgument(map.getInputs().size() + *axis),
                 arguments[inputs.size() + place]);
}

/// `value` of the map's region over `own` letters.
LetteredTensor Distributor::makePart(Value value, StringRef own) {
  Block &body = map.getBody().front();
  SmallVector<unsigned> used = inputsOf(map, value);
  SmallVector<Value> inputs;
  std::string labels;
  for (unsigned i : used) {
    labels += (inputs.empty() ? "" : ",") + lettersOfInput(map, letters, i);
    inputs.push_back(map.getInputs()[i]);
  }
  if (value.getParentBlock() == &body && isa<BlockArgument>(value) &&
      inputs.size() == 1)
    return {inputs.front(), labels};
  SmallVector<Attribute> sizes;
  for (char letter : own)
    sizes.push_back(
        attn::axisSize(map.getType(), *attn::axisOf(letters, letter)));
  auto build = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    IRMapping places;
    givePlaces(inner, used, own, arguments, places);
    attn::YieldOp::create(inner, at,
                          attn::cloneValue(inner, body, value, places));
  };
  Value made = attn::MapOp::create(b, map.getLoc(),
                                   attn::tensorType(sizes, value.getType()),
                                   labels + "->" + own.str(), inputs, build);
  return {made, own.str()};
}

/// The product's mask and `used`, of places and tables alone: one formula, of
/// which analysis tells the tiles.
Value Distributor::makePlainMask(Value used, attn::MaskOp mask) {
  const std::string &own = sum->weights.letters;
  Type type = cast<RankedTensorType>(sum->weights.tensor.getType())
                  .clone(b.getI1Type());
  return attn::MaskOp::create(
      b, loc, type, own, [&](OpBuilder &inner, Location at, ValueRange places) {
        IRMapping ofMap, ofMask;
        givePlaces(inner, {}, own, places, ofMap);
        Value made =
            attn::cloneValue(inner, map.getBody().front(), used, ofMap);
        if (mask) {
          Block &body = mask.getBody().front();
          for (auto [axis, letter] : llvm::enumerate(*product.getMaskLabels()))
            ofMask.map(body.getArgument(axis),
                       places[*attn::axisOf(own, letter)]);
          Value first = attn::cloneValue(
              inner, body, body.getTerminator()->getOperand(0), ofMask);
          made = arith::AndIOp::create(inner, at, first, made);
        }
        attn::YieldOp::create(inner, at, made);
      });
}

/// The product's mask and `used`.
Value Distributor::makeMask(Value used) {
  Value mask = product.getMask();
  auto plain = mask ? mask.getDefiningOp<attn::MaskOp>() : attn::MaskOp();
  SmallVector<unsigned> inputs = inputsOf(map, used);
  if (inputs.empty() && (plain || !mask))
    return makePlainMask(used, plain);
  const std::string &own = sum->weights.letters;
  SmallVector<Value> tensors;
  std::string labels;
  for (unsigned i : inputs) {
    labels += (tensors.empty() ? "" : ",") + lettersOfInput(map, letters, i);
    tensors.push_back(map.getInputs()[i]);
  }
  if (mask) {
    labels += (tensors.empty() ? "" : ",") + product.getMaskLabels()->str();
    tensors.push_back(mask);
  }
  auto build = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    IRMapping places;
    SmallVector<Value> ofMap(arguments.take_front(inputs.size()));
    llvm::append_range(ofMap, arguments.drop_front(tensors.size()));
    givePlaces(inner, inputs, own, ofMap, places);
    Value made = attn::cloneValue(inner, map.getBody().front(), used, places);
    if (mask)
      made = arith::AndIOp::create(inner, at, arguments[inputs.size()], made);
    attn::YieldOp::create(inner, at, made);
  };
  Type type = cast<RankedTensorType>(sum->weights.tensor.getType())
                  .clone(b.getI1Type());
  return attn::MapOp::create(b, loc, type, labels + "->" + own, tensors, build);
}

/// The weights where `mask` is true, else 0.
Value Distributor::makeWeights(Value mask) {
  const LetteredTensor &weights = sum->weights;
  auto type = cast<RankedTensorType>(weights.tensor.getType());
  if (!whole && type.getElementType() == real) {
    whole = weights.tensor;
  } else if (!whole) {
    Operation *wide = b.clone(*weights.tensor.getDefiningOp());
    wide->getResult(0).setType(type.clone(real));
    whole = wide->getResult(0);
  }
  SmallVector<Attribute> rows;
  for (auto [axis, letter] : llvm::enumerate(weights.letters))
    if (letter != sum->over)
      rows.push_back(attn::axisSize(type, axis));
  auto norm =
      attn::NormAttr::get(b.getContext(), attn::NormShift::None,
                          attn::NormWeight::Identity, attn::NormDivide::None);
  return attn::NormalizeOp::create(b, loc, type, attn::tensorType(rows, real),
                                   weights.letters, std::string(1, sum->over),
                                   norm, whole, mask)
      .getWeights();
}

/// The product with the share of one row.
Value Distributor::multiply(unsigned row, Type element) {
  Value value = shares->getRows()[row];
  OpBuilder behind(map.getBody().front().getTerminator());
  RowCoefficients::Share share = shares->shareOf(behind, row);
  if (share.factor)
    value = arith::MulFOp::create(behind, map.getLoc(), value, share.factor);
  // attn-factor-values moves what differs from pair to pair.
  LetteredTensor values =
      makePart(value, shares->isOfRows(value) ? lettersOf(map, letters, value)
                                              : letters);
  Value mask = product.getMask(), weights = sum->weights.tensor;
  std::string maskLetters = mask ? product.getMaskLabels()->str() : "";
  if (share.used) {
    mask = makeMask(share.used);
    maskLetters = sum->weights.letters;
    weights = makeWeights(mask);
  }
  std::string labels = sum->weights.letters + "," + values.letters + "->" +
                       product.getAxisLabels().output.str();
  return attn::ContractOp::create(
      b, loc, product.getType().clone(element), b.getStringAttr(labels),
      weights, values.tensor,
      mask ? b.getStringAttr(maskLetters) : StringAttr(), mask);
}

bool Distributor::run() {
  if (!match())
    return false;
  std::string out = product.getAxisLabels().output.str();
  Type element = getElementTypeOrSelf(product.getType());
  size_t count = shares->getRows().size();
  if (count == 1) {
    product.getResult().replaceAllUsesWith(multiply(0, element));
  } else {
    SmallVector<Value> products;
    std::string labels;
    for (unsigned row = 0; row < count; ++row) {
      products.push_back(multiply(row, real));
      labels += (row ? "," : "") + out;
    }
    Value added = attn::MapOp::create(
        b, loc, product.getType(), labels + "->" + out, products,
        [&](OpBuilder &inner, Location at, ValueRange x) {
          Value made = x[0];
          for (Value next : x.take_front(count).drop_front())
            made = arith::AddFOp::create(inner, at, made, next);
          attn::YieldOp::create(inner, at, made);
        });
    product.getResult().replaceAllUsesWith(added);
  }
  Value values = sum->values.tensor;
  product.erase();
  while (isOpTriviallyDead(values.getDefiningOp())) {
    Operation *made = values.getDefiningOp();
    bool isView = made != map;
    values = isView ? made->getOperand(0) : Value();
    made->erase();
    if (!isView)
      break;
  }
  return true;
}

namespace {
struct DistributeValues final
    : fusion::impl::DistributeValuesBase<DistributeValues> {
  void runOnOperation() override {
    SmallVector<attn::ContractOp> products;
    getOperation().walk([&](attn::ContractOp op) { products.push_back(op); });
    bool changed = false;
    for (attn::ContractOp product : products)
      changed |= Distributor(product).run();
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
