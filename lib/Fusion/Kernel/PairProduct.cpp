//===- PairProduct.cpp - Products of queries and keys ---------------------===//
//
// See PairProduct.h. A product has one operand with the axis of the keys, which
// is a row of the key. Where both have it, (Q - K) @ (Q2 - K2), or one is a map
// of both rows, v @ tanh(Q + K), or of a query and the key's place,
// tanh(Q * (k - q)) @ K, the rows are those that the maps read.
//
//===----------------------------------------------------------------------===//

#include "Kernel/PairProduct.h"

#include "Kernel/KeyOperand.h"
#include "Kernel/Scalarize.h"

#include "attnc/Interface/Remark.h"

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

/// Adds a row that is not there yet.
static void addRow(SmallVectorImpl<LetteredTensor> &rows,
                   const LetteredTensor &row) {
  if (llvm::none_of(rows, [&](const LetteredTensor &known) {
        return known.tensor == row.tensor && known.letters == row.letters;
      }))
    rows.push_back(row);
}

/// The rows that the maps of a product read: of the key `k` and those with no
/// more axes of the query, of the query those with the axis that tells it from
/// the heads, the last of its `own`. What else has features is read where it
/// is: weights, tables.
static SmallVector<PairRows, 1> findRows(const PairProduct &product,
                                         const LetteredTensor &k, StringRef own,
                                         char key) {
  SmallVector<LetteredTensor> found = rowsOf(product.pair, kFeature);
  LetteredTensor other = skipPermutations(product.other);
  if (!contains(other.letters, key))
    found.push_back(product.other);
  else if (product.other.tensor != k.tensor &&
           other.tensor.getDefiningOp<attn::MapOp>())
    found.append(rowsOf(other, kFeature));
  SmallVector<LetteredTensor> queries, keys{k};
  for (const LetteredTensor &row : found) {
    bool isOfQuery = !own.empty() && contains(row.letters, own.back());
    bool isOfKey = contains(row.letters, key);
    if (isOfQuery && !isOfKey)
      addRow(queries, row);
    else if (isOfKey && !isOfQuery)
      addRow(keys, row);
  }
  auto *widest = llvm::max_element(queries, [](const auto &a, const auto &b) {
    return a.letters.size() < b.letters.size();
  });
  if (widest != queries.end())
    std::rotate(queries.begin(), widest, widest + 1);
  SmallVector<PairRows, 1> rows;
  for (size_t i = 0; i < std::max(queries.size(), keys.size()); ++i)
    if (!queries.empty())
      rows.push_back(
          {queries[i < queries.size() ? i : 0], keys[i < keys.size() ? i : 0]});
  return rows;
}

/// Whether one side is a row of the key, `k`, and the other a map that has the
/// key's axis but reads no row of it.
static bool findQueryMap(PairProduct &product, LetteredTensor &k,
                         ArrayRef<LetteredTensor> sides, char key,
                         std::optional<StringRef> shared) {
  for (unsigned side : {0, 1}) {
    LetteredTensor made = skipPermutations(sides[side]);
    k = product.other = sides[1 - side];
    product.pair = made;
    if (made.tensor.getDefiningOp<attn::MapOp>() &&
        !isRowOfKey(made.letters, key, kFeature, shared) &&
        isRowOfKey(k.letters, key, kFeature, shared))
      return true;
  }
  return false;
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
    return refuse("the product has its own mask");
  LetteredTensor sides[] = {
      {op.getLhs(), rename(labels.inputs[0], labels.output, letters)},
      {op.getRhs(), rename(labels.inputs[1], labels.output, letters)}};
  bool hasKey[] = {contains(sides[0].letters, key),
                   contains(sides[1].letters, key)};
  if (!hasKey[0] && !hasKey[1])
    return refuse("no operand of the product has the axis that is normalized "
                  "over");
  PairProduct product{op, {}, {}, {}};
  unsigned keyed = hasKey[0] ? 0 : 1;
  LetteredTensor k =
      findKeyRow(sides[keyed], key, kFeature, shared, product.pair);
  if (hasKey[0] && hasKey[1] && !product.isPair()) {
    keyed = 1;
    k = findKeyRow(sides[keyed], key, kFeature, shared, product.pair);
  }
  product.other = sides[1 - keyed];
  if (hasKey[0] && hasKey[1] && !product.isPair() &&
      !findQueryMap(product, k, sides, key, shared))
    return refuse(
        "no operand of the product is a row of the query or a formula "
        "of one");
  std::string own; // of the query
  for (char letter : letters)
    if (letter != key && !contains(shared.value_or(k.letters), letter))
      own += letter;
  product.rows = {{product.other, k}};
  if (product.isPair())
    product.rows = findRows(product, k, own, key);
  if (product.rows.empty())
    return refuse("it is not a product of a row of the query");
  for (LetteredTensor *row : product.tensors())
    if (row->tensor && row != &product.pair && row != &product.other &&
        llvm::count(row->letters, kFeature) != 1)
      return refuse("the product does not sum over one axis of both operands");
  return product;
}

void attnc::fusion::orderProducts(MutableArrayRef<PairProduct> products) {
  SmallVector<PairProduct> ordered;
  for (bool arePairs : {true, false})
    llvm::copy_if(products, std::back_inserter(ordered),
                  [&](const PairProduct &p) { return p.isPair() == arePairs; });
  llvm::move(ordered, products.begin());
}

