//===- FuseKernel.cpp - Fuse attention into attn.kernel -------------------===//
//
// Computed op by op, attention writes a score for every pair of query and key
// to memory and reads it back three times. One op for all of it can be tiled:
//
//   %s = attn.contract "bhgqd,bhkd->bhgqk" (%q, %K)
//   %t = attn.map "bhgqk->bhgqk" (%s) {score}
//   %m = attn.mask "bhgqk" {mask}
//   %p, %lse = attn.normalize "bhgqk" over "k" (%t) where (%m) init {sink}
//   %o = attn.contract "bhgqk,bhke->bhgqe" (%p, %V) where "bhgqk" (%m)
// becomes
//   %o, %lse = attn.kernel ins(%q, %K, %V) score {score} mask {mask} init
//   {sink}
//
// The result is the same: a rounding or a NaN rule that the kernel cannot have
// prevents the fusion. Order of axes, maps in between and further inputs of the
// formulas do not: they become views, parts of the regions and attn.read.
// A remark tells for every product and normaliser that is left why it is left.
// Tests: test/Fusion/fuse-kernel.mlir, fuse-kernel-missed.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/KernelMask.h"
#include "Kernel/Scalarize.h"

#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_FUSEKERNEL
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// Builds the kernel of a match.
class KernelBuilder {
public:
  explicit KernelBuilder(KernelMatch &match)
      : match(match), b(match.value), loc(match.score()->getLoc()),
        rows(b, loc) {
    for (PairProduct &product : match.products)
      rows.addSizes({product.q(), product.k()});
    rows.addSizes({match.v, {match.norm.getScores(), match.normLetters}});
  }

  /// Success if every formula can be a region.
  LogicalResult check(Refusal &refusal);
  void build();

private:
  Type real() { return attn::accumulateType(types()); }
  SmallVector<Type> types();
  Value fromKernel(Value tensor, StringRef letters, StringRef to, Type type);
  void buildRegions(attn::KernelOp kernel);
  void buildGate(attn::KernelOp kernel);
  void buildContribution(attn::KernelOp kernel);
  Value elementAt(Scalarizer &scalars, Value tensor, ValueRange indices);

  KernelMatch &match;
  OpBuilder b;
  Location loc;
  KernelRows rows;
};
} // namespace

SmallVector<Type> KernelBuilder::types() {
  SmallVector<Type> types{match.v.tensor.getType(), match.value.getType(),
                          match.norm.getLse().getType()};
  for (const PairProduct &product : match.products)
    llvm::append_range(types, product.rowTypes());
  return types;
}

Value KernelBuilder::fromKernel(Value tensor, StringRef letters, StringRef to,
                                Type type) {
  if (letters == to && tensor.getType() == type)
    return tensor;
  std::string labels = letters.str() + "->" + groupMissing(to, letters);
  return attn::ViewOp::create(b, match.value.getLoc(), type, labels, tensor);
}

LogicalResult KernelBuilder::check(Refusal &refusal) {
  for (Value tensor : {Value(match.norm.getScores()), match.gate.tensor,
                       Value(match.norm.getMask())})
    if (tensor &&
        failed(checkScalarizable(tensor, match.products, real(), refusal)))
      return failure();
  SmallVector<Value> formulas{match.contribution.tensor};
  for (const PairProduct &product : match.products)
    if (product.isPair())
      formulas.append({product.pair.tensor, product.other.tensor});
  for (Value tensor : formulas)
    if (tensor && failed(checkScalarizable(tensor, {}, real(), refusal)))
      return failure();
  return success();
}

// `indices` are b, h, g, q and, maybe, k of the kernel.
Value KernelBuilder::elementAt(Scalarizer &scalars, Value tensor,
                               ValueRange indices) {
  SmallVector<Value> places;
  for (char letter : match.normLetters)
    places.push_back(indices[*attn::axisOf("bhgqk", letter)]);
  return scalars.at(tensor, places);
}

/// The indices of a tensor's axes, out of those that are called `names`.
static SmallVector<Value> placesOf(StringRef letters, StringRef names,
                                   ValueRange indices) {
  SmallVector<Value> places;
  for (char letter : letters)
    places.push_back(indices[*attn::axisOf(names, letter)]);
  return places;
}

