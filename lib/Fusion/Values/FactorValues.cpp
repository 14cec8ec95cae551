//===- FactorValues.cpp - Factor terms out of the values ------------------===//
//
// What a key contributes may depend on the query by a factor. A number of the
// pair belongs to the weight, what no key has stays out of the sum:
//
//   %u = attn.map "bhke,bhgqe->bhgqke" (%V, %Q) {relu(%V) * sigmoid(%Q) * (q -
//   k)} %o = attn.contract "bhgqk,bhgqke->bhgqe" (%p, %u) where (%m)
// becomes
//   %v = attn.map "bhke->bhke" (%V) {relu(%V)}
//   %g = attn.map "bhgqk->bhgqk" (%p) {%p * (q - k)}
//   %s = attn.contract "bhgqk,bhke->bhgqe" (%g, %v) where (%m)
//   %o = attn.map "bhgqe,bhgqe->bhgqe" (%s, %Q) {%s * sigmoid(%Q)}
//
// and the kernel multiplies weights by a number (region `gate`). The same holds
// of factors of the weights, w(q, k) * softmax(x): the softmax is the kernel's,
// where a formula of it would need a pass over the scores for its denominator.
// A row without a key stays 0, whatever its factor: NaN times no term is no
// NaN. Any other row is multiplied, also where its sum is 0. Which rows those
// are, the mask tells by a count of its own; without a mask the number of keys
// does. Tests: test/Fusion/factor-values.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/KeyOperand.h"
#include "Kernel/MapPart.h"
#include "Kernel/Scalarize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_FACTORVALUES
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// A factor in the region of a map, and the product's letters it depends on.
struct Factor {
  Value value;
  bool isInverse = false, isNegative = false;
  std::string letters;
};

/// The map that makes weights or values, with the product's letters, and its
/// factors: those that go to the weights, to the result, and nowhere.
struct Source {
  attn::MapOp map;
  std::string letters;
  std::vector<Factor> ofPair, ofRow, rest;
};

/// One product with the values, taken apart.
class Factors {
public:
  explicit Factors(attn::ContractOp product);
  bool run();

private:
  std::vector<Factor> collect(const Source &source);
  void collect(const Source &source, Value value, bool isInverse,
               std::vector<Factor> &factors);
  void takeNormaliser();
  bool plan();
  void rewrite();
  LetteredTensor multiply(attn::MapOp map, StringRef mapLetters,
                          LetteredTensor x, ArrayRef<Factor> factors,
                          StringRef letters);
  LetteredTensor multiplyRows(attn::MapOp map, StringRef mapLetters,
                              LetteredTensor x, ArrayRef<Factor> factors,
                              Type element);
  LetteredTensor countKeys();
  LetteredTensor
  makeMap(attn::MapOp map, StringRef mapLetters, ArrayRef<LetteredTensor> given,
          ArrayRef<Factor> factors, StringRef letters, Type element,
          llvm::function_ref<Value(OpBuilder &, ValueRange, Value)> finish);

  attn::ContractOp product;
  OpBuilder b;
  Location loc;
  Type real;
  char over = 0, feature = 0; // letters of the product
  LetteredTensor weights, values;
  std::string out, rows; // letters of the result, of a row of the key
  Source ofWeights, ofValues;
  LetteredTensor count; // made once
};
} // namespace

Factors::Factors(attn::ContractOp product)
    : product(product), b(product), loc(product.getLoc()),
      real(attn::accumulateType(product->getOperandTypes())) {}

void Factors::collect(const Source &source, Value value, bool isInverse,
                      std::vector<Factor> &factors) {
  attn::MapOp map = source.map;
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == &map.getBody().front()) {
    bool isQuotient = isa<arith::DivFOp>(op);
    if (isa<arith::MulFOp>(op) || (isQuotient && !isInverse)) {
      collect(source, op->getOperand(0), isInverse, factors);
      collect(source, op->getOperand(1), isInverse || isQuotient, factors);
      return;
    }
    if (isa<arith::NegFOp>(op)) {
      collect(source, op->getOperand(0), isInverse, factors);
      factors.back().isNegative = !factors.back().isNegative;
      return;
    }
  }
  factors.push_back(
      {value, isInverse, false, lettersOf(map, source.letters, value)});
}

