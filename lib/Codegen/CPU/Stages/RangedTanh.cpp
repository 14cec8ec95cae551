//===- RangedTanh.cpp - tanh of scores whose range is checked -------------===//
//
// With AMX the port that multiplies limits the weights, and a tanh of all
// arguments takes 12 instructions besides (ExpandMathTanh.cpp). Most scores are
// small, so weights in fixed point use a polynomial that is right for
// |scale x| <= 0.95, and their check, which makes a tile be done again in f32,
// includes this range:
//
//   v = x x - L                                L = (0.95 / scale)^2
//   factor tanh(scale x) = x (c0 + c1 v + c2 v^2 + c3 v^3)
//
// The sign of v shows whether x is in the range. The product with x is the one
// that makes the number of a weight (FixedPointWeights.cpp), so a score of a
// granule is x until then; one that is masked is -inf.
//
// The absolute error of the tanh is 2.25e-5. FixedPoint::Tanh exists only where
// this is less than half a unit of the number. One more degree is right up to
// 1.25 with the same error, but takes one more instruction on that port, and
// 1.09 times as long.
//
// Tests: test/Codegen/CPU/Stages/ranged-tanh.test,
//        test/Unit/Codegen/CPU/RangedTanhTest.cpp
//
//===----------------------------------------------------------------------===//

#include "Stages/RangedTanh.h"
#include "Emit/Bf16Ops.h"
#include "Stages/FixedPointWeights.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::cpu {

void FixedPointWeights::emitTanh(Granule &granule, Value &numbers) {
  const SteadyMaximum::FixedPoint::Tanh &tanh = *plan.tanh;
  Type type = emitter.laneVector(ops.getF32Type());
  RangedTanh ranged(tanh.scale, tanh.factor * plan.scale * kUnits);
  auto constant = [&](double value) { return ops.constant(type, value); };
  auto fma = [&](Value a, Value b, Value c) -> Value {
    return math::FmaOp::create(ops, ops.loc, a, b, c);
  };
  Value sign = ops.constant(words(0).getType(), double(INT32_MIN));
  SmallVector<Value> scores;
  factors.clear();
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < granule.window.vectors; ++v) {
      Value x = emitter.element(granule, tanh.input, row, v);
      Value place = fma(x, x, constant(-ranged.limit));
      Value bits =
          LLVM::BitcastOp::create(ops, ops.loc, words(0).getType(), place);
      numbers = combineBits(ops, BitLogic::OrNotAnd, numbers, bits, sign);
      Value factor = constant(ranged.coefficients.back());
      for (double next : llvm::drop_begin(llvm::reverse(ranged.coefficients)))
        factor = fma(factor, place, constant(next));
      scores.push_back(x);
      factors.push_back(factor);
    }
  granule.registers[tanh.map->getResult(0)] = std::move(scores);
}

} // namespace attnc::cpu
