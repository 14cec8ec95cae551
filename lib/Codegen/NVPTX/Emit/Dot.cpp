//===- Dot.cpp - Products on tensor cores and by fma ----------------------===//
//
// The accumulator of mma.m16n8 has its elements where the left operand of the
// next mma has its own, so rows of a product in registers are multiplied again
// without a shuffle: four registers of 16 columns are
//
//   row g:      columns 2t, 2t+1 (a0)   columns 2t+8, 2t+9 (a2)
//   row g + 8:  columns 2t, 2t+1 (a1)   columns 2t+8, 2t+9 (a3)
//
// The right operand comes from shared memory by ldmatrix, transposed where its
// rows run along the sum; so do rows that are there (Layout.h).
//
// With `tf32` the instruction for f32 is m16n8k8. It wants the places t and
// t + 4 of eight along the sum, but a sum has no order: they are columns 2t and
// 2t + 1, which a thread has in registers. In shared memory these are 8 bytes
// of a row along the sum, or one element of each of two rows across it.
//
// All other dots are loops over the sum whose operands are in shared memory:
// those of f32 without `tf32` and f64, with a mask, and of formulas. Tests:
// test/Codegen/NVPTX/dot.mlir, tf32.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

void Emitter::emitDot(tile::DotOp dot) {
  usesTensorCores(dot, layout) ? emitMma(dot) : emitSums(dot);
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Two adjacent elements of a row in one register.
Value Emitter::packRows(Value tile, int64_t row, int64_t column) {
  auto type = cast<tile::TileType>(tile.getType());
  Type elementType = type.getElementType();
  int64_t size = *type.getDimSize(Layout::columnOf(type));
  Type pair = VectorType::get(2, elementType);
  Value packed = LLVM::PoisonOp::create(b, b.loc, pair);
  for (int64_t half : {0, 1}) {
    Value value = element(tile, {type, row, column + half, {}});
    // Zeros times what a formula makes of the padding must be zeros.
    if (layout.padded(size) != size)
      value = b.select(
          b.compare(Predicate::slt, columnPosition(column + half), size), value,
          b.zero(elementType));
    packed =
        LLVM::InsertElementOp::create(b, b.loc, packed, value, b.i32(half));
  }
  return elementType.isBF16() ? b.bitcast(b.getI32Type(), packed) : packed;
}

/// Operands of mma are rounded, not truncated, to tf32.
static Value roundToTf32(Builder &b, Value value) {
  return b.intrinsic("f2tf32.rna", b.getI32Type(), value);
}

/// Two adjacent elements of a row, one per register.
SmallVector<Value> Emitter::roundRows(Value tile, int64_t row, int64_t column) {
  auto type = cast<tile::TileType>(tile.getType());
  int64_t size = *type.getDimSize(Layout::columnOf(type));
  SmallVector<Value> rounded;
  for (int64_t half : {0, 1}) {
    Value value = element(tile, {type, row, column + half, {}});
    if (layout.padded(size) != size) // see packRows
      value = b.select(
          b.compare(Predicate::slt, columnPosition(column + half), size), value,
          b.zero(type.getElementType()));
    rounded.push_back(roundToTf32(b, value));
  }
  return rounded;
}

/// As loadMatrices, of eight places of the sum.
SmallVector<Value> Emitter::loadPairs(const SharedTile &made, bool isSumInner,
                                      int64_t sum, int64_t column,
                                      Value start) {
  Value sumAt = b.mul(b.remainder(lane, 4), 2), columnAt = b.floorDiv(lane, 4);
  if (start)
    columnAt = b.add(columnAt, start);
  // The part of the address that no loop changes is the same everywhere.
  Value place = isSumInner ? b.add(b.mul(columnAt, made.pitch), sumAt)
                           : b.add(b.mul(sumAt, made.pitch), columnAt);
  Value pointer = b.address(sharedPointer(0), made.element, place);
  if (made.stage)
    pointer = b.address(pointer, b.getI8Type(), made.stage);
  auto at = [&](int64_t sum, int64_t column) {
    int64_t first =
        isSumInner ? column * made.pitch + sum : sum * made.pitch + column;
    return b.address(
        pointer, b.getI8Type(),
        b.index(made.offset + first * Builder::bytesOf(made.element)));
  };
  SmallVector<Value> registers;
  for (int64_t first : {column, column + 8}) {
    if (!isSumInner) {
      for (int64_t half : {0, 1})
        registers.push_back(
            roundToTf32(b, b.load(made.element, at(sum + half, first))));
      continue;
    }
    constexpr unsigned kPairBytes = 8;
    Value pair = LLVM::LoadOp::create(
        b, b.loc, VectorType::get(2, made.element), at(sum, first), kPairBytes);
    for (int64_t half : {0, 1})
      registers.push_back(roundToTf32(
          b, LLVM::ExtractElementOp::create(b, b.loc, pair, b.i32(half))));
  }
  return registers;
}

/// Fragments of 16 places of the sum by 16 columns, from `start` and `column`
/// on: of each eight columns two registers.
SmallVector<Value> Emitter::loadMatrices(const SharedTile &made,
                                         bool isSumInner, int64_t sum,
                                         int64_t column, Value start) {
  if (made.element.isF32())
    return loadPairs(made, isSumInner, sum, column, start);
  Value matrix = b.floorDiv(lane, 8), row = b.remainder(lane, 8);
  // Matrices 0 and 1 are the halves of the sum, 2 and 3 those of the next
  // columns.
  Value sumAt = b.mul(b.remainder(matrix, 2), 8);
  Value columnAt = b.mul(b.floorDiv(matrix, 2), 8);
  if (start)
    columnAt = b.add(columnAt, start);
  Value outer = isSumInner ? columnAt : sumAt;
  Value inner = isSumInner ? sumAt : columnAt;
  outer = b.add(outer, row);
  // The part of the address that no loop changes is the same everywhere.
  Value place = b.add(b.mul(outer, made.pitch), inner);
  Value pointer =
      b.address(sharedPointer(0), b.memoryType(made.element), place);
  if (made.stage)
    pointer = b.address(pointer, b.getI8Type(), made.stage);
  int64_t outerFirst = isSumInner ? column : sum;
  int64_t innerFirst = isSumInner ? sum : column;
  pointer = b.address(
      pointer, b.getI8Type(),
      b.index(made.offset + 2 * (outerFirst * made.pitch + innerFirst)));
  Type i32 = b.getI32Type();
  Type four =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value loaded =
      b.intrinsic(isSumInner ? "ldmatrix.sync.aligned.m8n8.x4.b16.p3"
                             : "ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3",
                  four, pointer);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i)
    registers.push_back(b.field(loaded, i));
  return registers;
}

