//===- LowerScan.cpp - Lower prefix sums ----------------------------------===//
//
//   %y = attn.scan "bsd" %x along "s"
// becomes
//   tile.grid (%b, ...) { tile.for %s iter(%sum) {
//     %next = %sum + (x at %s)    store %next } }
//
// Time is linear in the length. Vectors run along another axis: a sum of places
// that follow each other has no two at once.
// Tests: test/Lowering/Side/scan.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

LogicalResult lowerScan(attn::ScanOp op, Storage &storage) {
  SideBlock block(op, storage);
  if (block.block.getLanes().empty())
    return op.emitOpError("has no axis besides the scanned one; a single sum "
                          "cannot be lowered yet");
  char along = op.getAlong().front();
  block.addAxes(op.getLabels(), op.getSource());
  block.addAxes(op.getLabels(), op.getResult());
  if (failed(checkElements(op, op.getSource(), storage.scope)) ||
      failed(block.addResult(op.getResult(), op.getLabels(), /*inLoop=*/true)))
    return failure();
  block.forEachCase([&] {
    block.open(op.getOtherLabels());
    tile::TileType type = block.tileType("q");
    Value none = tile::SplatOp::create(block.builder, block.loc, type, 0.0);
    Value count = block.sizeOf(block.builder, along);
    block.loopOverNumbers(count, none, [&](Value place, ValueRange sums) {
      block.placeLetter(along, place);
      Value next = block.map(
          type, sums, {},
          [&](OpBuilder &b, ValueRange x, const Places &places) {
            Value term = block.read(b, op.getSource(), op.getLabels(), places);
            return arith::AddFOp::create(b, block.loc, x[0], term).getResult();
          });
      block.store(next, op.getResult());
      return SmallVector<Value>{next};
    });
  });
  return success();
}

} // namespace attnc::lowering
