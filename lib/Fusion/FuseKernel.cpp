//===- FuseKernel.cpp - From a graph of attention to attn.kernel ----------===//
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

#include "KernelMatch.h"
#include "Scalarize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

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
      : match(match), b(match.value), loc(match.score.getLoc()) {
    LetteredTensor scores{match.norm.getScores(), match.normLetters};
    for (const LetteredTensor &tensor : {match.q, match.k, match.v, scores})
      for (auto [axis, letter] : llvm::enumerate(tensor.letters))
        sizes.insert({letter, attn::axisSize(tensor.tensor.getType(), axis)});
  }

  /// Success if every formula can be a region.
  LogicalResult check(Refusal &refusal);
  void build();

private:
  Type real() { return attn::accumulateType(types()); }
  SmallVector<Type> types();
  Type tensorType(StringRef letters, Type element);
  Value toKernel(const LetteredTensor &tensor, StringRef letters);
  Value broadcast(const LetteredTensor &tensor, StringRef letters);
  bool isSingle(char letter);
  Value fromKernel(Value tensor, StringRef letters, StringRef to, Type type);
  void buildRegions(attn::KernelOp kernel);
  Block *addBlock(attn::KernelOp kernel, unsigned region);
  void buildPair(attn::KernelOp kernel);
  void buildContribution(attn::KernelOp kernel);
  Value elementAt(Scalarizer &scalars, Value tensor, ValueRange indices);

  KernelMatch &match;
  OpBuilder b;
  Location loc;
  llvm::SmallMapVector<char, Attribute, 8> sizes; // missing: 1
};
} // namespace

SmallVector<Type> KernelBuilder::types() {
  return {match.q.tensor.getType(), match.k.tensor.getType(),
          match.v.tensor.getType(), match.value.getType(),
          match.norm.getLse().getType()};
}

Type KernelBuilder::tensorType(StringRef letters, Type element) {
  SmallVector<Attribute> axes;
  for (char letter : letters) {
    auto known = sizes.find(letter);
    axes.push_back(known == sizes.end() ? b.getI64IntegerAttr(1)
                                        : known->second);
  }
  return attn::tensorType(axes, element);
}

// "qbd" for "bhgqd" is the side "(qhg)bd": an axis of size 1 may stand beside
// any other.
static std::string groupMissing(StringRef letters, StringRef all) {
  std::string missing;
  for (char letter : all)
    if (!letters.contains(letter))
      missing += letter;
  if (missing.empty())
    return letters.str();
  return "(" + letters.take_front().str() + missing + ")" +
         letters.drop_front().str();
}

bool KernelBuilder::isSingle(char letter) {
  auto known = sizes.find(letter);
  return known == sizes.end() || known->second == b.getI64IntegerAttr(1);
}

/// A row that is the same for several is repeated in memory.
Value KernelBuilder::broadcast(const LetteredTensor &tensor,
                               StringRef letters) {
  emitRemark(loc) << "the rows '" << tensor.letters << "' are copied to '"
                  << letters << "' [copied]";
  Type type = tensorType(letters, getElementTypeOrSelf(tensor.tensor));
  return attn::MapOp::create(
      b, loc, type, tensor.letters + "->" + letters.str(), tensor.tensor,
      [](OpBuilder &inner, Location at, ValueRange x) {
        attn::YieldOp::create(inner, at, x.front());
      });
}

Value KernelBuilder::toKernel(const LetteredTensor &tensor, StringRef letters) {
  for (char letter : letters)
    if (!StringRef(tensor.letters).contains(letter) && !isSingle(letter))
      return broadcast(tensor, letters);
  Type type = tensorType(letters, getElementTypeOrSelf(tensor.tensor));
  std::string labels =
      groupMissing(tensor.letters, letters) + "->" + letters.str();
  if (tensor.letters == letters && type == tensor.tensor.getType())
    return tensor.tensor;
  return attn::ViewOp::create(b, loc, type, labels, tensor.tensor);
}

Value KernelBuilder::fromKernel(Value tensor, StringRef letters, StringRef to,
                                Type type) {
  if (letters == to && tensor.getType() == type)
    return tensor;
  std::string labels = letters.str() + "->" + groupMissing(to, letters);
  return attn::ViewOp::create(b, match.value.getLoc(), type, labels, tensor);
}

