//===- ReadElement.cpp - One element of a tensor of the function ----------===//
//
// A formula may read any tensor that an earlier op made, through any views.
// Blocks need axes that lie in memory as they are walked over (ViewIndices.h);
// a single element only needs its place, so here every view is arithmetic:
// merged axes are h * group + g, split ones n / group and n % group.
// Tests: test/Lowering/read-element.mlir
//
//===----------------------------------------------------------------------===//

#include "ReadElement.h"

#include "Formula.h"
#include "ViewIndices.h"

#include "attnc/Dialect/Attn/Attn.h"

using namespace mlir;

namespace attnc::lowering {

/// The size of a letter of a view, from the side where it stands alone.
static Attribute sizeOfLetter(attn::ViewOp view, char letter) {
  attn::ViewLabels labels = view.getViewLabels();
  for (auto [side, tensor] : {std::pair(labels.input, view.getSource()),
                              {labels.output, view.getResult()}})
    for (auto [axis, group] : llvm::enumerate(side))
      if (group == StringRef(&letter, 1))
        return attn::axisSize(tensor.getType(), axis);
  return {};
}

LogicalResult checkElements(Operation *user, Value tensor, const Scope &scope) {
  Operation *source = sourceOfViews(tensor).getDefiningOp();
  if (isa_and_present<attn::UnpackOp, attn::PackOp, attn::PagesOp>(source))
    return user->emitOpError("reads single elements of ragged or paged rows, "
                             "which cannot be lowered yet");
  for (auto view = tensor.getDefiningOp<attn::ViewOp>(); view;
       view = view.getSource().getDefiningOp<attn::ViewOp>()) {
    attn::ViewLabels labels = view.getViewLabels();
    for (StringRef group : llvm::concat<StringRef>(labels.input, labels.output))
      for (char letter : group)
        if (!scope.knows(sizeOfLetter(view, letter)))
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
    return scope.sizeOf(b, loc, sizeOfLetter(view, letter));
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

static Value emitMaskElement(OpBuilder &builder, attn::MaskOp mask,
                             ValueRange indices, const Scope &scope) {
  Block &block = mask.getBody().front();
  IRMapping map;
  map.map(block.getArguments(), indices);
  Value yielded = block.getTerminator()->getOperand(0);
  emitScalars(builder, block, yielded, scope, map);
  return map.lookup(yielded);
}

Value emitRead(OpBuilder &builder, Location loc, Value tensor,
               ValueRange indices, Type type, const Scope &scope) {
  SmallVector<Value> places(indices);
  while (auto view = tensor.getDefiningOp<attn::ViewOp>()) {
    places = throughView(builder, loc, view, places, scope);
    tensor = view.getSource();
  }
  if (auto mask = tensor.getDefiningOp<attn::MaskOp>())
    return emitMaskElement(builder, mask, places, scope);
  Value buf = scope.values.lookup(tensor);
  if (places.size() < cast<tile::BufType>(buf.getType()).getRank())
    places.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  return tile::ReadOp::create(builder, loc, type, buf, places);
}

} // namespace attnc::lowering
