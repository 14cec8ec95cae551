//===- EmitTiles.cpp - Products on a matrix unit --------------------------===//
//
// A product of a matrix unit (AMX) makes all sums of a window in scratch, block
// by block of up to 2 x 2 registers of 16 x 16 sums:
//
//   C[16 rows][16 queries] += A[16 rows][32 elements] * B[16 pairs][16 queries]
//
//   scores   rows are keys       A: rows of K     B: pairs of features of Q
//   values   rows are features   A: rows of V^T   B: pairs of keys of P
//
// With 8-bit integers a register has 64 of them along the sum, B holds
// quadruples, and sums are 32-bit integers, which their readers convert.
//
// The eight registers have fixed parts, so that no step waits for another's
// operands; A is used once for each pair of vectors and asks L1 not to keep it
// in favor of the sums (TILELOADDT1):
//
//   tmm0 tmm1   sums of the first row block with the first and second vector
//   tmm2 tmm3   sums of the second row block
//   tmm4 tmm5   A of the two row blocks
//   tmm6 tmm7   B of the two vectors
//
// All registers have their full shape. Operands are complete: PackTiles.cpp
// adds rows and columns of zeros. Tests: test/Codegen/CPU/tiles.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Emit/ZeroSums.h"

using namespace mlir;

namespace attnc::cpu {

/// Numbers of registers.
static constexpr int64_t kSums = 0, kFirstA = 4, kFirstB = 6;

/// Registers of a block along both its dims.
static constexpr int64_t kBlock = 2;

/// Up to so many steps of a product are written one after the other.
static constexpr int64_t kMostUnrolled = 4;

static void callUnit(Ops &ops, StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(
      ops, ops.loc, ops.getStringAttr("llvm.x86." + name), operands);
}

static Value registerNumber(Ops &ops, int64_t number) {
  return ops.constant(ops.getI8Type(), double(number));
}

namespace {
/// A matrix in memory: element 0 and the bytes between two rows.
struct Matrix {
  Value pointer, stride;
};
} // namespace

/// Writes the code of one product for one window.
class TileProduct {
public:
  TileProduct(Emitter &emitter, tile::DotOp dot, Window window);
  void emit();

private:
  void emitColumns(int64_t vector, int64_t vectors);
  void emitBlock(Value row, int64_t rows, int64_t vector, int64_t vectors);
  void emitStep(Value row, Value step, int64_t rows, int64_t vector,
                int64_t vectors);
  Matrix rowsAt(Value row, Value step);
  Matrix slotAt(Value tile, Value row, int64_t vector);
  void loadRegister(int64_t number, Matrix from, StringRef name);

