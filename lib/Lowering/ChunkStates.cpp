//===- ChunkStates.cpp - What all keys before a chunk contribute ----------===//
//
// A score x f(q) g(k) D(q, k) with D(q, k) = exp(u(q) + w(k)) makes of all keys
// before r one matrix, here for chunks of C keys:
//
//   S_r     = sum over k < r of D(a_r, k) g(k) fk(k) v(k)
//   S_(r+C) = S_r D(a_(r+C), .) / D(a_r, .) + the same sum over the chunk
//   o(q)    = f(q) D(q, .) / D(a_r, .) fq(q) S_r + the pairs with r <= k <= q
//
// and the same without v for the sum of the weights. The quotients do not
// depend on the key. a_r, from where the decay of state r is measured, is the
// first row that sees all keys before r, so it is never behind a row that uses
// the state: exponents are differences over a chunk, or those of the formula.
// The quotient is taken of exponents where D is an exponential, at the key in
// the place of a_r, so that equal terms cancel before they are rounded. With
// keys that all rows see, a_r is row 0; states that no row uses are not made:
// formulas are read at rows that exist.
//
// Two grids: states in the order of the chunks, for each head and block of
// features; then the kernel's own, whose blocks start from a state. A block
// starts at the last multiple of C before which its first row sees everything;
// it need not end with a chunk. Where there are fewer than C / 2 queries no
// state is made: visiting the keys costs less.
//
// Decays that grow, and what is no number, are no matter of states: a weight or
// a quotient above 2^20 becomes a NaN, and a block whose state gives anything
// but finite numbers visits all keys itself, as the formula says.
//
// Tests: test/Lowering/chunked.mlir,
// test/Unit/Lowering/ConvertAttnToTileTest.cpp
//
//===----------------------------------------------------------------------===//

#include "ChunkStates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::lowering {

