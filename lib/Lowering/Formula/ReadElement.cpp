//===- ReadElement.cpp - Read an element of a function's tensor -----------===//
//
// A formula may read any tensor that an earlier op made, through any views.
// Blocks need axes that lie in memory as they are walked over (ViewIndices.h);
// a single element only needs its place, so here every view is arithmetic:
// merged axes are h * group + g, split ones n / group and n % group, place i of
// a slice is offset + i of its source, row i of
// sequence b is row start[b] + i of all, row k in pages of n is row k % n of
// page table[b, k / n].
// Tests: test/Lowering/Formula/read-element.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"

#include "Formula/Formula.h"
#include "Formula/ViewIndices.h"
#include "Kernel/RaggedSequences.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/StoredView.h"

using namespace mlir;

namespace attnc::lowering {

LogicalResult checkElements(Operation *user, Value tensor, const Scope &scope) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto pack = dyn_cast<attn::PackOp>(op)) {
      if (pack.getFill()) // a tensor of its own
        break;
      return user->emitOpError(
          "reads ragged rows without a fill value for rows of no sequence");
    }
    if (!isa<attn::ViewOp, attn::SliceOp, attn::UnpackOp, attn::PagesOp,
             attn::PlaceOp>(op) ||
        attn::isStoredView(op))
      break;
    tensor = op->getOperand(0);
    auto view = dyn_cast<attn::ViewOp>(op);
    if (!view)
      continue;
    attn::ViewLabels labels = view.getViewLabels();
    for (StringRef group : llvm::concat<StringRef>(labels.input, labels.output))
      for (char letter : group)
        if (!scope.knows(view.sizeOf(letter)))
          return user->emitOpError()
                 << "reads through the view '" << labels.str()
                 << "', where the size of '" << letter << "' is unknown";
  }
  return success();
}

/// Indices into the source of a view.
static SmallVector<Value> throughView(OpBuilder &b, Location loc,
                                      attn::ViewOp view, ValueRange indices,
                                      const Scope &scope) {
  attn::ViewLabels labels = view.getViewLabels();
  auto sizeOf = [&](char letter) {
    return scope.sizeOf(b, loc, view.sizeOf(letter));
  };
  llvm::SmallDenseMap<char, Value> places;
  for (auto [group, index] : llvm::zip_equal(labels.output, indices)) {
    Value rest = index;
    for (char letter : llvm::reverse(group.drop_front())) {
      Value size = sizeOf(letter);
      Value quotient = b.createOrFold<arith::FloorDivSIOp>(loc, rest, size);
      Value whole = b.createOrFold<arith::MulIOp>(loc, quotient, size);
      places[letter] = b.createOrFold<arith::SubIOp>(loc, rest, whole);
      rest = quotient;
    }
    places[group.front()] = rest;
  }
  SmallVector<Value> result;
  for (StringRef group : labels.input) {
    Value index = places.lookup(group.front());
    for (char letter : group.drop_front()) {
      index = b.createOrFold<arith::MulIOp>(loc, index, sizeOf(letter));
      index = b.createOrFold<arith::AddIOp>(loc, index, places.lookup(letter));
    }
    result.push_back(index);
  }
  return result;
}

/// Indices into the source of a slice.
static SmallVector<Value> throughSlice(OpBuilder &b, Location loc,
                                       attn::SliceOp slice,
                                       ValueRange indices) {
  SmallVector<Value> places(indices);
  Value offset = arith::ConstantIndexOp::create(b, loc, slice.getOffset());
  Value &place = places[slice.getAxis()];
  place = b.createOrFold<arith::AddIOp>(loc, place, offset);
  return places;
}

static Value emitMaskElement(OpBuilder &builder, attn::MaskOp mask,
                             ValueRange indices, const Scope &scope) {
  Block &block = mask.getBody().front();
  IRMapping map;
  map.map(block.getArguments(), indices);
  Value yielded = block.getTerminator()->getOperand(0);
  emitScalars(builder, block, yielded, scope, map);
  return map.lookup(yielded);
}

/// `element` where 0 <= index < end, else `fill`.
static Value whereInside(OpBuilder &b, Location loc, Value index, Value end,
                         Value element, double fill = 0) {
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value from =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, first);
  Value before =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, end);
  Value inside = arith::AndIOp::create(b, loc, from, before);
  TypedAttr zero = b.getZeroAttr(element.getType());
  Value none = arith::ConstantOp::create(
      b, loc,
      fill == 0 ? zero : TypedAttr(b.getFloatAttr(element.getType(), fill)));
  return arith::SelectOp::create(b, loc, inside, element, none);
}

