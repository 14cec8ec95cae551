//===- FuseRows.cpp - Create kernels for rows and pairs -------------------===//
//
//   %t = attn.map "bhgqk->bhgqk" (%s) {x}
//   %sum = attn.reduce "bhgqk" over "k" #attn.row<sum> (%t) where (%m)
//   %w = attn.map "bhgqk,bhgq->bhgqk" (%s, %sum) {score / sum}
// becomes
//   %sum = attn.kernel ins(%q, %K) -> (...) normalize #attn.row<sum> score {x}
//   %w = attn.map "bhgqk,bhgq->bhgqk" (%s, %sum) {score / sum}
//
// Computing the scores twice costs a product; keeping them would cost a matrix
// in memory. A normaliser inside a formula is its denominator, a row, and
//
//   softmax    exp(x - max) / sum     (sum 0: 0)
//   x / sum    x / sum                (sum 0: 0)
//
// where max and sum stay apart: exp(x - lse) has an error as large as that of
// lse, which grows with the scores.
//
// and a result of the function with a number per pair is a kernel that stores
// them. The formulas of what follows read rows by attn.read (Scalarize.cpp).
// Tests: test/Fusion/fuse-rows.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/KernelMask.h"
#include "Kernel/KeyOperand.h"
#include "Kernel/Scalarize.h"
#include "Scale/RealConstant.h"

#include "attnc/Dialect/Attn/MapFormula.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_FUSEROWS
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

static constexpr StringLiteral kPairs = "bhgqk", kKey = "k";

static bool isOfPairs(attn::ContractOp op) {
  return op.getAxisLabels().output == kPairs && !op.getMask();
}

using Products = llvm::MapVector<Operation *, std::string>;

/// The letters of a product of pairs: those of its result where they are known,
/// since a graph without groups has no g; else its own, if they are kPairs.
static std::string pairLetters(attn::ContractOp product, StringRef letters) {
  if (letters.empty())
    return isOfPairs(product) ? kPairs.str() : "";
  bool isOfPair = letters.contains('q') && letters.contains(kKey);
  return isOfPair && !product.getMask() ? letters.str() : "";
}

/// The products of pairs that `scores` is computed from.
static void findProducts(LetteredTensor scores, Products &products,
                         DenseSet<Value> &seen) {
  if (!scores.letters.empty())
    scores = skipPermutations(scores);
  Operation *op = scores.tensor.getDefiningOp();
  if (!op || !seen.insert(scores.tensor).second)
    return;
  if (auto product = dyn_cast<attn::ContractOp>(op)) {
    std::string letters = pairLetters(product, scores.letters);
    if (!letters.empty())
      products.insert({op, letters});
  } else if (auto view = dyn_cast<attn::ViewOp>(op)) {
    findProducts({view.getSource(), ""}, products, seen);
  } else if (auto map = dyn_cast<attn::MapOp>(op)) {
    for (auto [i, input] : llvm::enumerate(map.getInputs())) {
      bool isLettered = !scores.letters.empty();
      findProducts(
          {input, isLettered ? lettersOfInput(map, scores.letters, i) : ""},
          products, seen);
    }
  }
}

namespace {
class RowFuser {
public:
  explicit RowFuser(func::FuncOp func) : func(func) {}
  void run();

private:
  void fuseReduce(attn::ReduceOp op);
  void splitNormalize(attn::NormalizeOp op);
  void fusePairs(OpOperand &result);
  attn::KernelOp buildPairs(OpBuilder &b, Value pairs);
  SmallVector<PairProduct> productsOf(Value scores, Value mask);
  attn::KernelOp build(OpBuilder &b, Location loc, TypeRange results,
                       Attribute normalize, Value scores, Value mask,
                       Region *init);
  void replaceLse(OpBuilder &b, attn::NormalizeOp op, Value max, Value sum);
  Value weightsOf(OpBuilder &b, attn::NormalizeOp op, Value max, Value sum);
  void miss(Operation *op, const Twine &reason) {
    remarkOn(op) << op->getName() << " is not fused: " << reason << " [missed]";
  }

  func::FuncOp func;
};
} // namespace