static Value constant(OpBuilder &b, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

static Value add(OpBuilder &b, Location loc, Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

static Value sub(OpBuilder &b, Location loc, Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}

static Value mul(OpBuilder &b, Location loc, Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void ChunkStates::emitSizes(OpBuilder &builder) {
  Location loc = block.loc;
  attn::KernelOp kernel = block.kernel;
  Value size = constant(builder, loc, chunk), one = constant(builder, loc, 1);
  Value queries = block.scope.sizeOf(
      builder, loc, attn::axisSize(kernel.getQ().getType(), 3));
  Value keys = block.scope.sizeOf(
      builder, loc,
      attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis()));
  Value halves = add(builder, loc, queries, queries);
  needed = arith::MinSIOp::create(
      builder, loc,
      builder.createOrFold<arith::FloorDivSIOp>(loc, halves, size), one);
  // A state before the last key at the latest: the rest is never empty.
  Value most = arith::MaxSIOp::create(
      builder, loc, sub(builder, loc, keys, one), constant(builder, loc, 0));
  Value last = builder.createOrFold<arith::FloorDivSIOp>(loc, most, size);
  whole = mul(builder, loc, last, size);
  count = mul(builder, loc, add(builder, loc, last, one), needed);
}

/// A workspace with axes for the head, the chunk, and `letters`, as the grid of
/// the states and the kernel's see it.
static std::pair<Value, Value> createBuffer(OpBuilder &builder, Location loc,
                                            ValueRange sizes, Type element,
                                            const std::string &letters) {
  auto typeOf = [&](llvm::function_ref<std::string(size_t)> nameOf) {
    SmallVector<StringAttr> names;
    for (size_t axis = 0; axis < letters.size(); ++axis)
      names.push_back(StringAttr::get(element.getContext(), nameOf(axis)));
    return tile::BufType::get(element.getContext(), names, element);
  };
  auto plain = typeOf([](size_t axis) { return "a" + std::to_string(axis); });
  auto made = typeOf([&](size_t axis) { // features lie along the lanes
    return letters[axis] == 'd' ? "q" : std::string(1, letters[axis]);
  });
  auto read =
      typeOf([&](size_t axis) { return std::string(1, letters[axis]); });
  Value space = tile::WorkspaceOp::create(builder, loc, plain, sizes);
  Value store = tile::RenameOp::create(builder, loc, made, space);
  return {store, tile::RenameOp::create(builder, loc, read, space)};
}

void ChunkStates::createBuffers(OpBuilder &builder) {
  Location loc = block.loc;
  Type q = block.kernel.getQ().getType();
  SmallVector<Value> sizes;
  unsigned axes = formulas.factors.differsInGroup ? 3 : 2;
  for (unsigned axis = 0; axis < axes; ++axis)
    sizes.push_back(block.scope.sizeOf(builder, loc, attn::axisSize(q, axis)));
  sizes.push_back(count);
  std::string head = formulas.factors.differsInGroup ? "bhgn" : "bhn";
  if (block.hasValues) {
    sizes.push_back(constant(builder, loc, block.sizeE));
    sizes.push_back(constant(builder, loc, block.sizeD));
    std::tie(storeValues, values) =
        createBuffer(builder, loc, sizes, block.accumulate, head + "ed");
    sizes.pop_back_n(2);
  }
  if (!block.hasSum)
    return;
  sizes.push_back(constant(builder, loc, block.sizeD));
  std::tie(storeSums, sums) =
      createBuffer(builder, loc, sizes, block.accumulate, head + "d");
}

SmallVector<Value> ChunkStates::places(ValueRange bhg, Value number) const {
  SmallVector<Value> result(
      bhg.take_front(formulas.factors.differsInGroup ? 3 : 2));
  result.push_back(number);
  return result;
}

//===----------------------------------------------------------------------===//
// The grid of the states
//===----------------------------------------------------------------------===//

LogicalResult ChunkStates::emitGrid(OpBuilder &builder, Storage &storage) {
  Location loc = block.loc;
  attn::KernelOp kernel = block.kernel;
  auto keys = storage.operand(
      kernel, kernel.getK(), kernel.getLetteredOperands()[1].second,
      [](char letter) { return letter == 'd' ? 'q' : letter; });
  if (failed(keys))
    return failure();
  builder.setInsertionPointToEnd(&storage.program.getBody().front());
  emitSizes(builder);
  createBuffers(builder);
  auto cpu = dyn_cast<tile::CpuAttr>(kernel.getSchedule()->getTarget());
  int64_t lanes = std::min<int64_t>(
      block.sizeQ, llvm::alignTo(block.sizeD, cpu ? cpu.getLanes() : 1));
  Type q = kernel.getQ().getType();
  SmallVector<Value> extents;
  SmallVector<StringRef> names;
  for (StringRef name : {"b", "h", "g"}) {
    if (name == "g" && !formulas.factors.differsInGroup)
      continue;
    extents.push_back(block.scope.sizeOf(
        builder, loc, attn::axisSize(q, unsigned(names.size()))));
    names.push_back(name);
  }
  Value blocks = constant(builder, loc, llvm::divideCeil(block.sizeD, lanes));
  extents.push_back(mul(builder, loc, blocks, needed));
  names.push_back("j");
  auto grid = tile::GridOp::create(builder, loc, extents, names);
  Attribute target = kernel.getSchedule()->getTarget();
  if (target != storage.program.getTarget())
    grid.setTargetAttr(target);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&grid.getBody().front());
  branchOnWanted(builder, loc, storage.wantedFor(kernel));
  SmallVector<Value> arguments(grid.getBody().getArguments());
  Value d0 = mul(builder, loc, arguments.pop_back_val(),
                 constant(builder, loc, lanes));
  if (!formulas.factors.differsInGroup)
    arguments.push_back(constant(builder, loc, 0));
  StateWalk walk;
  walk.keys = *keys;
  walk.bhg = arguments;
  walk.d0 = d0;
  walk.lanes = lanes;
  emitWalk(builder, std::move(walk));
  return success();
}

/// What each key of the chunk from k0 on contributes at the row: its factors
/// and the decay.
Value ChunkStates::emitWeights(OpBuilder &builder, const IRMapping &head,
                               Value row, Value k0) {
  Location loc = block.loc;
  Region &score = block.kernel.getScore();
  auto type = block.tileType({{"k", chunk}});
  return tile::MapOp::create(
      builder, loc, type, ValueRange(), {{"k", k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = head;
        mapPair(map, score, kScoreHead, row, arguments[0]);
        Value weight;
        for (const ScoreFactors::Decay &decay : formulas.factors.decays)
          weight = formulas.emitProduct(
              b, ScoreFactors::Factor{decay.value, decay.use}, weight, map);
        weight = formulas.emitBounded(b, weight);
        return formulas.emitProduct(b, formulas.factors.ofKey, weight, map);
      });
}

/// Keys times their weights, features along the lanes; masked ones are 0.
static Value emitWeighted(OpBuilder &builder, KernelBlock &block, Value keys,
                          Value weights, Value held) {
  Location loc = block.loc;
  auto type =
      cast<tile::TileType>(keys.getType()).withElementType(block.accumulate);
  SmallVector<Value, 3> inputs{keys, weights};
  if (held)
    inputs.push_back(held);
  return emitMap(builder, loc, type, inputs,
                 [&](OpBuilder &b, ValueRange x) -> Value {
                   Value key = x[0];
                   if (key.getType() != block.accumulate)
                     key = arith::ExtFOp::create(b, loc, block.accumulate, key);
                   Value product = arith::MulFOp::create(b, loc, key, x[1]);
                   if (!held)
                     return product;
                   Value zero = emitReal(b, loc, block.accumulate, 0.0);
                   return arith::SelectOp::create(b, loc, x[2], product, zero);
                 });
}

/// The sum s * ratio + x as s' and, in the second tile, what its rounding lost
/// so far: thousands of chunks add up without losing digits.
static std::pair<Value, Value> emitSum(OpBuilder &builder, KernelBlock &block,
                                       Value s, Value lost, Value ratio,
                                       Value x) {
  Location loc = block.loc;
  auto type = cast<tile::TileType>(s.getType());
  Value sum = emitMap(builder, loc, type, {s, x},
                      [&](OpBuilder &b, ValueRange in) -> Value {
                        Value p = arith::MulFOp::create(b, loc, in[0], ratio);
                        return arith::AddFOp::create(b, loc, p, in[1]);
                      });
  Value rest = emitMap(builder, loc, type, {s, x, sum, lost},
                       [&](OpBuilder &b, ValueRange in) -> Value {
                         Value p = arith::MulFOp::create(b, loc, in[0], ratio);
                         Value ofX = arith::SubFOp::create(b, loc, in[2], p);
                         Value ofP = arith::SubFOp::create(b, loc, in[2], ofX);
                         Value error = arith::AddFOp::create(
                             b, loc, arith::SubFOp::create(b, loc, p, ofP),
                             arith::SubFOp::create(b, loc, in[1], ofX));
                         Value old =
                             arith::MulFOp::create(b, loc, in[3], ratio);
                         return arith::AddFOp::create(b, loc, old, error);
                       });
  return {sum, rest};
}

/// A sum with what was lost.
static Value emitTotal(OpBuilder &builder, KernelBlock &block, Value sum,
                       Value lost) {
  return emitMap(builder, block.loc, cast<tile::TileType>(sum.getType()),
                 {sum, lost}, [&](OpBuilder &b, ValueRange in) -> Value {
                   return arith::AddFOp::create(b, block.loc, in[0], in[1]);
                 });
}

void ChunkStates::store(OpBuilder &builder, ValueRange state,
                        const StateWalk &walk, Value number) {
  SmallVector<std::pair<StringRef, Value>, 1> extent;
  if (walk.valid)
    extent.push_back({"q", walk.valid});
  SmallVector<Value> at = places(walk.bhg, number);
  if (block.hasValues) {
    SmallVector<Value> element = at;
    element.append({constant(builder, block.loc, 0), walk.d0});
    Value total = emitTotal(builder, block, state[0], state[1]);
    tile::StoreOp::create(builder, block.loc, total, storeValues, element,
                          extent);
  }
  if (!block.hasSum)
    return;
  at.push_back(walk.d0);
  Value total =
      emitTotal(builder, block, state.drop_back().back(), state.back());
  tile::StoreOp::create(builder, block.loc, total, storeSums, at, extent);
}

/// What one chunk does to the state: `next` is the row of the state after it.
SmallVector<Value> ChunkStates::emitChunk(OpBuilder &builder,
                                          const StateWalk &walk, Value k0,
                                          ValueRange state) {
  Location loc = block.loc;
  Region &score = block.kernel.getScore();
  Value row = formulas.anchorRow(builder, k0, walk.visible);
  Value end = add(builder, loc, k0, constant(builder, loc, chunk));
  Value next = formulas.anchorRow(builder, end, walk.visible);
  // An empty state has no quotient: nothing was measured from row -1.
  Value key = formulas.anchorKey(builder, k0);
  IRMapping at = walk.score;
  mapPair(at, score, kScoreHead, next, key);
  Value ratio = formulas.emitRatio(
      builder, at, formulas.emitAnchor(builder, walk.score, row, key));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        k0, constant(builder, loc, 0));
  ratio = arith::SelectOp::create(builder, loc, isFirst,
                                  emitReal(builder, loc, block.accumulate, 0.0),
                                  ratio);

  auto buf = cast<tile::BufType>(walk.keys.buf.getType());
  auto type = tile::TileType::get(builder.getContext(),
                                  {{"q", walk.lanes}, {"k", chunk}},
                                  buf.getElementType());
  auto valueOf = [&](char letter) {
    size_t head = StringRef("bhg").find(letter);
    if (head != StringRef::npos)
      return walk.bhg[head];
    return letter == 'q'   ? walk.d0
           : letter == 'k' ? k0
                           : constant(builder, loc, 0);
  };
  SmallVector<std::pair<StringRef, Value>, 1> extent;
  if (walk.valid)
    extent.push_back({"q", walk.valid});
  Value keys = tile::LoadOp::create(
      builder, loc, type, walk.keys.buf,
      indicesOf(builder, loc, block.scope, walk.keys.digits, valueOf), extent);
  Value held = emitHeldKeys(builder, walk.mask, k0);
  Value weighted = emitWeighted(
      builder, block, keys, emitWeights(builder, walk.score, next, k0), held);
  SmallVector<Value> results;
  if (block.hasValues) {
    auto vs = cast<tile::BufType>(block.v.buf.getType());
    auto rows = tile::TileType::get(builder.getContext(),
                                    {{"k", chunk}, {"e", block.sizeE}},
                                    vs.getElementType());
    Value values = tile::LoadOp::create(
        builder, loc, rows, block.v.buf,
        indicesOf(builder, loc, block.scope, block.v.digits, valueOf),
        tile::NamedValues());
    Value product = tile::DotOp::create(
        builder, loc, cast<tile::TileType>(state[0].getType()), weighted,
        values, "k", /*acc=*/Value(), held);
    auto [sum, lost] =
        emitSum(builder, block, state[0], state[1], ratio, product);
    results.append({sum, lost});
  }
  if (block.hasSum) {
    Value s = state.drop_back().back();
    auto type = cast<tile::TileType>(s.getType());
    Value zero = tile::SplatOp::create(builder, loc, type, 0.0);
    Value product = tile::ReduceOp::create(
        builder, loc, type, tile::ReduceKind::Add, weighted, "k", zero);
    auto [sum, lost] = emitSum(builder, block, s, state.back(), ratio, product);
    results.append({sum, lost});
  }
  return results;
}

/// For the keys of a chunk, whether the mask admits them; null if it admits
/// all.
Value ChunkStates::emitHeldKeys(OpBuilder &builder, const IRMapping &head,
                                Value k0) {
  if (formulas.factors.keyMask.empty())
    return {};
  auto type = tile::TileType::get(builder.getContext(), {{"k", chunk}},
                                  builder.getI1Type());
  return tile::MapOp::create(
      builder, block.loc, type, ValueRange(), {{"k", k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = head;
        map.map(block.kernel.getMask().getArgument(4), arguments[0]);
        return formulas.emitHeld(b, formulas.factors.keyMask, map);
      });
}

/// The keys of the last state for a row that sees the key `seen`; 0 for none.
Value ChunkStates::emitKeysBefore(OpBuilder &builder, Value seen) {
  Location loc = block.loc;
  Value size = constant(builder, loc, chunk);
  seen = arith::MaxSIOp::create(builder, loc, seen, constant(builder, loc, 0));
  return mul(builder, loc,
             builder.createOrFold<arith::FloorDivSIOp>(loc, seen, size), size);
}

/// The states of one head for `lanes` features from d0 on.
void ChunkStates::emitWalk(OpBuilder &builder, StateWalk walk) {
  Location loc = block.loc;
  if (block.sizeD % walk.lanes != 0) {
    Value left =
        sub(builder, loc, constant(builder, loc, block.sizeD), walk.d0);
    walk.valid = arith::MinSIOp::create(builder, loc, left,
                                        constant(builder, loc, walk.lanes));
  }
  walk.score =
      formulas.mapHead(builder, block.kernel.getScore(), kScoreHead, walk.bhg);
  walk.mask =
      formulas.mapHead(builder, block.kernel.getMask(), kMaskHead, walk.bhg);
  walk.visible = formulas.emitVisible(builder, walk.bhg);
  SmallVector<Value> initial;
  auto addZeros = [&](tile::TileType type) { // a sum, and what it lost
    initial.append(2, tile::SplatOp::create(builder, loc, type, 0.0));
  };
  if (block.hasValues)
    addZeros(block.tileType({{"q", walk.lanes}, {"e", block.sizeE}}));
  if (block.hasSum)
    addZeros(block.tileType({{"q", walk.lanes}}));
  Value zero = constant(builder, loc, 0), size = constant(builder, loc, chunk);
  Value queries = block.scope.sizeOf(
      builder, loc, attn::axisSize(block.kernel.getQ().getType(), 3));
  Value row = sub(builder, loc, queries, constant(builder, loc, 1));
  Value used = emitKeysBefore(builder, add(builder, loc, row, walk.visible));
  Value end = arith::MinSIOp::create(builder, loc, whole, used);
  SmallVector<Value> bounds{zero, zero, end, end};
  auto loop = tile::ForOp::create(builder, loc, bounds, initial, chunk, chunk);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&loop.getBody().front());
    Value k0 = loop.getKeyStart();
    SmallVector<Value> state(loop.getRegionIterArgs());
    Value number = builder.createOrFold<arith::FloorDivSIOp>(loc, k0, size);
    store(builder, state, walk, number);
    tile::YieldOp::create(builder, loc, emitChunk(builder, walk, k0, state));
  }
  Value last = builder.createOrFold<arith::FloorDivSIOp>(loc, end, size);
  store(builder, SmallVector<Value>(loop.getResults()), walk, last);
}

