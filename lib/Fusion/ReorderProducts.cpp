//===- ReorderProducts.cpp - Linear attention: keys times values first ----===//
//
// Weights that are the scores themselves, and scores that are products of what
// belongs to the query and what belongs to the key, are sums in which the order
// of the products is free:
//
//   %s = attn.contract "bhgqd,bhkd->bhgqk" (%fq, %fk)
//   %p = attn.normalize "bhgqk" over "k" <none, identity, sum> (%s)
//   %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %v)
// becomes
//   %kv = attn.contract "bhkd,bhke->bhde" (%fk, %v)
//   %n  = attn.contract "bhgqd,bhde->bhgqe" (%fq, %kv)
//   %z  = attn.contract "bhkd,k->bhd" (%fk, ones)
//   %l  = attn.contract "bhgqd,bhd->bhgq" (%fq, %z)
//   %o  = attn.map "bhgqe,bhgq->bhgqe" (%n, %l) { l == 0 ? 0 : n / l }
//
// whose cost grows with the length, not with its square. A formula may multiply
// the score by what depends on the query only or on the key only; that goes
// into the operands. A mask ties queries to keys, so masked attention stays as
// it is. Whether it pays is counted at the sizes of attnc.expect: a short
// sequence is cheaper the other way. Sums over keys and features are f64: in
// f32 a long sequence would lose digits, and a short one those that cancel in
// n / l.
//
// Tests: test/Fusion/reorder-products.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/SizeExpr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace attnc;

namespace attnc::fusion {
#define GEN_PASS_DEF_REORDERPRODUCTS
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// A factor of a score; `inverse`: the score is divided by it.
struct Factor {
  Value value;
  bool inverse;
};

struct LinearMatch {
  attn::ContractOp value, product;
  attn::NormalizeOp norm;
  attn::MapOp formula; // may be null
  Value query, key;
  std::string pairs, rows, queryLetters, keyLetters, valueLetters, outLetters;
  char over = 0;
  SmallVector<Factor> ofQuery, ofKey;

  std::string stateLetters() const;
};
} // namespace

static std::string without(StringRef letters, StringRef others) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept),
                [&](char letter) { return !others.contains(letter); });
  return kept;
}

std::string LinearMatch::stateLetters() const {
  std::string of = without(keyLetters, std::string(1, over));
  return of + without(valueLetters, of + std::string(1, over));
}

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

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

