//===- StorePairs.cpp - Pairs of bf16 in scratch --------------------------===//
//
// What products by pairs read: a row of a slot holds two rows of its tile, and
// packed rows of V hold two rows of the tensor.
//
//   slot     32 bits of a lane   element of row 2n | element of row 2n + 1
//   packed   32 bits [n][e]      V[2n][e]          | V[2n + 1][e]
//
// A second row that does not exist is 0. Tests: test/Codegen/CPU/pairs.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Bf16Ops.h"
#include "Emit/Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// 16 bits of two values, scalars or vectors, as 32 bits; `high` may be null.
Value Emitter::joinHalves(Value low, Value high) {
  Type i32 = ops.getI32Type();
  if (auto vector = dyn_cast<VectorType>(low.getType()))
    i32 = vector.clone(i32);
  low = arith::ExtUIOp::create(ops, ops.loc, i32, low);
  if (!high)
    return low;
  high = arith::ExtUIOp::create(ops, ops.loc, i32, high);
  high = arith::ShLIOp::create(ops, ops.loc, high, ops.constant(i32, 16));
  return arith::OrIOp::create(ops, ops.loc, low, high);
}

std::optional<arith::RoundingMode> roundingModeOf(arith::TruncFOp op) {
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  if (!op.getType().isBF16() || (mode != arith::RoundingMode::toward_zero &&
                                 mode != arith::RoundingMode::to_nearest_away))
    return std::nullopt;
  return mode;
}

/// The bits of f32 whose upper halves are those of bf16.
static Value roundedBits(Ops &ops, Value value, arith::RoundingMode mode) {
  Type i32 = ops.getI32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    i32 = vector.clone(i32);
  Value bits = LLVM::BitcastOp::create(ops, ops.loc, i32, value);
  if (mode == arith::RoundingMode::toward_zero)
    return bits;
  return arith::AddIOp::create(ops, ops.loc, bits, ops.constant(i32, 0x8000));
}

Value roundToBf16(Ops &ops, Value value, arith::RoundingMode mode) {
  Value bits = roundedBits(ops, value, mode);
  bits = arith::AndIOp::create(ops, ops.loc, bits,
                               ops.constant(bits.getType(), -0x10000));
  return LLVM::BitcastOp::create(ops, ops.loc, value.getType(), bits);
}

// LLVM would make VPERMT2W of these ops.
Value combineBits(Ops &ops, BitLogic logic, Value a, Value b, Value c) {
  auto type = cast<VectorType>(a.getType());
  auto name = ops.getStringAttr("llvm.x86.avx512.pternlog.d." +
                                Twine(32 * type.getNumElements()));
  Value operands[] = {a, b, c, ops.constant(ops.getI32Type(), double(logic))};
  return LLVM::CallIntrinsicOp::create(ops, ops.loc, type, name, operands)
      .getResult(0);
}

/// Two vectors of f32 as one of pairs of bf16, in a rounding mode. Processors
/// with a matrix unit take 4 slots of their vector ports for CVTNE2PS2BF16 and
/// 2 for VPERMW, and 2 + 2 + 1 + 1 for this with ties away from zero.
static Value roundToPairBy(Ops &ops, Value low, Value high,
                           arith::RoundingMode mode) {
  int64_t lanes = cast<VectorType>(low.getType()).getNumElements();
  auto i32 = ops.vector(lanes, ops.getI32Type());
  auto rounded = [&](Value value) { return roundedBits(ops, value, mode); };
  Value lower =
      arith::ShRUIOp::create(ops, ops.loc, rounded(low), ops.constant(i32, 16));
  return combineBits(ops, BitLogic::OrAnd, lower, rounded(high),
                     ops.constant(i32, -0x10000));
}

