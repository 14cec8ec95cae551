//===- SlicedSums.cpp - Slices of a product with a bias -------------------===//
//
// See SlicedSums.h.
//
//===----------------------------------------------------------------------===//

#include "Slices/SlicedSums.h"

#include "Distribute/DistributeTerms.h"
#include "Distribute/SumMap.h"
#include "Slices/SlicedProducts.h"
#include "ViewPart.h"

#include "attnc/Dialect/Attn/MapFormula.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

namespace {
/// A slice of a map's result, maybe of a view of it.
struct Piece {
  attn::SliceOp slice;
  attn::ViewOp view; // or null
};
} // namespace

/// Those that read `map`; none if something else does.
static SmallVector<Piece> findPieces(attn::MapOp map) {
  SmallVector<Piece> pieces;
  for (Operation *user : map->getUsers()) {
    if (auto slice = dyn_cast<attn::SliceOp>(user)) {
      pieces.push_back({slice, {}});
      continue;
    }
    auto view = dyn_cast<attn::ViewOp>(user);
    bool splits =
        view && llvm::all_of(view.getViewLabels().output,
                             [](StringRef group) { return group.size() == 1; });
    if (!splits)
      return {};
    for (Operation *reader : view->getUsers()) {
      auto slice = dyn_cast<attn::SliceOp>(reader);
      if (!slice)
        return {};
      pieces.push_back({slice, view});
    }
  }
  return pieces;
}

/// Of an input with the axes `letters`, as letters of the map's result, what
/// the piece is made of. Its axes, as letters of the slice, in `letters`.
static Value cut(OpBuilder &b, const Piece &piece, StringRef made, Value input,
                 std::string &letters) {
  attn::SliceOp slice = piece.slice;
  StringRef names = slice.getLabels();
  if (piece.view) {
    input = viewPart(b, piece.view, made, input, letters, names);
    if (!input)
      return {};
  } else {
    letters = attn::renameLetters(letters, made, names);
  }
  auto axis = attn::axisOf(letters, slice.getAlong().front());
  if (!axis)
    return input;
  SmallVector<Attribute> sizes;
  for (unsigned i = 0; i < letters.size(); ++i)
    sizes.push_back(i == *axis ? b.getI64IntegerAttr(slice.getSize())
                               : attn::axisSize(input.getType(), i));
  return attn::SliceOp::create(
      b, slice.getLoc(),
      attn::tensorType(sizes, getElementTypeOrSelf(input.getType())), letters,
      input, slice.getAlong(), slice.getOffset(), slice.getSize());
}

/// Whether the formula depends on where it is.
static bool readsPlaces(attn::MapOp map) {
  auto places =
      map.getBody().front().getArguments().drop_front(map.getInputs().size());
  return llvm::any_of(places, [](Value place) { return !place.use_empty(); });
}

/// The formula of the piece's rows, or null.
static Value rebuild(attn::MapOp map, const Piece &piece) {
  attn::Labels labels = map.getAxisLabels();
  OpBuilder b(piece.slice);
  SmallVector<Value> inputs;
  SmallVector<std::string> names;
  for (auto [input, own] : llvm::zip_equal(map.getInputs(), labels.inputs)) {
    names.push_back(own.str());
    inputs.push_back(cut(b, piece, labels.output, input, names.back()));
    if (!inputs.back())
      return {};
  }
  attn::SliceOp slice = piece.slice;
  std::string text = llvm::join(names, ",") + "->" + slice.getLabels().str();
  Block &body = map.getBody().front();
  return attn::MapOp::create(
      b, map.getLoc(), slice.getType(), text, inputs,
      [&](OpBuilder &inner, Location, ValueRange x) {
        IRMapping values;
        values.map(body.getArguments().take_front(inputs.size()),
                   x.take_front(inputs.size()));
        for (Operation &op : body)
          inner.clone(op, values);
      });
}

static bool takeApart(attn::MapOp map) {
  SmallVector<Piece> pieces = findPieces(map);
  if (pieces.empty() || readsPlaces(map) || !SumMap::match(map))
    return false;
  SmallVector<Value> made;
  for (const Piece &piece : pieces) {
    made.push_back(rebuild(map, piece));
    if (!made.back())
      return false;
  }
  for (auto [piece, value] : llvm::zip_equal(pieces, made))
    piece.slice.getResult().replaceAllUsesWith(value);
  return true;
}

bool graph::takeSumsApart(func::FuncOp function) {
  SmallVector<attn::ContractOp> products;
  for (attn::MapOp map : llvm::to_vector(function.getOps<attn::MapOp>())) {
    if (!takeApart(map))
      continue;
    for (Value input : map.getInputs())
      if (auto product = input.getDefiningOp<attn::ContractOp>())
        products.push_back(product);
  }
  if (products.empty())
    return false;
  eraseDeadOps(function); // slices of the sum, so that pieces alone are left
  for (attn::ContractOp product : products)
    takeProductApart(product);
  eraseDeadOps(function);
  return true;
}
