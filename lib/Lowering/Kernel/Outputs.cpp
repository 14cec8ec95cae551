//===- Outputs.cpp - Divide and store the outputs -------------------------===//
//
//   o * (l == 0 ? 0 : 1 / l), rounded once to the output's type
//   lse = l == 0 ? -inf : m + log(l)
//
// A kernel that does not divide stores o, one without a shift l as lse; a row
// of sums or maxima is l or m, and the two parts of a softmax are l and m.
//
// l is 0 in rows that saw no key, and at least 1 (e^-T with a threshold) in
// others. What the caller may leave out is computed under tile.present.
// Tests: test/Lowering/outputs.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KeyWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::lowering {

static Value isZero(OpBuilder &b, Location loc, Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x,
                               emitReal(b, loc, x.getType(), 0.0));
}

/// x / l, or zero where l is 0.
static Value quotient(OpBuilder &b, Location loc, Value zero, Value x,
                      Value l) {
  Value divided = arith::DivFOp::create(b, loc, x, l);
  return arith::SelectOp::create(b, loc, isZero(b, loc, l), zero, divided);
}

/// 1 / l, or 0 where l is 0; null where nothing is divided.
static Value emitInverse(OpBuilder &builder, KernelBlock &block, Value l) {
  if (block.kernel.getNorm().getDivide() != attn::NormDivide::Sum)
    return {};
  Location loc = block.loc;
  return emitMap(builder, loc, block.rowType(), l,
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value zero = emitReal(b, loc, block.accumulate, 0.0);
                   Value one = emitReal(b, loc, block.accumulate, 1.0);
                   return quotient(b, loc, zero, one, arguments[0]);
                 });
}

static Value emitOutput(OpBuilder &builder, KernelBlock &block,
                        const SoftmaxState &state, Type element) {
  Location loc = block.loc;
  unsigned width = element.getIntOrFloatBitWidth();
  bool narrow = width < block.accumulate.getIntOrFloatBitWidth();
  SmallVector<Value, 2> inputs{state.o};
  // A sum of weights without a shift may be so large that its inverse is a
  // subnormal number, which counts as 0.
  bool divides =
      !state.m && block.kernel.getNorm().getDivide() == attn::NormDivide::Sum;
  if (divides)
    inputs.push_back(state.l);
  else if (Value inverse = emitInverse(builder, block, state.l))
    inputs.push_back(inverse);
  else if (!narrow)
    return state.o;
  return emitMap(builder, loc, block.outType().withElementType(element), inputs,
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value x = arguments[0];
                   if (divides)
                     x = quotient(b, loc,
                                  emitReal(b, loc, block.accumulate, 0.0), x,
                                  arguments[1]);
                   else if (arguments.size() == 2)
                     x = arith::MulFOp::create(b, loc, x, arguments[1]);
                   if (narrow)
                     return arith::TruncFOp::create(b, loc, element, x);
                   return x;
                 });
}

/// The largest score of each row.
static Value emitLargest(OpBuilder &builder, KernelBlock &block, Value m) {
  double scale = block.weightScale();
  if (scale == 1.0)
    return m;
  return emitMap(builder, block.loc, block.rowType(), m,
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   return arith::MulFOp::create(
                       b, block.loc, arguments[0],
                       emitReal(b, block.loc, block.accumulate, scale));
                 });
}

static Value emitLse(OpBuilder &builder, KernelBlock &block,
                     const SoftmaxState &state) {
  if (!state.m || (state.l && block.kernel.getRow())) // the sum itself
    return state.l;
  Location loc = block.loc;
  Type type = block.accumulate;
  Value m = emitLargest(builder, block, state.m);
  if (!state.l) // the largest score
    return m;
  bool base2 = block.kernel.getNorm().getWeight() == attn::NormWeight::Exp2;
  return emitMap(
      builder, loc, block.rowType(), {m, state.l},
      [&](OpBuilder &b, ValueRange arguments) -> Value {
        Value l = arguments[1];
        Value log = base2 ? math::Log2Op::create(b, loc, l).getResult()
                          : math::LogOp::create(b, loc, l).getResult();
        Value sum = arith::AddFOp::create(b, loc, arguments[0], log);
        if (base2)
          sum = arith::MulFOp::create(
              b, loc, sum, emitReal(b, loc, type, llvm::numbers::ln2));
        Value nothing =
            emitReal(b, loc, type, -std::numeric_limits<double>::infinity());
        return arith::SelectOp::create(b, loc, isZero(b, loc, l), nothing, sum);
      });
}

Value KernelBlock::emitDivided(OpBuilder &builder, Value weight, Value l) {
  if (!kernel.getNorm() ||
      kernel.getNorm().getDivide() != attn::NormDivide::Sum)
    return weight;
  return emitMap(builder, loc, cast<tile::TileType>(weight.getType()),
                 {weight, l}, [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value quotient = arith::DivFOp::create(b, loc, arguments[0],
                                                          arguments[1]);
                   return arith::SelectOp::create(
                       b, loc, isZero(b, loc, arguments[1]),
                       emitReal(b, loc, accumulate, 0.0), quotient);
                 });
}

