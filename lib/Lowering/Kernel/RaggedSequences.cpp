//===- RaggedSequences.cpp - Blocks of rows of ragged tensors -------------===//
//
// Tests: test/Lowering/storage.mlir, test/Lowering/Side/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/RaggedSequences.h"

#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

Sequence emitSequence(OpBuilder &builder, Location loc, Value start,
                      Value number) {
  Type index = builder.getIndexType();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value next = arith::AddIOp::create(builder, loc, number, one);
  Value begin = tile::ReadOp::create(builder, loc, index, start, number);
  Value end = tile::ReadOp::create(builder, loc, index, start, next);
  return {begin, arith::SubIOp::create(builder, loc, end, begin)};
}

Value countBlocks(OpBuilder &builder, Location loc, Value batch, Value rows,
                  Value step) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value whole = arith::FloorDivSIOp::create(builder, loc, rows, step);
  Value blocks = arith::AddIOp::create(builder, loc, whole, batch);
  Value any = arith::MinSIOp::create(builder, loc, batch, one);
  return arith::MulIOp::create(builder, loc, any, blocks);
}

} // namespace attnc::lowering
