//===- IntegerProduct.cpp - Products of 8-bit integers --------------------===//
//
// The register tile of EmitDot.cpp with sums of 32-bit integers, which are
// exact and converted to the accumulate type in the end. A lane of A and a
// broadcast of B hold as many elements of the sum as the unit's depth says:
//
//   depth   elements                         instructions
//   4       8 bits, B unsigned, A signed     VPDPBUSD
//   2       16 bits                          VPMADDWD, VPADDD
//
// Rows of B are copies (Memory.cpp) in which each row starts at whole elements
// of 32 bits. What is past the end of a row is multiplied by zeros of A.
//
// For signed rows of an instruction that multiplies unsigned by signed integers
// the copy has B + 128, and sums start at -128 times the sum of A, a row of
// lanes after A in its slot:
//
//   sum of (B + 128) * A - 128 * (sum of A) = sum of B * A
//
// Tests: test/Codegen/CPU/Memory/integer-products.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/IntegerProduct.h"

using namespace mlir;

namespace attnc::cpu {

IntegerProduct::IntegerProduct(Emitter &emitter, Value queries)
    : emitter(emitter), ops(emitter.ops),
      unit(*emitter.plan.integerTiles.lookup(queries)),
      type(cast<tile::TileType>(queries.getType())),
      slot(emitter.plan.slots.find(queries)->second),
      steps(llvm::divideCeil(spaceOf(type)->size, int64_t(unit.depth))) {}

/// `row` and `query` are vectors of 32 bits.
Value IntegerProduct::multiply(Value sum, Value row, Value query) {
  int64_t lanes = emitter.lanes();
  Type parts =
      ops.vector(lanes * unit.depth, ops.getIntegerType(32 / unit.depth));
  row = LLVM::BitcastOp::create(ops, ops.loc, parts, row);
  query = LLVM::BitcastOp::create(ops, ops.loc, parts, query);
  auto call = [&](const Twine &name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(ops, ops.loc, sum.getType(),
                                         ops.getStringAttr("llvm.x86." + name),
                                         operands)
        .getResult(0);
  };
  if (unit.depth == 4)
    return call("avx512.vpdpbusd." + Twine(32 * lanes), {sum, row, query});
  return arith::AddIOp::create(ops, ops.loc, sum,
                               call("avx2.pmadd.wd", {row, query}));
}

Value IntegerProduct::queriesAt(Value step, Window window, int64_t vector) {
  return ops.load(emitter.laneVector(ops.getI32Type()),
                  emitter.slotAddress(slot, type, step, window, vector),
                  4 * emitter.lanes());
}

void IntegerProduct::storeStarts(Window window) {
  Type i32 = emitter.laneVector(ops.getI32Type());
  Value ones = ops.constant(i32, double(int32_t(0x80808080)));
  SmallVector<Value> sums(window.vectors, ops.zero(i32));
  sums = ops.loop(ops.index(0), ops.index(steps), 1, sums,
                  [&](Value step, ValueRange carried) {
                    SmallVector<Value> next;
                    for (auto [v, sum] : llvm::enumerate(carried))
                      next.push_back(
                          multiply(sum, ones, queriesAt(step, window, v)));
                    return next;
                  });
  for (auto [v, sum] : llvm::enumerate(sums))
    ops.store(
        arith::SubIOp::create(ops, ops.loc, ops.zero(i32), sum),
        emitter.slotAddress(slot, type, ops.index(steps), window, int64_t(v)),
        4 * emitter.lanes());
}

SmallVector<Value> IntegerProduct::addTo(SmallVector<Value> sums,
                                         const Granule &granule,
                                         tile::DotOp dot, Value extent) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value loaded = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  bool isSigned = !loaded.getDefiningOp<tile::LoadOp>()
                       .getBuf()
                       .getType()
                       .getElementType()
                       .isUnsignedInteger();
  const Rows &from = emitter.rows.find(loaded)->second;
  int64_t vectors = granule.window.vectors;
  Type i32 = ops.getI32Type();
  Broadcasts scalars = broadcastsOf(ops, from, granule.item.space.dim, granule,
                                    extent, emitter.memoryType(from.element));
  SmallVector<Value> starts, made;
  for (int64_t v = 0; v < vectors; ++v)
    starts.push_back(mixesSigns(unit) && isSigned
                         ? queriesAt(ops.index(steps), granule.window, v)
                         : ops.zero(emitter.laneVector(i32)));
  for (int64_t row = 0; row < granule.rows; ++row)
    llvm::append_range(made, starts);
  auto addStep = [&](Value step, ValueRange carried) {
    SmallVector<Value> next(carried), queries;
    for (int64_t v = 0; v < vectors; ++v)
      queries.push_back(queriesAt(step, granule.window, v));
    for (int64_t row = 0; row < granule.rows; ++row) {
      Value at = ops.address(scalars.pointers[row], i32, step);
      Value factor = ops.broadcast(ops.load(i32, at, 4), emitter.lanes());
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = next[row * vectors + v];
        sum = multiply(sum, factor, queries[v]);
      }
    }
    return next;
  };
  auto addSome = [&](Value step, ValueRange carried, int64_t count) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < count; ++u)
      next = addStep(ops.add(step, u), next);
    return next;
  };
  int64_t unroll = emitter.target.getUnroll(), even = steps / unroll * unroll;
  made = ops.loop(ops.index(0), ops.index(even), unroll, made,
                  [&](Value step, ValueRange carried) {
                    return addSome(step, carried, unroll);
                  });
  made = addSome(ops.index(even), made, steps - even);
  for (auto [sum, integers] : llvm::zip_equal(sums, made)) {
    Value product =
        arith::SIToFPOp::create(ops, ops.loc, sum.getType(), integers);
    sum = dot.getAcc()
              ? arith::AddFOp::create(ops, ops.loc, sum, product).getResult()
              : product;
  }
  return sums;
}

} // namespace attnc::cpu