/// The products that scores and masks are made of, if there are any. In the
/// order of attn-fuse-kernel: a row is compared with the very scores that it
/// was made of. Those of other operands than rows are read from memory.
SmallVector<PairProduct> RowFuser::productsOf(Value scores, Value mask) {
  Products products;
  DenseSet<Value> seen;
  findProducts({scores, kPairs.str()}, products, seen);
  if (mask)
    findProducts({mask, kPairs.str()}, products, seen);
  SmallVector<PairProduct> found;
  for (auto &[op, letters] : products) {
    Refusal reason;
    FailureOr<PairProduct> product =
        splitProduct(cast<attn::ContractOp>(op), letters, kKey.front(),
                     StringRef("bh"), reason);
    if (succeeded(product) && !StringRef(product->q().letters).contains('k') &&
        !StringRef(product->k().letters).contains('q'))
      found.push_back(*product);
  }
  orderProducts(found);
  for (PairProduct &product : found)
    for (LetteredTensor *tensor : product.tensors())
      std::replace(tensor->letters.begin(), tensor->letters.end(), kFeature,
                   &product == &found.front() ? 'd' : 'f');
  return found;
}

/// Null, and a remark, if the scores cannot be computed in a kernel.
attn::KernelOp RowFuser::build(OpBuilder &b, Location loc, TypeRange results,
                               Attribute normalize, Value scores, Value mask,
                               Region *init) {
  Refusal refusal;
  SmallVector<PairProduct> products = productsOf(scores, mask);
  SmallVector<Type> types(results);
  for (const PairProduct &product : products)
    llvm::append_range(types, product.rowTypes());
  Type real = attn::accumulateType(types);
  auto check = [&](Value tensor, ArrayRef<PairProduct> known) {
    return !tensor ||
           succeeded(checkScalarizable(tensor, known, real, refusal));
  };
  bool isComputable = check(scores, products) && check(mask, products);
  for (const PairProduct &product : products)
    if (product.isPair())
      isComputable = isComputable && check(product.pair.tensor, {}) &&
                     check(product.other.tensor, {});
  if (!isComputable) {
    miss(refusal.op, refusal.reason);
    return {};
  }
  KernelRows rows(b, loc);
  for (const PairProduct &product : products)
    rows.addSizes({product.q(), product.k()});
  rows.addSizes({{scores, kPairs.str()}});
  auto [q, k] = rows.ofFirst(products, real);
  auto kernel = attn::KernelOp::create(
      b, loc, results, q, k, Value(), normalize, 1.0, Type(),
      rows.ofProducts(products), countPairs(products));
  nameKernel(kernel, loc);
  OpBuilder::InsertionGuard guard(b);
  fusion::buildPairs(b, kernel, products);
  Block *block = addBlock(b, kernel, kernel.getScore());
  Scalarizer forScore(b, real, productsIn(*block, products), mask);
  Value score = forScore.at(scores, block->getArguments().slice(1, 5));
  attn::YieldOp::create(b, scores.getLoc(), score);
  buildMask(b, kernel, mask, kPairs, products);
  if (init && !init->empty()) {
    block = addBlock(b, kernel, kernel.getInit());
    Scalarizer forInit(b, real, {});
    Value value = forInit.inlineBlock(init->front(), block->getArguments());
    attn::YieldOp::create(b, loc, value);
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static bool isOverRunTimeSize(attn::ReduceOp op) {
  std::optional<unsigned> axis =
      attn::axisOf(op.getLabels(), op.getOver().front());
  auto type = cast<RankedTensorType>(op.getScores().getType());
  return axis && type.isDynamicDim(*axis);
}

void RowFuser::fuseReduce(attn::ReduceOp op) {
  if (op.getLabels() != kPairs || op.getOver() != kKey) {
    // Sums over features, which have a fixed size, are no business of kernels.
    if (op.getMask() || isOverRunTimeSize(op))
      miss(op, "it does not reduce over the keys of (query, key) pairs");
    return;
  }
  OpBuilder b(op);
  attn::KernelOp kernel =
      build(b, op.getLoc(), op.getResultTypes(), op.getKind(), op.getScores(),
            op.getMask(), nullptr);
  if (!kernel)
    return;
  remarkOn(kernel) << "one kernel per row: Q @ K, score, "
                   << attn::stringifyRowKind(op.getKind().getKind())
                   << " [fused]";
  op.replaceAllUsesWith(kernel.getResults());
  op.erase();
}

static bool leadsToProduct(Operation *user) {
  return isa<attn::ContractOp>(user) ||
         (isa<attn::ViewOp, attn::MapOp>(user) &&
          llvm::any_of(user->getUsers(), leadsToProduct));
}

/// Whether a use of `weights` is no formula: a product with values, or a result
/// of the function.
static bool isWhole(Operation *user, Value weights) {
  if (isa<attn::ViewOp, attn::PackOp, attn::PlaceOp>(user))
    return llvm::all_of(user->getUsers(), [&](Operation *next) {
      return isWhole(next, weights);
    });
  // A factor of the weights stays with them. Of two normalisers one is the
  // kernel's, the other is a formula.
  if (auto map = dyn_cast<attn::MapOp>(user)) {
    std::optional<LetteredTensor> gated =
        findGatedWeights({map.getResult(), map.getAxisLabels().output.str()});
    return gated && gated->tensor == weights &&
           llvm::all_of(map->getUsers(), leadsToProduct);
  }
  return isa<attn::ContractOp, func::ReturnOp>(user);
}

/// The weights as a map of scores, shift and denominator.
Value RowFuser::weightsOf(OpBuilder &b, attn::NormalizeOp op, Value max,
                          Value sum) {
  attn::NormAttr norm = op.getNorm();
  SmallVector<Value> inputs{op.getScores()};
  std::string labels = kPairs.str();
  auto add = [&](Value input, StringRef letters) {
    if (!input)
      return;
    inputs.push_back(input);
    labels += ("," + letters).str();
  };
  add(max, "bhgq");
  add(sum, "bhgq");
  add(op.getMask(), kPairs);
  labels += "->" + kPairs.str();
  return attn::MapOp::create(
      b, op.getLoc(), op.getWeights().getType(), labels, inputs,
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value weight = x[0];
        Value zero = arith::ConstantOp::create(
            b, loc, b.getFloatAttr(weight.getType(), 0));
        if (max) // -inf - -inf is no weight, but then the sum is 0
          weight = arith::SubFOp::create(b, loc, weight, x[1]);
        if (norm.getWeight() == attn::NormWeight::Exp)
          weight = math::ExpOp::create(b, loc, weight);
        if (norm.getWeight() == attn::NormWeight::Exp2)
          weight = math::Exp2Op::create(b, loc, weight);
        if (sum) {
          Value l = x[max ? 2 : 1];
          Value is =
              arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, l, zero);
          weight = arith::DivFOp::create(b, loc, weight, l);
          weight = arith::SelectOp::create(b, loc, is, zero, weight);
        }
        if (op.getMask())
          weight = arith::SelectOp::create(b, loc, x[inputs.size() - 1], weight,
                                           zero);
        attn::YieldOp::create(b, loc, weight);
      });
}

