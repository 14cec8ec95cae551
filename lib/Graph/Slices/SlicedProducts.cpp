//===- SlicedProducts.cpp - Slices of a product as products ---------------===//
//
// See SlicedProducts.h.
//
//===----------------------------------------------------------------------===//

#include "Slices/SlicedProducts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

/// The number of a product that stands for a piece: other passes may replace
/// or erase it.
static constexpr StringLiteral kPieceAttr = "attnc.piece";

/// The product that a slice is a piece of, seen through one view that splits
/// and permutes axes, or null.
static attn::ContractOp findWhole(attn::SliceOp slice, attn::ViewOp &view) {
  view = slice.getSource().getDefiningOp<attn::ViewOp>();
  Value source = view ? view.getSource() : slice.getSource();
  auto product = source.getDefiningOp<attn::ContractOp>();
  bool isSplit =
      !view || llvm::all_of(view.getViewLabels().output,
                            [](StringRef group) { return group.size() == 1; });
  return product && !product.getMask() && isSplit ? product
                                                  : attn::ContractOp();
}

/// The slices that read `value`, maybe through one view, or nothing if
/// something else does.
static bool findSlices(Value value, bool canHaveView,
                       SmallVectorImpl<attn::SliceOp> &slices) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto slice = dyn_cast<attn::SliceOp>(user)) {
      slices.push_back(slice);
      return true;
    }
    auto view = dyn_cast<attn::ViewOp>(user);
    return view && canHaveView && findSlices(view.getResult(), false, slices);
  });
}

//===----------------------------------------------------------------------===//
// A product of a piece
//===----------------------------------------------------------------------===//

namespace {
/// Builds the product that stands for a slice.
class PieceBuilder {
public:
  PieceBuilder(attn::ContractOp product, attn::ViewOp view,
               attn::SliceOp slice);
  attn::ContractOp build();

private:
  Value cut(unsigned side, std::string &letters);

  attn::ContractOp product;
  attn::ViewOp view;
  attn::SliceOp slice;
  OpBuilder b;
  /// What each letter of the product is called behind the view.
  llvm::SmallDenseMap<char, std::string> names;
  llvm::SmallDenseMap<char, Attribute> sizes; // of the new letters
  std::string output;
  char along;
};
} // namespace

PieceBuilder::PieceBuilder(attn::ContractOp product, attn::ViewOp view,
                           attn::SliceOp slice)
    : product(product), view(view), slice(slice), b(slice) {
  attn::Labels labels = product.getAxisLabels();
  output =
      view ? llvm::join(view.getViewLabels().output, "") : labels.output.str();
  along = output[slice.getAxis()];
  for (auto [axis, letter] : llvm::enumerate(output))
    sizes[letter] = attn::axisSize(slice.getSource().getType(), axis);
  std::string taken = output;
  for (auto [axis, letter] : llvm::enumerate(labels.output))
    names[letter] =
        view ? view.getViewLabels().input[axis].str() : std::string(1, letter);
  for (unsigned side : {0, 1})
    for (auto [axis, letter] : llvm::enumerate(labels.inputs[side])) {
      if (names.count(letter))
        continue;
      char fresh = 'a';
      while (StringRef(taken).contains(fresh))
        ++fresh;
      taken += fresh;
      names[letter] = std::string(1, fresh);
      sizes[fresh] = attn::axisSize(product->getOperand(side).getType(), axis);
    }
}

/// An operand in the new letters, and of the axis that is cut only the piece.
Value PieceBuilder::cut(unsigned side, std::string &letters) {
  Value operand = product->getOperand(side);
  Type element = getElementTypeOrSelf(operand.getType());
  std::string groups;
  for (char letter : product.getAxisLabels().inputs[side]) {
    const std::string &name = names[letter];
    groups += name.size() == 1 ? name : "(" + name + ")";
    letters += name;
  }
  auto typeOf = [&] {
    SmallVector<Attribute> axes;
    for (char letter : letters)
      axes.push_back(sizes[letter]);
    return attn::tensorType(axes, element);
  };
  if (groups != letters)
    operand = attn::ViewOp::create(b, product.getLoc(), typeOf(),
                                   groups + "->" + letters, operand);
  if (!StringRef(letters).contains(along))
    return operand;
  Attribute whole = sizes[along];
  sizes[along] = b.getI64IntegerAttr(slice.getSize());
  operand = attn::SliceOp::create(b, slice.getLoc(), typeOf(), letters, operand,
                                  StringRef(&along, 1), slice.getOffset(),
                                  slice.getSize());
  sizes[along] = whole;
  return operand;
}

