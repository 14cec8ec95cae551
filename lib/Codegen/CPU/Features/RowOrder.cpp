//===- RowOrder.cpp - Features of rows of K and V in lanes ----------------===//
//
// Two vectors of bf16 rows are loaded as one of 32-bit lanes: its lower and its
// upper halves become f32 by a shift and by a mask, without a conversion and a
// shuffle each. So the first vector has every other feature, and the second the
// features between. With a dot-product unit the lanes stay pairs: of features
// of a key, and of a feature of two values, whose rows are interleaved within
// 128 bits. Tests: test/Codegen/CPU/features.mlir
//
//===----------------------------------------------------------------------===//

#include "Features/RowOrder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

Value queriesOf(tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  return lhsOnLanes ? dot.getLhs() : dot.getRhs();
}

Value rowsOf(tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  return lhsOnLanes ? dot.getRhs() : dot.getLhs();
}

RowOrder rowOrderOf(tile::DotOp dot, const Plan &plan) {
  auto isOfBf16 = [&](tile::DotOp product) {
    auto load = rowsOf(product).getDefiningOp<tile::LoadOp>();
    return plan.accumulator.isF32() && rowTypeOf(load, plan).isBF16();
  };
  bool isAcross = featureFormOf(dot, plan) == FeatureForm::Across;
  if (plan.pairDots.contains(dot))
    return isAcross ? RowOrder::Zipped : RowOrder::Pairs;
  bool areOfBf16 =
      isAcross ? isOfBf16(dot)
               : llvm::all_of(queriesOf(dot).getUsers(), [&](Operation *user) {
                   auto other = dyn_cast<tile::DotOp>(user);
                   return !other ||
                          featureFormOf(other, plan) != FeatureForm::Along ||
                          isOfBf16(other);
                 });
  return areOfBf16 ? RowOrder::EvenOdd : RowOrder::Plain;
}

/// Elements of 32 bits within which VPUNPCK stays.
static constexpr int64_t kUnpacked = 4;

int64_t featureAt(RowOrder order, int64_t number, int64_t lane, int64_t lanes,
                  int64_t count) {
  int64_t first = number / 2 * 2 * lanes, half = number % 2;
  if (order == RowOrder::Plain || first + 2 * lanes > count)
    return number * lanes + lane;
  if (order == RowOrder::Zipped)
    return first + lane / kUnpacked * 2 * kUnpacked + half * kUnpacked +
           lane % kUnpacked;
  return first + 2 * lane + half;
}

Value loadPairs(Ops &ops, int64_t lanes, Value pointer) {
  return ops.load(ops.vector(lanes, ops.getI32Type()), pointer,
                  /*alignment=*/2);
}

std::array<Value, 2> splitPairs(Ops &ops, Value pairs) {
  auto bits = cast<VectorType>(pairs.getType());
  VectorType type = ops.vector(bits.getNumElements(), ops.getF32Type());
  Value low =
            arith::ShLIOp::create(ops, ops.loc, pairs, ops.constant(bits, 16)),
        high = arith::AndIOp::create(ops, ops.loc, pairs,
                                     ops.constant(bits, -65536));
  return {LLVM::BitcastOp::create(ops, ops.loc, type, low),
          LLVM::BitcastOp::create(ops, ops.loc, type, high)};
}

Value joinPairs(Ops &ops, Value low, Value high) {
  int64_t lanes = cast<VectorType>(low.getType()).getNumElements();
  VectorType bits = ops.vector(lanes, ops.getI32Type());
  Value lower = arith::ShRUIOp::create(
      ops, ops.loc, LLVM::BitcastOp::create(ops, ops.loc, bits, low),
      ops.constant(bits, 16));
  Value upper = arith::AndIOp::create(
      ops, ops.loc, LLVM::BitcastOp::create(ops, ops.loc, bits, high),
      ops.constant(bits, -65536));
  return arith::OrIOp::create(ops, ops.loc, lower, upper);
}

SmallVector<Value> zipRows(Ops &ops, int64_t lanes, int64_t count, Value first,
                           Value second) {
  if (!second)
    second = ops.zero(first.getType());
  SmallVector<int64_t> low, high;
  int64_t size = count == 2 * lanes ? count : lanes;
  bool isInOrder = size == lanes;
  int64_t group = isInOrder ? lanes : 2 * kUnpacked;
  for (int64_t from = 0; from < size; from += group)
    for (int64_t i = 0; i < (isInOrder ? lanes : kUnpacked); ++i)
      for (int64_t row : {int64_t(0), size}) {
        low.push_back(row + from + i);
        high.push_back(row + from + kUnpacked + i);
      }
  SmallVector<Value> zipped{
      vector::ShuffleOp::create(ops, ops.loc, first, second, low)};
  if (!isInOrder)
    zipped.push_back(
        vector::ShuffleOp::create(ops, ops.loc, first, second, high));
  return zipped;
}

Value loadElements(Ops &ops, int64_t lanes, Type memory, Value pointer,
                   int64_t count) {
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  if (count == lanes)
    return ops.load(ops.vector(lanes, memory), pointer, bytes);
  Value raw = ops.constant(ops.vector(lanes, memory), 0);
  int64_t done = 0;
  for (int64_t size = lanes / 2; size >= 1; size /= 2) {
    if (!(count & size))
      continue;
    Value piece =
        ops.load(ops.vector(size, memory),
                 ops.address(pointer, memory, ops.index(done)), bytes);
    SmallVector<int64_t> lanesOf;
    for (int64_t lane = 0; lane < lanes; ++lane)
      lanesOf.push_back(
          lane < done || lane >= done + size ? lane : lanes + lane - done);
    raw = vector::ShuffleOp::create(ops, ops.loc, raw, piece, lanesOf);
    done += size;
  }
  return raw;
}

} // namespace attnc::cpu
