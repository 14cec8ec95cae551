//===- LowerMap.cpp - Formulas beside the kernels, and copies -------------===//
//
//   %t = attn.map "kd->kd" (%K) {f}
// becomes
//   tile.grid ... { store (tile.map () at(q = d0, e = k0) { f(tile.read %K) })
//   }
//
// Operands are read element by element: vectors lie along the last axis, where
// elements follow each other.
// Tests: test/Lowering/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "ReadElement.h"
#include "SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

/// Rounds a scalar to a narrower float.
static Value roundTo(OpBuilder &b, Location loc, Value x, Type element) {
  if (!isa<FloatType>(element) || x.getType() == element)
    return x;
  return arith::TruncFOp::create(b, loc, element, x);
}

LogicalResult lowerMap(attn::MapOp op, Storage &storage) {
  SideBlock block(op, storage);
  attn::Labels labels = op.getAxisLabels();
  for (auto [letters, input] : llvm::zip_equal(labels.inputs, op.getInputs())) {
    block.addAxes(letters, input);
    if (failed(checkElements(op, input, storage.scope)))
      return failure();
  }
  block.addAxes(labels.output, op.getResult());
  if (failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  block.open(labels.output);
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  StringRef dims = block.block.getRows().empty() ? "q" : "qe";
  Value tile = block.map(
      block.tileType(dims, element), {}, {},
      [&](OpBuilder &b, ValueRange, const Places &places) {
        SmallVector<Value> arguments;
        for (auto [letters, input] :
             llvm::zip_equal(labels.inputs, op.getInputs()))
          arguments.push_back(block.read(b, input, letters, places));
        for (char letter : labels.output)
          arguments.push_back(places.lookup(letter));
        return roundTo(b, block.loc, block.inlined(b, op.getBody(), arguments),
                       element);
      });
  block.store(tile, op.getResult());
  return success();
}

/// A copy goes row by row of the output's last axis.
LogicalResult lowerCopy(Value value, unsigned number, attn::BlockAttr block,
                        Storage &storage) {
  Location loc = value.getLoc();
  Operation *terminator = value.getParentBlock()->getTerminator();
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return terminator->emitOpError()
           << "result " << number << " has no axes, which cannot be returned";
  if (!isa<FloatType>(type.getElementType()))
    return terminator->emitOpError()
           << "result " << number << " holds " << type.getElementType()
           << "; only floats can be computed";
  if (failed(checkElements(terminator, value, storage.scope)))
    return failure();
  Destination place = storage.copyTo(number);
  OpBuilder b = OpBuilder::atBlockEnd(&storage.program.getBody().front());
  SmallVector<Value> extents;
  SmallVector<std::string> names;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    extents.push_back(storage.scope.sizeOf(b, loc, attn::axisSize(type, axis)));
    names.push_back("a" + std::to_string(axis));
  }
  Value size = extents.back();
  Value step = arith::ConstantIndexOp::create(b, loc, block.getQ());
  extents.back() = b.createOrFold<arith::CeilDivSIOp>(loc, size, step);
  SmallVector<StringRef> texts(names.begin(), names.end());
  auto grid = tile::GridOp::create(b, loc, extents, texts);
  if (block.getTarget() != storage.program.getTarget())
    grid.setTargetAttr(block.getTarget());
  b.setInsertionPointToStart(&grid.getBody().front());
  SmallVector<Value> indices(grid.getBody().getArguments());
  Value q0 = arith::MulIOp::create(b, loc, indices.back(), step);
  Value left = arith::SubIOp::create(b, loc, size, q0);
  Value count = arith::MinSIOp::create(b, loc, left, step);
  indices.back() = q0;
  auto tileType = tile::TileType::get(b.getContext(), {{"q", block.getQ()}},
                                      type.getElementType());
  Value tile = tile::MapOp::create(
      b, loc, tileType, {}, {{"q", q0}},
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        SmallVector<Value> at(indices);
        at.back() = arguments[0];
        Type real = attn::accumulateType(value.getType());
        Value x = emitRead(inner, loc, value, at, real, storage.scope);
        return roundTo(inner, loc, x, type.getElementType());
      });
  if (place.nullable) {
    Value given =
        tile::PresentOp::create(b, loc, b.getI1Type(), place.buffer.buf);
    auto branch = scf::IfOp::create(b, loc, given);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  tile::StoreOp::create(b, loc, tile, place.buffer.buf, indices,
                        {{"q", count}});
  return success();
}

} // namespace attnc::lowering
