//===- Overlap.cpp - Products of values one iteration late ----------------===//
//
// wgmma runs while its warps compute the softmax. For that the product of the
// values of a tile starts in the next iteration, right after that of the
// scores:
//
//   for n = 0 to tiles {
//     start S(n) = Q K(n)
//     start O += P(n - 1) V(n - 1)       // not in the first iteration
//     wait for S(n)
//     P(n) = softmax of S(n)             // O is computed meanwhile
//     copy the next tiles
//     wait for O, rescale O
//   }
//   O += P(tiles - 1) V(tiles - 1)
//
// P(n - 1), as operands in registers, is carried from one iteration to the
// next. ptxas would move the second wait before the softmax; it does not move
// it over the branches of the copies. Values are copied one tile later than
// keys, as their buffers are used one iteration longer. Tests:
// test/Codegen/NVPTX/overlap.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::ptx {

/// The only use of a value is `user`.
static bool isOnlyUsedBy(Value value, Operation *user) {
  return value.hasOneUse() && *value.getUsers().begin() == user;
}

/// The last product of the body, if its result is carried to the next iteration
/// where at most a rescale reads it, and products of scores come before it.
std::optional<LateProduct> Emitter::findLate(tile::ForOp loop,
                                             ArrayRef<tile::LoadOp> loads) {
  LateProduct late;
  if (!layout.getTarget().getOverlap())
    return std::nullopt;
  mlir::Block &body = loop.getBody().front();
  for (Operation &op : body)
    if (auto dot = dyn_cast<tile::DotOp>(op);
        dot && usesWarpgroups(dot, layout)) {
      late.score = late.product;
      late.product = dot;
    }
  if (!late.score || !late.product.getAcc() ||
      !isOnlyUsedBy(late.product, body.getTerminator()))
    return std::nullopt;
  auto columns = late.product.getRhs().getDefiningOp<tile::LoadOp>();
  if (!llvm::is_contained(loads, columns) ||
      !isOnlyUsedBy(columns, late.product) ||
      !late.product.getLhs().getType().hasDim(kRowDim))
    return std::nullopt;
  late.columns = columns;
  late.rescale = late.product.getAcc().getDefiningOp<tile::RescaleOp>();
  Value carried =
      late.rescale ? late.rescale.getValue() : Value(late.product.getAcc());
  if (late.rescale && !isOnlyUsedBy(late.rescale, late.product))
    return std::nullopt;
  unsigned number = late.product->getUses().begin()->getOperandNumber();
  if (carried != body.getArgument(tile::ForOp::kNumLoopArgs + number) ||
      !isOnlyUsedBy(carried, late.reader()))
    return std::nullopt;
  late.carried = carried;
  return late;
}

/// Starts the product with the rows and sums that were carried here.
void Emitter::issueLate() {
  if (Ring *ring = ringOf(late->columns))
    waitFull(*ring);
  late->inFlight =
      issueWgmma(late->product, accumulatorOf(late->carried), late->rows);
}

void Emitter::finishLate() {
  defineAccumulator(late->carried, waitForWgmma(0, late->inFlight));
  if (Ring *ring = ringOf(late->columns))
    release(*ring);
}

/// Emits an op of the body of such a loop; false for those that are as
/// elsewhere.
bool Emitter::emitLate(Operation *op) {
  if (op == late->score) {
    SmallVector<Value> sums;
    if (late->score.getAcc())
      sums = accumulatorOf(late->score.getAcc());
    takeTurn();
    SmallVector<Value> scores = issueWgmma(late->score, sums);
    if (late->hasPrevious)
      issueLate();
    passTurn();
    defineAccumulator(late->score,
                      waitForWgmma(late->hasPrevious ? 1 : 0, scores));
    return true;
  }
  if (op == late->reader()) {
    late->copyNext();
    if (late->hasPrevious)
      finishLate();
    if (Ring *ring = ringOf(late->columns); ring && ring->map) {
      emitPlace(late->columns->getParentOfType<tile::ForOp>(), late->columns);
      clearInvalidRows(*ring); // by all warpgroups, so outside of turns
    }
  }
  if (op != late->product)
    return false;
  Value rows = late->product.getLhs();
  int64_t depth =
      *cast<tile::TileType>(rows.getType()).getDimSize(late->product.getSum());
  late->rows = packSteps(rows, layout.padded(depth) / kFragment);
  tiles[late->product] = tiles[late->product.getAcc()];
  return true;
}

SmallVector<Value>
Emitter::emitOverlapped(tile::ForOp loop, Value end, ValueRange carried,
                        Builder::Carry emitAt,
                        llvm::function_ref<void(Value)> findCopies) {
  size_t count = carried.size();
  auto emitWithRows = [&](Value number, ValueRange inner) {
    late->hasPrevious = inner.size() > count;
    late->rows = SmallVector<Value>(inner.drop_front(count));
    SmallVector<Value> next = emitAt(number, inner.take_front(count));
    llvm::append_range(next, late->rows);
    return next;
  };
  auto emitAll = [&] {
    beginTurns();
    SmallVector<Value> values = emitWithRows(b.index(0), carried);
    values = b.loop(b.index(1), end, b.index(1), values, emitWithRows);
    // The product of the last tile.
    if (!stream) {
      b.intrinsic("cp.async.wait.group", b.i32(0));
      publish(*tiles[late->columns].shared);
    }
    auto arguments = loop.getBody().front().getArguments().drop_front(
        tile::ForOp::kNumLoopArgs);
    bind(arguments, ValueRange(values).take_front(count));
    late->rows = SmallVector<Value>(ValueRange(values).drop_front(count));
    findCopies(end);
    issueLate();
    finishLate();
    endTurns();
    return flatten(arguments);
  };
  return b.choose(SmallVector<Type>(carried.getTypes()),
                  b.compare(Builder::Predicate::sgt, end, 0), emitAll,
                  [&] { return SmallVector<Value>(carried); });
}

} // namespace attnc::ptx
