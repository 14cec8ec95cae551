//===- ChunkFactors.cpp - Factors of linear attention as scalar ops -------===//
//
// Tests: test/Lowering/chunked.mlir
//
//===----------------------------------------------------------------------===//

#include "ChunkFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::lowering {

/// Arguments b, h, g stand from `head` on; what depends on them alone is
/// computed here, once.
IRMapping ChunkFactors::mapHead(OpBuilder &builder, Region &region,
                                unsigned head, ValueRange bhg) {
  Block &formula = region.front();
  IRMapping map;
  map.map(formula.getArguments().slice(head, 3), bhg);
  SmallVector<unsigned> bits(head, OnPair);
  bits.append({OnNothing, OnNothing, OnNothing, OnQuery, OnKey});
  SmallVector<Value> uniform = splitByDependence(formula, bits).uniform;
  IRMapping all = map;
  emitScalars(builder, formula, uniform, block.scope, all);
  for (Value value : uniform)
    map.map(value, all.lookup(value));
  return map;
}

void mapPair(IRMapping &map, Region &region, unsigned head, Value row,
             Value key) {
  map.map(region.getArgument(head + 3), row);
  map.map(region.getArgument(head + 4), key);
}

/// The number of keys that row 0 sees; row i sees i more.
Value ChunkFactors::emitVisible(OpBuilder &builder, ValueRange bhg) {
  Region &mask = block.kernel.getMask();
  IRMapping map = mapHead(builder, mask, kMaskHead, bhg);
  Value zero = arith::ConstantIndexOp::create(builder, block.loc, 0);
  mapPair(map, mask, kMaskHead, zero, zero);
  SmallVector<Value, 2> sides{factors.causal.high, factors.causal.low};
  emitScalars(builder, mask.front(), sides, block.scope, map);
  Value place = builder.createOrFold<arith::SubIOp>(
      block.loc, map.lookup(factors.causal.high),
      map.lookup(factors.causal.low));
  return factors.causal.strict
             ? place
             : builder.createOrFold<arith::AddIOp>(
                   block.loc, place,
                   arith::ConstantIndexOp::create(builder, block.loc, 1));
}

Value ChunkFactors::anchorRow(OpBuilder &builder, Value first, Value visible) {
  return arith::MaxSIOp::create(
      builder, block.loc,
      builder.createOrFold<arith::SubIOp>(block.loc, first, visible),
      arith::ConstantIndexOp::create(builder, block.loc, 0));
}

/// The key in the place of the row from where the state before key `first` is
/// measured.
Value ChunkFactors::anchorKey(OpBuilder &builder, Value first) {
  if (factors.causal.strict)
    return first;
  Value one = arith::ConstantIndexOp::create(builder, block.loc, 1);
  return builder.createOrFold<arith::SubIOp>(
      block.loc, arith::MaxSIOp::create(builder, block.loc, first, one), one);
}

/// The exponent of each decay at a place, or its value if it has none.
SmallVector<Value> ChunkFactors::emitAnchor(OpBuilder &builder, IRMapping map,
                                            Value row, Value key) {
  Region &score = block.kernel.getScore();
  mapPair(map, score, kScoreHead, row, key);
  SmallVector<Value> result;
  for (const ScoreFactors::Decay &decay : factors.decays) {
    Value of = decay.exponent ? decay.exponent : decay.value;
    emitScalars(builder, score.front(), of, block.scope, map);
    result.push_back(map.lookup(of));
  }
  return result;
}

/// D where `map` has the place, over D at the anchor, which has the same key.
Value ChunkFactors::emitRatio(OpBuilder &builder, IRMapping &map,
                              ValueRange anchor) {
  Location loc = block.loc;
  Value product;
  for (auto [decay, from] : llvm::zip_equal(factors.decays, anchor)) {
    Value of = decay.exponent ? decay.exponent : decay.value;
    emitScalars(builder, block.kernel.getScore().front(), of, block.scope, map);
    Value at = map.lookup(of), low = from;
    if (decay.use == ScoreFactors::Use::Over)
      std::swap(at, low);
    Value ratio;
    if (decay.exponent) {
      Value difference = arith::SubFOp::create(builder, loc, at, low);
      ratio = decay.base2
                  ? math::Exp2Op::create(builder, loc, difference).getResult()
                  : math::ExpOp::create(builder, loc, difference).getResult();
    } else { // a power of 0 stays 0
      Value zero = emitReal(builder, loc, block.accumulate, 0.0);
      Value isZero = arith::CmpFOp::create(builder, loc,
                                           arith::CmpFPredicate::OEQ, at, zero);
      Value quotient = arith::DivFOp::create(builder, loc, at, low);
      ratio = arith::SelectOp::create(builder, loc, isZero, zero, quotient);
    }
    product =
        product
            ? arith::MulFOp::create(builder, loc, product, ratio).getResult()
            : ratio;
  }
  return product ? emitBounded(builder, product)
                 : emitReal(builder, loc, block.accumulate, 1.0);
}

Value ChunkFactors::emitBounded(OpBuilder &builder, Value decay) {
  if (!decay)
    return {};
  Location loc = block.loc;
  Value most = emitReal(builder, loc, block.accumulate, 0x1p20);
  Value isGreat = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        decay, most);
  Value nan = emitReal(builder, loc, block.accumulate,
                       std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(builder, loc, isGreat, nan, decay);
}

/// Whether all conditions of the mask hold; null if there are none.
Value ChunkFactors::emitHeld(OpBuilder &builder, ArrayRef<Value> conditions,
                             IRMapping map) {
  Value all;
  for (Value condition : conditions) {
    emitScalars(builder, block.kernel.getMask().front(), condition, block.scope,
                map);
    Value held = map.lookup(condition);
    all = all ? arith::AndIOp::create(builder, block.loc, all, held).getResult()
              : held;
  }
  return all;
}

/// `product` after a factor; null stands for 1.
static Value applyFactor(OpBuilder &b, Location loc, ScoreFactors::Use use,
                         Value product, Value value, Type real) {
  using Use = ScoreFactors::Use;
  if (use == Use::Times && !product)
    return value;
  if (!product)
    product = emitReal(b, loc, real, 1.0);
  if (use == Use::Times)
    return arith::MulFOp::create(b, loc, product, value);
  if (use == Use::Over)
    return arith::DivFOp::create(b, loc, product, value);
  Value zero = emitReal(b, loc, real, 0.0);
  bool where = use == Use::ZeroWhere;
  return arith::SelectOp::create(b, loc, value, where ? zero : product,
                                 where ? product : zero);
}

/// The product of factors of one side, times `product` if it is not null.
Value ChunkFactors::emitProduct(OpBuilder &builder,
                                ArrayRef<ScoreFactors::Factor> list,
                                Value product, IRMapping &map) {
  Block &formula = block.kernel.getScore().front();
  for (const ScoreFactors::Factor &factor : list) {
    emitScalars(builder, formula, factor.value, block.scope, map);
    product = applyFactor(builder, block.loc, factor.use, product,
                          map.lookup(factor.value), block.accumulate);
  }
  return product ? product
                 : emitReal(builder, block.loc, block.accumulate, 1.0);
}

} // namespace attnc::lowering
