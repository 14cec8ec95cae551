//===- ChunkStates.cpp - States: contributions of earlier chunks ----------===//
//
// A score x f(q) g(k) D(q, k) with D(q, k) = exp(u(q) + w(k)) makes of all keys
// before r one matrix, here for chunks of C keys:
//
//   S_r     = sum over k < r of D(a_r, k) g(k) fk(k) v(k)
//   S_(r+C) = S_r D(a_(r+C), .) / D(a_r, .) + the same sum over the chunk
//   o(q)    = f(q) D(q, .) / D(a_r, .) fq(q) S_r + the pairs with r <= k <= q
//
// and the same without v for the sum of the weights. Where each feature has
// factors and decays of its own, those are of a row of S. The quotients do not
// depend on the key. a_r, from where the decay of state r is measured, is the
// first row that sees all keys before r, so it is never behind a row that uses
// the state: exponents are differences over a chunk, or those of the formula.
// The quotient is taken of exponents where D is an exponential, at the key in
// the place of a_r, so that equal terms cancel before they are rounded. With
// keys that all rows see, a_r is row 0; states that no row uses are not made:
// formulas are read at rows that exist.
//
// Two grids: states in the order of the chunks, for each head and block of
// features (ChunkGrid.cpp); then the kernel's own, here, whose blocks start
// from a state. A block starts at the last multiple of C before which its first
// row sees everything; it need not end with a chunk. Where there are fewer than
// C / 2 queries no state is made: visiting the keys costs less.
//
// On a unit for bf16 states, and what multiplies them, are stored and
// multiplied as sums of two bf16 (Kernel/SplitOperands.cpp). Sums stay f32.
//
// Decays that grow, and what is no number, are no matter of states: a weight or
// a quotient above 2^20 becomes a NaN, and a block whose state gives anything
// but finite numbers visits all keys itself, as the formula says.
//
// Tests: test/Lowering/chunked.mlir,
// test/Unit/Lowering/ConvertAttnToTileTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Chunk/ChunkStates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

void ChunkStates::emitStart(OpBuilder &builder) {
  Location loc = block.loc;
  visible = formulas.emitVisible(builder, block.bhg);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value size = arith::ConstantIndexOp::create(builder, loc, chunk);
  Value last = builder.createOrFold<arith::SubIOp>(loc, block.kvLen, one);
  Value seen = arith::MinSIOp::create(
      builder, loc, builder.createOrFold<arith::AddIOp>(loc, block.q0, visible),
      last);
  seen = arith::MaxSIOp::create(builder, loc, seen, block.zero);
  Value before = builder.createOrFold<arith::FloorDivSIOp>(loc, seen, size);
  number = builder.createOrFold<arith::MulIOp>(loc, before, needed);
  first = builder.createOrFold<arith::MulIOp>(loc, number, size);
}