/// The left operand: 16 rows of this warp from slot `row` on by the places of
/// the sum that an instruction has.
SmallVector<Value> Emitter::loadRows(tile::DotOp dot, int64_t row,
                                     int64_t sum) {
  Value rows =
      dot.getLhs().getType().hasDim(kRowDim) ? dot.getLhs() : dot.getRhs();
  const Tile &held = tiles[rows];
  if (held.shared && (held.registers.empty() ||
                      (!layout.isWarpgroup() && layout.isSharedRows(rows)))) {
    Value first = b.mul(warp, layout.getTarget().getRows());
    SmallVector<Value> loaded =
        loadMatrices(*held.shared, held.shared->dims.back() == dot.getSum(),
                     sum, 8 * row, first);
    return {loaded[0], loaded[2], loaded[1], loaded[3]};
  }
  if (cast<tile::TileType>(rows.getType()).getElementType().isF32()) {
    SmallVector<Value> upper = roundRows(rows, row, sum / 4);
    SmallVector<Value> lower = roundRows(rows, row + 1, sum / 4);
    return {upper[0], lower[0], upper[1], lower[1]};
  }
  SmallVector<Value> packed;
  for (int64_t column : {sum / 4, sum / 4 + 2})
    for (int64_t half : {0, 1})
      packed.push_back(packRows(rows, row + half, column));
  return packed;
}

