//===- LowerReduce.cpp - Lower reductions outside kernels -----------------===//
//
// One number for each row of a tensor, element by element: the sum, or the
// largest element that is no NaN. A rank and the threshold of sparsemax need
// all scores of a row at once; only kernels have them.
// Tests: test/Lowering/Side/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

LogicalResult lowerReduce(attn::ReduceOp op, Storage &storage) {
  bool isSum = op.getKind().getKind() == attn::RowKind::Sum;
  if (!isSum && op.getKind().getKind() != attn::RowKind::Max)
    return op.emitOpError()
           << "with " << op.getKind() << " can only be computed in a kernel";
  SideBlock block(op, storage);
  block.addAxes(op.getLabels(), op.getScores());
  block.summed = op.getOver().str();
  block.summedSize = 16;
  if (failed(checkElements(op, op.getScores(), storage.scope)) ||
      (op.getMask() &&
       failed(checkElements(op, op.getMask(), storage.scope))) ||
      failed(block.addResult(op.getRow(), op.getRowLabels())))
    return failure();
  block.forEachCase([&] {
    block.open(op.getRowLabels());
    double fill = isSum ? 0.0 : -std::numeric_limits<double>::infinity();
    tile::TileType row = block.tileType("q");
    Value init = tile::SplatOp::create(block.builder, block.loc, row, fill);
    Value keys = block.sizeOf(block.builder, op.getOver()[0]);
    auto keep = [&](OpBuilder &b, const Places &places) -> Value {
      if (op.getMask())
        return block.read(b, op.getMask(), op.getLabels(), places);
      return arith::ConstantOp::create(b, block.loc, b.getBoolAttr(true));
    };
    Value result = block.loop(
        keys, block.summedSize, init,
        [&](Value k0, Value nk, ValueRange carried) {
          Value x = block.map(
              block.tileType("qk"), {}, k0,
              [&](OpBuilder &b, ValueRange, const Places &places) {
                return block.read(b, op.getScores(), op.getLabels(), places);
              });
          Value kept = block.select(x, k0, nk, fill, keep);
          return SmallVector<Value>{tile::ReduceOp::create(
              block.builder, block.loc, row,
              isSum ? tile::ReduceKind::Add : tile::ReduceKind::Max, kept, "k",
              carried[0])};
        })[0];
    block.store(result, op.getRow());
  });
  return success();
}

} // namespace attnc::lowering
