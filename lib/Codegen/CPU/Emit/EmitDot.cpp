//===- EmitDot.cpp - The register tile of a dot ---------------------------===//
//
// One operand is in a slot with queries along the lanes, the other is read
// element by element from rows of K or V and broadcast; lanes that are read
// once are loaded from the tensor where they can be (Plan/Streams.cpp):
//
//   acc[row][vector] += broadcast(B[row, n]) * A[n][vector]     for all n
//
// Accumulators are carried through the loop over n in registers. Their first
// values are zero or the dot's `acc`, which elementwise ops of the same nest
// may have made (the rescaled output).
//
// A dot of terms evaluates its region on the same operands instead, for fewer
// places at once: what it computes needs registers of its own.
//
// What is needed soon is asked for before, too (FetchAhead.cpp). With few
// queries lanes are features instead (Features/Along.cpp); a dot-product unit
// takes two elements of the sum at once (EmitPairs.cpp), or of 8-bit integers
// up to four (IntegerProduct.cpp).
//
// The number of products is exact also when it is known at run time only; rows
// of B past the end are never read: their index is clamped to the last row.
// Tests: test/Codegen/CPU/dot.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/IntegerProduct.h"
#include "Emit/RegionEmitter.h"
#include "Plan/Block2D.h"

#include "attnc/Target/Terms.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// Index of a row of B that exists.
static Value clampRow(Ops &ops, Value index, Value extent) {
  return extent ? ops.min(index, ops.sub(extent, ops.index(1))) : index;
}