LogicalResult KernelBuilder::check(Refusal &refusal) {
  Value none;
  if (failed(checkScalarizable(match.norm.getScores(), match.score.getResult(),
                               real(), refusal)))
    return failure();
  for (const LetteredTensor &made : {match.pair, match.contribution})
    if (made.tensor &&
        failed(checkScalarizable(made.tensor, none, real(), refusal)))
      return failure();
  if (!match.norm.getMask())
    return success();
  return checkScalarizable(match.norm.getMask(), none, real(), refusal);
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

Block *KernelBuilder::addBlock(attn::KernelOp kernel, unsigned index) {
  Region &region = kernel->getRegion(index);
  SmallVector<Type, 6> arguments = kernel.getBlockTypes(index);
  SmallVector<Location> locs(arguments.size(), loc);
  return b.createBlock(&region, region.end(), arguments, locs);
}

/// One term of the product: the map, of elements of q and k, times the other
/// operand.
void KernelBuilder::buildPair(attn::KernelOp kernel) {
  constexpr StringLiteral kNames = "dbhgqk";
  Block *block = addBlock(kernel, 4);
  ValueRange indices = block->getArguments().drop_front(2);
  auto placed = [&](const LetteredTensor &tensor) {
    return placesOf(tensor.letters, kNames, indices);
  };
  Value none;
  Scalarizer scalars(b, real(), none, none);
  scalars.compute(match.pair.tensor);
  scalars.give(match.q.tensor, placed(match.q), block->getArgument(0));
  scalars.give(match.k.tensor, placed(match.k), block->getArgument(1));
  Value made = scalars.at(match.pair.tensor, placed(match.pair));
  Value other = scalars.at(match.other.tensor, placed(match.other));
  Value term = arith::MulFOp::create(b, loc, other, made);
  attn::YieldOp::create(b, loc, term);
}

/// What a key contributes: the map, of elements of v.
void KernelBuilder::buildContribution(attn::KernelOp kernel) {
  constexpr StringLiteral kNames = "ebhgqk";
  Block *block = addBlock(kernel, 5);
  ValueRange indices = block->getArguments().drop_front();
  Value none;
  Scalarizer scalars(b, real(), none, none);
  scalars.compute(match.contribution.tensor);
  scalars.give(match.v.tensor, placesOf(match.v.letters, kNames, indices),
               block->getArgument(0));
  Value made =
      scalars.at(match.contribution.tensor,
                 placesOf(match.contribution.letters, kNames, indices));
  attn::YieldOp::create(b, loc, made);
}

void KernelBuilder::buildRegions(attn::KernelOp kernel) {
  if (match.pair.tensor)
    buildPair(kernel);
  if (match.contribution.tensor)
    buildContribution(kernel);
  Value none, score, mask;
  Block *block = addBlock(kernel, 0);
  Scalarizer scores(b, real(), match.score.getResult(), block->getArgument(0),
                    match.norm.getMask());
  score = elementAt(scores, match.norm.getScores(),
                    block->getArguments().drop_front());
  attn::YieldOp::create(b, match.norm.getScores().getLoc(), score);

  block = addBlock(kernel, 1);
  Scalarizer masks(b, real(), none, none);
  if (match.norm.getMask())
    mask = elementAt(masks, match.norm.getMask(), block->getArguments());
  else
    mask = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  attn::YieldOp::create(b, mask.getLoc(), mask);

  if (match.norm.getInit().empty())
    return;
  block = addBlock(kernel, 2);
  Scalarizer inits(b, real(), none, none);
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

void KernelBuilder::build() {
  constexpr auto &letters = attn::KernelOp::kLabels;
  Value q = toKernel(match.q, letters[0]);
  Value k = toKernel(match.k, letters[1]);
  Value v = toKernel(match.v, letters[2]);
  Type element = getElementTypeOrSelf(match.value.getType());
  Type weights = getElementTypeOrSelf(match.norm.getWeights());
  Type results[] = {tensorType(letters[3], element),
                    tensorType(letters[4], real())};
  auto kernel = attn::KernelOp::create(b, loc, TypeRange(results), q, k, v,
                                       match.norm.getNorm(), 1.0, weights);
  {
    OpBuilder::InsertionGuard guard(b);
    buildRegions(kernel);
  }
  emitRemark(kernel.getLoc())
      << "one kernel: " << (match.pair.tensor ? "a sum over features" : "Q @ K")
      << ", score, " << (match.norm.getMask() ? "mask, " : "")
      << describe(match.norm)
      << (match.contribution.tensor ? "@ a formula of V" : "@ V")
      << "; no score matrix [fused]";
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
  lse.replaceAllUsesWith(
      fromKernel(kernel.getLse(), letters[4], row, lse.getType()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

using Reasons = llvm::MapVector<Operation *, Refusal>;

static bool fuse(attn::ContractOp value, Reasons &reasons) {
  Refusal refusal;
  KernelMatch match;
  if (succeeded(matchKernel(value, refusal, match)) &&
      succeeded(KernelBuilder(match).check(refusal))) {
    KernelBuilder(match).build();
    return true;
  }
  // What belongs to a softmax that is not fused shares its reason.
  if (match.norm)
    for (Operation *op :
         {match.norm.getOperation(), value.getOperation(),
          match.score ? match.score.getOperation() : nullptr, refusal.op})
      if (op)
        reasons.insert({op, refusal});
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
  InFlightDiagnostic remark = emitRemark(op->getLoc())
                              << op->getName() << " stays unfused: ";
  const auto *found = reasons.find(op);
  if (found == reasons.end()) {
    remark << (isa<attn::NormalizeOp>(op)
                   ? "no attn.contract multiplies its weights with values"
                   : "it is not a part of a softmax")
           << " [missed]";
    return;
  }
  const Refusal &refusal = found->second;
  remark << refusal.reason << " [missed]";
  if (refusal.op != op)
    remark.attachNote(refusal.op->getLoc()) << "the reason is this op";
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
    emitRemark(func.getLoc())
        << products << (products == 1 ? " product" : " products")
        << " of matrices beside the kernels [product]";
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
