//===- EmitDot.cpp - The register tile of a dot ---------------------------===//
//
// One operand lies in a slot with queries along the lanes, the other is read
// element by element from rows of K or V and broadcast:
//
//   acc[row][vector] += broadcast(B[row, n]) * A[n][vector]     for all n
//
// Accumulators are carried through the loop over n in registers. Their first
// values are zero or the dot's `acc`, which elementwise ops of the same nest
// may have made (the rescaled output).
//
// The number of products is exact also when it is known at run time only; rows
// of B past the end are never read: their index is clamped to the last row.
// Tests: test/Codegen/CPU/dot.mlir
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

namespace {
/// The operand without lanes: pointers to its rows or columns of a granule.
struct Broadcasts {
  SmallVector<Value> pointers; // one per row of the granule
  Value step;                  // elements from one n to the next
};
} // namespace

/// Index of a row of B that exists.
static Value clampRow(Ops &ops, Value index, Value extent) {
  return extent ? ops.min(index, ops.sub(extent, ops.index(1))) : index;
}

static Broadcasts broadcastsOf(Ops &ops, const Rows &rows, StringAttr free,
                               const Granule &granule, Value extent,
                               Type element) {
  bool freeIsRow = free && rows.row == free;
  Broadcasts b{{}, freeIsRow ? ops.index(1) : rows.rowStride};
  for (int64_t row = 0; row < granule.rows; ++row) {
    if (!free) { // one row of lanes: B has the summed dim only
      b.pointers.push_back(rows.pointer);
      continue;
    }
    Value index = clampRow(ops, ops.add(granule.start, row), extent);
    Value offset = freeIsRow ? ops.mul(index, rows.rowStride) : index;
    b.pointers.push_back(ops.address(rows.pointer, element, offset));
  }
  return b;
}

void Emitter::emitDot(Granule &granule, tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value a = lhsOnLanes ? dot.getLhs() : dot.getRhs();
  Value b = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  auto aType = cast<tile::TileType>(a.getType());
  Value extent = granule.item.space.dim
                     ? extentOf(granule.item.space.dim, granule.item.space.size)
                     : Value();
  Broadcasts scalars = broadcastsOf(ops, rows.lookup(b), granule.item.space.dim,
                                    granule, extent, accumulator());
  int64_t vectors = granule.window.vectors;
  SmallVector<Value> sums;
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(dot.getAcc() ? element(granule, dot.getAcc(), row, v)
                                  : ops.zero(laneVector(accumulator())));
  Item along{ItemKind::Nest, {}, {true, sum, *aType.getDimSize(sum)}};
  auto addProducts = [&](Value n, ValueRange carried) {
    SmallVector<Value> next(carried);
    Granule at(along, granule.window, n);
    for (int64_t row = 0; row < granule.rows; ++row) {
      Value place = ops.address(scalars.pointers[row], accumulator(),
                                ops.mul(n, scalars.step));
      Value factor = ops.broadcast(
          ops.load(accumulator(), place, memoryBytes(accumulator())), lanes());
      for (int64_t v = 0; v < vectors; ++v) {
        Value &acc = next[row * vectors + v];
        Value product = vector::FMAOp::create(ops, ops.loc, factor,
                                              element(at, a, 0, v), acc);
        if (dot.getMask())
          product = ops.select(element(at, dot.getMask(), 0, v), product, acc);
        acc = product;
      }
    }
    return next;
  };
  auto unrolled = [&](int64_t count) {
    return [&, count](Value n, ValueRange carried) {
      SmallVector<Value> next(carried);
      for (int64_t u = 0; u < count; ++u)
        next = addProducts(ops.add(n, u), next);
      return next;
    };
  };
  if (Value count = extentOf(sum, *aType.getDimSize(sum))) {
    sums = ops.loop(ops.index(0), count, 1, sums, unrolled(1));
  } else {
    int64_t size = *aType.getDimSize(sum), unroll = target.getUnroll();
    int64_t whole = size / unroll * unroll;
    sums = ops.loop(ops.index(0), ops.index(whole), unroll, sums,
                    unrolled(unroll));
    if (whole < size)
      sums = unrolled(size - whole)(ops.index(whole), sums);
  }
  granule.registers[dot.getResult()] = std::move(sums);
}

} // namespace attnc::cpu