/// What the weights are multiplied by: the map, of a weight of 1.
void KernelBuilder::buildGate(attn::KernelOp kernel) {
  Block *block = addBlock(b, kernel, kernel.getGate());
  ValueRange indices = block->getArguments().slice(1, 5);
  Scalarizer scalars(b, real(), productsIn(*block, match.products),
                     match.norm.getMask());
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(real(), 1.0));
  scalars.give(match.norm.getWeights(),
               placesOf(match.normLetters, "bhgqk", indices), one);
  Value gate = scalars.at(match.gate.tensor,
                          placesOf(match.gate.letters, "bhgqk", indices));
  attn::YieldOp::create(b, match.gate.tensor.getLoc(), gate);
}

/// What a key contributes: the map, of elements of v.
void KernelBuilder::buildContribution(attn::KernelOp kernel) {
  constexpr StringLiteral kNames = "ebhgqk";
  Block *block = addBlock(b, kernel, kernel.getValue());
  ValueRange indices = block->getArguments().drop_front();
  Scalarizer scalars(b, real(), {});
  scalars.compute(match.contribution.tensor);
  scalars.give(match.v.tensor, placesOf(match.v.letters, kNames, indices),
               block->getArgument(0));
  Value made =
      scalars.at(match.contribution.tensor,
                 placesOf(match.contribution.letters, kNames, indices));
  attn::YieldOp::create(b, loc, made);
}

void KernelBuilder::buildRegions(attn::KernelOp kernel) {
  buildPairs(b, kernel, match.products);
  if (match.contribution.tensor)
    buildContribution(kernel);
  if (match.gate.tensor)
    buildGate(kernel);
  Block *block = addBlock(b, kernel, kernel.getScore());
  Scalarizer scores(b, real(), productsIn(*block, match.products),
                    match.norm.getMask());
  Value score = elementAt(scores, match.norm.getScores(),
                          block->getArguments().slice(1, 5));
  attn::YieldOp::create(b, match.norm.getScores().getLoc(), score);

  buildMask(b, kernel, match.norm.getMask(), match.normLetters, match.products);
  if (match.norm.getInit().empty())
    return;
  block = addBlock(b, kernel, kernel.getInit());
  Scalarizer inits(b, real(), {});
  SmallVector<Value> row;
  for (char letter : match.normLetters)
    if (letter != 'k')
      row.push_back(block->getArgument(*attn::axisOf("bhgq", letter)));
  Value init = inits.inlineBlock(match.norm.getInit().front(), row);
  attn::YieldOp::create(b, match.norm.getLoc(), init);
}

/// The normaliser in the remark; without a shift, a formula is all there is.
static StringRef describe(attn::NormalizeOp norm) {
  if (norm.getNorm().isSoftmax())
    return norm.getInit().empty() ? "softmax, " : "softmax with a sink, ";
  return norm.getNorm().getDivide() == attn::NormDivide::Sum ? "sum, " : "";
}

static std::string describeSums(size_t pairs, size_t products) {
  if (products == 0)
    return "no product";
  std::string text = pairs == 0 ? "Q @ K"
                     : pairs == 1
                         ? "a sum over features"
                         : std::to_string(pairs) + " sums over features";
  size_t others = products - std::max<size_t>(pairs, 1);
  if (others != 0)
    text += " and " + std::to_string(others) +
            (others == 1 ? " other product" : " other products");
  return text;
}

/// Moves what uses `lse` in front of the product with the values behind it: the
/// kernel stands there, and makes both.
static void sinkUsers(Value lse, attn::ContractOp value) {
  llvm::SetVector<Operation *> users;
  for (Operation &op : llvm::make_range(
           std::next(lse.getDefiningOp()->getIterator()), value->getIterator()))
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return operand == lse || users.contains(operand.getDefiningOp());
        }))
      users.insert(&op);
  for (Operation *user : llvm::reverse(users))
    user->moveAfter(value);
}

