//===- ChunkGrid.cpp - Lower the grid that computes states ----------------===//
//
// ChunkStates.cpp says what a state is. An instance of this grid walks over the
// chunks of one head, for some features, which lie along the lanes.
//
// Tests: test/Lowering/chunked.mlir
//
//===----------------------------------------------------------------------===//

#include "Chunk/ChunkStates.h"
#include "Formula/CompensatedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
    Type element = terms > 1 ? builder.getBF16Type() : block.accumulate;
    for (int64_t term = 0; term < terms; ++term) {
      auto [store, read] =
          createBuffer(builder, loc, sizes, element, head + "ed");
      storeValues.push_back(store);
      values.push_back(read);
    }
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
  tile::TargetAttrInterface target = kernel.getSchedule()->getTarget();
  int64_t lanes = std::min<int64_t>(
      block.sizeQ, llvm::alignTo(block.sizeD, target.getGranule()));
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

/// What each key of the chunk from k0 on contributes at the row beside its
/// features: factors and the decay.
Value ChunkStates::emitWeights(OpBuilder &builder, const StateWalk &walk,
                               Value row, Value k0) {
  auto type = block.tileType({{"k", chunk}});
  return tile::MapOp::create(
      builder, block.loc, type, ValueRange(), {{"k", k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = walk.score;
        formulas.score.mapPlace(map, row, arguments[0]);
        Value weight = formulas.score.emitDecays(b, map);
        weight = formulas.score.emitOfKey(b, weight, map);
        return weight ? weight : emitReal(b, block.loc, block.accumulate, 1.0);
      });
}

/// The rows from k0 on, as far as there are features.
Value ChunkStates::load(OpBuilder &builder, const StateWalk &walk,
                        const BlockBuffer &rows, tile::TileType type,
                        Value k0) {
  auto valueOf = [&](char letter) {
    size_t head = StringRef("bhg").find(letter);
    if (head != StringRef::npos)
      return walk.bhg[head];
    return letter == 'q'   ? walk.d0
           : letter == 'k' ? k0
                           : constant(builder, block.loc, 0);
  };
  SmallVector<std::pair<StringRef, Value>, 1> extent;
  if (walk.valid && type.hasDim("q"))
    extent.push_back({"q", walk.valid});
  return tile::LoadOp::create(
      builder, block.loc, type, rows.buf,
      indicesOf(builder, block.loc, block.scope, rows.digits, valueOf), extent);
}

/// What each feature of each key of the chunk from k0 on contributes at the
/// row, beside the weights.
Value ChunkStates::emitFeatures(OpBuilder &builder, const StateWalk &walk,
                                Value row, Value k0) {
  Location loc = block.loc;
  auto buf = cast<tile::BufType>(walk.keys.buf.getType());
  auto type = tile::TileType::get(builder.getContext(),
                                  {{"q", walk.lanes}, {"k", chunk}},
                                  buf.getElementType());
  if (!formulas.feature)
    return load(builder, walk, walk.keys, type, k0);
  const RegionFactors &feature = *formulas.feature;
  return tile::MapOp::create(
      builder, loc, type.withElementType(block.accumulate), ValueRange(),
      {{"q", walk.d0}, {"k", k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = walk.feature;
        feature.mapPlace(map, row, arguments[1], arguments[0]);
        Value made = feature.emitOfKey(b, feature.emitDecays(b, map), map);
        return made ? made : emitReal(b, loc, block.accumulate, 1.0);
      });
}

/// Features of keys times the weights of the keys, features along the lanes;
/// masked ones are 0.
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

/// A sum with what was lost.
static Value emitTotal(OpBuilder &builder, KernelBlock &block, Value sum,
                       Value lost) {
  if (!lost)
    return sum;
  return emitMap(builder, block.loc, cast<tile::TileType>(sum.getType()),
                 {sum, lost}, [&](OpBuilder &b, ValueRange in) -> Value {
                   return arith::AddFOp::create(b, block.loc, in[0], in[1]);
                 });
}

void ChunkStates::store(OpBuilder &builder, const State &state,
                        const StateWalk &walk, Value number) {
  SmallVector<std::pair<StringRef, Value>, 1> extent;
  if (walk.valid)
    extent.push_back({"q", walk.valid});
  SmallVector<Value> at = places(walk.bhg, number);
  if (block.hasValues) {
    SmallVector<Value> element = at;
    element.append({constant(builder, block.loc, 0), walk.d0});
    Value total = emitTotal(builder, block, state.values, state.valuesLost);
    for (auto [term, to] : llvm::zip_equal(
             emitTerms(builder, block.loc, total, terms), storeValues))
      tile::StoreOp::create(builder, block.loc, term, to, element, extent);
  }
  if (!block.hasSum)
    return;
  at.push_back(walk.d0);
  Value total = emitTotal(builder, block, state.sums, state.sumsLost);
  tile::StoreOp::create(builder, block.loc, total, storeSums, at, extent);
}

/// The quotient of the decays at the row `next` and at the one from which the
/// state before key k0 is measured: a number, or one for each feature. Null for
/// 1, where sums are not compensated.
Value ChunkStates::emitRatio(OpBuilder &builder, const StateWalk &walk,
                             Value k0, Value next) {
  Location loc = block.loc;
  Value row = formulas.anchorRow(builder, k0, walk.visible);
  Value key = formulas.anchorKey(builder, k0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        k0, constant(builder, loc, 0));
  // An empty state has no quotient: nothing was measured from row -1.
  auto unlessFirst = [&](OpBuilder &b, Value ratio) -> Value {
    Type real = block.accumulate;
    return arith::SelectOp::create(b, loc, isFirst, emitReal(b, loc, real, 0.0),
                                   ratio ? ratio : emitReal(b, loc, real, 1.0));
  };
  auto ratioOf = [&](OpBuilder &b, const RegionFactors &region,
                     const IRMapping &head, Value feature) {
    IRMapping from = head, to = head;
    region.mapPlace(from, row, key, feature);
    region.mapPlace(to, next, key, feature);
    return region.emitRatio(b, to, region.emitAnchor(b, from));
  };
  Value ratio = ratioOf(builder, formulas.score, walk.score, {});
  if (!formulas.feature && !ratio && terms > 1)
    return {};
  if (!formulas.feature)
    return unlessFirst(builder, ratio);
  return tile::MapOp::create(
      builder, loc, block.tileType({{"q", walk.lanes}}), ValueRange(),
      {{"q", walk.d0}}, [&](OpBuilder &b, Location, ValueRange arguments) {
        Value ofFeature =
            ratioOf(b, *formulas.feature, walk.feature, arguments[0]);
        if (ofFeature && ratio)
          ofFeature = arith::MulFOp::create(b, loc, ofFeature, ratio);
        return unlessFirst(b, ofFeature ? ofFeature : ratio);
      });
}

SmallVector<Value> ChunkStates::State::list() const {
  SmallVector<Value> list;
  for (Value value : {values, valuesLost, sums, sumsLost})
    if (value)
      list.push_back(value);
  return list;
}

ChunkStates::State ChunkStates::State::withList(ValueRange list) const {
  State state = *this;
  for (Value *value :
       {&state.values, &state.valuesLost, &state.sums, &state.sumsLost})
    if (*value) {
      *value = list.front();
      list = list.drop_front();
    }
  return state;
}

/// The state before the first key.
ChunkStates::State ChunkStates::emitZeros(OpBuilder &builder, int64_t lanes) {
  State state;
  auto add = [&](Value &sum, Value &lost, tile::TileType type) {
    sum = tile::SplatOp::create(builder, block.loc, type, 0.0);
    if (terms == 1)
      lost = sum;
  };
  if (block.hasValues)
    add(state.values, state.valuesLost,
        block.tileType({{"q", lanes}, {"e", block.sizeE}}));
  if (block.hasSum)
    add(state.sums, state.sumsLost, block.tileType({{"q", lanes}}));
  return state;
}

/// A sum times the quotient of decays, null for 1.
static Value emitDecayed(OpBuilder &builder, KernelBlock &block, Value sum,
                         Value ratio) {
  if (!ratio)
    return sum;
  SmallVector<Value, 2> inputs{sum};
  bool isTile = isa<tile::TileType>(ratio.getType());
  if (isTile)
    inputs.push_back(ratio);
  return emitMap(builder, block.loc, cast<tile::TileType>(sum.getType()),
                 inputs, [&](OpBuilder &b, ValueRange x) -> Value {
                   return arith::MulFOp::create(b, block.loc, x[0],
                                                isTile ? x[1] : ratio);
                 });
}

/// What one chunk does to the state: `next` is the row of the state after it.
ChunkStates::State ChunkStates::emitChunk(OpBuilder &builder,
                                          const StateWalk &walk, Value k0,
                                          State state) {
  Location loc = block.loc;
  Value end = add(builder, loc, k0, constant(builder, loc, chunk));
  Value next = formulas.anchorRow(builder, end, walk.visible);
  Value ratio = emitRatio(builder, walk, k0, next);
  Value held = emitHeldKeys(builder, walk, k0);
  Value weighted = emitOperand(builder, walk, next, k0, held);
  if (block.hasValues) {
    auto vs = cast<tile::BufType>(block.v.buf.getType());
    auto rows = tile::TileType::get(builder.getContext(),
                                    {{"k", chunk}, {"e", block.sizeE}},
                                    vs.getElementType());
    Value values = load(builder, walk, block.v, rows, k0);
    auto type = cast<tile::TileType>(state.values.getType());
    if (terms > 1) {
      // A masked weight is 0. Where its value is a NaN, so is the state, and
      // blocks visit all keys.
      Value acc = emitDecayed(builder, block, state.values, ratio);
      state.values = emitTermProducts(builder, loc, type,
                                      emitTerms(builder, loc, weighted, terms),
                                      values, "k", acc, TermProducts::All);
    } else {
      Value product =
          tile::DotOp::create(builder, loc, type, weighted, values, "k",
                              /*acc=*/Value(), held);
      std::tie(state.values, state.valuesLost) =
          emitSum(builder, loc, state.values, state.valuesLost, ratio, product);
    }
  }
  if (!block.hasSum)
    return state;
  auto type = cast<tile::TileType>(state.sums.getType());
  Value start =
      terms > 1 ? emitDecayed(builder, block, state.sums, ratio)
                : tile::SplatOp::create(builder, loc, type, 0.0).getResult();
  Value sum = tile::ReduceOp::create(builder, loc, type, tile::ReduceKind::Add,
                                     weighted, "k", start);
  if (terms > 1)
    state.sums = sum;
  else
    std::tie(state.sums, state.sumsLost) =
        emitSum(builder, loc, state.sums, state.sumsLost, ratio, sum);
  return state;
}

/// What the keys of the chunk from k0 on contribute at the row, by feature.
Value ChunkStates::emitOperand(OpBuilder &builder, const StateWalk &walk,
                               Value row, Value k0, Value held) {
  Value keys = emitFeatures(builder, walk, row, k0);
  return emitWeighted(builder, block, keys, emitWeights(builder, walk, row, k0),
                      held);
}

/// For the keys of a chunk, whether the mask admits them; null if it admits
/// all.
Value ChunkStates::emitHeldKeys(OpBuilder &builder, const StateWalk &walk,
                                Value k0) {
  if (formulas.factors.keyMask.empty())
    return {};
  auto type = tile::TileType::get(builder.getContext(), {{"k", chunk}},
                                  builder.getI1Type());
  return tile::MapOp::create(
      builder, block.loc, type, ValueRange(), {{"k", k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map = walk.mask;
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
  walk.score = formulas.score.mapHead(builder, walk.bhg);
  if (formulas.feature)
    walk.feature = formulas.feature->mapHead(builder, walk.bhg);
  walk.mask = formulas.mapMask(builder, walk.bhg);
  walk.visible = formulas.emitVisible(builder, walk.bhg);
  State initial = emitZeros(builder, walk.lanes);
  Value zero = constant(builder, loc, 0), size = constant(builder, loc, chunk);
  Value queries = block.scope.sizeOf(
      builder, loc, attn::axisSize(block.kernel.getQ().getType(), 3));
  Value row = sub(builder, loc, queries, constant(builder, loc, 1));
  Value used = emitKeysBefore(builder, add(builder, loc, row, walk.visible));
  Value end = arith::MinSIOp::create(builder, loc, whole, used);
  SmallVector<Value> bounds{zero, zero, end, end};
  auto loop =
      tile::ForOp::create(builder, loc, bounds, initial.list(), chunk, chunk);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&loop.getBody().front());
    Value k0 = loop.getKeyStart();
    State state = initial.withList(loop.getRegionIterArgs());
    Value number = builder.createOrFold<arith::FloorDivSIOp>(loc, k0, size);
    store(builder, state, walk, number);
    tile::YieldOp::create(builder, loc,
                          emitChunk(builder, walk, k0, state).list());
  }
  Value last = builder.createOrFold<arith::FloorDivSIOp>(loc, end, size);
  store(builder, initial.withList(loop.getResults()), walk, last);
}

} // namespace attnc::lowering