/// Two vectors of f32 as one of pairs of bf16.
Value Emitter::roundToPair(Value low, Value high, bool tiesAway) {
  if (tiesAway)
    return roundToPairBy(ops, low, high, arith::RoundingMode::to_nearest_away);
  int64_t n = lanes();
  auto name =
      ops.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16." + Twine(32 * n));
  Value operands[] = {high, low}; // the second source is the lower half
  Value halves =
      LLVM::CallIntrinsicOp::create(
          ops, ops.loc, ops.vector(2 * n, ops.getBF16Type()), name, operands)
          .getResult(0);
  halves = LLVM::BitcastOp::create(ops, ops.loc,
                                   ops.vector(2 * n, ops.getI16Type()), halves);
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < n; ++lane)
    order.append({lane, n + lane});
  Value pairs = vector::ShuffleOp::create(ops, ops.loc, halves, halves, order);
  return LLVM::BitcastOp::create(ops, ops.loc, laneVector(ops.getI32Type()),
                                 pairs);
}

/// Whether NaNs of a tile are those of the processor or of bf16, whose low bits
/// are 0: it depends on no numbers but products of bf16.
static bool isOfBf16(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto dot = dyn_cast_or_null<tile::DotOp>(op))
    return dot.getLhs().getType().getElementType().isBF16() &&
           dot.getRhs().getType().getElementType().isBF16() && !dot.hasTerm();
  if (auto select = dyn_cast_or_null<tile::SelectMaskedOp>(op))
    return isOfBf16(select.getValue());
  auto map = dyn_cast_or_null<tile::MapOp>(op);
  if (!map || !map.getBody().getOps<tile::ReadOp>().empty())
    return false;
  return llvm::all_of(map.getInputs(), isOfBf16);
}

/// Whether weights are approximate quotients, as those of a sigmoid.
static bool areRoughQuotients(Value weights) {
  if (auto select = weights.getDefiningOp<tile::SelectMaskedOp>())
    weights = select.getValue();
  auto map = weights.getDefiningOp<tile::MapOp>();
  auto quotient = map ? yieldedBy(map).getDefiningOp<arith::DivFOp>() : nullptr;
  return quotient &&
         bitEnumContainsAny(quotient.getFastmath(), arith::FastMathFlags::afn);
}

/// Whether ties of a tile may be rounded so: weights that are rough anyway. A
/// NaN whose bits the sum turns into 0 must be seen elsewhere, in their sum, or
/// not exist.
static bool mayRoundAway(Value tile, const Plan &plan) {
  auto rounding = tile.getDefiningOp<tile::MapOp>();
  if (!plan.hasTiles || !rounding || rounding.getInputs().size() != 1)
    return false;
  auto truncate = yieldedBy(rounding).getDefiningOp<arith::TruncFOp>();
  if (!truncate || truncate.getIn() != rounding.getBody().getArgument(0))
    return false;
  Value weights = rounding.getInputs()[0];
  bool isSummed = llvm::any_of(weights.getUsers(), [](Operation *user) {
    auto reduce = dyn_cast<tile::ReduceOp>(user);
    return reduce && reduce.getKind() == tile::ReduceKind::Add;
  });
  return (isSummed && areRoughWeights(weights)) ||
         (areRoughQuotients(weights) && isOfBf16(weights));
}

/// The mode in which a map rounds its results to bf16, if it says one.
static std::optional<arith::RoundingMode> roundingModeOf(Value tile) {
  auto map = tile.getDefiningOp<tile::MapOp>();
  auto rounding =
      map ? yieldedBy(map).getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
  return rounding ? roundingModeOf(rounding) : std::nullopt;
}