/// The logarithm of the denominator, of its parts; those of a row without a key
/// are -inf and 0.
void RowFuser::replaceLse(OpBuilder &b, attn::NormalizeOp op, Value max,
                          Value sum) {
  if (op.getLse().use_empty() || !max)
    return;
  StringRef rows = "bhgq";
  Value lse = attn::MapOp::create(
      b, op.getLoc(), op.getLse().getType(),
      (rows + "," + rows + "->" + rows).str(), ValueRange{max, sum},
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value log = math::LogOp::create(inner, loc, x[1]);
        attn::YieldOp::create(inner, loc,
                              arith::AddFOp::create(inner, loc, x[0], log));
      });
  op.getLse().replaceAllUsesWith(lse);
}

void RowFuser::splitNormalize(attn::NormalizeOp op) {
  bool isPart = llvm::any_of(op.getWeights().getUsers(), [&](Operation *user) {
    return !isWhole(user, op.getWeights());
  });
  if (!isPart || op.getLabels() != kPairs || op.getOver() != kKey)
    return;
  OpBuilder b(op);
  Value max, sum;
  if (op.getNorm().getDivide() == attn::NormDivide::Sum) {
    SmallVector<Type, 2> rows(op.getNorm().isSoftmax() ? 2 : 1,
                              op.getLse().getType());
    attn::KernelOp kernel = build(b, op.getLoc(), rows, op.getNorm(),
                                  op.getScores(), op.getMask(), &op.getInit());
    if (!kernel)
      return;
    remarkOn(kernel) << "one kernel per row: Q @ K, score, "
                        "denominator [fused]";
    sum = kernel.getLse();
    max = kernel.getRow();
  }
  replaceLse(b, op, max, sum);
  Value weights = weightsOf(b, op, max, sum);
  op.getWeights().replaceUsesWithIf(weights, [&](OpOperand &use) {
    return !isWhole(use.getOwner(), op.getWeights());
  });
  if (op->use_empty())
    op.erase();
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// The choice by a truth value of pairs that is the last word of a formula, if
/// what else it says is a number that kernels can store.
static arith::SelectOp findMasking(attn::MapOp map, attn::DenseAttr &fill) {
  Value yielded = map.getBody().front().getTerminator()->getOperand(0);
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  auto mask =
      select ? dyn_cast<BlockArgument>(select.getCondition()) : BlockArgument();
  auto number =
      select ? realConstant(select.getFalseValue()) : std::optional<double>();
  if (!mask || !select->hasOneUse() ||
      mask.getArgNumber() >= map.getInputs().size() ||
      map.getAxisLabels().inputs[mask.getArgNumber()] != kPairs || !number ||
      (!std::isfinite(*number) && !(std::isinf(*number) && *number < 0)))
    return {};
  fill = attn::DenseAttr::get(map.getContext(), *number);
  return select;
}

/// The kernel that stores what `pairs` holds: weights, or a formula. Where the
/// mask has the last word in a formula, keys that it leaves out are skipped.
attn::KernelOp RowFuser::buildPairs(OpBuilder &b, Value pairs) {
  Location loc = pairs.getLoc();
  if (auto norm = pairs.getDefiningOp<attn::NormalizeOp>()) {
    Type results[] = {norm.getLse().getType(), pairs.getType()};
    return build(b, loc, TypeRange(results), norm.getNorm(), norm.getScores(),
                 norm.getMask(), &norm.getInit());
  }
  auto map = pairs.getDefiningOp<attn::MapOp>();
  attn::DenseAttr fill;
  if (arith::SelectOp select = findMasking(map, fill)) {
    unsigned mask = cast<BlockArgument>(select.getCondition()).getArgNumber();
    IRMapping mapping;
    auto chosen = cast<attn::MapOp>(b.clone(*map, mapping));
    chosen.getBody().front().getTerminator()->setOperand(
        0, mapping.lookup(select.getTrueValue()));
    mapping.lookup(select.getResult()).getDefiningOp()->erase();
    if (attn::KernelOp kernel =
            build(b, loc, pairs.getType(), fill, chosen.getResult(),
                  map.getInputs()[mask], nullptr))
      return kernel;
  }
  auto everywhere = attn::DenseAttr::get(
      b.getContext(), -std::numeric_limits<double>::infinity());
  return build(b, loc, pairs.getType(), everywhere, pairs, Value(), nullptr);
}

void RowFuser::fusePairs(OpOperand &result) {
  Value pairs = result.get();
  while (isa_and_present<attn::ViewOp, attn::PackOp, attn::PlaceOp>(
      pairs.getDefiningOp()))
    pairs = pairs.getDefiningOp()->getOperand(0);
  auto map = pairs.getDefiningOp<attn::MapOp>();
  auto norm = pairs.getDefiningOp<attn::NormalizeOp>();
  bool isPairs = map && map.getAxisLabels().output == kPairs;
  if (norm)
    isPairs = pairs == norm.getWeights() && norm.getLabels() == kPairs;
  if (!isPairs)
    return;
  OpBuilder b(pairs.getContext());
  b.setInsertionPointAfterValue(pairs);
  attn::KernelOp kernel = buildPairs(b, pairs);
  if (!kernel)
    return;
  remarkOn(kernel) << "one kernel that stores per-pair values "
                      "[fused]";
  pairs.replaceUsesWithIf(kernel.getDense(), [&](OpOperand &use) {
    return isWhole(use.getOwner(), pairs) && !leadsToProduct(use.getOwner());
  });
}

void RowFuser::run() {
  for (Operation &op :
       llvm::make_early_inc_range(func.getBody().front().without_terminator()))
    if (auto reduce = dyn_cast<attn::ReduceOp>(op))
      fuseReduce(reduce);
    else if (auto normalize = dyn_cast<attn::NormalizeOp>(op))
      splitNormalize(normalize);
  for (OpOperand &result :
       func.getBody().front().getTerminator()->getOpOperands())
    fusePairs(result);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct FuseRows final : fusion::impl::FuseRowsBase<FuseRows> {
  void runOnOperation() override {
    if (llvm::hasSingleElement(getOperation().getBody()))
      RowFuser(getOperation()).run();
  }
};
} // namespace
