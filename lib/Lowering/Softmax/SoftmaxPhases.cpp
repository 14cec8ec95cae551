//===- SoftmaxPhases.cpp - Phases of softmax on tiles ---------------------===//
//
// A kernel without a shift has no m: its weights are the scores themselves, or
// their exponentials. Then a masked score is 0, since the score formula of what
// lies past the last key need not be 0: sigmoid(0) = 0.5.
//
// Guards, by case:
// - a row that has seen no key has m = -inf: emitShift subtracts 0 instead, so
//   its weights are exp(-inf) = 0 and never exp(-inf - -inf);
// - a masked key has score -inf and so weight exactly 0;
// - a NaN score does not enter m (tile.reduce max), but makes its weight, l and
//   o NaN, as the formula does;
// - a sink takes part as a score without a key: m starts at it and l at 1, or
//   at 0 when the sink is -inf;
// - exp(s - m) is exp2((s - m) log2 e): the difference first, for large scores
//   that are exact have exact differences, which a factor on each would round.
//   A scale joins that factor (weightScale), and is applied to m for lse;
// - weights are rounded to `probabilities` only where they multiply V; l sums
//   them unrounded, as the formula does. Those without a shift that a sum
//   divides in the end are not rounded: 100000 / 200000 is no number of f16.
// Tests: test/Lowering/Softmax/softmax-online.mlir, softmax-single-tile.mlir,
// sink.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelBlock.h"
#include "Kernel/SplitOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x == -inf ? a : b
static Value selectNothing(OpBuilder &b, Location loc, Value x, Value ifNothing,
                           Value otherwise) {
  Value nothing = emitReal(b, loc, x.getType(), -kInfinity);
  Value is =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, nothing);
  return arith::SelectOp::create(b, loc, is, ifNothing, otherwise);
}

Value KernelBlock::emitInit(OpBuilder &builder) {
  if (!init)
    return tile::SplatOp::create(builder, loc, rowType(),
                                 isIdentity() ? 0.0 : -kInfinity);
  if (isOneRow) { // one number, repeated
    Block &region = kernel.getInit().front();
    IRMapping map;
    map.map(region.getArguments().take_front(3), bhg);
    map.map(region.getArgument(3), q0);
    Value sink = region.getTerminator()->getOperand(0);
    emitScalars(builder, region, sink, scope, map);
    return emitMap(builder, kernel.getInit().getLoc(), rowType(), {},
                   [&](OpBuilder &, ValueRange) { return map.lookup(sink); });
  }
  return tile::MapOp::create(builder, kernel.getInit().getLoc(), rowType(),
                             init->emitTiles(builder, sizeK, zero),
                             init->indices(q0, {}),
                             [&](OpBuilder &b, Location, ValueRange arguments) {
                               return init->emitElement(b, arguments);
                             });
}

SoftmaxState KernelBlock::emitInitial(OpBuilder &builder) {
  SoftmaxState state;
  if (hasValues)
    state.o = tile::SplatOp::create(builder, loc, outType(), 0.0);
  Value start = emitInit(builder);
  if (hasMax)
    state.m = start;
  if (!hasSum)
    return state;
  if (!init)
    state.l = tile::SplatOp::create(builder, loc, rowType(), 0.0);
  else if (!hasMax)
    state.l = emitWeight(builder, start, Value());
  else
    state.l = emitMap(builder, loc, rowType(), state.m,
                      [&](OpBuilder &b, ValueRange arguments) {
                        return selectNothing(b, loc, arguments[0],
                                             emitReal(b, loc, accumulate, 0.0),
                                             emitReal(b, loc, accumulate, 1.0));
                      });
  return state;
}

SoftmaxState KernelBlock::emitEmpty(OpBuilder &builder) {
  SoftmaxState state;
  if (hasValues)
    state.o = tile::SplatOp::create(builder, loc, outType(), 0.0);
  if (hasMax)
    state.m = tile::SplatOp::create(builder, loc, rowType(), -kInfinity);
  if (hasSum)
    state.l = tile::SplatOp::create(builder, loc, rowType(), 0.0);
  return state;
}