/// Granules of an even number of rows start at an even row, except what is left
/// after granules of odd numbers. These store one row after the other, the
/// second of a pair over the first's zeros.
void Emitter::storePairs(Granule &granule, Value tile, const Slot &slot) {
  auto type = cast<tile::TileType>(tile.getType());
  auto i32 = laneVector(ops.getI32Type());
  unsigned bytes = 4 * lanes();
  auto addressOf = [&](Value pair, int64_t v) {
    return slotAddress(slot, type, pair, granule.window, v);
  };
  bool isEven =
      granule.rows % 2 == 0 && constantOf(granule.start).value_or(0) % 2 == 0;
  bool tiesAway = mayRoundAway(tile, plan);
  std::optional<arith::RoundingMode> mode = roundingModeOf(tile);
  for (int64_t v = 0; v < granule.window.vectors; ++v) {
    if (isEven) {
      for (int64_t row = 0; row < granule.rows; row += 2) {
        Value pair = ops.floorDiv(ops.add(granule.start, row), 2);
        Value low = element(granule, tile, row, v),
              high = element(granule, tile, row + 1, v);
        ops.store(mode ? roundToPairBy(ops, low, high, *mode)
                       : roundToPair(low, high, tiesAway),
                  addressOf(pair, v), bytes);
      }
      continue;
    }
    for (int64_t row = 0; row < granule.rows; ++row) {
      Value number = ops.add(granule.start, row);
      Value pair = ops.floorDiv(number, 2);
      Value one = element(granule, tile, row, v);
      if (mode)
        one = roundToBf16(ops, one, *mode);
      Value bits = joinHalves(toMemory(one, ops.getBF16Type()), {});
      Value first = ops.load(i32, addressOf(pair, v), bytes);
      first =
          arith::AndIOp::create(ops, ops.loc, first, ops.constant(i32, 0xffff));
      Value second =
          arith::ShLIOp::create(ops, ops.loc, bits, ops.constant(i32, 16));
      Value isSecond =
          ops.compare(arith::CmpIPredicate::ne, ops.mul(pair, 2), number);
      Value both = arith::OrIOp::create(ops, ops.loc, first, second);
      ops.store(ops.select(isSecond, both, bits), addressOf(pair, v), bytes);
    }
  }
}

/// Copies the rows that were found for a load, whose columns are adjacent, as
/// pairs; products read the copy.
void Emitter::packPairs(tile::LoadOp load, Value rowCount) {
  Rows &from = rows[load.getResult()];
  int64_t columns = *load.getResult().getType().getDimSize(from.column);
  const Slot &slot = plan.pairRows.find(load)->second;
  Value packed = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  Type element = memoryType(from.element), i32 = ops.getI32Type();
  Type bf16 = ops.getBF16Type();
  auto packRow = [&](Value pair, bool hasSecond) {
    auto rowAt = [&](int64_t second) {
      Value row = ops.add(ops.mul(pair, 2), second);
      return ops.address(from.pointer, element, ops.mul(row, from.rowStride));
    };
    Value low = rowAt(0), high = hasSecond ? rowAt(1) : Value();
    Value to = ops.address(packed, i32, ops.mul(pair, columns));
    auto pack = [&](Value column, Type type) {
      auto load = [&](Value row) {
        return row ? convertRow(ops.load(type,
                                         ops.address(row, element, column),
                                         memoryBytes(from.element)),
                                from.element, bf16)
                   : row;
      };
      ops.store(joinHalves(load(low), load(high)), ops.address(to, i32, column),
                4);
    };
    int64_t whole = columns / lanes() * lanes();
    ops.loop(ops.index(0), ops.index(whole), lanes(),
             [&](Value column) { pack(column, laneVector(element)); });
    ops.loop(ops.index(whole), ops.index(columns), 1,
             [&](Value column) { pack(column, element); });
  };
  Value pairs = ops.floorDiv(rowCount, 2);
  ops.loop(ops.index(0), pairs, 1,
           [&](Value pair) { packRow(pair, /*hasSecond=*/true); });
  ops.branch(
      ops.compare(arith::CmpIPredicate::slt, ops.mul(pairs, 2), rowCount),
      [&] { packRow(pairs, /*hasSecond=*/false); });
  from.pointer = packed;
  from.rowStride = ops.index(columns);
  from.element = i32;
}

} // namespace attnc::cpu
