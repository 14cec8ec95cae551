//===- ReorderProducts.cpp - Multiply keys by values first ----------------===//
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
// n / l. Where weights are f64 themselves, no wider type is left; there values
// are measured from their mean:
//
//   %c = attn.map "bhe,->bhe" (sum of %v, number of keys) { bf16(sum / number)
//   } %w = attn.map "bhke,bhe->bhke" (%v, %c) { v - c }
//   ... with %w for %v
//   %o = ... { l == 0 ? 0 : n / l + c }
//
// Weights s / sum(s) add up to 1 whatever the errors of s, so these matter as
// far as values differ; n and l have errors of their own, which matter as far
// as values are not 0. One key weighs 1 exactly. The mean has few bits, so that
// differences of short numbers stay exact, and is 0 where it is not finite.
//
// Where features are not negative, no weights cancel: n and l have the relative
// error of the sums over keys at most. Then these need not be f64, unless
// features leave the range of f32 where scores do not: those of keys and the
// values have to grow like the inputs (no exponentials). A backend may sum
// blocks of keys in f32 and add those up with compensation (attn.narrow_sums):
// a block of B keys has an error of B / 2 units, as B keys have in the plain
// formula, and each of the features has one of its own. One key weighs 1 to a
// unit in the last place. Sums over features stay f64: of equal features the
// roundings of f32 add up, where those of plain scores are exact.
//
// Tests: test/Fusion/reorder-products.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/LeastValue.h"
#include "Kernel/LinearMatch.h"

#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/NarrowSums.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_REORDERPRODUCTS
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

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
    std::string key =
        match.keyLetters + without(match.valueLetters, match.keyLetters);
    std::string pair = match.pairs, state = match.stateLetters();
    auto function = match.value->getParentOfType<func::FuncOp>();
    for (const Regime &at : getRegimes(function, nullptr)) {
      pairs += at.weight * (count(unite(pair, match.queryLetters), at) +
                            count(unite(pair, match.valueLetters), at));
      linear += at.weight *
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
  double count(StringRef letters, const Regime &at) const {
    double product = 1;
    for (char letter : letters)
      product *= double(at.sizeOf(sizes.lookup(letter)));
    return product;
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
  Value scaled(Value tensor, StringRef letters,
               ArrayRef<LinearMatch::Factor> factors);
  Value ones();
  Value withInit(Value sum);
  Value rounded(Value tensor, StringRef letters, Value like);
  std::string centreLetters() const {
    return without(match.valueLetters, std::string(1, match.over));
  }
  Value centreOf(Value values);
  Value centred(Value values, Value centre);
  Value divided(Value total, Value sum, Value centre);
  bool mayBeNarrow(Value query, Value key, Value values);
  void allowNarrow(Value sum);
  Value sumOfKeys(Value key);
  Value sumOfWeights(Value query, Value keys);

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
                      ArrayRef<LinearMatch::Factor> factors) {
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
        for (const LinearMatch::Factor &factor : factors) {
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

/// What values are measured from: their mean over the keys, to 8 bits.
Value Reorder::centreOf(Value values) {
  std::string over(1, match.over), letters = centreLetters();
  Value one = ones();
  Value sum = contract(match.valueLetters, values, over, one, letters);
  Value count = contract(over, one, over, one, "");
  return attn::MapOp::create(
      b, loc, typeOf(letters, b.getBF16Type()), letters + ",->" + letters,
      ValueRange{sum, count}, [&](OpBuilder &inner, Location at, ValueRange x) {
        auto number = [&](double value) -> Value {
          return arith::ConstantOp::create(inner, at,
                                           inner.getF64FloatAttr(value));
        };
        Value mean = arith::DivFOp::create(inner, at, x[0], x[1]);
        Value size = math::AbsFOp::create(inner, at, mean);
        Value finite = arith::CmpFOp::create(
            inner, at, arith::CmpFPredicate::OLT, size, number(0x1p127));
        Value kept =
            arith::SelectOp::create(inner, at, finite, mean, number(0.0));
        attn::YieldOp::create(inner, at, kept);
      });
}

Value Reorder::centred(Value values, Value centre) {
  std::string labels =
      match.valueLetters + "," + centreLetters() + "->" + match.valueLetters;
  return attn::MapOp::create(b, loc, typeOf(match.valueLetters, real), labels,
                             ValueRange{values, centre},
                             [&](OpBuilder &inner, Location at, ValueRange x) {
                               Value rest =
                                   arith::SubFOp::create(inner, at, x[0], x[1]);
                               attn::YieldOp::create(inner, at, rest);
                             });
}

/// `centre` is null where values are measured from 0. What is rounded to f32
/// is the product with the reciprocal, of which a row has one: a quotient that
/// is exact in f32 is off by two units of f64, and rounds to itself.
Value Reorder::divided(Value total, Value sum, Value centre) {
  std::string labels = match.outLetters + "," + match.rows;
  SmallVector<Value> inputs{total, sum};
  if (centre) {
    labels += "," + centreLetters();
    inputs.push_back(centre);
  }
  return attn::MapOp::create(
      b, loc, match.value.getType(), labels + "->" + match.outLetters, inputs,
      [&](OpBuilder &inner, Location at, ValueRange x) {
        Value zero =
            arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(0.0));
        Value none = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OEQ,
                                           x[1], zero);
        Value quotient;
        if (real.isF64()) {
          quotient = arith::DivFOp::create(inner, at, x[0], x[1]);
        } else {
          Value one =
              arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(1.0));
          Value inverse = arith::DivFOp::create(inner, at, one, x[1]);
          quotient = arith::MulFOp::create(inner, at, x[0], inverse);
        }
        if (centre)
          quotient = arith::AddFOp::create(inner, at, quotient, x[2]);
        Value result = arith::SelectOp::create(inner, at, none, zero, quotient);
        attn::YieldOp::create(inner, at, result);
      });
}