Value KernelBlock::emitShift(OpBuilder &builder, Value m) {
  if (!m)
    return {};
  return emitMap(
      builder, loc, rowType(), m, [&](OpBuilder &b, ValueRange arguments) {
        return selectNothing(b, loc, arguments[0],
                             emitReal(b, loc, accumulate, 0.0), arguments[0]);
      });
}

Value KernelBlock::emitWeight(OpBuilder &builder, Value x, Value shift) {
  if (isIdentity())
    return x;
  auto type = cast<tile::TileType>(x.getType());
  bool base2 = kernel.getNorm().getWeight() == attn::NormWeight::Exp2;
  auto accuracy = hasRoughWeights() ? arith::FastMathFlags::afn
                                    : arith::FastMathFlags::none;
  SmallVector<Value, 2> inputs{x};
  if (shift)
    inputs.push_back(shift);
  return emitMap(builder, loc, type, inputs,
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value d = arguments[0];
                   if (shift)
                     d = arith::SubFOp::create(b, loc, d, arguments[1]);
                   if (double factor =
                           weightScale() * (base2 ? 1.0 : llvm::numbers::log2e);
                       shift && factor != 1.0)
                     d = arith::MulFOp::create(
                         b, loc, d, emitReal(b, loc, accumulate, factor));
                   if (shift || base2)
                     return math::Exp2Op::create(b, loc, d, accuracy);
                   return math::ExpOp::create(b, loc, d);
                 });
}

Type KernelBlock::weightType() {
  Type type = kernel.getSchedule()->getWeights();
  return type ? type : kernel.getWeightType();
}

Value KernelBlock::emitProbabilities(OpBuilder &builder, Value weights,
                                     Value gates) {
  auto type = cast<tile::TileType>(weights.getType());
  Type rounded = kernel.getRoundedWeightType();
  Type factor = gates ? rounded : weightType();
  if (gates && weightType() != accumulate) // rounded once, with the gate
    return emitMap(
        builder, loc, type.withElementType(weightType()), {weights, gates},
        [&](OpBuilder &b, ValueRange arguments) -> Value {
          Value x = arith::MulFOp::create(b, loc, arguments[0], arguments[1]);
          return arith::TruncFOp::create(b, loc, weightType(), x);
        });
  if (!gates && storedValues.size() > 1)
    return weights; // their terms have more bits
  bool isRounded = rounded != accumulate;
  if (isRounded)
    weights = emitMap(builder, loc, type.withElementType(factor), weights,
                      [&](OpBuilder &b, ValueRange arguments) -> Value {
                        Value x = arith::TruncFOp::create(b, loc, rounded,
                                                          arguments[0]);
                        if (factor != rounded)
                          x = arith::ExtFOp::create(b, loc, factor, x);
                        return x;
                      });
  if (!gates)
    return weights;
  return emitMap(builder, loc, type, {weights, gates},
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   Value weight = arguments[0];
                   if (isRounded)
                     weight = arith::ExtFOp::create(b, loc, accumulate, weight);
                   return arith::MulFOp::create(b, loc, weight, arguments[1]);
                 });
}

Value KernelBlock::emitNanRule(OpBuilder &builder, Value o,
                               llvm::function_ref<Value(OpBuilder &)> redo) {
  // An infinity times a term that is 0 is NaN, too.
  if (mask.isAlwaysTrue() && !select && countWeightTerms(*this) == 1)
    return o; // keys past the last one are loaded as 0
  Value bad = tile::AnyNanOp::create(builder, loc, o, {{"q", rows}});
  auto branch = scf::IfOp::create(builder, loc, TypeRange{o.getType()}, bad,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value again = redo(builder);
  scf::YieldOp::create(builder, loc, again);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, o);
  return branch.getResult(0);
}

} // namespace attnc::lowering