/// The rows of sequence `number`; the starts may be a formula.
static Sequence readSequence(OpBuilder &b, Location loc, Value start,
                             Value number, const Scope &scope) {
  Type index = b.getIndexType();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value next = arith::AddIOp::create(b, loc, number, one);
  Value begin = emitRead(b, loc, start, number, index, scope);
  Value end = emitRead(b, loc, start, next, index, scope);
  return {begin, arith::SubIOp::create(b, loc, end, begin)};
}

/// Row `indices[1]` of sequence `indices[0]`.
static Value emitRaggedElement(OpBuilder &b, attn::UnpackOp op,
                               ValueRange indices, Type type,
                               const Scope &scope) {
  Location loc = op.getLoc();
  auto [begin, length] = readSequence(b, loc, op.getStart(), indices[0], scope);
  SmallVector<Value> places(indices.drop_front());
  places[0] = arith::AddIOp::create(b, loc, begin, places[0]);
  Value element = emitRead(b, loc, op.getSource(), places, type, scope);
  return whereInside(b, loc, indices[1], length, element);
}

/// Key `indices.back()` of all, if it is one of sequence `indices[0]`.
static Value emitPlacedElement(OpBuilder &b, attn::PlaceOp op,
                               ValueRange indices, Type type,
                               const Scope &scope) {
  Location loc = op.getLoc();
  auto [begin, length] = readSequence(b, loc, op.getStart(), indices[0], scope);
  SmallVector<Value> places(indices);
  places.back() = arith::SubIOp::create(b, loc, places.back(), begin);
  Value element = emitRead(b, loc, op.getSource(), places, type, scope);
  return whereInside(b, loc, places.back(), length, element,
                     op.getFill().convertToDouble());
}

/// Row `indices[1]` of the pages of sequence `indices[0]`.
static Value emitPagedElement(OpBuilder &b, attn::PagesOp op,
                              ValueRange indices, Type type,
                              const Scope &scope) {
  Location loc = op.getLoc();
  Type source = op.getSource().getType();
  Value rows = scope.sizeOf(b, loc, attn::axisSize(source, 1));
  Value number = arith::FloorDivSIOp::create(b, loc, indices[1], rows);
  Value page = emitRead(b, loc, op.getTable(), {indices[0], number},
                        b.getIndexType(), scope);
  Value before = arith::MulIOp::create(b, loc, number, rows);
  SmallVector<Value> places(indices);
  places[0] = page;
  places[1] = arith::SubIOp::create(b, loc, indices[1], before);
  Value element = emitRead(b, loc, op.getSource(), places, type, scope);
  Value pages = scope.sizeOf(b, loc, attn::axisSize(source, 0));
  return whereInside(b, loc, page, pages, element);
}

Value emitRead(OpBuilder &builder, Location loc, Value tensor,
               ValueRange indices, Type type, const Scope &scope) {
  SmallVector<Value> places(indices);
  while (Operation *op = tensor.getDefiningOp()) {
    auto view = dyn_cast<attn::ViewOp>(op);
    if (view && attn::isStoredView(view))
      break;
    if (view)
      places = throughView(builder, loc, view, places, scope);
    else if (auto slice = dyn_cast<attn::SliceOp>(op))
      places = throughSlice(builder, loc, slice, places);
    else
      break;
    tensor = op->getOperand(0);
  }
  if (auto mask = tensor.getDefiningOp<attn::MaskOp>())
    return emitMaskElement(builder, mask, places, scope);
  if (auto unpack = tensor.getDefiningOp<attn::UnpackOp>())
    return emitRaggedElement(builder, unpack, places, type, scope);
  if (auto place = tensor.getDefiningOp<attn::PlaceOp>())
    return emitPlacedElement(builder, place, places, type, scope);
  if (auto pages = tensor.getDefiningOp<attn::PagesOp>())
    return emitPagedElement(builder, pages, places, type, scope);
  Value buf = scope.values.lookup(tensor);
  if (places.size() < cast<tile::BufType>(buf.getType()).getRank())
    places.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  return tile::ReadOp::create(builder, loc, type, buf, places);
}

} // namespace attnc::lowering