/// For each query what it multiplies its features by, to multiply the state.
Value ChunkStates::emitFactors(OpBuilder &builder, Value row, Value key) {
  Location loc = block.loc;
  const RegionFactors &score = formulas.score;
  IRMapping head = score.mapHead(builder, block.bhg);
  IRMapping mask = formulas.mapMask(builder, block.bhg);
  IRMapping from = head;
  score.mapPlace(from, row, key);
  SmallVector<Value> anchor = score.emitAnchor(builder, from);
  return tile::MapOp::create(
      builder, loc, block.rowType(), ValueRange(), {{"q", block.q0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = head;
        score.mapPlace(map, arguments[0], key);
        Value factor =
            score.emitOfQuery(b, score.emitRatio(b, map, anchor), map);
        if (!factor)
          factor = emitReal(b, loc, block.accumulate, 1.0);
        IRMapping ofMask = mask;
        ofMask.map(block.kernel.getMask().getArgument(3), arguments[0]);
        if (Value held =
                formulas.emitHeld(b, formulas.factors.queryMask, ofMask))
          factor = arith::SelectOp::create(
              b, loc, held, factor, emitReal(b, loc, block.accumulate, 0.0));
        return factor;
      });
}

/// The features of the queries with all their factors.
Value ChunkStates::emitFeatures(OpBuilder &builder, Value query) {
  Location loc = block.loc;
  auto type = block.tileType({{"q", block.sizeQ}, {"d", block.sizeD}});
  Value key = formulas.anchorKey(builder, first);
  Value row = formulas.anchorRow(builder, first, visible);
  Value factors = block.emitScaled(builder, emitFactors(builder, row, key));
  if (!formulas.feature)
    return emitMap(builder, loc, type, {query, factors},
                   [&](OpBuilder &b, ValueRange x) -> Value {
                     Value feature = x[0];
                     if (feature.getType() != block.accumulate)
                       feature = arith::ExtFOp::create(b, loc, block.accumulate,
                                                       feature);
                     return arith::MulFOp::create(b, loc, feature, x[1]);
                   });
  const RegionFactors &feature = *formulas.feature;
  IRMapping head = feature.mapHead(builder, block.bhg);
  return tile::MapOp::create(
      builder, loc, type, factors, {{"q", block.q0}, {"d", block.zero}},
      [&](OpBuilder &b, Location, ValueRange arguments) -> Value {
        IRMapping from = head, to = head;
        feature.mapPlace(from, row, key, arguments[2]);
        feature.mapPlace(to, arguments[1], key, arguments[2]);
        Value ratio = feature.emitRatio(b, to, feature.emitAnchor(b, from));
        Value made = feature.emitOfQuery(b, ratio, to);
        return made ? arith::MulFOp::create(b, loc, made, arguments[0])
                    : arguments[0];
      });
}

/// o and l of the keys before the block's first one; there are some.
SmallVector<Value> ChunkStates::emitFromState(OpBuilder &builder, Value query,
                                              SoftmaxState empty) {
  Location loc = block.loc;
  auto type = block.tileType({{"q", block.sizeQ}, {"d", block.sizeD}});
  // A tile that pairs are made of has no other users.
  auto rows = cast<tile::TileType>(query.getType());
  if (terms > 1 && rows.getElementType().isBF16())
    query = tile::LoadOp::create(builder, loc, rows, block.q.buf,
                                 block.indices(builder, block.q, {}),
                                 {{"q", block.rows}});
  Value scaled = emitFeatures(builder, query);
  SmallVector<Value> results, at = places(block.bhg, number);
  if (empty.o) {
    SmallVector<Value> element = at;
    element.append({block.zero, block.zero});
    SmallVector<Value> states;
    for (Value term : values)
      states.push_back(tile::LoadOp::create(
          builder, loc,
          block.tileType({{"e", block.sizeE}, {"d", block.sizeD}})
              .withElementType(
                  cast<tile::BufType>(term.getType()).getElementType()),
          term, element, tile::NamedValues()));
    results.push_back(emitTermProducts(
        builder, loc, block.outType(), emitTerms(builder, loc, scaled, terms),
        states, "d", /*acc=*/Value(), TermProducts::Leading));
  }
  if (empty.l) {
    Value terms = tile::MapOp::create(
        builder, loc, type, scaled, {{"d", block.zero}},
        [&](OpBuilder &b, Location, ValueRange arguments) -> Value {
          SmallVector<Value> element = at;
          element.push_back(arguments[1]);
          Value sum =
              tile::ReadOp::create(b, loc, block.accumulate, sums, element);
          return arith::MulFOp::create(b, loc, arguments[0], sum);
        });
    results.push_back(tile::ReduceOp::create(builder, loc, block.rowType(),
                                             tile::ReduceKind::Add, terms, "d",
                                             empty.l));
  }
  return results;
}

/// Whether something is no finite number.
static Value emitAnyInfinite(OpBuilder &builder, KernelBlock &block,
                             ValueRange tiles) {
  Location loc = block.loc;
  Value any;
  for (Value tile : tiles) {
    auto type = cast<tile::TileType>(tile.getType());
    Value zeros = emitMap(
        builder, loc, type, tile, [&](OpBuilder &b, ValueRange x) -> Value {
          return arith::MulFOp::create(b, loc, x[0],
                                       emitReal(b, loc, block.accumulate, 0.0));
        });
    Value bad =
        tile::AnyNanOp::create(builder, loc, zeros, {{"q", block.rows}});
    any = any ? arith::OrIOp::create(builder, loc, any, bad).getResult() : bad;
  }
  return any;
}

SoftmaxState ChunkStates::emitInitial(OpBuilder &builder, Value query,
                                      SoftmaxState empty) {
  Location loc = block.loc;
  SmallVector<Value> without(empty.values());
  Value has = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                    first, block.zero);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(without).getTypes(),
                                  has, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> made = emitFromState(builder, query, empty);
    scf::YieldOp::create(builder, loc, made);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, without);
  }
  SmallVector<Value> state(branch.getResults());
  Value bad = emitAnyInfinite(builder, block, state);
  for (auto [tile, start] : llvm::zip_equal(state, without))
    tile = emitMap(builder, loc, cast<tile::TileType>(tile.getType()),
                   {tile, start}, [&](OpBuilder &b, ValueRange x) -> Value {
                     return arith::SelectOp::create(b, loc, bad, x[1], x[0]);
                   });
  first = arith::SelectOp::create(builder, loc, bad, block.zero, first);
  return empty.withValues(state);
}

} // namespace attnc::lowering
