//===- ChunkFactors.cpp - Factors of linear attention ---------------------===//
//
// Tests: test/Lowering/chunked.mlir
//
//===----------------------------------------------------------------------===//

#include "Chunk/ChunkFactors.h"

#include "Formula/ViewIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::lowering {

IRMapping mapHead(OpBuilder &builder, KernelBlock &block, Region &region,
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

//===----------------------------------------------------------------------===//
// The factors of a region
//===----------------------------------------------------------------------===//

RegionFactors::RegionFactors(Region &region, unsigned rows,
                             ScoreFactors::Product factors, KernelBlock &block)
    : region(region), rows(rows), head(2 * rows + 1),
      factors(std::move(factors)), block(block) {}

void RegionFactors::mapPlace(IRMapping &map, Value row, Value key,
                             Value feature) const {
  map.map(region.getArgument(head + 3), row);
  map.map(region.getArgument(head + 4), key);
  if (feature)
    map.map(region.getArgument(2 * rows), feature);
}

/// Element `number` of the region, rows of queries and keys in turn, at the
/// place that `map` has: not that of a tile, since the place may be an anchor.
Value RegionFactors::emitElement(OpBuilder &builder, unsigned number,
                                 const IRMapping &map) const {
  const BlockBuffer &buffer = number == 0   ? block.q
                              : number == 1 ? block.k
                                            : block.products[number - 2];
  auto valueOf = [&](char letter) {
    size_t place = StringRef("bhgqk").find(letter);
    return map.lookup(region.getArgument(
        place == StringRef::npos ? 2 * rows : head + unsigned(place)));
  };
  return tile::ReadOp::create(
      builder, block.loc, block.accumulate, buffer.buf,
      indicesOf(builder, block.loc, block.scope, buffer.digits, valueOf));
}

Value RegionFactors::emit(OpBuilder &builder, Value value,
                          IRMapping &map) const {
  for (BlockArgument element : region.getArguments().take_front(2 * rows))
    if (!map.contains(element) && readsArgument(value, element))
      map.map(element, emitElement(builder, element.getArgNumber(), map));
  emitScalars(builder, region.front(), value, block.scope, map);
  return map.lookup(value);
}

SmallVector<Value> RegionFactors::emitAnchor(OpBuilder &builder,
                                             IRMapping map) const {
  SmallVector<Value> result;
  for (const ScoreFactors::Decay &decay : factors.decays)
    result.push_back(
        emit(builder, decay.exponent ? decay.exponent : decay.value, map));
  return result;
}

Value RegionFactors::emitRatio(OpBuilder &builder, IRMapping &map,
                               ValueRange anchor) const {
  Location loc = block.loc;
  Value product;
  for (auto [decay, from] : llvm::zip_equal(factors.decays, anchor)) {
    Value at =
        emit(builder, decay.exponent ? decay.exponent : decay.value, map);
    Value low = from;
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
  return emitBounded(builder, product);
}

Value RegionFactors::emitDecays(OpBuilder &builder, IRMapping &map) const {
  Value product;
  for (const ScoreFactors::Decay &decay : factors.decays)
    product = emitProduct(builder, ScoreFactors::Factor{decay.value, decay.use},
                          product, map);
  return emitBounded(builder, product);
}

Value RegionFactors::emitBounded(OpBuilder &builder, Value decay) const {
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

Value RegionFactors::emitProduct(OpBuilder &builder,
                                 ArrayRef<ScoreFactors::Factor> list,
                                 Value product, IRMapping &map) const {
  for (const ScoreFactors::Factor &factor : list)
    product = applyFactor(builder, block.loc, factor.use, product,
                          emit(builder, factor.value, map), block.accumulate);
  return product;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static std::optional<RegionFactors>
factorsOfFeature(const std::optional<ScoreFactors::Product> &product,
                 KernelBlock &block) {
  if (!product)
    return std::nullopt;
  Region &pair = block.kernel.getPairs().front();
  return RegionFactors(pair, attn::KernelOp::countRows(pair), *product, block);
}

ChunkFactors::ChunkFactors(ScoreFactors all, KernelBlock &block)
    : factors(std::move(all)),
      score(block.kernel.getScore(), /*rows=*/0, factors.score, block),
      feature(factorsOfFeature(factors.feature, block)), block(block) {}

IRMapping ChunkFactors::mapMask(OpBuilder &builder, ValueRange bhg) {
  return mapHead(builder, block, block.kernel.getMask(), /*head=*/0, bhg);
}

/// The number of keys that row 0 sees; row i sees i more.
Value ChunkFactors::emitVisible(OpBuilder &builder, ValueRange bhg) {
  Region &mask = block.kernel.getMask();
  IRMapping map = mapMask(builder, bhg);
  Value zero = arith::ConstantIndexOp::create(builder, block.loc, 0);
  map.map(mask.getArgument(3), zero);
  map.map(mask.getArgument(4), zero);
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

} // namespace attnc::lowering
