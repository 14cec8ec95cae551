//===- LowerContract.cpp - Products of matrices beside the kernels --------===//
//
// Form dot, for "qd,de->qe" with lanes e and rows q (a block's dims q and e):
//
//   acc = 0
//   for d in steps { acc += tile.dot (load rhs as q:64 k:64,
//                                     load lhs as e:64 k:64) sum(k) }
//   store acc
//
// A fixed sum of at most four steps is taken at once. Form element reads both
// operands element by element, over all summed letters as one dim, whatever the
// letters are.
// Tests: test/Lowering/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "ReadElement.h"
#include "SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

namespace {
class ContractLowering {
public:
  ContractLowering(attn::ContractOp op, Storage &storage)
      : op(op), block(op, storage), labels(op.getAxisLabels()) {
    block.addAxes(labels.inputs[0], op.getLhs());
    block.addAxes(labels.inputs[1], op.getRhs());
    block.addAxes(labels.output, op.getResult());
    for (char letter : (labels.inputs[0] + labels.inputs[1]).str())
      if (!labels.output.contains(letter) &&
          !StringRef(block.summed).contains(letter))
        block.summed += letter;
  }

  LogicalResult lowerDot();
  LogicalResult lowerElements();

private:
  Value allowed(OpBuilder &b, const Places &places) {
    return block.read(b, op.getMask(), *op.getMaskLabels(), places);
  }
  Value sumCount();

  attn::ContractOp op;
  SideBlock block;
  attn::Labels labels;
};
} // namespace

/// The number of terms of a sum.
Value ContractLowering::sumCount() {
  Value count = arith::ConstantIndexOp::create(block.builder, block.loc, 1);
  for (char letter : block.summed)
    count = block.builder.createOrFold<arith::MulIOp>(
        block.loc, count, block.sizeOf(block.builder, letter));
  return count;
}

LogicalResult ContractLowering::lowerDot() {
  // Summed axes of one element do not count.
  std::string summed;
  llvm::copy_if(block.summed, std::back_inserter(summed),
                [&](char letter) { return block.fixedSize(letter) != 1; });
  block.summed = summed;
  bool lanesAreLeft = labels.inputs[0].contains(block.block.getLanes());
  auto left = block.operand(op.getLhs(), labels.inputs[0]);
  auto right = block.operand(op.getRhs(), labels.inputs[1]);
  if (failed(left) || failed(right) ||
      failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  BlockBuffer onLanes = lanesAreLeft ? *left : *right;
  BlockBuffer rows = lanesAreLeft ? *right : *left;
  block.open(labels.output);
  tile::TileType type = block.tileType("qe");
  auto product = [&](Value k0, Value nk, Value acc) -> Value {
    Value a = block.load(onLanes, "qk", k0, nk);
    Value b = block.load(rows, "ek", k0, nk);
    Value where;
    if (op.getMask())
      where =
          block.map(block.tileType("qk", block.builder.getI1Type()), {}, k0,
                    [&](OpBuilder &inner, ValueRange, const Places &places) {
                      return allowed(inner, places);
                    });
    return tile::DotOp::create(block.builder, block.loc, type, a, b, "k", acc,
                               where);
  };
  std::optional<int64_t> fixed = block.fixedSize(block.summed[0]);
  int64_t step = block.block.getK();
  Value result;
  if (fixed && *fixed <= 4 * step && *fixed > 0) {
    block.summedSize = *fixed;
    Value zero = arith::ConstantIndexOp::create(block.builder, block.loc, 0);
    result = product(zero, {}, {});
  } else {
    block.summedSize = step;
    Value zero = tile::SplatOp::create(block.builder, block.loc, type, 0.0);
    result = block.loop(
        sumCount(), step, zero, [&](Value k0, Value nk, ValueRange carried) {
          return SmallVector<Value>{product(k0, nk, carried[0])};
        })[0];
  }
  block.store(result, op.getResult());
  return success();
}

LogicalResult ContractLowering::lowerElements() {
  if (failed(checkElements(op, op.getLhs(), block.storage.scope)) ||
      failed(checkElements(op, op.getRhs(), block.storage.scope)) ||
      failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  block.open(labels.output);
  auto product = [&](OpBuilder &b, const Places &places) -> Value {
    Value x = block.read(b, op.getLhs(), labels.inputs[0], places);
    Value y = block.read(b, op.getRhs(), labels.inputs[1], places);
    return arith::MulFOp::create(b, block.loc, x, y);
  };
  block.summedSize = 16;
  tile::TileType type = block.tileType("q");
  Value zero = tile::SplatOp::create(block.builder, block.loc, type, 0.0);
  Value sum = block.loop(
      sumCount(), block.summedSize, zero,
      [&](Value k0, Value nk, ValueRange carried) {
        Value x =
            block.map(block.tileType("qk"), {}, k0,
                      [&](OpBuilder &b, ValueRange, const Places &places) {
                        return product(b, places);
                      });
        Value kept = block.select(
            x, k0, nk, 0.0, [&](OpBuilder &b, const Places &places) -> Value {
              if (op.getMask())
                return allowed(b, places);
              return arith::ConstantOp::create(b, block.loc,
                                               b.getBoolAttr(true));
            });
        return SmallVector<Value>{tile::ReduceOp::create(
            block.builder, block.loc, type, tile::ReduceKind::Add, kept, "k",
            carried[0])};
      })[0];
  block.store(sum, op.getResult());
  return success();
}

LogicalResult lowerContract(attn::ContractOp op, Storage &storage) {
  ContractLowering lowering(op, storage);
  return attn::BlockAttr::of(op).getForm() == attn::BlockForm::Dot
             ? lowering.lowerDot()
             : lowering.lowerElements();
}

} // namespace attnc::lowering