Broadcasts broadcastsOf(Ops &ops, const Rows &rows, StringAttr free,
                        const Granule &granule, Value extent, Type element) {
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

/// The term of each place of the granule, for element `n` of the sum: of the
/// elements of each tile, a vector of queries or a scalar per row.
SmallVector<Value> Emitter::emitTerm(Granule &granule, tile::DotOp dot, Value n,
                                     ArrayRef<SmallVector<Value>> elements) {
  Block &term = dot.getTerm().front();
  RegionEmitter region(*this, granule);
  for (auto [argument, tile, values] :
       llvm::zip(term.getArguments(), dot.getTiles(), elements))
    if (tile.getType().hasDim(kLaneDim))
      region.bindVectors(argument, values);
    else
      region.bindScalars(argument, values);
  region.bindTermPositions(dot, n);
  region.bindTermReads(dot, n);
  region.run(term);
  return region.results(term.getTerminator()->getOperand(0),
                        granule.item.space);
}

/// The sums of terms of one vector of queries, a few rows after the other:
/// enough of them to hide the latency of a term. Rows past `extent` do not
/// exist.
SmallVector<Value> Emitter::emitTerms(Granule &granule, tile::DotOp dot,
                                      Value extent, SmallVector<Value> sums) {
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t size = *dot.getLhs().getType().getDimSize(sum);
  Item along{ItemKind::Nest, {}, {true, sum, size}};
  SmallVector<Broadcasts> broadcasts;
  for (Value tile : dot.getTiles())
    broadcasts.push_back(rows.contains(tile)
                             ? broadcastsOf(ops, rows.lookup(tile),
                                            granule.item.space.dim, granule,
                                            extent, accumulator())
                             : Broadcasts());
  Value count = extentOf(sum, size);
  for (int64_t first = 0; first < granule.rows; first += rowsOfTerms) {
    int64_t rows = std::min(rowsOfTerms, granule.rows - first);
    Value start = granule.start ? ops.add(granule.start, first) : Value();
    Granule part(granule.item, granule.window, start, rows);
    auto addTerms = [&](Value n, ValueRange carried) {
      Granule at(along, granule.window, n);
      SmallVector<SmallVector<Value>> elements;
      for (auto [tile, from] : llvm::zip_equal(dot.getTiles(), broadcasts)) {
        SmallVector<Value> &values = elements.emplace_back();
        if (from.pointers.empty()) {
          values.push_back(element(at, tile, 0, 0));
          continue;
        }
        for (Value pointer : ArrayRef(from.pointers).slice(first, rows))
          values.push_back(ops.load(
              accumulator(),
              ops.address(pointer, accumulator(), ops.mul(n, from.step)),
              memoryBytes(accumulator())));
      }
      SmallVector<Value> next(carried);
      SmallVector<Value> terms = emitTerm(part, dot, n, elements);
      for (auto [acc, term] : llvm::zip_equal(next, terms)) {
        Value total = arith::AddFOp::create(ops, ops.loc, acc, term);
        if (dot.getMask())
          total = ops.select(element(at, dot.getMask(), 0, 0), total, acc);
        acc = total;
      }
      return next;
    };
    SmallVector<Value> made =
        ops.loop(beginOf(sum), count ? count : ops.index(size), 1,
                 ArrayRef(sums).slice(first, rows), addTerms);
    llvm::copy(made, sums.begin() + first);
  }
  return sums;
}

void Emitter::emitDot(Granule &granule, tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value a = lhsOnLanes ? dot.getLhs() : dot.getRhs();
  switch (featureFormOf(dot, plan)) {
  case FeatureForm::Along:
    return emitAlongFeatures(granule, dot);
  case FeatureForm::Across:
    return emitAcrossFeatures(granule, dot);
  case FeatureForm::None:
    break;
  }
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  auto aType = cast<tile::TileType>(a.getType());
  Value extent = granule.item.space.dim && !granule.inside
                     ? extentOf(granule.item.space.dim, granule.item.space.size)
                     : Value();
  // All at once they would stand before the keys that a tall granule waits for.
  Value count = extentOf(sum, *aType.getDimSize(sum));
  bool isTall = seen.end && !count;
  if (!isTall)
    fetchNextRows(granule, dot, {}, 1);
  if (dot.getAcc() || isa<tile::GridOp>(dot->getParentOp()))
    fetchAhead(granule, dot);
  fetchLanes(granule, dot);
  fetchStored(granule, dot);
  int64_t vectors = granule.window.vectors;
  SmallVector<Value> sums;
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(dot.getAcc() ? element(granule, dot.getAcc(), row, v)
                                  : ops.zero(laneVector(accumulator())));
  if (dot.hasTerm()) {
    granule.registers[dot.getResult()] = emitTerms(granule, dot, extent, sums);
    return;
  }
  if (plan.integerTiles.contains(a)) {
    granule.registers[dot.getResult()] =
        IntegerProduct(*this, a).addTo(sums, granule, dot, extent);
    return;
  }
  if (plan.pairDots.contains(dot)) {
    granule.registers[dot.getResult()] = addPairs(granule, dot, extent, sums);
    return;
  }
  granule.registers[dot.getResult()] = addProducts(granule, dot, extent, sums);
}

/// Vector `v` of row `n` of lanes that are contiguous in memory.
Value Emitter::loadStreamed(const Rows &from, Window window, Value n,
                            int64_t v) {
  Value lane = ops.add(firstRow(window), v * lanes());
  Type memory = memoryType(from.element);
  Value at = ops.address(from.pointer, memory,
                         ops.add(ops.mul(n, from.rowStride), lane));
  return convertRow(ops.load(laneVector(memory), at, memoryBytes(from.element)),
                    from.element, accumulator());
}

SmallVector<Value> Emitter::addProducts(Granule &granule, tile::DotOp dot,
                                        Value extent, ValueRange sums) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value a = lhsOnLanes ? dot.getLhs() : dot.getRhs();
  Value b = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t size = *cast<tile::TileType>(a.getType()).getDimSize(sum);
  int64_t vectors = granule.window.vectors;
  Broadcasts scalars = broadcastsOf(ops, rows.lookup(b), granule.item.space.dim,
                                    granule, extent, accumulator());
  Item along{ItemKind::Nest, {}, {true, sum, size}};
  bool isInPlace = false;
  auto addProduct = [&](Value n, ValueRange carried) {
    SmallVector<Value> next(carried);
    Granule at(along, granule.window, n);
    for (int64_t v = 0; isInPlace && v < vectors; ++v)
      at.registers[a].push_back(
          loadStreamed(rows.lookup(a), granule.window, n, v));
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
        next = addProduct(ops.add(n, u), next);
      return next;
    };
  };
  auto addAll = [&]() -> SmallVector<Value> {
    Value count = extentOf(sum, size);
    if (count)
      return ops.loop(beginOf(sum), count, 1, sums, unrolled(1));
    int64_t unroll = target.getUnroll();
    // A register tile of one vector has many rows: their addresses are found
    // once for several elements.
    if (seen.end)
      unroll = std::max<int64_t>(unroll, 4);
    int64_t whole = size / unroll * unroll;
    SmallVector<Value> all =
        ops.loop(ops.index(0), ops.index(whole), unroll, sums,
                 [&](Value n, ValueRange carried) {
                   if (seen.end)
                     fetchNextRows(granule, dot, ops.floorDiv(n, unroll),
                                   whole / unroll);
                   return unrolled(unroll)(n, carried);
                 });
    return whole < size ? unrolled(size - whole)(ops.index(whole), all) : all;
  };
  auto load = a.getDefiningOp<tile::LoadOp>();
  if (!plan.streamed.contains(load) || !mayFollow(load))
    return addAll();
  Value end = ops.add(firstRow(granule.window), vectors * lanes());
  return ops.chooseAll(
      sums.getTypes(),
      ops.compare(arith::CmpIPredicate::sle, end, rows.lookup(a).endOfLanes),
      [&] {
        isInPlace = true;
        return addAll();
      },
      [&] {
        isInPlace = false;
        return addAll();
      });
}

} // namespace attnc::cpu