attn::ContractOp PieceBuilder::build() {
  std::string letters[2];
  Value lhs = cut(0, letters[0]), rhs = cut(1, letters[1]);
  return attn::ContractOp::create(b, product.getLoc(), slice.getType(),
                                  letters[0] + "," + letters[1] + "->" + output,
                                  lhs, rhs);
}

//===----------------------------------------------------------------------===//
// All of a function
//===----------------------------------------------------------------------===//

SlicedProducts::SlicedProducts(func::FuncOp function) : function(function) {
  // Pieces stand behind their product: a piece may have pieces.
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (auto product = dyn_cast<attn::ContractOp>(op))
        takeApart(product);
}

/// The slices of a product that nothing else reads, or none.
static SmallVector<attn::SliceOp> findPieces(attn::ContractOp product) {
  constexpr size_t letters = 26;
  SmallVector<attn::SliceOp> slices;
  if (product->use_empty() || !findSlices(product.getResult(), true, slices))
    return {};
  attn::ViewOp view;
  for (attn::SliceOp slice : slices)
    if (slice->use_empty() || findWhole(slice, view) != product ||
        slice.getLabels().size() + product.getLabels().size() > letters)
      return {};
  return slices;
}

static attn::ContractOp buildPiece(attn::ContractOp product,
                                   attn::SliceOp slice) {
  attn::ViewOp view;
  findWhole(slice, view);
  return PieceBuilder(product, view, slice).build();
}

bool graph::takeProductApart(attn::ContractOp product) {
  SmallVector<attn::SliceOp> slices = findPieces(product);
  for (attn::SliceOp slice : slices)
    slice.getResult().replaceAllUsesWith(buildPiece(product, slice));
  return !slices.empty();
}

void SlicedProducts::takeApart(attn::ContractOp product) {
  SmallVector<Piece, 2> pieces;
  for (attn::SliceOp slice : findPieces(product)) {
    attn::ContractOp part = buildPiece(product, slice);
    part->setAttr(kPieceAttr, OpBuilder(part).getI64IntegerAttr(++count));
    slice.getResult().replaceAllUsesWith(part.getResult());
    double whole = slice.getSource().getType().getDimSize(slice.getAxis());
    pieces.push_back({slice, count, double(slice.getSize()) / whole});
  }
  if (!pieces.empty())
    wholes[product] = pieces;
}

/// Whether a result or an op that stays reads it.
static bool isNeeded(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return !wouldOpBeTriviallyDead(user) || isNeeded(user);
  });
}

attn::ContractOp SlicedProducts::findPart(int64_t number) {
  for (attn::ContractOp part : function.getOps<attn::ContractOp>()) {
    auto attribute = part->getAttrOfType<IntegerAttr>(kPieceAttr);
    if (attribute && attribute.getInt() == number)
      return part;
  }
  return {};
}

/// Erases an op, and the views and slices that only it reads.
static void eraseUnread(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    if (Operation *source = operand.getDefiningOp();
        isa_and_present<attn::ViewOp, attn::SliceOp>(source))
      eraseUnread(source);
}

bool SlicedProducts::settle(attn::ContractOp product) {
  auto found = wholes.find(product);
  if (found == wholes.end())
    return false;
  SmallVector<Piece, 2> pieces = std::move(found->second);
  wholes.erase(found);
  double share = 0;
  for (const Piece &piece : pieces)
    if (attn::ContractOp part = findPart(piece.number); part && isNeeded(part))
      share += piece.share;
  constexpr double rounding = 1e-9;
  bool isWhole = share > 1 - rounding;
  for (Piece &piece : pieces) {
    attn::ContractOp part = findPart(piece.number);
    if (part)
      part->removeAttr(kPieceAttr);
    if (isWhole && part && isNeeded(part)) {
      part.getResult().replaceAllUsesWith(piece.slice.getResult());
      eraseUnread(part);
    } else {
      eraseUnread(piece.slice);
    }
  }
  if (!isWhole)
    eraseUnread(product);
  return !isWhole;
}
