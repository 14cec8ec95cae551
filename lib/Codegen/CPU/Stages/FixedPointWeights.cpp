//===- FixedPointWeights.cpp - Weights as powers of two in 16 bits --------===//
//
// Where only the bf16 and the sum of weights are used, exp2((x - m) c) needs no
// more than 8 bits after the binary point of its exponent. While a matrix unit
// is active, multiplications, conversions and shifts of vectors share one port,
// so what counts is how few of them a weight takes:
//
//   start    = 2^23 + 256 * 127 - 256 c m    once per row
//   number   = max(2^23, 256 c x + start)    f32 whose last bit is 1
//   exponent = low 16 bits of number         8 bits, point, 8 bits
//   weight   = (exponent - table[fraction / 4]) / 2
//
// The upper 8 bits of `exponent` are those of bf16, whose bias is 127. The rest
// holds for two keys at once, one in each half of a lane, in the layout that a
// product reads. An exponent below -127 becomes a weight of 0, as for masked
// keys. A NaN, an infinity or an exponent from 129 on has higher bits of
// `number` that no other one has, which an OR of all numbers shows; then the
// tile is done again (StagedLoop.cpp). The sum adds the rounded weights.
//
// The relative error of a weight is at most 0.6 % and 0.2 % on average (root of
// the mean square) where rounding exact ones to bf16 has 0.4 and 0.17 %. Equal
// scores of such tiles give equal weights, and integer exponents exact ones.
//
// Tests: test/Codegen/CPU/Stages/fixed-point-weights.mlir,
//        test/Unit/Codegen/CPU/FractionTableTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Stages/FixedPointWeights.h"
#include "Emit/Bf16Ops.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::cpu {

/// The exponent of 2^0 in bf16.
static constexpr double kBias = 127;

/// The least f32 whose last bit is an integer, and its bits.
static constexpr double kLeast = 0x1p23;
static constexpr int64_t kLeastBits = 0x4B000000;

/// 256 c m below this leaves the last bit of `start` an integer.
static constexpr double kMostOfMaximum = 0x1p22;

FixedPointWeights::FixedPointWeights(Emitter &emitter, const Plan &plan,
                                     Window window)
    : emitter(emitter), ops(emitter.ops), plan(plan) {
  auto row = cast<tile::TileType>(plan.maximum.getType());
  Item none{ItemKind::Nest, {}, *spaceOf(row)};
  Granule outside(none, window, {});
  Type type = emitter.laneVector(ops.getF32Type());
  for (int64_t v = 0; v < window.vectors; ++v)
    starts.push_back(math::FmaOp::create(
        ops, ops.loc, emitter.element(outside, plan.maximum, 0, v),
        ops.constant(type, -plan.scale * kUnits),
        ops.constant(type, kLeast + kBias * kUnits)));
}

/// 32 bits in all lanes.
Value FixedPointWeights::words(int64_t bits) {
  return ops.constant(emitter.laneVector(ops.getI32Type()), double(bits));
}

Value FixedPointWeights::numberOf(Granule &granule, int64_t row,
                                  int64_t vector) {
  Value score = emitter.element(granule, plan.score, row, vector);
  Value factor = plan.tanh ? factors[row * granule.window.vectors + vector]
                           : ops.constant(score.getType(), plan.scale * kUnits);
  return math::FmaOp::create(ops, ops.loc, score, factor, starts[vector]);
}

/// VMAXPS: a NaN stays.
Value FixedPointWeights::atLeast(Value number) {
  Value least = ops.constant(number.getType(), kLeast);
  Value isLess = arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::OGT,
                                       least, number);
  return ops.select(isLess, least, number);
}

/// The numbers of a granule: of two rows for each vector. Those of a tanh may
/// be known to be large enough, unless they are masked.
SmallVector<Value> FixedPointWeights::numbersOf(Granule &granule) {
  Value hasSmall = ops.boolean(!plan.tanh || !plan.tanh->isBounded);
  if (plan.tanh)
    for (tile::SelectMaskedOp mask : plan.tanh->masks)
      hasSmall =
          ops.logicalOr(hasSmall, emitter.scalars.lookup(mask.getPartial()));
  bool isAlways = constantOf(hasSmall) == 1;
  SmallVector<Value> numbers;
  for (int64_t row = 0; row < granule.rows; row += 2)
    for (int64_t v = 0; v < granule.window.vectors; ++v)
      for (int64_t key : {row, row + 1}) {
        Value number = numberOf(granule, key, v);
        numbers.push_back(isAlways ? atLeast(number) : number);
      }
  if (!isAlways)
    numbers = ops.chooseAll(
        ValueRange(numbers).getTypes(), hasSmall,
        [&] {
          return llvm::map_to_vector(
              numbers, [&](Value number) { return atLeast(number); });
        },
        [&] { return numbers; });
  for (Value &number : numbers)
    number = LLVM::BitcastOp::create(ops, ops.loc, words(0).getType(), number);
  return numbers;
}