/// The factors of what the map yields; none without a map.
std::vector<Factor> Factors::collect(const Source &source) {
  std::vector<Factor> factors;
  attn::MapOp map = source.map;
  if (map)
    collect(source, map.getBody().front().getTerminator()->getOperand(0), false,
            factors);
  return factors;
}

/// The inputs of a map that factors read.
static SmallVector<unsigned> inputsOf(attn::MapOp map,
                                      ArrayRef<Factor> factors) {
  SmallVector<Value> values;
  for (const Factor &factor : factors)
    values.push_back(factor.value);
  return inputsOf(map, values);
}

/// x, if there is one, times the factors, in the region of a map whose values
/// `places` has.
static Value multiplyIn(OpBuilder &b, Location loc, Block &body, Value x,
                        ArrayRef<Factor> factors, IRMapping &places) {
  for (const Factor &factor : factors) {
    Value value = attn::cloneValue(b, body, factor.value, places);
    if (!x && factor.isInverse)
      x = arith::ConstantOp::create(b, loc, b.getFloatAttr(value.getType(), 1));
    if (factor.isInverse)
      x = arith::DivFOp::create(b, loc, x, value);
    else
      x = x ? arith::MulFOp::create(b, loc, x, value).getResult() : value;
    if (factor.isNegative)
      x = arith::NegFOp::create(b, loc, x);
  }
  return x;
}

/// The tensor that the only one of `factors` is an element of, if it is.
static LetteredTensor findInput(attn::MapOp map, StringRef mapLetters,
                                ArrayRef<Factor> factors) {
  if (factors.size() != 1 || factors[0].isInverse || factors[0].isNegative)
    return {};
  attn::Labels labels = map.getAxisLabels();
  auto argument = dyn_cast<BlockArgument>(factors[0].value);
  if (!argument || argument.getOwner() != &map.getBody().front() ||
      argument.getArgNumber() >= labels.inputs.size())
    return {};
  unsigned number = argument.getArgNumber();
  return {map.getInputs()[number], lettersOfInput(map, mapLetters, number)};
}

/// A map over `letters` of what `finish` makes of the elements of `given` and
/// of the first of these, if any, times the factors, which are in the region of
/// `map`.
LetteredTensor Factors::makeMap(
    attn::MapOp map, StringRef mapLetters, ArrayRef<LetteredTensor> given,
    ArrayRef<Factor> factors, StringRef letters, Type element,
    llvm::function_ref<Value(OpBuilder &, ValueRange, Value)> finish) {
  attn::Labels from = map.getAxisLabels();
  SmallVector<unsigned> used = inputsOf(map, factors);
  SmallVector<Value> inputs;
  std::string labels;
  auto add = [&](Value tensor, StringRef axes) {
    inputs.push_back(tensor);
    labels += (inputs.size() > 1 ? "," : "") + axes.str();
  };
  for (const LetteredTensor &tensor : given)
    add(tensor.tensor, tensor.letters);
  for (unsigned i : used)
    add(map.getInputs()[i], lettersOfInput(map, mapLetters, i));
  SmallVector<Attribute> sizes;
  for (char letter : letters) {
    std::optional<unsigned> axis = attn::axisOf(mapLetters, letter);
    sizes.push_back(
        axis ? attn::axisSize(map.getType(), *axis)
             : attn::axisSize(product.getType(), *attn::axisOf(out, letter)));
  }
  Block &body = map.getBody().front();
  auto build = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    IRMapping places;
    for (auto [i, input] : llvm::enumerate(used))
      places.map(body.getArgument(input), arguments[given.size() + i]);
    for (auto [axis, letter] : llvm::enumerate(mapLetters))
      if (auto place = attn::axisOf(letters, letter))
        places.map(body.getArgument(from.inputs.size() + axis),
                   arguments[inputs.size() + *place]);
    Value first = given.empty() ? Value() : arguments.front();
    Value made = multiplyIn(inner, at, body, first, factors, places);
    attn::YieldOp::create(
        inner, at, finish(inner, arguments.take_front(given.size()), made));
  };
  Type type = letters == out ? Type(product.getType().clone(element))
                             : Type(attn::tensorType(sizes, element));
  Value made = attn::MapOp::create(
      b, map.getLoc(), type, labels + "->" + letters.str(), inputs, build);
  return {made, letters.str()};
}

