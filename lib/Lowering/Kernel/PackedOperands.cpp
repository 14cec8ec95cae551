//===- PackedOperands.cpp - Pack operands once per call -------------------===//
//
// A matrix unit reads registers of 16 rows with 32 elements along the summed
// dim, which are keys for V and features for K. A row of V has the features of
// one key, and a row of K need not fill whole registers. A kernel of many
// blocks of queries would copy each tile of keys as often; a grid does it once:
//
//   pack         operand   rows          summed      workspace
//   transposed   V         features e    keys k      [b, h, k / 32, e, 32]
//   keys         K         keys k        features d  [b, h, k, d / 32, 32]
//   both         both
//
//   %w = tile.workspace [b, h, blocks of 32 keys, e, 32]
//   tile.grid (b, h, blocks of features, blocks of keys) {
//     %0 = tile.load V[b, h, k0, e0]     <q:32, e:64>   (lanes are keys)
//     tile.store %0, %w[b, h, block, e0, 0] }
//   %r = tile.rename %w merge(keys)
//   tile.grid ... { ... tile.load %r[b, h, k, e] ... }
//
// A tile of keys is one piece of memory in both cases. What the last block
// along the summed dim lacks is 0. Tiles of packed values have to start at
// multiples of 32 (KeyWalk.cpp), those of packed keys anywhere.
//
// Tests: test/Lowering/packed-operands.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/PackedOperands.h"
#include "Kernel/SplitOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::lowering {

/// Rows of an operand that an instance of the grid copies.
static constexpr int64_t kRows = 64;

/// Rows of a register. Their number in a workspace is such that a register may
/// be loaded from each row that exists.
static constexpr int64_t kGranule = 16;

namespace {
/// Stores one operand in a workspace.
class OperandPacker {
public:
  /// `operand` with its letters, by number: K may be the same value as V.
  OperandPacker(OpBuilder &builder, KernelBlock &block, unsigned operand,
                char rows, char summed)
      : builder(builder), block(block), loc(block.loc),
        operand(block.kernel.getLetteredOperands()[operand].first), rows(rows),
        summed(summed),
        letters(block.kernel.getLetteredOperands()[operand].second) {}
  /// What the kernel loads instead of the operand: its terms.
  FailureOr<SmallVector<BlockBuffer, 2>> run(Storage &storage);

private:
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value blocksOf(Value size, int64_t ofBlock) {
    return builder.createOrFold<arith::CeilDivSIOp>(loc, size,
                                                    constant(ofBlock));
  }
  Attribute sizeOf(char letter) {
    return attn::axisSize(operand.getType(), unsigned(letters.find(letter)));
  }
  Value valueOf(char letter) {
    return block.scope.sizeOf(builder, loc, sizeOf(letter));
  }
  /// Whether the blocks along the summed dim lie outside of the rows: the
  /// operand's axes stay in their order.
  bool isSummedFirst() const {
    return letters.find(summed) < letters.find(rows);
  }
  /// The axes of the workspace from the outermost one on.
  template <typename T> SmallVector<T> inOrder(T b, T h, T n, T row, T inner) {
    if (isSummedFirst())
      return {b, h, n, row, inner};
    return {b, h, row, n, inner};
  }
  Value countRows();
  Value named(Value space, ArrayRef<StringRef> names, bool mergesBlocks);
  void emitCopy(const BlockBuffer &from, ArrayRef<Value> stored,
                ValueRange place);
  Value emitWorkspace(Value b, Value h, Value blocks, int64_t terms);

  OpBuilder &builder;
  KernelBlock &block;
  Location loc;
  Value operand;
  char rows, summed;
  StringRef letters;
};
} // namespace

/// The workspace with names for its axes.
Value OperandPacker::named(Value space, ArrayRef<StringRef> names,
                           bool mergesBlocks) {
  auto type = cast<tile::BufType>(space.getType());
  SmallVector<StringAttr> axes;
  for (StringRef name : names)
    axes.push_back(builder.getStringAttr(name));
  auto renamed =
      tile::BufType::get(builder.getContext(), axes, type.getElementType());
  if (!mergesBlocks)
    return tile::RenameOp::create(builder, loc, renamed, space);
  return tile::RenameOp::create(builder, loc, renamed, space,
                                builder.getStringAttr(StringRef(&summed, 1)),
                                builder.getStringAttr("c"),
                                builder.getI64IntegerAttr(kPackedDepth));
}

/// Rows of the workspace. Those of keys are read from any key on.
Value OperandPacker::countRows() {
  if (auto size = dyn_cast<IntegerAttr>(sizeOf(rows)); size && rows == 'e')
    return constant(int64_t(llvm::alignTo(size.getInt(), kGranule)));
  return builder.createOrFold<arith::AddIOp>(loc, valueOf(rows),
                                             constant(kGranule - 1));
}

