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
// A part without keys that a row sees has m = -inf, and so b = 0. The parts
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

/// How many instances of the grid of parts a sequence should have: one for each
/// of so many threads. It is the most parts of a row, too: more only cost
/// workspace and time to merge.
static constexpr int64_t kWantedInstances = 32;

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

/// How many parts the keys should have: as many as a sequence has too few heads
/// and blocks of rows. The batch does not count, so that a sequence has the
/// same results in any batch. Parts of ragged keys have the same length in all
/// sequences, for balance.
static Value countWantedParts(OpBuilder &builder, KernelBlock &block) {
  Location loc = block.loc;
  Type q = block.kernel.getQ().getType();
  auto size = [&](unsigned axis) {
    return block.scope.sizeOf(builder, loc, attn::axisSize(q, axis));
  };
  Value instances = builder.createOrFold<arith::MulIOp>(loc, size(1), size(2));
  if (!block.findRagged('q') && !block.findRagged('k')) {
    Value blocks = builder.createOrFold<arith::CeilDivSIOp>(
        loc, size(3), constant(builder, loc, block.sizeQ));
    instances = builder.createOrFold<arith::MulIOp>(loc, instances, blocks);
  }
  // There may be no queries.
  Value some = builder.createOrFold<arith::MaxSIOp>(loc, instances,
                                                    constant(builder, loc, 1));
  return builder.createOrFold<arith::CeilDivSIOp>(
      loc, constant(builder, loc, kWantedInstances), some);
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
    sizes.push_back(
        letter == 's'
            ? count
            : block.scope.sizeOf(
                  builder, loc, attn::axisSize(kernel.getQ().getType(), axis)));
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

SoftmaxState KeyParts::emitMerged(OpBuilder &builder, KernelBlock &block) {
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