  Emitter &emitter;
  Ops &ops;
  tile::DotOp dot;
  Window window;
  Value queries, loaded; // operands B and A
  const Rows &from;
  bool isTransposed; // A is the copy of V
  StringAttr free;   // the dim of the rows of the result
  int64_t freeSize, sumSize, depth;
  Type part;         // the elements of A, as bits
  StringRef product; // the instruction
  /// Places along the summed dim.
  Value firstStep, endStep;
};

TileProduct::TileProduct(Emitter &emitter, tile::DotOp dot, Window window)
    : emitter(emitter), ops(emitter.ops), dot(dot), window(window),
      queries(dot.getLhs().getType().hasDim(kLaneDim) ? dot.getLhs()
                                                      : dot.getRhs()),
      loaded(queries == dot.getLhs() ? dot.getRhs() : dot.getLhs()),
      from(emitter.rows.find(loaded)->second) {
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  isTransposed = from.row == sum;
  Space space = *spaceOf(cast<tile::TileType>(dot.getResult().getType()));
  free = space.dim;
  freeSize = space.size;
  depth = emitter.plan.tileDepth(queries);
  part = ops.getIntegerType(8 * kTileRowBytes / depth);
  product = !emitter.plan.integerTiles.contains(queries) ? "tdpbf16ps"
            : from.element.isUnsignedInteger()           ? "tdpbusd"
                                                         : "tdpbssd";
  sumSize = *cast<tile::TileType>(queries.getType()).getDimSize(sum);
  KeyRange range{ops.index(0), ops.index(sumSize)};
  Value extent = emitter.extentOf(sum, sumSize);
  if (extent)
    range = {emitter.beginOf(sum), extent};
  if (extent || !queries.getDefiningOp<tile::LoadOp>())
    emitter.completePairs(queries, range, window);
  firstStep = ops.floorDiv(range.begin, depth);
  endStep = ops.ceilDiv(range.end, depth);
}

/// Operand A: 16 rows from `16 * row` on, `depth` elements from `depth * step`
/// on. The copy of V has one register after the other.
Matrix TileProduct::rowsAt(Value row, Value step) {
  if (isTransposed) {
    Value number = ops.add(
        ops.mul(row, int64_t(llvm::divideCeil(sumSize, kTileDepth))), step);
    Value place = ops.mul(number, kTileRows * kTileDepth);
    return {ops.address(from.pointer, part, place),
            ops.constant(ops.getI64Type(), kTileRowBytes)};
  }
  Value first = ops.mul(row, kTileRows);
  Value pointer = from.pointer, stride = from.rowStride;
  if (from.copy) {
    Value isCopied =
        ops.compare(arith::CmpIPredicate::sge, first, from.firstCopied);
    pointer = ops.select(isCopied, from.copy, pointer);
    stride = ops.select(isCopied, from.copyStride, stride);
  }
  Value place = ops.add(ops.mul(first, stride), ops.mul(step, depth));
  return {ops.address(pointer, part, place),
          ops.toI64(ops.mul(stride, kTileRowBytes / depth))};
}

/// Operand B, or sums: the rows of a slot from `row` on.
Matrix TileProduct::slotAt(Value tile, Value row, int64_t vector) {
  const Slot &slot = emitter.plan.slots.find(tile)->second;
  auto type = cast<tile::TileType>(tile.getType());
  return {emitter.slotAddress(slot, type, row, window, vector),
          ops.constant(ops.getI64Type(), double(4 * slot.stride))};
}

void TileProduct::loadRegister(int64_t number, Matrix from, StringRef name) {
  callUnit(ops, name, {registerNumber(ops, number), from.pointer, from.stride});
}

/// The products of `depth` elements of the sum. An operand is loaded right
/// before its first use.
void TileProduct::emitStep(Value row, Value step, int64_t rows, int64_t vector,
                           int64_t vectors) {
  Value pair = ops.mul(step, kTileRows);
  for (int64_t r = 0; r < rows; ++r) {
    loadRegister(kFirstA + r, rowsAt(ops.add(row, r), step), "tileloaddt164");
    for (int64_t v = 0; v < vectors; ++v) {
      if (r == 0)
        loadRegister(kFirstB + v, slotAt(queries, pair, vector + v),
                     "tileloadd64");
      callUnit(ops, product,
               {registerNumber(ops, kSums + kBlock * r + v),
                registerNumber(ops, kFirstA + r),
                registerNumber(ops, kFirstB + v)});
    }
  }
}

/// The sums of up to 2 x 2 registers.
void TileProduct::emitBlock(Value row, int64_t rows, int64_t vector,
                            int64_t vectors) {
  auto forEachSum = [&](llvm::function_ref<void(int64_t, Value, int64_t)> fn) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        fn(kSums + kBlock * r + v, ops.mul(ops.add(row, r), kTileRows),
           vector + v);
  };
  Value start = dot.getAcc();
  auto makeZero = [&] {
    forEachSum([&](int64_t number, Value, int64_t) {
      callUnit(ops, "tilezero", registerNumber(ops, number));
    });
  };
  auto loadStart = [&] {
    forEachSum([&](int64_t number, Value first, int64_t v) {
      loadRegister(number, slotAt(start, first, v), "tileloadd64");
    });
  };
  if (!start || start.getDefiningOp<tile::SplatOp>())
    makeZero();
  else if (tile::ForOp loop = loopFromZero(dot, emitter.plan, emitter.target))
    ops.branch(ops.compare(arith::CmpIPredicate::eq,
                           emitter.scalars.lookup(loop.getKeyStart()),
                           emitter.scalars.lookup(loop.getSegment(0)[0])),
               makeZero, loadStart);
  else
    loadStart();
  auto step = [&](Value at) { emitStep(row, at, rows, vector, vectors); };
  std::optional<int64_t> low = constantOf(firstStep),
                         high = constantOf(endStep);
  if (low && high && *high - *low <= kMostUnrolled)
    for (int64_t at = *low; at < *high; ++at)
      step(ops.index(at));
  else
    ops.loop(firstStep, endStep, 1, step);
  forEachSum([&](int64_t number, Value first, int64_t v) {
    Matrix to = slotAt(dot.getResult(), first, v);
    callUnit(ops, "tilestored64",
             {registerNumber(ops, number), to.pointer, to.stride});
  });
}

/// All rows for one or two vectors of queries.
void TileProduct::emitColumns(int64_t vector, int64_t vectors) {
  Value begin = ops.index(0);
  Value end = ops.index(llvm::divideCeil(freeSize, kTileRows));
  Value extent = isTransposed ? Value() : emitter.extentOf(free, freeSize);
  if (extent) {
    begin = ops.floorDiv(emitter.beginOf(free), kTileRows);
    end = ops.ceilDiv(extent, kTileRows);
  }
  Value count = ops.floorDiv(ops.sub(end, begin), kBlock);
  Value middle = ops.add(begin, ops.mul(count, kBlock));
  ops.loop(begin, middle, kBlock,
           [&](Value row) { emitBlock(row, kBlock, vector, vectors); });
  ops.branch(ops.compare(arith::CmpIPredicate::slt, middle, end),
             [&] { emitBlock(middle, 1, vector, vectors); });
}

void TileProduct::emit() {
  for (int64_t v = 0; v < window.vectors; v += kBlock)
    emitColumns(v, std::min(kBlock, window.vectors - v));
}

void Emitter::emitTiles(tile::DotOp dot, Window window) {
  if (plan.slots.contains(dot.getResult())) // else nobody reads it
    TileProduct(*this, dot, window).emit();
}

/// The operand of LDTILECFG (SDM volume 1, 18.1): palette 1, then from byte 16
/// on the bytes of a row of each register, from byte 48 on its rows.
void Emitter::configureTiles() {
  SmallVector<int8_t> shapes(64);
  shapes[0] = 1;
  for (int64_t number = 0; number < 8; ++number) {
    shapes[16 + 2 * number] = kTileRowBytes;
    shapes[48 + number] = kTileRows;
  }
  auto type = ops.vector(64, ops.getI8Type());
  Value bytes = arith::ConstantOp::create(
      ops, ops.loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(shapes)));
  Value to = ops.address(scratch, ops.getI8Type(), ops.index(plan.tileShapes));
  ops.store(bytes, to, 64);
  callUnit(ops, "ldtilecfg", to);
}

void Emitter::releaseTiles() { callUnit(ops, "tilerelease", {}); }

} // namespace attnc::cpu
