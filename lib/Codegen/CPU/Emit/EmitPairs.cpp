//===- EmitPairs.cpp - Products by pairs on a dot-product unit ------------===//
//
// The register tile of EmitDot.cpp with two elements of the sum per step: a
// lane of A and a broadcast of B are pairs of bf16, accumulators are f32.
//
//   acc[row][vector] += broadcast(B[row, 2n]) * A[2n][vector] +
//                       broadcast(B[row, 2n + 1]) * A[2n + 1][vector]
//
// A pair of B is 32 adjacent bits of a row of K, or an element of packed rows
// of V (StorePairs.cpp). The last pair of an odd number of features is
// completed by 0, so nothing past the end of a row is read; packed rows are
// complete. Tests: test/Codegen/CPU/pairs.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Bf16Ops.h"
#include "Emit/Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

Value multiplyPairs(Ops &ops, Value sum, Value a, Value b) {
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements();
  Type pairs = ops.vector(2 * lanes, ops.getBF16Type());
  auto name =
      ops.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." + Twine(32 * lanes));
  Value operands[] = {sum, LLVM::BitcastOp::create(ops, ops.loc, pairs, a),
                      LLVM::BitcastOp::create(ops, ops.loc, pairs, b)};
  return LLVM::CallIntrinsicOp::create(ops, ops.loc, type, name, operands)
      .getResult(0);
}

SmallVector<Value> Emitter::addPairs(Granule &granule, tile::DotOp dot,
                                     Value extent, SmallVector<Value> sums) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value a = lhsOnLanes ? dot.getLhs() : dot.getRhs();
  Value b = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  auto aType = cast<tile::TileType>(a.getType());
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t size = *aType.getDimSize(sum), vectors = granule.window.vectors;
  const Slot &slot = plan.slots.find(a)->second;
  const Rows &from = rows.find(b)->second;
  bool isPacked = from.row == sum;
  Type i16 = ops.getI16Type(), i32 = ops.getI32Type();
  Type element = isPacked ? i32 : i16;
  Broadcasts scalars =
      broadcastsOf(ops, from, granule.item.space.dim, granule, extent, element);
  /// `isHalf`: only the first element of the pair exists.
  auto addPair = [&](Value n, ValueRange carried, bool isHalf) {
    SmallVector<Value> next(carried);
    Value place = isPacked ? ops.mul(n, scalars.step) : ops.mul(n, 2);
    SmallVector<Value> pairs;
    for (int64_t v = 0; v < vectors; ++v)
      pairs.push_back(ops.load(laneVector(i32),
                               slotAddress(slot, aType, n, granule.window, v),
                               4 * lanes()));
    for (int64_t row = 0; row < granule.rows; ++row) {
      Value at = ops.address(scalars.pointers[row], element, place);
      Value pair = isHalf ? Value(arith::ExtUIOp::create(ops, ops.loc, i32,
                                                         ops.load(i16, at, 2)))
                          : ops.load(i32, at, isPacked ? 4 : 2);
      Value factor = ops.broadcast(pair, lanes());
      for (int64_t v = 0; v < vectors; ++v) {
        Value &acc = next[row * vectors + v];
        acc = multiplyPairs(ops, acc, pairs[v], factor);
      }
    }
    return next;
  };
  if (Value count = extentOf(sum, size)) {
    Value begin = ops.floorDiv(beginOf(sum), 2);
    Value end = ops.ceilDiv(count, 2);
    Value whole = isPacked ? end : ops.floorDiv(count, 2);
    auto addPairs = [&](Value low, Value high, bool isHalf) {
      sums = ops.loop(low, high, 1, sums, [&](Value n, ValueRange carried) {
        return addPair(n, carried, isHalf);
      });
    };
    addPairs(begin, whole, /*isHalf=*/false);
    if (!isPacked)
      addPairs(whole, end, /*isHalf=*/true);
    return sums;
  }
  int64_t whole = isPacked ? llvm::divideCeil(size, 2) : size / 2;
  int64_t unroll = target.getUnroll(), even = whole / unroll * unroll;
  auto addSome = [&](Value n, ValueRange carried, int64_t count) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < count; ++u)
      next = addPair(ops.add(n, u), next, /*isHalf=*/false);
    return next;
  };
  sums = ops.loop(
      ops.index(0), ops.index(even), unroll, sums,
      [&](Value n, ValueRange carried) { return addSome(n, carried, unroll); });
  sums = addSome(ops.index(even), sums, whole - even);
  if (2 * whole < size)
    sums = addPair(ops.index(whole), sums, /*isHalf=*/true);
  return sums;
}

} // namespace attnc::cpu
