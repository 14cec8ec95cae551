//===- TransposedValues.cpp - Transpose the values before a kernel --------===//
//
// A matrix unit reads 16 features of 32 keys each, but a row of V has the
// features of one key. A kernel of many blocks of queries would transpose each
// tile of keys as often; with `pack = transposed` a grid does it once:
//
//   %w = tile.workspace [b, h, blocks of 32 keys, e, 32]
//   tile.grid (b, h, blocks of keys, blocks of features) {
//     %0 = tile.load V[b, h, k0, e0]     <q:32, e:64>   (lanes are keys)
//     tile.store %0, %w[b, h, block, e0, 0] }
//   %r = tile.rename %w merge(keys)
//   tile.grid ... { ... tile.load %r[b, h, k, e] ... }
//
// The features of 32 keys are adjacent, so that a tile of keys is one piece of
// memory. Keys that do not exist are zeros. Tiles have to start at multiples of
// 32 (KeyWalk.cpp).
//
// Tests: test/Lowering/transposed-values.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/TransposedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::lowering {

/// Features that an instance of the grid copies, and what their number in the
/// workspace is a multiple of.
static constexpr int64_t kFeatures = 64, kGranule = 16;

/// The workspace with names for its axes.
static Value named(OpBuilder &builder, Location loc, Value space,
                   ArrayRef<StringRef> names, bool mergesKeys) {
  auto type = cast<tile::BufType>(space.getType());
  SmallVector<StringAttr> axes;
  for (StringRef name : names)
    axes.push_back(builder.getStringAttr(name));
  auto renamed =
      tile::BufType::get(builder.getContext(), axes, type.getElementType());
  if (!mergesKeys)
    return tile::RenameOp::create(builder, loc, renamed, space);
  return tile::RenameOp::create(
      builder, loc, renamed, space, builder.getStringAttr("k"),
      builder.getStringAttr("c"), builder.getI64IntegerAttr(kKeysOfBlock));
}

static Value constant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

/// Where an instance of the grid reads the values, and stores them.
static void emitCopy(OpBuilder &builder, KernelBlock &block,
                     const BlockBuffer &from, Value stored, ValueRange place,
                     ValueRange sizes) {
  Location loc = block.loc;
  auto times = [&](Value number, int64_t size) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, number,
                                               constant(builder, loc, size));
  };
  Value k0 = times(place[2], kKeysOfBlock), e0 = times(place[3], kFeatures);
  Value keys = builder.createOrFold<arith::SubIOp>(loc, sizes[1], k0);
  Value features = builder.createOrFold<arith::SubIOp>(loc, sizes[0], e0);
  auto type = tile::TileType::get(builder.getContext(),
                                  {{"q", kKeysOfBlock}, {"e", kFeatures}},
                                  getElementTypeOrSelf(block.kernel.getV()));
  auto valueOf = [&](char letter) -> Value {
    return letter == 'b'   ? place[0]
           : letter == 'h' ? place[1]
           : letter == 'q' ? k0
                           : e0;
  };
  Value tile = tile::LoadOp::create(
      builder, loc, type, from.buf,
      indicesOf(builder, loc, block.scope, from.digits, valueOf),
      {{"q", keys}, {"e", features}});
  tile::StoreOp::create(
      builder, loc, tile, stored,
      ValueRange{place[0], place[1], place[2], e0, constant(builder, loc, 0)},
      {{"e", features}});
}

LogicalResult storeTransposedValues(OpBuilder &builder, KernelBlock &block,
                                    Storage &storage) {
  Location loc = block.loc;
  attn::KernelOp kernel = block.kernel;
  StringRef letters;
  for (auto [operand, axes] : kernel.getLetteredOperands())
    if (operand == kernel.getV())
      letters = axes;
  auto from = storage.operand(kernel, kernel.getV(), letters, [](char letter) {
    return letter == 'k' ? 'q' : letter;
  });
  if (failed(from))
    return failure();
  auto sizeOf = [&](char letter) {
    return attn::axisSize(kernel.getV().getType(),
                          unsigned(letters.find(letter)));
  };
  auto valueOf = [&](char letter) {
    return block.scope.sizeOf(builder, loc, sizeOf(letter));
  };
  auto count = [&](Value size, int64_t ofBlock) -> Value {
    return builder.createOrFold<arith::CeilDivSIOp>(
        loc, size, constant(builder, loc, ofBlock));
  };
  Value b = valueOf('b'), h = valueOf('h'), e = valueOf('e'), k = valueOf('k');
  Value blocks = count(k, kKeysOfBlock);
  SmallVector<StringAttr> plain;
  for (unsigned axis = 0; axis < 5; ++axis)
    plain.push_back(builder.getStringAttr("a" + Twine(axis)));
  Value space = tile::WorkspaceOp::create(
      builder, loc,
      tile::BufType::get(builder.getContext(), plain,
                         getElementTypeOrSelf(kernel.getV())),
      ValueRange{
          b, h, blocks,
          constant(builder, loc, int64_t(llvm::alignTo(block.sizeE, kGranule))),
          constant(builder, loc, kKeysOfBlock)});
  Value stored = named(builder, loc, space, {"b", "h", "n", "e", "q"}, false);
  TensorDigits digits;
  for (char letter : {'b', 'h', 'k', 'e'})
    digits.push_back({Digit{letter, sizeOf(letter)}});
  digits.push_back({Digit{kUnit, builder.getI64IntegerAttr(1)}});
  block.storedValues = {
      named(builder, loc, space, {"b", "h", "k", "e", "c"}, true), digits};

  tile::TargetAttrInterface target = kernel.getSchedule()->getTarget();
  auto grid = tile::GridOp::create(
      builder, loc, {b, h, blocks, count(e, kFeatures)}, {"b", "h", "i", "j"});
  if (target != storage.program.getTarget())
    grid.setTargetAttr(target);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&grid.getBody().front());
  branchOnWanted(builder, loc, storage.wantedFor(kernel));
  emitCopy(builder, block, *from, stored, grid.getBody().getArguments(),
           {e, k});
  return success();
}

} // namespace attnc::lowering