void Emitter::emitMma(tile::DotOp dot) {
  Value rows = dot.getLhs(), columns = dot.getRhs();
  if (!dot.getLhs().getType().hasDim(kRowDim))
    std::swap(rows, columns);
  tile::TileType type = dot.getType();
  Type elementType = cast<tile::TileType>(rows.getType()).getElementType();
  bool isBf16 = elementType.isBF16(), isTf32 = elementType.isF32();
  Type f32 = b.getF32Type();
  Type four =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  Type operand = isBf16 || isTf32 ? Type(b.getI32Type())
                                  : Type(VectorType::get(2, elementType));
  StringRef name = isTf32   ? "mma.m16n8k8.row.col.tf32"
                   : isBf16 ? "mma.m16n8k16.row.col.bf16"
                            : "mma.m16n8k16.row.col.f32.f32";
  SharedTile made = toShared(columns);
  if (made.swizzle)
    return emitWgmma(dot);
  bool isSumInner = made.dims.back() == dot.getSum();

  SmallVector<Value> sums =
      dot.getAcc() ? flatten(dot.getAcc())
                   : SmallVector<Value>(layout.slots(type), b.zero(f32));
  int64_t rowSlots = layout.rowSlots(type);
  int64_t columnSlots = layout.columnSlots(type);
  int64_t depth = layout.padded(
      *cast<tile::TileType>(rows.getType()).getDimSize(dot.getSum()));
  for (int64_t sum = 0; sum < depth; sum += isTf32 ? 8 : 16) {
    SmallVector<Value> left;
    for (int64_t row = 0; row < rowSlots; row += 2)
      for (Value packed : loadRows(dot, row, sum))
        left.push_back(b.bitcast(operand, packed));
    for (int64_t column = 0; column < columnSlots; column += 4) {
      SmallVector<Value> right =
          loadMatrices(made, isSumInner, sum, 4 * column);
      for (int64_t part : {0, 2})
        for (int64_t row = 0; row < rowSlots; row += 2) {
          int64_t first = row * columnSlots + column + part;
          int64_t places[] = {first, first + 1, first + columnSlots,
                              first + columnSlots + 1};
          SmallVector<Value> args(left.begin() + 2 * row,
                                  left.begin() + 2 * row + 4);
          for (int64_t half : {0, 1})
            args.push_back(b.bitcast(operand, right[part + half]));
          for (int64_t place : places)
            args.push_back(sums[place]);
          Value result = b.intrinsic(name, four, args);
          for (auto [i, place] : llvm::enumerate(places))
            sums[place] = b.field(result, i);
        }
    }
  }
  define(dot, [&](const Place &place) {
    return sums[place.row * columnSlots + place.column];
  });
}

//===----------------------------------------------------------------------===//
// Loops over the sum
//===----------------------------------------------------------------------===//

void Emitter::emitSums(tile::DotOp dot) {
  tile::TileType type = dot.getType();
  Type accumulate = type.getElementType();
  SmallVector<std::pair<Value, SharedTile>> operands;
  for (auto tile : dot.getTiles())
    operands.push_back({tile, toShared(tile)});
  std::optional<SharedTile> mask;
  if (dot.getMask())
    mask = toShared(dot.getMask());
  if (dot.getAcc() && !Layout::isInRegisters(type))
    toShared(dot.getAcc());
  int64_t depth =
      *cast<tile::TileType>(dot.getLhs().getType()).getDimSize(dot.getSum());

  // Elements that several places share are read once.
  std::map<std::tuple<Value *, int64_t, int64_t>, Value> known;
  auto sumWith = [&](Value sum, Value number, const Place &place) -> Value {
    auto at = [&](StringRef dim) {
      return dim == dot.getSum() ? number : position(dim, place);
    };
    StringAttr column = Layout::columnOf(type);
    SmallVector<Value> elements;
    for (auto &[tile, held] : operands) {
      auto own = cast<tile::TileType>(tile.getType());
      Value &read = known[{&tile, own.hasDim(kRowDim) ? place.row : 0,
                           column && own.hasDim(column) ? place.column : 0}];
      if (!read)
        read = b.convert(accumulate, elementOf(held, at));
      elements.push_back(read);
    }
    Value next;
    if (dot.hasTerm()) {
      for (auto [dim, start] :
           llvm::zip(dot.getAtDims().getAsRange<StringAttr>(), dot.getAt()))
        elements.push_back(b.add(lookup(start), at(dim)));
      next = arith::AddFOp::create(b, b.loc, sum,
                                   evaluate(dot.getTerm().front(), elements));
    } else {
      next = LLVM::FMAOp::create(b, b.loc, elements[0], elements[1], sum);
    }
    return mask ? b.select(elementOf(*mask, at), next, sum) : next;
  };
  SmallVector<Place> places;
  auto first = [&](const Place &place) {
    return dot.getAcc() ? element(dot.getAcc(), place) : b.zero(accumulate);
  };
  auto loop = [&](SmallVector<Value> sums) {
    return b.loop(b.index(0), b.index(depth), b.index(1), sums,
                  [&](Value number, ValueRange carried) {
                    known.clear();
                    SmallVector<Value> next;
                    for (auto [place, sum] : llvm::zip(places, carried))
                      next.push_back(sumWith(sum, number, place));
                    return next;
                  });
  };
  if (!Layout::isInRegisters(type))
    return define(dot, [&](const Place &place) {
      places = {place};
      return loop({first(place)})[0];
    });
  SmallVector<Value> sums;
  Place place{type};
  for (place.row = 0; place.row < layout.rowSlots(type); ++place.row)
    for (place.column = 0; place.column < layout.columnSlots(type);
         ++place.column) {
      places.push_back(place);
      sums.push_back(first(place));
    }
  sums = loop(sums);
  define(dot, [&](const Place &at) {
    return sums[at.row * layout.columnSlots(type) + at.column];
  });
}

} // namespace attnc::ptx