unsigned attnc::fusion::countPairs(ArrayRef<PairProduct> products) {
  return llvm::count_if(products,
                        [](const PairProduct &p) { return p.isPair(); });
}

SmallVector<LetteredTensor *> PairProduct::tensors() {
  SmallVector<LetteredTensor *> all{&pair, &other};
  for (PairRows &row : rows)
    all.append({&row.q, &row.k});
  return all;
}

SmallVector<Type> PairProduct::rowTypes() const {
  SmallVector<Type> types;
  for (const PairRows &row : rows)
    types.append({row.q.tensor.getType(), row.k.tensor.getType()});
  return types;
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

std::pair<Value, Value> KernelRows::ofFirst(ArrayRef<PairProduct> products,
                                            Type real) {
  constexpr auto &letters = attn::KernelOp::kLabels;
  if (!products.empty())
    return {toKernel(products.front().q(), letters[0]),
            keysToKernel(products.front().k(), letters[1])};
  auto zeros = [&](StringRef axes) {
    return attn::MapOp::create(
        b, loc, tensorType(axes, real), ("->" + axes).str(), ValueRange(),
        [&](OpBuilder &inner, Location at, ValueRange) {
          attn::YieldOp::create(
              inner, at,
              arith::ConstantOp::create(inner, at, b.getFloatAttr(real, 0)));
        });
  };
  Value q = zeros(letters[0]);
  return {q, zeros(letters[1])};
}

SmallVector<Value> KernelRows::ofProducts(ArrayRef<PairProduct> products) {
  SmallVector<Value> rows;
  for (const PairProduct &product : products) {
    bool isFirst = &product == products.begin();
    if (!isFirst)
      sizes.erase('f'); // each has features of its own
    const auto &letters =
        isFirst ? attn::KernelOp::kLabels : attn::KernelOp::kProductLabels;
    for (const PairRows &row : ArrayRef(product.rows).drop_front(isFirst)) {
      addSizes({row.q, row.k});
      rows.push_back(toKernel(row.q, letters[0]));
      rows.push_back(keysToKernel(row.k, letters[1]));
    }
  }
  return rows;
}

void attnc::fusion::nameKernel(attn::KernelOp kernel, Location values) {
  unsigned most = 0;
  kernel->getParentOp()->walk([&](attn::KernelOp other) {
    most = std::max(most, kernelNumberOf(other.getLoc()));
  });
  kernel->setLoc(attnc::nameKernel(most + 1, kernel.getLoc(), values));
}

Block *attnc::fusion::addBlock(OpBuilder &b, attn::KernelOp kernel,
                               Region &region) {
  SmallVector<Type, 6> arguments =
      kernel.getBlockTypes(region.getRegionNumber());
  SmallVector<Location> locs(arguments.size(), kernel.getLoc());
  return b.createBlock(&region, region.end(), arguments, locs);
}

/// One term of a product, in its region.
static void buildPair(OpBuilder &b, attn::KernelOp kernel, Region &region,
                      const PairProduct &product) {
  constexpr StringLiteral kNames = "dbhgqk";
  Block *block = b.createBlock(&region);
  for (Type type : kernel.getPairTypes(product.rows.size()))
    block->addArgument(type, kernel.getLoc());
  ValueRange indices = block->getArguments().take_back(kNames.size());
  auto placed = [&](const LetteredTensor &tensor) {
    SmallVector<Value> places;
    for (char letter : tensor.letters)
      places.push_back(
          indices[letter == 'f' ? 0 : *attn::axisOf(kNames, letter)]);
    return places;
  };
  Scalarizer scalars(b, kernel.getAccumulateType(), {});
  scalars.compute(product.pair.tensor);
  if (StringRef(product.other.letters).contains('k'))
    scalars.compute(skipPermutations(product.other).tensor);
  // From the last: of what is there twice the first is read.
  for (size_t i = product.rows.size(); i-- > 0;) {
    const PairRows &row = product.rows[i];
    scalars.give(row.q.tensor, placed(row.q), block->getArgument(2 * i));
    scalars.give(row.k.tensor, placed(row.k), block->getArgument(2 * i + 1));
  }
  Value made = scalars.at(product.pair.tensor, placed(product.pair));
  Value other = scalars.at(product.other.tensor, placed(product.other));
  Value term = arith::MulFOp::create(b, kernel.getLoc(), other, made);
  attn::YieldOp::create(b, kernel.getLoc(), term);
}

void attnc::fusion::buildPairs(OpBuilder &b, attn::KernelOp kernel,
                               ArrayRef<PairProduct> products) {
  for (auto [region, product] : llvm::zip(kernel.getPairs(), products))
    buildPair(b, kernel, region, product);
}

SmallVector<std::pair<Value, Value>>
attnc::fusion::productsIn(Block &block, ArrayRef<PairProduct> products) {
  SmallVector<std::pair<Value, Value>> known;
  size_t others = products.empty() ? 0 : products.size() - 1;
  for (auto [i, product] : llvm::enumerate(products))
    known.emplace_back(product.op->getResult(0),
                       i == 0 ? block.getArgument(0)
                              : block.getArguments().take_back(others)[i - 1]);
  return known;
}
