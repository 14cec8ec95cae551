//===- LowerMove.cpp - Lower concatenations and cache appends -------------===//
//
//   %c = attn.concat "bd,bd->bd" along "d" (%x, %y)
// becomes a grid for each part, which stores behind the parts before it; and
//   %c = attn.append "bsd" %cache, %x along "s" at "b" (%past)
// a grid that reads where a sequence ends and stores there, in the cache.
//
// Elements are read one by one, as maps read theirs: vectors run along an axis
// of the result.
// Tests: test/Lowering/Side/move.mlir,
// test/Integration/products/graph-moves.test
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

/// Stores a block of `source`, whose axes are `letters`, in the open grid.
static void emitMove(SideBlock &block, Value source, StringRef letters) {
  Value result = block.op->getResult(0);
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  StringRef dims = block.block.getRows().empty() ? "q" : "qe";
  Value tile = block.map(block.tileType(dims, element), {}, {},
                         [&](OpBuilder &b, ValueRange, const Places &places) {
                           Value x = block.read(b, source, letters, places);
                           return emitRounded(b, block.loc, x, element);
                         });
  block.store(tile, result);
}

LogicalResult lowerConcat(attn::ConcatOp op, Storage &storage) {
  SideBlock block(op, storage);
  attn::Labels labels = op.getAxisLabels();
  char along = op.getAlong().front();
  for (auto [letters, part] : llvm::zip_equal(labels.inputs, op.getParts())) {
    block.addAxes(letters, part);
    if (failed(checkElements(op, part, storage.scope)))
      return failure();
  }
  block.addAxes(labels.output, op.getResult());
  if (failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  auto emitPart = [&](unsigned number) {
    block.resize(along, op.getNamedPartSize(number));
    OpBuilder &b = block.builder;
    b.setInsertionPointToEnd(&storage.program.getBody().front());
    Value first = arith::ConstantIndexOp::create(b, block.loc, 0);
    for (unsigned before = 0; before < number; ++before)
      first = b.createOrFold<arith::AddIOp>(
          block.loc, first,
          storage.scope.sizeOf(b, block.loc, op.getNamedPartSize(before)));
    block.shift(along, first); // before open(), which asks for visited rows
    block.open(labels.output);
    emitMove(block, op.getParts()[number], labels.inputs[number]);
  };
  // The cases are those of all parts together.
  block.resize(along, attn::axisSize(op.getResult().getType(),
                                     *attn::axisOf(labels.output, along)));
  block.forEachCase([&] {
    for (unsigned number = 0; number < op.getParts().size(); ++number)
      emitPart(number);
  });
  return success();
}

LogicalResult lowerAppend(attn::AppendOp op, Storage &storage) {
  SideBlock block(op, storage);
  StringRef letters = op.getLabels();
  block.addAxes(letters, op.getRows());
  if (failed(checkElements(op, op.getRows(), storage.scope)) ||
      failed(checkElements(op, op.getAt(), storage.scope)) ||
      failed(block.addInPlace(op.getCache(), letters)))
    return failure();
  block.forEachCase([&] {
    block.open(letters);
    block.shift(op.getAlong().front(),
                block.readOnce(op.getAt(), op.getAtLabels()));
    emitMove(block, op.getRows(), letters);
  });
  return success();
}

} // namespace attnc::lowering
