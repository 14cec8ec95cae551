//===- PairProduct.cpp - Products of queries and keys ---------------------===//
//
// See PairProduct.h. A product has one operand with the axis of the keys, which
// is a row of the key. Where both have it, (Q - K) @ (Q - K), or one is a map
// of both rows, v @ tanh(Q + K), the rows are those that the map reads.
//
//===----------------------------------------------------------------------===//

#include "PairProduct.h"

#include "KeyOperand.h"
#include "Scalarize.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

static bool contains(StringRef letters, char letter) {
  return letters.contains(letter);
}

/// The letters of an operand in those of the result.
static std::string rename(StringRef letters, StringRef output, StringRef to) {
  std::string renamed;
  for (char letter : letters) {
    std::optional<unsigned> axis = attn::axisOf(output, letter);
    renamed += axis ? to[*axis] : kFeature;
  }
  return renamed;
}

FailureOr<PairProduct>
attnc::fusion::splitProduct(attn::ContractOp op, StringRef letters, char key,
                            std::optional<StringRef> shared, Refusal &refusal) {
  attn::Labels labels = op.getAxisLabels();
  auto refuse = [&](StringRef reason) {
    refusal = {op, reason.str()};
    return failure();
  };
  if (op.getMask())
    return refuse("the product has a mask of its own");
  for (char letter : labels.inputs[0])
    if (!contains(labels.output, letter) && !contains(labels.inputs[1], letter))
      return refuse("the product sums over an axis that only one operand has");
  LetteredTensor sides[] = {
      {op.getLhs(), rename(labels.inputs[0], labels.output, letters)},
      {op.getRhs(), rename(labels.inputs[1], labels.output, letters)}};
  bool hasKey[] = {contains(sides[0].letters, key),
                   contains(sides[1].letters, key)};
  if (!hasKey[0] && !hasKey[1])
    return refuse("no operand of the product has the axis that is normalised "
                  "over");
  PairProduct product{op, {}, {}, {}, {}};
  unsigned keyed = hasKey[0] ? 0 : 1;
  product.k = findKeyRow(sides[keyed], key, kFeature, shared, product.pair);
  if (hasKey[0] && hasKey[1] && !product.isPair()) {
    keyed = 1;
    product.k = findKeyRow(sides[keyed], key, kFeature, shared, product.pair);
  }
  product.q = product.other = sides[1 - keyed];
  if (hasKey[0] && hasKey[1]) {
    if (!product.isPair())
      return refuse("both operands of the product are rows of the key");
    product.q = findQueryRow(product.pair, key, kFeature);
  } else if (product.isPair() && product.q.letters.size() == 1) {
    product.q = findQueryRow(product.pair, key, kFeature); // weights, no row
  }
  if (!product.q.tensor)
    return refuse("it is a product of no row of the query");
  for (const LetteredTensor *row : {&product.q, &product.k})
    if (llvm::count(row->letters, kFeature) != 1)
      return refuse("the product does not sum over one axis of both operands");
  return product;
}

LogicalResult
attnc::fusion::orderProducts(MutableArrayRef<PairProduct> products,
                             Refusal &refusal) {
  auto *own =
      llvm::find_if(products, [](PairProduct &p) { return p.isPair(); });
  if (own == products.end())
    return success();
  auto *second = std::find_if(own + 1, products.end(),
                              [](PairProduct &p) { return p.isPair(); });
  if (second != products.end()) {
    refusal = {second->op, "the score has a second sum of a formula of each "
                           "feature"};
    return failure();
  }
  std::rotate(products.begin(), own, own + 1);
  return success();
}

std::string attnc::fusion::groupMissing(StringRef letters, StringRef all) {
  std::string missing;
  for (char letter : all)
    if (!letters.contains(letter))
      missing += letter;
  if (missing.empty())
    return letters.str();
  return "(" + letters.take_front().str() + missing + ")" +
         letters.drop_front().str();
}

void KernelRows::addSizes(ArrayRef<LetteredTensor> tensors) {
  for (const LetteredTensor &tensor : tensors)
    for (auto [axis, letter] : llvm::enumerate(tensor.letters))
      sizes.insert({letter, attn::axisSize(tensor.tensor.getType(), axis)});
}

Type KernelRows::tensorType(StringRef letters, Type element) {
  SmallVector<Attribute> axes;
  for (char letter : letters) {
    auto known = sizes.find(letter);
    axes.push_back(known == sizes.end() ? b.getI64IntegerAttr(1)
                                        : known->second);
  }
  return attn::tensorType(axes, element);
}

bool KernelRows::isSingle(char letter) {
  auto known = sizes.find(letter);
  return known == sizes.end() || known->second == b.getI64IntegerAttr(1);
}