/// The bytes of a vector for an instruction.
static constexpr int64_t kBytes = 64;

static Value constantBytes(Ops &ops, llvm::function_ref<uint8_t(int64_t)> at) {
  SmallVector<uint8_t> bytes;
  for (int64_t i = 0; i < kBytes; ++i)
    bytes.push_back(at(i));
  auto type = ops.vector(kBytes, ops.getI8Type());
  return arith::ConstantOp::create(
      ops, ops.loc, DenseElementsAttr::get(type, ArrayRef<uint8_t>(bytes)));
}

/// An instruction on a constant and the bytes of a vector.
static Value callOnBytes(Ops &ops, StringRef name, Value constant,
                         Value value) {
  Value operands[] = {constant, LLVM::BitcastOp::create(
                                    ops, ops.loc, constant.getType(), value)};
  auto call = LLVM::CallIntrinsicOp::create(ops, ops.loc, constant.getType(),
                                            ops.getStringAttr(name), operands);
  return LLVM::BitcastOp::create(ops, ops.loc, value.getType(),
                                 call.getResult(0));
}

/// The weights of the numbers of two keys, as pairs.
Value FixedPointWeights::weightsOf(Value low, Value high) {
  high = arith::ShLIOp::create(ops, ops.loc, high, words(16));
  Value exponents = combineBits(ops, BitLogic::OrAnd, high, low, words(0xffff));
  // VPMULTISHIFTQB: bits 2 to 9 of each 16 become a byte, whose lowest 6 bits
  // VPERMB takes as an index.
  Value places = constantBytes(
      ops, [](int64_t byte) { return uint8_t(byte % 8 / 2 * 16 + 2); });
  Value index =
      callOnBytes(ops, "llvm.x86.avx512.pmultishift.qb.512", places, exponents);
  Value table =
      constantBytes(ops, [](int64_t place) { return kFractionTable[place]; });
  Value correction =
      callOnBytes(ops, "llvm.x86.avx512.permvar.qi.512", table, index);
  correction =
      arith::AndIOp::create(ops, ops.loc, correction, words(0x00ff00ff));
  auto halves = ops.vector(2 * emitter.lanes(), ops.getI16Type());
  auto asHalves = [&](Value value) {
    return LLVM::BitcastOp::create(ops, ops.loc, halves, value);
  };
  Value weights = arith::SubIOp::create(ops, ops.loc, asHalves(exponents),
                                        asHalves(correction));
  weights =
      arith::ShRUIOp::create(ops, ops.loc, weights, ops.constant(halves, 1));
  return LLVM::BitcastOp::create(ops, ops.loc, exponents.getType(), weights);
}

void FixedPointWeights::emitWeights(Granule &granule, Value &numbers) {
  pairs.clear();
  SmallVector<Value> ofKeys = numbersOf(granule);
  for (size_t i = 0; i < ofKeys.size(); i += 2) {
    numbers =
        combineBits(ops, BitLogic::OrOr, numbers, ofKeys[i], ofKeys[i + 1]);
    pairs.push_back(weightsOf(ofKeys[i], ofKeys[i + 1]));
  }
}

void FixedPointWeights::storeWeights(const Granule &granule) {
  Value tile = plan.rounded->getResult(0);
  auto type = cast<tile::TileType>(tile.getType());
  const Slot &slot = emitter.plan.slots.find(tile)->second;
  int64_t vectors = granule.window.vectors;
  Value first = ops.floorDiv(granule.start, 2);
  for (auto [i, pair] : llvm::enumerate(pairs))
    ops.store(pair,
              emitter.slotAddress(slot, type,
                                  ops.add(first, int64_t(i) / vectors),
                                  granule.window, int64_t(i) % vectors),
              kBytes);
}

bool FixedPointWeights::emit(Granule &granule, Operation *op, Value &numbers) {
  if (isTanh(op))
    emitTanh(granule, numbers);
  else if (op == plan.weights)
    emitWeights(granule, numbers);
  else if (op == plan.rounded)
    storeWeights(granule);
  else
    return false;
  return true;
}

void FixedPointWeights::addWeights(MutableArrayRef<Value> sums) {
  Value ones = words(0x3f803f80);
  for (auto [i, pair] : llvm::enumerate(pairs)) {
    Value &sum = sums[i % sums.size()];
    sum = multiplyPairs(ops, sum, pair, ones);
  }
}

Value FixedPointWeights::firstNumbers() { return words(kLeastBits); }

Value FixedPointWeights::hasUseless() {
  return arith::CmpIOp::create(ops, ops.loc, arith::CmpIPredicate::ugt, numbers,
                               words(kLeastBits + 0xffff));
}

Value FixedPointWeights::isTooLarge(Value maximum) {
  return arith::CmpFOp::create(
      ops, ops.loc, arith::CmpFPredicate::UGE,
      math::AbsFOp::create(ops, ops.loc, maximum),
      ops.constant(maximum.getType(), kMostOfMaximum / kUnits / plan.scale));
}

} // namespace attnc::cpu