LetteredTensor Factors::multiply(attn::MapOp map, StringRef mapLetters,
                                 LetteredTensor x, ArrayRef<Factor> factors,
                                 StringRef letters) {
  SmallVector<LetteredTensor, 1> given;
  if (x.tensor)
    given.push_back(x);
  else if (LetteredTensor input = findInput(map, mapLetters, factors);
           input.tensor && input.letters == letters)
    return input;
  return makeMap(map, mapLetters, given, factors, letters, real,
                 [](OpBuilder &, ValueRange, Value made) { return made; });
}

/// How many keys the mask allows each row.
LetteredTensor Factors::countKeys() {
  if (count.tensor)
    return count;
  Value mask = product.getMask();
  Type pairs = (mask ? mask : weights.tensor).getType();
  std::string letters = mask ? product.getMaskLabels()->str() : weights.letters;
  Type ones = cast<RankedTensorType>(pairs).clone(real);
  Value scores = attn::MapOp::create(
      b, loc, ones, "->" + letters, ValueRange(),
      [&](OpBuilder &inner, Location at, ValueRange) {
        attn::YieldOp::create(
            inner, at,
            arith::ConstantOp::create(inner, at, b.getFloatAttr(real, 1.0)));
      });
  SmallVector<Attribute> sizes;
  for (auto [axis, letter] : llvm::enumerate(letters)) {
    if (letter == over)
      continue;
    sizes.push_back(attn::axisSize(pairs, axis));
    count.letters += letter;
  }
  Type type = attn::tensorType(sizes, real);
  auto kind = attn::RowAttr::get(b.getContext(), attn::RowKind::Sum, 0);
  count.tensor =
      attn::ReduceOp::create(b, loc, type, letters, std::string(1, over), kind,
                             scores, mask)
          .getRow();
  return count;
}

/// Results times factors of their row; those of rows without a key stay 0.
LetteredTensor Factors::multiplyRows(attn::MapOp map, StringRef mapLetters,
                                     LetteredTensor x, ArrayRef<Factor> factors,
                                     Type element) {
  SmallVector<LetteredTensor, 2> given{x};
  Attribute size = attn::axisSize(values.tensor.getType(),
                                  *attn::axisOf(values.letters, over));
  if (product.getMask() || !isComputable(size))
    given.push_back(countKeys());
  auto finish = [&](OpBuilder &inner, ValueRange elements, Value made) {
    Value none,
        zero = arith::ConstantOp::create(inner, loc, b.getFloatAttr(real, 0.0));
    if (elements.size() == 2)
      none = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ,
                                   elements[1], zero);
    else
      none = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::eq, sizeValue(inner, loc, size),
          arith::ConstantIndexOp::create(inner, loc, 0));
    return arith::SelectOp::create(inner, loc, none, zero, made).getResult();
  };
  return makeMap(map, mapLetters, given, factors, out, element, finish);
}

/// Weights that are a formula of a normaliser's weights, and no more, are no
/// normaliser of their own.
void Factors::takeNormaliser() {
  auto outer = weights.tensor.getDefiningOp<attn::NormalizeOp>();
  if (!outer || weights.tensor != outer.getWeights() ||
      outer.getNorm().getWeight() != attn::NormWeight::Identity ||
      outer.getNorm().getDivide() != attn::NormDivide::None ||
      !outer.getInit().empty() || outer.getMask() != product.getMask() ||
      (outer.getMask() && *product.getMaskLabels() != weights.letters) ||
      !outer.getLse().use_empty() ||
      getElementTypeOrSelf(outer.getWeights()) !=
          getElementTypeOrSelf(outer.getScores()))
    return;
  LetteredTensor scores{outer.getScores(), weights.letters};
  std::optional<LetteredTensor> inner = findGatedWeights(scores);
  if (!inner || inner->letters != weights.letters ||
      inner->tensor.getDefiningOp<attn::NormalizeOp>().getMask() !=
          outer.getMask())
    return;
  // A map of its own: what else reads the formula may need it computed.
  Operation *copy = b.clone(*scores.tensor.getDefiningOp());
  weights = {copy->getResult(0), weights.letters};
}