//===----------------------------------------------------------------------===//
// The kernel's grid
//===----------------------------------------------------------------------===//

void ChunkStates::emitStart(OpBuilder &builder) {
  Location loc = block.loc;
  visible = formulas.emitVisible(builder, block.bhg);
  Value zero = block.zero, one = constant(builder, loc, 1);
  Value size = constant(builder, loc, chunk);
  Value seen =
      arith::MinSIOp::create(builder, loc, add(builder, loc, block.q0, visible),
                             sub(builder, loc, block.kvLen, one));
  seen = arith::MaxSIOp::create(builder, loc, seen, zero);
  number =
      mul(builder, loc,
          builder.createOrFold<arith::FloorDivSIOp>(loc, seen, size), needed);
  first = mul(builder, loc, number, size);
}

/// For each query what it multiplies its features by, to multiply the state.
Value ChunkStates::emitFactors(OpBuilder &builder) {
  Location loc = block.loc;
  Region &score = block.kernel.getScore();
  IRMapping head = formulas.mapHead(builder, score, kScoreHead, block.bhg);
  IRMapping mask =
      formulas.mapHead(builder, block.kernel.getMask(), kMaskHead, block.bhg);
  Value key = formulas.anchorKey(builder, first);
  SmallVector<Value> anchor = formulas.emitAnchor(
      builder, head, formulas.anchorRow(builder, first, visible), key);
  return tile::MapOp::create(
      builder, loc, block.rowType(), ValueRange(), {{"q", block.q0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = head;
        mapPair(map, score, kScoreHead, arguments[0], key);
        Value factor = formulas.emitRatio(b, map, anchor);
        factor = formulas.emitProduct(b, formulas.factors.ofQuery, factor, map);
        IRMapping ofMask = mask;
        ofMask.map(block.kernel.getMask().getArgument(3), arguments[0]);
        if (Value held =
                formulas.emitHeld(b, formulas.factors.queryMask, ofMask))
          factor = arith::SelectOp::create(
              b, loc, held, factor, emitReal(b, loc, block.accumulate, 0.0));
        return factor;
      });
}

/// o and l of the keys before the block's first one; there are some.
SmallVector<Value> ChunkStates::emitFromState(OpBuilder &builder, Value query,
                                              SoftmaxState empty) {
  Location loc = block.loc;
  auto type = block.tileType({{"q", block.sizeQ}, {"d", block.sizeD}});
  Value factors = block.emitScaled(builder, emitFactors(builder));
  Value scaled = emitMap(builder, loc, type, {query, factors},
                         [&](OpBuilder &b, ValueRange x) -> Value {
                           Value feature = x[0];
                           if (feature.getType() != block.accumulate)
                             feature = arith::ExtFOp::create(
                                 b, loc, block.accumulate, feature);
                           return arith::MulFOp::create(b, loc, feature, x[1]);
                         });
  SmallVector<Value> results, at = places(block.bhg, number);
  if (empty.o) {
    SmallVector<Value> element = at;
    element.append({block.zero, block.zero});
    Value state = tile::LoadOp::create(
        builder, loc, block.tileType({{"e", block.sizeE}, {"d", block.sizeD}}),
        values, element, tile::NamedValues());
    results.push_back(tile::DotOp::create(builder, loc, block.outType(), scaled,
                                          state, "d", Value(), Value()));
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