/// Without axes of size 1 that `letters` lack.
LetteredTensor KernelRows::withoutSingles(const LetteredTensor &tensor,
                                          StringRef letters) {
  std::string kept;
  for (char letter : tensor.letters)
    if (letters.contains(letter))
      kept += letter;
  if (kept == tensor.letters)
    return tensor;
  Type type = tensorType(kept, getElementTypeOrSelf(tensor.tensor));
  std::string labels =
      tensor.letters + "->" + groupMissing(kept, tensor.letters);
  return {attn::ViewOp::create(b, loc, type, labels, tensor.tensor), kept};
}

/// A row that is the same for several is repeated; not in memory, if kernels
/// alone read it (isRepeatForKernels).
Value KernelRows::repeated(const LetteredTensor &tensor, StringRef letters) {
  Type type = tensorType(letters, getElementTypeOrSelf(tensor.tensor));
  return attn::MapOp::create(
      b, loc, type, tensor.letters + "->" + letters.str(), tensor.tensor,
      [](OpBuilder &inner, Location at, ValueRange x) {
        attn::YieldOp::create(inner, at, x.front());
      });
}

Value KernelRows::toKernel(const LetteredTensor &operand, StringRef letters) {
  LetteredTensor tensor = withoutSingles(operand, letters);
  for (char letter : letters)
    if (!StringRef(tensor.letters).contains(letter) && !isSingle(letter))
      return repeated(tensor, letters);
  Type type = tensorType(letters, getElementTypeOrSelf(tensor.tensor));
  std::string labels =
      groupMissing(tensor.letters, letters) + "->" + letters.str();
  if (tensor.letters == letters && type == tensor.tensor.getType())
    return tensor.tensor;
  return attn::ViewOp::create(b, loc, type, labels, tensor.tensor);
}

Value KernelRows::keysToKernel(const LetteredTensor &tensor,
                               StringRef letters) {
  bool isGrouped = StringRef(tensor.letters).contains('g') && !isSingle('g');
  return toKernel(tensor,
                  isGrouped ? attn::KernelOp::withGroup(letters) : letters);
}

SmallVector<Value> KernelRows::ofProducts(ArrayRef<PairProduct> products) {
  SmallVector<Value> rows;
  for (const PairProduct &product : products.drop_front()) {
    sizes.erase('f'); // each has features of its own
    addSizes({product.q, product.k});
    rows.push_back(toKernel(product.q, attn::KernelOp::kProductLabels[0]));
    rows.push_back(keysToKernel(product.k, attn::KernelOp::kProductLabels[1]));
  }
  return rows;
}

Block *attnc::fusion::addBlock(OpBuilder &b, attn::KernelOp kernel,
                               Region &region) {
  SmallVector<Type, 6> arguments =
      kernel.getBlockTypes(region.getRegionNumber());
  SmallVector<Location> locs(arguments.size(), kernel.getLoc());
  return b.createBlock(&region, region.end(), arguments, locs);
}

void attnc::fusion::buildPair(OpBuilder &b, attn::KernelOp kernel,
                              const PairProduct &product) {
  constexpr StringLiteral kNames = "dbhgqk";
  Block *block = addBlock(b, kernel, kernel.getPair());
  ValueRange indices = block->getArguments().drop_front(2);
  auto placed = [&](const LetteredTensor &tensor) {
    SmallVector<Value> places;
    for (char letter : tensor.letters)
      places.push_back(indices[*attn::axisOf(kNames, letter)]);
    return places;
  };
  Scalarizer scalars(b, kernel.getAccumulateType(), {});
  scalars.compute(product.pair.tensor);
  if (StringRef(product.other.letters).contains('k'))
    scalars.compute(skipPermutations(product.other).tensor);
  scalars.give(product.q.tensor, placed(product.q), block->getArgument(0));
  scalars.give(product.k.tensor, placed(product.k), block->getArgument(1));
  Value made = scalars.at(product.pair.tensor, placed(product.pair));
  Value other = scalars.at(product.other.tensor, placed(product.other));
  Value term = arith::MulFOp::create(b, kernel.getLoc(), other, made);
  attn::YieldOp::create(b, kernel.getLoc(), term);
}

SmallVector<std::pair<Value, Value>>
attnc::fusion::productsIn(Block &block, ArrayRef<PairProduct> products) {
  SmallVector<std::pair<Value, Value>> known;
  unsigned others = products.size() - 1;
  for (auto [i, product] : llvm::enumerate(products))
    known.emplace_back(product.op->getResult(0),
                       i == 0 ? block.getArgument(0)
                              : block.getArguments().take_back(others)[i - 1]);
  return known;
}