/// The factors of the values and of the weights, by where they go.
bool Factors::plan() {
  for (auto [source, tensor] :
       {std::pair(&ofWeights, weights), {&ofValues, values}}) {
    LetteredTensor made = skipPermutations(tensor);
    auto map = made.tensor.getDefiningOp<attn::MapOp>();
    if (!map || getElementTypeOrSelf(map.getType()) != real)
      continue;
    source->map = map;
    source->letters = made.letters;
  }
  auto has = [](const Factor &factor, char letter) {
    return StringRef(factor.letters).contains(letter);
  };
  for (const Factor &factor : collect(ofWeights))
    (has(factor, over) || factor.letters.empty() ? ofWeights.rest
                                                 : ofWeights.ofRow)
        .push_back(factor);
  std::vector<Factor> factors = collect(ofValues);
  for (const Factor &factor : factors) // what is a row of the key
    if (has(factor, over) && has(factor, feature))
      rows += factor.letters;
  for (const Factor &factor : factors) {
    bool isOfRows = llvm::all_of(
        factor.letters, [&](char c) { return StringRef(rows).contains(c); });
    (isOfRows             ? ofValues.rest
     : !has(factor, over) ? ofValues.ofRow
                          : ofValues.ofPair)
        .push_back(factor);
  }
  bool movesValues = !ofValues.ofPair.empty() || !ofValues.ofRow.empty();
  if (rows.empty() && movesValues) // no row of the key would be left
    return false;
  return movesValues || !ofWeights.ofRow.empty();
}

void Factors::rewrite() {
  bool movesValues = !ofValues.ofPair.empty() || !ofValues.ofRow.empty();
  bool hasRows = !ofWeights.ofRow.empty() || !ofValues.ofRow.empty();
  if (!ofWeights.ofRow.empty()) // what is left reads the weights
    weights = multiply(ofWeights.map, ofWeights.letters, {}, ofWeights.rest,
                       weights.letters);
  if (!ofValues.ofPair.empty())
    weights = multiply(ofValues.map, ofValues.letters, weights, ofValues.ofPair,
                       weights.letters);
  if (movesValues) {
    std::string letters;
    llvm::copy_if(ofValues.letters, std::back_inserter(letters),
                  [&](char c) { return StringRef(rows).contains(c); });
    values =
        multiply(ofValues.map, ofValues.letters, {}, ofValues.rest, letters);
  }
  auto type = product.getType();
  Type element = getElementTypeOrSelf(type);
  StringAttr maskLabels;
  if (product.getMask())
    maskLabels = b.getStringAttr(*product.getMaskLabels());
  LetteredTensor made{
      attn::ContractOp::create(
          b, loc, hasRows ? type.clone(real) : type,
          b.getStringAttr(weights.letters + "," + values.letters + "->" + out),
          weights.tensor, values.tensor, maskLabels, product.getMask()),
      out};
  if (!ofWeights.ofRow.empty())
    made = multiplyRows(ofWeights.map, ofWeights.letters, made, ofWeights.ofRow,
                        ofValues.ofRow.empty() ? element : real);
  if (!ofValues.ofRow.empty())
    made = multiplyRows(ofValues.map, ofValues.letters, made, ofValues.ofRow,
                        element);
  product.getResult().replaceAllUsesWith(made.tensor);
  product.erase();
}

bool Factors::run() {
  std::optional<WeightedSum> sum = findWeightedSum(product);
  if (!sum)
    return false;
  out = product.getAxisLabels().output.str();
  weights = sum->weights;
  values = sum->values;
  over = sum->over;
  feature = sum->feature;
  LetteredTensor before = weights;
  takeNormaliser();
  if (plan()) {
    rewrite();
    return true;
  }
  if (weights.tensor == before.tensor)
    return false;
  Value operands[] = {product.getLhs(), product.getRhs()};
  product->setOperand(operands[0] == before.tensor ? 0 : 1, weights.tensor);
  return true;
}

namespace {
struct FactorValues final : fusion::impl::FactorValuesBase<FactorValues> {
  void runOnOperation() override {
    SmallVector<attn::ContractOp> products;
    getOperation().walk([&](attn::ContractOp op) { products.push_back(op); });
    bool changed = false;
    for (attn::ContractOp product : products)
      changed |= Factors(product).run();
    if (!changed)
      return markAllAnalysesPreserved();
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};
} // namespace
