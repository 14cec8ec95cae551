//===- KeyParts.cpp - Split the keys and merge the states of parts --------===//
//
//   tile.grid (..., %i, %s) to (..., parts) {
//     o, m, l of the keys [s * length, (s + 1) * length), stored }
//   tile.grid (..., %i) {
//     for each part:
//       m' = max(m, m_s)     a = exp(m - m')     b = exp(m_s - m')
//       l = a l + b l_s      o = a o + b o_s
//     divide and store }
//
// Parts start from nothing and the merge from the sink, so that it counts once.
// A part without keys that a row sees has m = -inf, and so b = 0. Where the
// target asks for it, an instance of the second grid merges one row, along its
// features. The parts
// depend on the lengths and the schedule only, and are merged in their order:
// the result is the same for any number of threads.
// Tests: test/Lowering/split-keys.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KeyParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

/// Parts of one row that are read at once.
static constexpr int64_t kPartsAtOnce = 8;

static Value constant(OpBuilder &b, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

/// A workspace whose axes have the names `letters` for its blocks.
static Value createSpace(OpBuilder &builder, Location loc, ValueRange sizes,
                         Type element, StringRef letters) {
  SmallVector<StringAttr> plain, names;
  for (auto [axis, letter] : llvm::enumerate(letters)) {
    plain.push_back(builder.getStringAttr("a" + std::to_string(axis)));
    names.push_back(builder.getStringAttr(StringRef(&letter, 1)));
  }
  MLIRContext *context = builder.getContext();
  Value space = tile::WorkspaceOp::create(
      builder, loc, tile::BufType::get(context, plain, element), sizes);
  return tile::RenameOp::create(
      builder, loc, tile::BufType::get(context, names, element), space);
}

/// How many parts the keys should have at most: as many as a sequence has too
/// few heads and blocks of rows to keep the machine busy; more only cost
/// workspace and time to merge. The batch does not count, so that a sequence
/// has the same results in any batch. Parts of ragged keys have the same length
/// in all sequences, for balance.
static Value countWantedParts(OpBuilder &builder, KernelBlock &block) {
  Location loc = block.loc;
  auto size = [&](unsigned axis) { return block.sizeOfRows(builder, axis); };
  Value instances = builder.createOrFold<arith::MulIOp>(loc, size(1), size(2));
  if (!block.findRagged('q') && !block.findRagged('k')) {
    Value blocks = builder.createOrFold<arith::CeilDivSIOp>(
        loc, size(3), constant(builder, loc, block.sizeQ));
    instances = builder.createOrFold<arith::MulIOp>(loc, instances, blocks);
  }
  // There may be no queries.
  Value some = builder.createOrFold<arith::MaxSIOp>(loc, instances,
                                                    constant(builder, loc, 1));
  int64_t most = block.kernel.getSchedule()->getTarget().getMostInstances();
  return builder.createOrFold<arith::CeilDivSIOp>(
      loc, constant(builder, loc, most), some);
}

KeyParts::KeyParts(OpBuilder &builder, KernelBlock &block)
    : ragged(block.findRagged('q')) {
  Location loc = block.loc;
  attn::KernelOp kernel = block.kernel;
  Value keys = block.scope.sizeOf(
      builder, loc,
      attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis()));
  Value tileKeys = constant(builder, loc, block.sizeK);
  Value tiles = builder.createOrFold<arith::CeilDivSIOp>(loc, keys, tileKeys);
  Value tilesOfPart = builder.createOrFold<arith::CeilDivSIOp>(
      loc, tiles, countWantedParts(builder, block));
  Value wanted =
      builder.createOrFold<arith::MulIOp>(loc, tilesOfPart, tileKeys);
  length = builder.createOrFold<arith::MaxSIOp>(
      loc, wanted, constant(builder, loc, kernel.getSchedule()->getSplit()));
  count = builder.createOrFold<arith::CeilDivSIOp>(loc, keys, length);

  std::string letters = ragged ? "hgsq" : "bhgsq";
  SmallVector<Value> sizes;
  for (char letter : letters) {
    unsigned axis = unsigned(StringRef("bhgq").find(letter));
    sizes.push_back(letter == 's' ? count : block.sizeOfRows(builder, axis));
  }
  Type element = block.accumulate;
  if (block.hasMax)
    spaces.m = createSpace(builder, loc, sizes, element, letters);
  if (block.hasSum)
    spaces.l = createSpace(builder, loc, sizes, element, letters);
  sizes.push_back(constant(builder, loc, block.sizeE));
  if (block.hasValues)
    spaces.o = createSpace(builder, loc, sizes, element, letters + "e");
}