/// Linear attention up to the product with the values, or nothing.
static std::optional<LinearMatch> matchLinear(attn::ContractOp value) {
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

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

namespace {
/// Multiply-additions of both orders at the sizes that are expected.
class ProductCosts {
public:
  explicit ProductCosts(LinearMatch &match) {
    add(match.queryLetters, match.query);
    add(match.keyLetters, match.key);
    add(match.valueLetters, match.value.getRhs());
    auto function = match.value->getParentOfType<func::FuncOp>();
    auto expect = function->getAttrOfType<ArrayAttr>("attnc.expect");
    SmallVector<DictionaryAttr> regimes;
    if (expect)
      llvm::append_range(regimes, expect.getAsRange<DictionaryAttr>());
    if (regimes.empty())
      regimes.push_back(DictionaryAttr::get(function.getContext()));
    std::string key =
        match.keyLetters + without(match.valueLetters, match.keyLetters);
    std::string pair = match.pairs, state = match.stateLetters();
    for (DictionaryAttr at : regimes) {
      double weight = 1;
      for (NamedAttribute field : at)
        if (auto number = dyn_cast<FloatAttr>(field.getValue()))
          weight = number.getValueAsDouble();
      pairs += weight * (count(unite(pair, match.queryLetters), at) +
                         count(unite(pair, match.valueLetters), at));
      linear += weight *
                (count(key, at) + count(unite(match.queryLetters, state), at));
    }
  }
  double pairs = 0, linear = 0;

private:
  static std::string unite(StringRef a, StringRef b) {
    return (a + without(b, a)).str();
  }
  void add(StringRef letters, Value tensor) {
    for (auto [axis, letter] : llvm::enumerate(letters))
      sizes[letter] = attn::axisSize(tensor.getType(), axis);
  }
  double count(StringRef letters, DictionaryAttr at) const {
    double product = 1;
    for (char letter : letters)
      product *= sizeOf(sizes.lookup(letter), at);
    return product;
  }
  /// Sequences are taken as 1024 long where nothing is expected.
  static double sizeOf(Attribute size, DictionaryAttr at) {
    if (auto number = dyn_cast_if_present<IntegerAttr>(size))
      return double(number.getInt());
    auto text = dyn_cast_if_present<StringAttr>(size);
    std::string error;
    auto expr = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
    if (!expr)
      return 1;
    auto value = expr->evaluate([&](StringRef name) -> std::optional<int64_t> {
      if (auto number = at.getAs<IntegerAttr>(name))
        return number.getInt();
      return name == "batch" ? 1 : 1024;
    });
    return double(value.value_or(1));
  }

  llvm::SmallDenseMap<char, Attribute> sizes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {
class Reorder {
public:
  explicit Reorder(LinearMatch &match)
      : match(match), b(match.value), loc(match.value.getLoc()) {
    SmallVector<Type> types(match.value->getOperandTypes());
    llvm::append_range(types, match.product->getOperandTypes());
    llvm::append_range(types, match.norm->getResultTypes());
    real = attn::accumulateType(types);
    addSizes(match.queryLetters, match.query);
    addSizes(match.keyLetters, match.key);
    addSizes(match.valueLetters, match.value.getRhs());
  }

  void run();

private:
  void addSizes(StringRef letters, Value tensor) {
    for (auto [axis, letter] : llvm::enumerate(letters))
      sizes[letter] = attn::axisSize(tensor.getType(), axis);
  }
  RankedTensorType typeOf(StringRef letters, Type element) {
    SmallVector<Attribute> axes;
    for (char letter : letters)
      axes.push_back(sizes.lookup(letter));
    return attn::tensorType(axes, element);
  }
  Value contract(StringRef left, Value lhs, StringRef right, Value rhs,
                 StringRef out) {
    std::string labels = (left + "," + right + "->" + out).str();
    return attn::ContractOp::create(b, loc, typeOf(out, b.getF64Type()), labels,
                                    lhs, rhs);
  }
  Value scaled(Value tensor, StringRef letters, ArrayRef<Factor> factors);
  Value ones();
  Value withInit(Value sum);
  Value rounded(Value tensor, StringRef letters, Value like);
  Value divided(Value total, Value sum);

  LinearMatch &match;
  OpBuilder b;
  Location loc;
  Type real;
  llvm::SmallDenseMap<char, Attribute> sizes;
};
} // namespace

/// Clones what `value` needs of `block`.
static Value cloneInto(OpBuilder &b, Value value, Block &block,
                       IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (map.contains(value) || !op || op->getBlock() != &block)
    return map.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    cloneInto(b, operand, block, map);
  return b.clone(*op, map)->getResult(0);
}

/// A tensor times factors that depend on its letters only.
Value Reorder::scaled(Value tensor, StringRef letters,
                      ArrayRef<Factor> factors) {
  if (factors.empty())
    return tensor;
  Block &block = match.formula.getBody().front();
  std::string labels = (letters + "->" + letters).str();
  return attn::MapOp::create(
      b, match.formula.getLoc(), typeOf(letters, real), labels, tensor,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        IRMapping map;
        for (auto [number, letter] : llvm::enumerate(match.pairs))
          if (auto axis = attn::axisOf(letters, letter))
            map.map(block.getArgument(number + 1), arguments[*axis + 1]);
        Value x = arguments[0];
        for (const Factor &factor : factors) {
          Value y = cloneInto(inner, factor.value, block, map);
          x = factor.inverse
                  ? arith::DivFOp::create(inner, at, x, y).getResult()
                  : arith::MulFOp::create(inner, at, x, y).getResult();
        }
        attn::YieldOp::create(inner, at, x);
      });
}

/// A one for each key.
Value Reorder::ones() {
  std::string over(1, match.over);
  return attn::MapOp::create(
      b, loc, typeOf(over, real), "->" + over, ValueRange(),
      [&](OpBuilder &inner, Location at, ValueRange) {
        Value one =
            arith::ConstantOp::create(inner, at, FloatAttr::get(real, 1.0));
        attn::YieldOp::create(inner, at, one);
      });
}

/// The sum with the weight that has no key.
Value Reorder::withInit(Value sum) {
  if (match.norm.getInit().empty())
    return sum;
  Block &init = match.norm.getInit().front();
  Value more = attn::MapOp::create(
      b, match.norm.getLoc(), typeOf(match.rows, real), "->" + match.rows,
      ValueRange(), [&](OpBuilder &inner, Location at, ValueRange arguments) {
        IRMapping map;
        map.map(init.getArguments(), arguments);
        Value yielded = init.getTerminator()->getOperand(0);
        attn::YieldOp::create(inner, at, cloneInto(inner, yielded, init, map));
      });
  std::string labels = match.rows + "," + match.rows + "->" + match.rows;
  return attn::MapOp::create(
      b, loc, sum.getType(), labels, ValueRange{sum, more},
      [&](OpBuilder &inner, Location at, ValueRange x) {
        Value total = arith::AddFOp::create(inner, at, x[0], x[1]);
        attn::YieldOp::create(inner, at, total);
      });
}

/// The same elements in the type of `like`.
Value Reorder::rounded(Value tensor, StringRef letters, Value like) {
  return attn::MapOp::create(b, loc, like.getType(),
                             (letters + "->" + letters).str(), tensor,
                             [&](OpBuilder &inner, Location at, ValueRange x) {
                               attn::YieldOp::create(inner, at, x[0]);
                             });
}

Value Reorder::divided(Value total, Value sum) {
  std::string labels =
      match.outLetters + "," + match.rows + "->" + match.outLetters;
  return attn::MapOp::create(
      b, loc, match.value.getType(), labels, ValueRange{total, sum},
      [&](OpBuilder &inner, Location at, ValueRange x) {
        Value zero =
            arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(0.0));
        Value none = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OEQ,
                                           x[1], zero);
        Value quotient = arith::DivFOp::create(inner, at, x[0], x[1]);
        Value result = arith::SelectOp::create(inner, at, none, zero, quotient);
        attn::YieldOp::create(inner, at, result);
      });
}