/// Whether no sums cancel, in the type of the tensors, and those over keys are
/// about as large as what they are of: exp(80) over 4096 keys is no f32.
bool Reorder::mayBeNarrow(Value query, Value key, Value values) {
  Region &init = match.norm.getInit();
  return !real.isF64() && leastOf(query) >= 0 && leastOf(key) >= 0 &&
         growsLinearly(key) && growsLinearly(values) &&
         (init.empty() || leastOf(init) >= 0);
}

void Reorder::allowNarrow(Value sum) {
  sum.getDefiningOp()->setAttr(attn::kNarrowSums, b.getUnitAttr());
}

Value Reorder::sumOfKeys(Value key) {
  std::string over(1, match.over);
  return contract(match.keyLetters, key, over, ones(),
                  without(match.keyLetters, over));
}

Value Reorder::sumOfWeights(Value query, Value keys) {
  std::string left = without(match.keyLetters, std::string(1, match.over));
  return withInit(contract(match.queryLetters, query, left, keys, match.rows));
}

void Reorder::run() {
  bool divides = match.norm.getNorm().getDivide() == attn::NormDivide::Sum;
  Value values = match.value.getRhs(), lse = match.norm.getLse();
  Value query = scaled(match.query, match.queryLetters, match.ofQuery);
  Value key = scaled(match.key, match.keyLetters, match.ofKey);
  Value centre; // weights with an init do not add up to 1
  if (divides && real.isF64() && match.norm.getInit().empty()) {
    centre = centreOf(values);
    values = centred(values, centre);
  }
  // Each sum of weights stands before the product whose blocks may hold it.
  bool hasSum = divides || !lse.use_empty();
  Value keys = hasSum ? sumOfKeys(key) : Value();
  Value keyValues = contract(match.keyLetters, key, match.valueLetters, values,
                             match.stateLetters());
  if (mayBeNarrow(query, key, values)) {
    allowNarrow(keyValues);
    if (keys)
      allowNarrow(keys);
  }
  Value sum = hasSum ? sumOfWeights(query, keys) : Value();
  Value total = contract(match.queryLetters, query, match.stateLetters(),
                         keyValues, match.outLetters);
  Value result = match.value.getResult();
  result = divides ? divided(total, sum, centre)
                   : rounded(total, match.outLetters, result);
  if (!lse.use_empty())
    lse.replaceAllUsesWith(rounded(sum, match.rows, lse));
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
  remarkOn(match->product)
      << "scores are products of features: multiplying keys by "
         "values first takes "
      << llvm::formatv("{0:e2}", costs.linear).str()
      << " multiply-adds, the quadratic form "
      << llvm::formatv("{0:e2}", costs.pairs).str()
      << (pays ? "; reordered" : "; unchanged") << " [kernel]";
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