/// A buffer of rows (q) and features (e) with the features named q.
static Value renameFeatures(tile::ProgramOp program, Value buf) {
  auto type = cast<tile::BufType>(buf.getType());
  char unused = 'z';
  while (type.hasAxis(StringRef(&unused, 1)))
    --unused;
  OpBuilder builder(program.getContext());
  SmallVector<StringAttr> names;
  for (StringAttr name : type.getNames())
    names.push_back(name == "e"   ? builder.getStringAttr("q")
                    : name == "q" ? builder.getStringAttr(StringRef(&unused, 1))
                                  : name);
  if (Operation *def = buf.getDefiningOp())
    builder.setInsertionPointAfter(def);
  else
    builder.setInsertionPointToStart(&program.getBody().front());
  return tile::RenameOp::create(
      builder, program.getLoc(),
      tile::BufType::get(type.getContext(), names, type.getElementType()), buf);
}

void KeyParts::layAlongFeatures(KernelBlock &block, tile::ProgramOp program) {
  block.sizeQ = 1;
  block.isOneRow = true;
  alongFeatures = renameFeatures(program, spaces.o);
  for (BlockOutput &output : block.outputs)
    if (!output.isLse && !output.isMax)
      output.buffer.buf = renameFeatures(program, output.buffer.buf);
}

void KeyParts::emitStart(OpBuilder &builder, KernelBlock &block, Value number) {
  Location loc = block.loc;
  block.part0 = arith::MulIOp::create(builder, loc, number, length);
  block.part1 = arith::AddIOp::create(builder, loc, block.part0, length);
  if (!block.sequenceOf('k'))
    return;
  Value has = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                    block.part0, block.kvLen);
  auto branch = scf::IfOp::create(builder, loc, has);
  builder.setInsertionPointToStart(branch.thenBlock());
}

/// The first element of the block in the workspaces of m and l.
SmallVector<Value> KeyParts::places(OpBuilder &builder, KernelBlock &block,
                                    Value number) const {
  SmallVector<Value> places(ArrayRef(block.bhg).drop_front(ragged));
  places.push_back(number);
  const Sequence *sequence = ragged ? block.sequenceOf('q') : nullptr;
  places.push_back(sequence ? builder.createOrFold<arith::AddIOp>(
                                  block.loc, sequence->begin, block.q0)
                            : block.q0);
  return places;
}

void KeyParts::emitStore(OpBuilder &builder, KernelBlock &block,
                         const SoftmaxState &state, Value number) {
  SmallVector<Value> at = places(builder, block, number);
  auto store = [&](Value value, Value space) {
    if (space)
      tile::StoreOp::create(builder, block.loc, value, space, at,
                            {{"q", block.rows}});
  };
  store(state.m, spaces.m);
  store(state.l, spaces.l);
  at.push_back(block.zero);
  store(state.o, spaces.o);
}

SoftmaxState KeyParts::emitLoad(OpBuilder &builder, KernelBlock &block,
                                Value number) {
  SmallVector<Value> at = places(builder, block, number);
  auto load = [&](Value space, tile::TileType type) -> Value {
    if (!space)
      return {};
    return tile::LoadOp::create(builder, block.loc, type, space, at,
                                {{"q", block.rows}});
  };
  SoftmaxState state;
  state.m = load(spaces.m, block.rowType());
  state.l = load(spaces.l, block.rowType());
  at.push_back(block.zero);
  if (spaces.o)
    state.o = load(spaces.o, block.outType());
  return state;
}

/// x a + y b; a and b are null without a maximum.
static Value emitSum(OpBuilder &builder, KernelBlock &block, Value x, Value y,
                     Value a, Value b) {
  SmallVector<Value> inputs{x, y};
  if (a)
    inputs.append({a, b});
  Location loc = block.loc;
  return emitMap(builder, loc, cast<tile::TileType>(x.getType()), inputs,
                 [&](OpBuilder &at, ValueRange v) -> Value {
                   if (v.size() == 2)
                     return arith::AddFOp::create(at, loc, v[0], v[1]);
                   Value left = arith::MulFOp::create(at, loc, v[0], v[2]);
                   Value right = arith::MulFOp::create(at, loc, v[1], v[3]);
                   return arith::AddFOp::create(at, loc, left, right);
                 });
}

static SoftmaxState emitMerge(OpBuilder &builder, KernelBlock &block,
                              const SoftmaxState &x, const SoftmaxState &y) {
  Location loc = block.loc;
  SoftmaxState next = x;
  Value a, b;
  if (x.m) {
    next.m = emitMap(builder, loc, block.rowType(), {x.m, y.m},
                     [&](OpBuilder &at, ValueRange v) -> Value {
                       return arith::MaxNumFOp::create(at, loc, v[0], v[1]);
                     });
    if (!x.l && !x.o)
      return next;
    Value shift = block.emitShift(builder, next.m);
    a = block.emitWeight(builder, x.m, shift);
    b = block.emitWeight(builder, y.m, shift);
  }
  if (x.l)
    next.l = emitSum(builder, block, x.l, y.l, a, b);
  if (x.o)
    next.o = emitSum(builder, block, x.o, y.o, a, b);
  return next;
}