void Reorder::run() {
  std::string over(1, match.over), state = match.stateLetters();
  Value query = scaled(match.query, match.queryLetters, match.ofQuery);
  Value key = scaled(match.key, match.keyLetters, match.ofKey);
  Value keyValues = contract(match.keyLetters, key, match.valueLetters,
                             match.value.getRhs(), state);
  Value total =
      contract(match.queryLetters, query, state, keyValues, match.outLetters);
  Value lse = match.norm.getLse();
  bool divides = match.norm.getNorm().getDivide() == attn::NormDivide::Sum;
  Value sum;
  if (divides || !lse.use_empty()) {
    std::string left = without(match.keyLetters, over);
    Value keys = contract(match.keyLetters, key, over, ones(), left);
    sum = withInit(contract(match.queryLetters, query, left, keys, match.rows));
  }
  if (!lse.use_empty())
    lse.replaceAllUsesWith(rounded(sum, match.rows, lse));
  Value result = match.value.getResult();
  result =
      divides ? divided(total, sum) : rounded(total, match.outLetters, result);
  match.value.getResult().replaceAllUsesWith(result);
  match.value.erase();
  match.norm.erase();
  for (Operation *op : {match.formula ? match.formula.getOperation() : nullptr,
                        match.product.getOperation()})
    if (op && op->use_empty())
      op->erase();
}

static void reorder(attn::ContractOp value) {
  std::optional<LinearMatch> match = matchLinear(value);
  if (!match)
    return;
  ProductCosts costs(*match);
  bool pays = costs.linear < costs.pairs;
  match->product.emitRemark()
      << "scores are products of features: keys times values first takes "
      << llvm::formatv("{0:e2}", costs.linear).str()
      << " multiply-additions, pairs take "
      << llvm::formatv("{0:e2}", costs.pairs).str()
      << (pays ? "; reordered" : "; left") << " [kernel]";
  if (pays)
    Reorder(*match).run();
}

namespace {
struct ReorderProducts final
    : attnc::fusion::impl::ReorderProductsBase<ReorderProducts> {
  void runOnOperation() override {
    SmallVector<attn::ContractOp> products(
        getOperation().getOps<attn::ContractOp>());
    for (attn::ContractOp value : products)
      if (value->getParentOp() && !value.use_empty())
        reorder(value);
  }
};
} // namespace