void KernelBuilder::build() {
  constexpr auto &letters = attn::KernelOp::kLabels;
  auto [q, k] = rows.ofFirst(match.products, real());
  Value v = rows.keysToKernel(match.v, letters[2]);
  Type element = getElementTypeOrSelf(match.value.getType());
  Type weights = getElementTypeOrSelf(match.norm.getWeights());
  Type results[] = {rows.tensorType(letters[3], element),
                    rows.tensorType(letters[4], real())};
  unsigned pairs = countPairs(match.products);
  auto kernel = attn::KernelOp::create(b, loc, TypeRange(results), q, k, v,
                                       match.norm.getNorm(), 1.0, weights,
                                       rows.ofProducts(match.products), pairs);
  nameKernel(kernel, match.value.getLoc());
  {
    OpBuilder::InsertionGuard guard(b);
    buildRegions(kernel);
  }
  remarkOn(kernel) << "one kernel: "
                   << describeSums(pairs, match.products.size()) << ", score, "
                   << (match.norm.getMask() ? "mask, " : "")
                   << describe(match.norm)
                   << (match.gate.tensor ? "a per-pair factor, " : "")
                   << (match.contribution.tensor ? "@ a formula of V" : "@ V")
                   << (match.stored.empty()
                           ? "; no score matrix [fused]"
                           : "; a product is read from memory [fused]");
  b.setInsertionPointAfter(kernel);
  match.value.getResult().replaceAllUsesWith(fromKernel(
      kernel.getO(), letters[3], match.outLetters, match.value.getType()));
  Value lse = match.norm.getLse();
  if (lse.use_empty())
    return;
  std::string row;
  for (char letter : match.normLetters)
    if (letter != 'k')
      row += letter;
  sinkUsers(lse, match.value);
  lse.replaceAllUsesWith(
      fromKernel(kernel.getLse(), letters[4], row, lse.getType()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

using Reasons = llvm::MapVector<Operation *, Refusal>;

/// Gives the product with the values scores and weights of its own: computing
/// them again costs less than a matrix of them in memory.
static void separate(const KernelMatch &match) {
  attn::ContractOp value = match.value;
  OpBuilder b(value);
  IRMapping copies;
  for (Operation &op : *value->getBlock()) {
    if (&op == value)
      break;
    bool isView = isa<attn::ViewOp>(op) && copies.contains(op.getOperand(0));
    if (isView || match.shared.contains(&op))
      b.clone(op, copies);
  }
  for (OpOperand &operand : value->getOpOperands())
    operand.set(copies.lookupOrDefault(operand.get()));
}

static bool fuse(attn::ContractOp value, Reasons &reasons) {
  Refusal refusal;
  KernelMatch match;
  auto find = [&] {
    return succeeded(matchKernel(value, refusal, match = {})) &&
           succeeded(KernelBuilder(match).check(refusal));
  };
  bool isKernel = find();
  if (isKernel && !match.shared.empty()) {
    separate(match);
    isKernel = find();
  }
  if (isKernel) {
    KernelBuilder(match).build();
    for (const Refusal &stored : match.stored)
      reasons.insert({stored.op, stored});
    return true;
  }
  // What belongs to a softmax that is not fused shares its reason.
  if (match.norm)
    for (Operation *op :
         {match.norm.getOperation(), value.getOperation(), refusal.op})
      if (op)
        reasons.insert({op, refusal});
  for (PairProduct &product : match.products)
    reasons.insert({product.op, refusal});
  return false;
}

static void eraseDeadOps(func::FuncOp func) {
  for (Block &block : func.getBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

/// Whether a normaliser that is left depends on the value.
static bool isNormalized(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<attn::NormalizeOp>(user) ||
           (isa<attn::MapOp, attn::ViewOp>(user) &&
            isNormalized(user->getResult(0)));
  });
}

static void reportMissed(Operation *op, const Reasons &reasons) {
  InFlightDiagnostic remark = remarkOn(op)
                              << op->getName() << " is not fused: ";
  const auto *found = reasons.find(op);
  if (found == reasons.end()) {
    remark << (isa<attn::NormalizeOp>(op)
                   ? "no attn.contract multiplies its weights with values"
                   : "it is not part of a softmax")
           << " [missed]";
    return;
  }
  const Refusal &refusal = found->second;
  remark << refusal.reason << " [missed]";
  if (refusal.op != op)
    remark.attachNote(refusal.op->getLoc()) << "because of this op";
}

/// What should be in a kernel and is not; and how many products have nothing to
/// do with weights, such as projections.
static void reportLeft(func::FuncOp func, const Reasons &reasons) {
  unsigned products = 0;
  func.walk([&](Operation *op) {
    auto product = dyn_cast<attn::ContractOp>(op);
    if (!product && !isa<attn::NormalizeOp>(op))
      return;
    if (product && !reasons.contains(op) && !isNormalized(product.getResult()))
      ++products;
    else
      reportMissed(op, reasons);
  });
  if (products)
    remarkOn(func) << products
                   << (products == 1 ? " matrix product" : " matrix products")
                   << " outside kernels [product]";
}

namespace {
struct FuseKernel final : fusion::impl::FuseKernelBase<FuseKernel> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<attn::ContractOp> values;
    func.walk([&](attn::ContractOp op) { values.push_back(op); });
    Reasons reasons;
    bool changed = false;
    for (attn::ContractOp value : values)
      changed |= fuse(value, reasons);
    if (changed)
      eraseDeadOps(func);
    reportLeft(func, reasons);
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
