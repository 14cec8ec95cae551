//===- LowerCopy.cpp - Copy tensors that no op stores in place ------------===//
//
// A tensor that an op beside the kernels made, or an argument, goes to a result
// of the function, or to the rows of all sequences that another op reads, row
// by row of the last axis:
//
//   tile.grid (%a0, %a1, %i) ... { store (tile.map () at(q = ..) {tile.read}) }
//
// Rows of sequences become rows of all (attn.pack) one by one; tile.locate says
// which is a grid instance's, and an instance behind the last row of a sequence
// has nothing to do.
// Tests: test/Lowering/Side/side-ops.mlir, test/Lowering/storage.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Kernel/RaggedSequences.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

namespace {
class Copy {
public:
  Copy(Value value, attn::BlockAttr block, Storage &storage)
      : value(value), pack(value.getDefiningOp<attn::PackOp>()),
        source(pack ? pack.getSource() : value), block(block), storage(storage),
        loc(value.getLoc()), type(cast<RankedTensorType>(value.getType())),
        b(OpBuilder::atBlockEnd(&storage.program.getBody().front())) {}

  LogicalResult check(Operation *user);
  void emit(const Destination &result);

private:
  tile::GridOp makeGrid(Value step);
  void findRow(Value instance);
  void branchOn(Value condition);

  Value value;
  attn::PackOp pack; // or null
  Value source;
  attn::BlockAttr block;
  Storage &storage;
  Location loc;
  RankedTensorType type;
  OpBuilder b;
  SmallVector<Value> from, to; // indices of the first element
};
} // namespace

LogicalResult Copy::check(Operation *user) {
  if (pack && (type.getRank() < 2 || !isa<BlockArgument>(pack.getStart())))
    return pack.emitOpError("packs rows of one element, or by a table that is "
                            "not an argument, which cannot be lowered yet");
  return checkElements(user, source, storage.scope);
}

/// Axes of the result, the last in steps; rows of all sequences one by one.
tile::GridOp Copy::makeGrid(Value step) {
  SmallVector<Value> extents;
  SmallVector<std::string> names;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    extents.push_back(storage.scope.sizeOf(b, loc, attn::axisSize(type, axis)));
    names.push_back("a" + std::to_string(axis));
  }
  if (pack) {
    Value sequences =
        storage.scope.sizeOf(b, loc, attn::axisSize(source.getType(), 0));
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    extents[0] = countBlocks(b, loc, sequences, extents[0], one);
  }
  extents.back() =
      b.createOrFold<arith::CeilDivSIOp>(loc, extents.back(), step);
  SmallVector<StringRef> texts(names.begin(), names.end());
  auto grid = tile::GridOp::create(b, loc, extents, texts);
  if (block.getTarget() != storage.program.getTarget())
    grid.setTargetAttr(block.getTarget());
  return grid;
}

void Copy::branchOn(Value condition) {
  auto branch = scf::IfOp::create(b, loc, condition);
  b.setInsertionPointToStart(branch.thenBlock());
}

/// From (instance, ...) to (sequence, row, ...) and (row of all, ...).
void Copy::findRow(Value instance) {
  Value start = storage.scope.values.lookup(pack.getStart());
  auto place = tile::LocateOp::create(b, loc, b.getIndexType(),
                                      b.getIndexType(), instance, start, 1);
  Sequence sequence = emitSequence(b, loc, start, place.getSequence());
  branchOn(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                 place.getBlock(), sequence.length));
  to[0] = arith::AddIOp::create(b, loc, sequence.begin, place.getBlock());
  from[0] = place.getBlock();
  from.insert(from.begin(), place.getSequence());
}

void Copy::emit(const Destination &result) {
  Value step = arith::ConstantIndexOp::create(b, loc, block.getQ());
  Value size =
      storage.scope.sizeOf(b, loc, attn::axisSize(type, type.getRank() - 1));
  tile::GridOp grid = makeGrid(step);
  b.setInsertionPointToStart(&grid.getBody().front());
  branchOnWanted(b, loc, result.wantedFor);
  to = SmallVector<Value>(grid.getBody().getArguments());
  Value q0 = arith::MulIOp::create(b, loc, to.back(), step);
  Value left = arith::SubIOp::create(b, loc, size, q0);
  Value count = arith::MinSIOp::create(b, loc, left, step);
  to.back() = q0;
  from = to;
  if (pack)
    findRow(to[0]);
  auto tileType = tile::TileType::get(b.getContext(), {{"q", block.getQ()}},
                                      type.getElementType());
  Value tile = tile::MapOp::create(
      b, loc, tileType, {}, {{"q", q0}},
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        SmallVector<Value> at(from);
        at.back() = arguments[0];
        Type real = attn::accumulateType(value.getType());
        Value x = emitRead(inner, loc, source, at, real, storage.scope);
        return emitRounded(inner, loc, x, type.getElementType());
      });
  tile::StoreOp::create(b, loc, tile, result.buffer.buf, to, {{"q", count}});
}

LogicalResult lowerCopy(Value value, unsigned number, attn::BlockAttr block,
                        Storage &storage) {
  Operation *terminator = value.getParentBlock()->getTerminator();
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return terminator->emitOpError()
           << "result " << number << " has no axes, which cannot be returned";
  if (!isa<FloatType>(type.getElementType()))
    return terminator->emitOpError()
           << "result " << number << " holds " << type.getElementType()
           << "; only floats can be computed";
  Copy copy(value, block, storage);
  if (failed(copy.check(terminator)))
    return failure();
  copy.emit(storage.copyTo(number));
  return success();
}

LogicalResult lowerPack(attn::PackOp pack, attn::BlockAttr block,
                        Storage &storage) {
  if (!pack.getFill() || storage.scope.values.contains(pack.getResult()))
    return success(); // stored with what it is a view of
  Copy copy(pack.getResult(), block, storage);
  if (failed(copy.check(pack)))
    return failure();
  copy.emit(storage.copyTo(pack));
  return success();
}

} // namespace attnc::lowering