/// Where an instance of the grid reads the operand, and stores it.
void OperandPacker::emitCopy(const BlockBuffer &from, ArrayRef<Value> stored,
                             ValueRange place) {
  auto times = [&](Value number, int64_t size) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, number, constant(size));
  };
  Value blockNumber = place[isSummedFirst() ? 3 : 2],
        rowNumber = place[isSummedFirst() ? 2 : 3];
  Value sum0 = times(blockNumber, kPackedDepth), row0 = times(rowNumber, kRows);
  Value sums = builder.createOrFold<arith::SubIOp>(loc, valueOf(summed), sum0);
  Value count = builder.createOrFold<arith::SubIOp>(loc, valueOf(rows), row0);
  StringRef row(&rows, 1);
  auto type = tile::TileType::get(builder.getContext(),
                                  {{"q", kPackedDepth}, {row, kRows}},
                                  getElementTypeOrSelf(operand));
  auto startOf = [&](char letter) -> Value {
    return letter == 'b'   ? place[0]
           : letter == 'h' ? place[1]
           : letter == 'q' ? sum0
                           : row0;
  };
  Value tile = tile::LoadOp::create(
      builder, loc, type, from.buf,
      indicesOf(builder, loc, block.scope, from.digits, startOf),
      {{"q", sums}, {row, count}});
  SmallVector<Value> terms =
      emitTerms(builder, loc, tile, int64_t(stored.size()));
  for (auto [term, to] : llvm::zip_equal(terms, stored))
    tile::StoreOp::create(
        builder, loc, term, to,
        inOrder<Value>(place[0], place[1], blockNumber, row0, constant(0)),
        {{row, count}});
}

/// Memory for one of so many terms.
Value OperandPacker::emitWorkspace(Value b, Value h, Value blocks,
                                   int64_t terms) {
  SmallVector<StringAttr> plain;
  for (unsigned axis = 0; axis < 5; ++axis)
    plain.push_back(builder.getStringAttr("a" + Twine(axis)));
  Type element =
      terms > 1 ? builder.getBF16Type() : getElementTypeOrSelf(operand);
  return tile::WorkspaceOp::create(
      builder, loc, tile::BufType::get(builder.getContext(), plain, element),
      inOrder<Value>(b, h, blocks, countRows(), constant(kPackedDepth)));
}

FailureOr<SmallVector<BlockBuffer, 2>> OperandPacker::run(Storage &storage) {
  auto from = storage.operand(block.kernel, operand, letters, [&](char letter) {
    return letter == summed ? 'q' : letter;
  });
  if (failed(from))
    return failure();
  tile::TargetAttrInterface target = block.kernel.getSchedule()->getTarget();
  int64_t terms = countTerms(getElementTypeOrSelf(operand), target);
  Value b = valueOf('b'), h = valueOf('h');
  Value blocks = blocksOf(valueOf(summed), kPackedDepth);
  StringRef row(&rows, 1), sum(&summed, 1);
  TensorDigits digits;
  for (char letter : inOrder<char>('b', 'h', summed, rows, 0))
    if (letter)
      digits.push_back({Digit{letter, sizeOf(letter)}});
  digits.push_back({Digit{kUnit, builder.getI64IntegerAttr(1)}});
  SmallVector<Value, 2> stored;
  SmallVector<BlockBuffer, 2> loaded;
  for (int64_t term = 0; term < terms; ++term) {
    Value space = emitWorkspace(b, h, blocks, terms);
    stored.push_back(named(space, inOrder<StringRef>("b", "h", "n", row, "q"),
                           /*mergesBlocks=*/false));
    loaded.push_back({named(space, inOrder<StringRef>("b", "h", sum, row, "c"),
                            /*mergesBlocks=*/true),
                      digits});
  }

  Value rowBlocks = blocksOf(valueOf(rows), kRows);
  SmallVector<Value> extents{b, h, blocks, rowBlocks}; // keys last
  if (isSummedFirst())
    std::swap(extents[2], extents[3]);
  auto grid = tile::GridOp::create(builder, loc, extents, {"b", "h", "i", "j"});
  if (target != storage.program.getTarget())
    grid.setTargetAttr(target);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&grid.getBody().front());
  branchOnWanted(builder, loc, storage.wantedFor(block.kernel));
  emitCopy(*from, stored, grid.getBody().getArguments());
  return loaded;
}

LogicalResult storePackedOperands(OpBuilder &builder, KernelBlock &block,
                                  Storage &storage) {
  attn::KernelOp kernel = block.kernel;
  tile::TargetAttrInterface target = kernel.getSchedule()->getTarget();
  auto pack = [&](unsigned operand, char rows, char summed,
                  SmallVector<BlockBuffer, 2> &stored) -> LogicalResult {
    auto packed =
        OperandPacker(builder, block, operand, rows, summed).run(storage);
    if (failed(packed))
      return failure();
    stored = *packed;
    return success();
  };
  if (target.getPacksKeys() &&
      failed(pack(/*operand=*/1, 'k', 'd', block.storedKeys)))
    return failure();
  if (target.getTransposesValues() &&
      failed(pack(/*operand=*/2, 'e', 'k', block.storedValues)))
    return failure();
  return success();
}

} // namespace attnc::lowering
