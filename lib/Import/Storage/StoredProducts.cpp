//===- StoredProducts.cpp - Products of ragged and paged rows -------------===//
//
// A row times a matrix is computed where the row lies, once, whoever reads it:
//
//   %p = attn.contract "thgd,cd->thgc" (%rows, %W)
//   %q = attn.unpack %p by %start
//
// where the rows that attn.unpack gives would be those of all sequences, for
// each sequence again. A matrix that differs from sequence to sequence, or from
// row to row, has no such product.
// Tests: test/Import/Storage/stored-products.yaml
//
//===----------------------------------------------------------------------===//

#include "Tensor/RowFormulas.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Expr;

/// What finds the ragged or paged rows that a tensor views; null for others.
static Operation *storageOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<attn::ViewOp>())
    tensor = view.getSource();
  Operation *op = tensor.getDefiningOp();
  return op && isa<attn::UnpackOp, attn::PagesOp>(op) ? op : nullptr;
}

/// The letters of heads among `letters`.
static std::string headsOf(StringRef letters) {
  std::string heads;
  for (char letter : StringRef("hg"))
    if (letters.contains(letter))
      heads += letter;
  return heads;
}

/// The rows as dense ones again: `letters` are b, the row's letter and others.
static Value findRows(OpBuilder &b, Location loc, Operation *storage,
                      Value stored, ArrayRef<Attribute> sizes) {
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(stored));
  Value table = storage->getOperand(1);
  if (isa<attn::PagesOp>(storage))
    return attn::PagesOp::create(b, loc, type, stored, table);
  return attn::UnpackOp::create(b, loc, type, stored, table);
}

std::optional<LetteredTensor>
RowFormulas::storedProduct(const Expr &e, const LetteredTensor &left,
                           const LetteredTensor &right, StringRef result) {
  bool isRight = storageOf(right.tensor);
  const LetteredTensor &rows = isRight ? right : left;
  StringRef matrix = isRight ? left.letters : right.letters;
  Operation *storage = storageOf(rows.tensor);
  // Numbers of rows are read by formulas, which read no views.
  bool isNumber = e.type == spec::Type::Real;
  if (!storage || isNumber || matrix.find_first_of("bqk") != StringRef::npos)
    return std::nullopt;
  bool isQuery = StringRef(rows.letters).contains('q');
  std::string places = isa<attn::PagesOp>(storage) ? "pn" : "t";
  std::string width(1, rows.letters.back());
  std::string made(1, result.back()); // the axis that the product leaves
  // A matrix may differ between heads that share the rows.
  std::string heads = headsOf(rows.letters);
  std::string all = inOrder(heads + headsOf(matrix));

  Value source = storage->getOperand(0);
  auto sizesOf = [&](Type tensor, size_t count, StringRef heads,
                     Attribute last) {
    SmallVector<Attribute> sizes;
    for (size_t axis = 0; axis < count; ++axis)
      sizes.push_back(attn::axisSize(tensor, axis));
    for (char letter : heads)
      sizes.push_back(sizeOf(letter));
    sizes.push_back(last);
    return sizes;
  };
  Attribute last = size(*spec.axesOf(e).front());
  SmallVector<Attribute> stored =
      sizesOf(source.getType(), places.size(), all, last);
  SmallVector<Attribute> each =
      sizesOf(storage->getResult(0).getType(), 2, all, last);
  // Heads are split, as in the rows of formulas, if they are not yet.
  size_t rank = cast<RankedTensorType>(source.getType()).getRank();
  if (isQuery && rank == places.size() + 2) {
    Attribute own =
        attn::axisSize(rows.tensor.getType(), rows.letters.size() - 1);
    Type split =
        attn::tensorType(sizesOf(source.getType(), places.size(), heads, own),
                         getElementTypeOrSelf(source));
    source = attn::ViewOp::create(
        b, split, places + "(hg)" + width + "->" + places + "hg" + width,
        source);
  }
  std::string label = places + heads + width;
  std::string labels =
      isRight ? matrix.str() + "," + label : label + "," + matrix.str();
  Value product = attn::ContractOp::create(
      b, attn::tensorType(stored, real), labels + "->" + places + all + made,
      isRight ? left.tensor : source, isRight ? source : right.tensor);
  return inFormulaOrder(findRows(b, b.getLoc(), storage, product, each),
                        isQuery ? "bq" : "bk", all, made);
}

/// [b, row, heads, features] with the letters and in the order of formulas.
LetteredTensor RowFormulas::inFormulaOrder(Value tensor, StringRef found,
                                           StringRef heads, StringRef made) {
  std::string letters = (found + heads + made).str();
  std::string order = inOrder((found + heads).str()) + made.str();
  SmallVector<Attribute> sizes;
  for (char letter : order)
    sizes.push_back(attn::axisSize(tensor.getType(), letters.find(letter)));
  Value view = attn::ViewOp::create(
      b, attn::tensorType(sizes, getElementTypeOrSelf(tensor)),
      letters + "->" + order, tensor);
  order.back() = 'd';
  return {view, order};
}