static bool isOfPairs(const BlockOutput &output) { return output.isPairs; }

/// Whether branchOnPairs() says all about the outputs of pairs.
static bool hasOneOfPairs(ArrayRef<BlockOutput> outputs) {
  return llvm::count_if(outputs, isOfPairs) == 1;
}

void KernelBlock::branchOnPairs(OpBuilder &builder) {
  SmallVector<Value> wanted;
  for (const BlockOutput &output : outputs) {
    if (!output.isPairs)
      continue;
    if (output.wantedFor.empty())
      return;
    llvm::append_range(wanted, output.wantedFor);
  }
  if (!llvm::all_of(outputs, isOfPairs)) // else the kernel's own branch
    branchOnWanted(builder, loc, wanted);
}

void KernelBlock::emitPairs(OpBuilder &builder, Value pairs,
                            const KeyTile &keys) {
  for (const BlockOutput &output : outputs) {
    if (!output.isPairs)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    if (!hasOneOfPairs(outputs))
      branchOnWanted(builder, loc, output.wantedFor);
    auto buf = cast<tile::BufType>(output.buffer.buf.getType());
    auto type = cast<tile::TileType>(pairs.getType());
    Type element = buf.getElementType();
    Value value = pairs;
    if (element.getIntOrFloatBitWidth() < accumulate.getIntOrFloatBitWidth())
      value = emitMap(builder, loc, type.withElementType(element), pairs,
                      [&](OpBuilder &b, ValueRange arguments) -> Value {
                        return arith::TruncFOp::create(b, loc, element,
                                                       arguments[0]);
                      });
    tile::StoreOp::create(builder, loc, value, output.buffer.buf,
                          indices(builder, output.buffer, keys.k0),
                          {{"q", rows}, {"k", keys.nk}});
  }
}

void KernelBlock::emitMaskedPairs(OpBuilder &builder, const KeyWalk &walk) {
  auto dense = dyn_cast<attn::DenseAttr>(kernel.getNormalize());
  double masked = dense ? dense.getFill().convertToDouble() : 0.0;
  tile::TileType type = tileType({{"q", sizeQ}, {"k", sizeK}});
  emitLoop(builder, *this, KeyWalk(walk.emitGaps(builder, *this)), {},
           [&](OpBuilder &b, const KeyTile &keys, ValueRange) {
             emitPairs(b, tile::SplatOp::create(b, loc, type, masked), keys);
             return SmallVector<Value>();
           });
}

void KernelBlock::emitOtherPairs(OpBuilder &builder) {
  for (const BlockOutput &output : outputs) {
    const Digit *digit = findTable(output.buffer.digits, 'k');
    if (!output.isPairs || !digit || !digit->fill)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    if (!hasOneOfPairs(outputs))
      branchOnWanted(builder, loc, output.wantedFor);
    const Sequence &own = *sequenceOf('k');
    Value end = arith::AddIOp::create(builder, loc, own.begin, own.length);
    Value all = scope.sizeOf(builder, loc, digit->size);
    Type element =
        cast<tile::BufType>(output.buffer.buf.getType()).getElementType();
    tile::TileType type =
        tileType({{"q", sizeQ}, {"k", sizeK}}).withElementType(element);
    emitLoop(builder, *this,
             KeyWalk({zero, zero, own.begin, own.begin, end, end, all, all}),
             {}, [&](OpBuilder &b, const KeyTile &keys, ValueRange) {
               Value others = tile::SplatOp::create(
                   b, loc, type, digit->fill.getValueAsDouble());
               // Indices count from the first key of the sequence.
               Value key = arith::SubIOp::create(b, loc, keys.k0, own.begin);
               tile::StoreOp::create(b, loc, others, output.buffer.buf,
                                     indices(b, output.buffer, key),
                                     {{"q", rows}, {"k", keys.nk}});
               return SmallVector<Value>();
             });
  }
}

void KernelBlock::emitStore(OpBuilder &builder, const BlockOutput &output,
                            const SoftmaxState &state) {
  auto buf = cast<tile::BufType>(output.buffer.buf.getType());
  bool isNumber = output.isKey || output.isMax || output.isLse;
  Value value = output.isKey   ? key
                : output.isMax ? emitLargest(builder, *this, state.m)
                : output.isLse
                    ? emitLse(builder, *this, state)
                    : emitOutput(builder, *this, state, buf.getElementType());
  // Of the one row all features, or the first of the copies of a number.
  SmallVector<std::pair<StringRef, Value>, 1> valid;
  if (!isOneRow || isNumber)
    valid.push_back({"q", rows});
  tile::StoreOp::create(builder, loc, value, output.buffer.buf,
                        indices(builder, output.buffer, {}), valid);
}

void KernelBlock::emitOutputs(OpBuilder &builder, const SoftmaxState &state) {
  for (const BlockOutput &output : outputs) {
    if (output.isPairs)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    branchOnWanted(builder, loc, output.wantedFor);
    emitStore(builder, output, state);
  }
}

} // namespace attnc::lowering