/// x y for each part and feature.
static Value emitProduct(OpBuilder &builder, KernelBlock &block, Value x,
                         Value y) {
  Location loc = block.loc;
  return emitMap(builder, loc, cast<tile::TileType>(x.getType()), {x, y},
                 [&](OpBuilder &at, ValueRange v) -> Value {
                   return arith::MulFOp::create(at, loc, v[0], v[1]);
                 });
}

SoftmaxState KeyParts::emitMergedTile(OpBuilder &builder, KernelBlock &block,
                                      const KeyTile &parts,
                                      const SoftmaxState &state) {
  Location loc = block.loc;
  auto partType = block.tileType({{"s", kPartsAtOnce}});
  auto pairType = block.tileType({{"q", block.sizeE}, {"s", kPartsAtOnce}});
  SmallVector<Value> at = places(builder, block, parts.k0);
  const std::pair<StringRef, Value> valid[] = {{"s", parts.nk}};
  auto load = [&](Value space) -> Value {
    return tile::LoadOp::create(builder, loc, partType, space, at, valid);
  };
  auto reduce = [&](tile::ReduceKind kind, Value values, Value init) -> Value {
    return tile::ReduceOp::create(builder, loc, block.rowType(), kind, values,
                                  "s", init);
  };
  // The same along all features.
  auto repeat = [&](Value ofParts) {
    return emitMap(builder, loc, pairType, ofParts,
                   [&](OpBuilder &, ValueRange v) { return v[0]; });
  };
  SoftmaxState next = state;
  Value weights, factor;
  if (state.m) {
    Value m = tile::SelectMaskedOp::create(
        builder, loc, load(spaces.m), ValueRange(), {}, valid, parts.partial,
        -std::numeric_limits<double>::infinity(),
        [&](OpBuilder &b, Location, ValueRange) -> Value {
          return arith::ConstantIntOp::create(b, loc, 1, 1);
        });
    m = repeat(m);
    next.m = reduce(tile::ReduceKind::Max, m, state.m);
    Value shift = block.emitShift(builder, next.m);
    weights = block.emitWeight(builder, m, shift);
    factor = block.emitWeight(builder, state.m, shift);
  }
  auto sum = [&](Value values, Value before) {
    if (!weights)
      return reduce(tile::ReduceKind::Add, values, before);
    before =
        tile::RescaleOp::create(builder, loc, block.rowType(), before, factor);
    return reduce(tile::ReduceKind::Add,
                  emitProduct(builder, block, values, weights), before);
  };
  if (state.l)
    next.l = sum(repeat(load(spaces.l)), state.l);
  at.push_back(block.zero);
  next.o = sum(
      tile::LoadOp::create(builder, loc, pairType, alongFeatures, at, valid),
      state.o);
  return next;
}

SoftmaxState KeyParts::emitMergedRow(OpBuilder &builder, KernelBlock &block) {
  Location loc = block.loc;
  SoftmaxState initial = block.emitInitial(builder);
  Value parts = arith::CeilDivSIOp::create(builder, loc, block.kvLen, length);
  auto loop =
      tile::ForOp::create(builder, loc, {block.zero, block.zero, parts, parts},
                          initial.values(), kPartsAtOnce, kPartsAtOnce);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().front());
  KeyTile tile{loop.getKeyStart(), loop.getKeyCount(), loop.getPartial()};
  SoftmaxState next = emitMergedTile(
      builder, block, tile, initial.withValues(loop.getRegionIterArgs()));
  tile::YieldOp::create(builder, loc, next.values());
  return initial.withValues(loop.getResults());
}

SoftmaxState KeyParts::emitMerged(OpBuilder &builder, KernelBlock &block) {
  if (block.isOneRow)
    return emitMergedRow(builder, block);
  Location loc = block.loc;
  SoftmaxState initial = block.emitInitial(builder);
  Value parts = arith::CeilDivSIOp::create(builder, loc, block.kvLen, length);
  auto loop = scf::ForOp::create(builder, loc, block.zero, parts,
                                 constant(builder, loc, 1), initial.values());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SoftmaxState carried = initial.withValues(loop.getRegionIterArgs());
  SoftmaxState part = emitLoad(builder, block, loop.getInductionVar());
  scf::YieldOp::create(builder, loc,
                       emitMerge(builder, block, carried, part).values());
  return initial.withValues(loop.getResults());
}

} // namespace attnc::lowering
