//===- ChunkFactors.cpp - Factors of linear attention ---------------------===//
//
// Tests: test/Integration/halide/linear/linear-attention.test
//
//===----------------------------------------------------------------------===//

#include "Kernel/ChunkFactors.h"

#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc::halide {

ScalarType RegionFactors::accumulate() const {
  auto kernel = arguments.kernel;
  return scalarTypeOf(kernel.getAccumulateType());
}

/// b, h, g, the row and the key, as a region has them last.
static SmallVector<Ex> pairIndices(const FactorArguments &arguments, Ex row,
                                   Ex key) {
  attn::KernelOp kernel = arguments.kernel;
  SmallVector<Ex> indices(arguments.head);
  indices.push_back(
      arguments.b.position(row, attn::axisSize(kernel.getQ().getType(), 3)));
  indices.push_back(arguments.b.position(
      key, attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis())));
  return indices;
}

RegionFactors::Result RegionFactors::value(Value made, const FactorPlace &at) {
  SmallVector<Ex> all(2 * rows + 1);
  for (unsigned number = 0; number < 2 * rows; ++number) {
    if (!readsArgument(made, region.getArgument(number)))
      continue;
    Result element = arguments.element(number, at);
    if (failed(element))
      return failure();
    all[number] = *element;
  }
  attn::KernelOp kernel = arguments.kernel;
  if (rows > 0)
    all.back() =
        b.position(at.feature, attn::axisSize(kernel.getQ().getType(), 4));
  all.append(pairIndices(arguments, at.row, at.key));
  return Formula(b, arguments.tensors).runFor(made, region, all);
}

FailureOr<Ex> maskValue(const FactorArguments &arguments, Value value, Ex row,
                        Ex key) {
  attn::KernelOp kernel = arguments.kernel;
  return Formula(arguments.b, arguments.tensors)
      .runFor(value, kernel.getMask(), pairIndices(arguments, row, key));
}

/// Of exponents, so that equal terms cancel before they are rounded.
static Value measureOf(const ScoreFactors::Decay &decay) {
  return decay.exponent ? decay.exponent : decay.value;
}

/// NaN if it has grown to more than 2^20.
Ex RegionFactors::bounded(Ex decay) {
  Ex isGreat = b.less(b.real(0x1p20, decay.type), decay);
  Ex nan = b.real(std::numeric_limits<double>::quiet_NaN(), decay.type);
  return b.select(isGreat, nan, decay);
}

FailureOr<SmallVector<Ex>> RegionFactors::anchors(const FactorPlace &from) {
  SmallVector<Ex> list;
  for (const ScoreFactors::Decay &decay : factors.decays) {
    Result made = value(measureOf(decay), from);
    if (failed(made))
      return failure();
    list.push_back(*made);
  }
  return list;
}

RegionFactors::Result RegionFactors::ratio(const FactorPlace &to,
                                           const FactorPlace &from) {
  FailureOr<SmallVector<Ex>> measured = anchors(from);
  if (failed(measured))
    return failure();
  return ratio(to, *measured);
}

RegionFactors::Result RegionFactors::ratio(const FactorPlace &to,
                                           ArrayRef<Ex> anchors) {
  if (!hasDecays())
    return one();
  attn::KernelOp kernel = arguments.kernel;
  std::optional<Ex> product;
  for (auto [decay, anchor] : llvm::zip_equal(factors.decays, anchors)) {
    Result high = value(measureOf(decay), to), low = anchor;
    if (failed(high))
      return failure();
    if (decay.use == ScoreFactors::Use::Over)
      std::swap(*high, *low);
    Result quotient;
    if (decay.exponent) {
      quotient = Formula(b, arguments.tensors)
                     .math(kernel, decay.base2 ? "exp2" : "exp",
                           kernel.getAccumulateType(), b.sub(*high, *low));
      if (failed(quotient))
        return failure();
    } else { // a power of 0 stays 0
      Ex zero = b.real(0, high->type);
      quotient = b.select(b.equal(*high, zero), zero, b.div(*high, *low));
    }
    product = product ? b.mul(*product, *quotient) : *quotient;
  }
  return bounded(*product);
}

/// A product after one more factor.
RegionFactors::Result RegionFactors::times(Ex product,
                                           const ScoreFactors::Factor &factor,
                                           const FactorPlace &at) {
  using Use = ScoreFactors::Use;
  Result made = value(factor.value, at);
  if (failed(made))
    return failure();
  if (factor.use == Use::Times)
    return b.mul(product, *made);
  if (factor.use == Use::Over)
    return b.div(product, *made);
  Ex zero = b.real(0, product.type);
  bool where = factor.use == Use::ZeroWhere;
  return b.select(*made, where ? zero : product, where ? product : zero);
}

RegionFactors::Result RegionFactors::ofKey(const FactorPlace &at) {
  Result product = one();
  for (const ScoreFactors::Decay &decay : factors.decays)
    if (failed(product = times(*product, {decay.value, decay.use}, at)))
      return failure();
  if (hasDecays())
    product = bounded(*product);
  for (const ScoreFactors::Factor &factor : factors.ofKey)
    if (failed(product = times(*product, factor, at)))
      return failure();
  return product;
}

RegionFactors::Result RegionFactors::ofQuery(const FactorPlace &at,
                                             Ex product) {
  Result made = product;
  for (const ScoreFactors::Factor &factor : factors.ofQuery)
    if (failed(made = times(*made, factor, at)))
      return failure();
  return made;
}

} // namespace attnc::halide
