//===- CompensatedSum.cpp - Sums with what rounding lost ------------------===//
//
// See CompensatedSum.h.
//
//===----------------------------------------------------------------------===//

#include "Formula/CompensatedSum.h"

#include "Kernel/KernelBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

std::pair<Value, Value> emitSum(OpBuilder &builder, Location loc, Value s,
                                Value lost, Value ratio, Value x) {
  auto type = cast<tile::TileType>(s.getType());
  bool isTile = ratio && isa<tile::TileType>(ratio.getType());
  auto map = [&](SmallVector<Value> inputs,
                 llvm::function_ref<Value(OpBuilder &, ValueRange, Value)> of) {
    if (isTile)
      inputs.push_back(ratio);
    return emitMap(builder, loc, type, inputs,
                   [&](OpBuilder &b, ValueRange in) -> Value {
                     return of(b, in, isTile ? in.back() : ratio);
                   });
  };
  auto times = [&](OpBuilder &b, Value value, Value r) -> Value {
    return r ? arith::MulFOp::create(b, loc, value, r).getResult() : value;
  };
  Value sum = map({s, x}, [&](OpBuilder &b, ValueRange in, Value r) -> Value {
    return arith::AddFOp::create(b, loc, times(b, in[0], r), in[1]);
  });
  Value rest = map(
      {s, x, sum, lost}, [&](OpBuilder &b, ValueRange in, Value r) -> Value {
        Value p = times(b, in[0], r);
        Value ofX = arith::SubFOp::create(b, loc, in[2], p);
        Value ofP = arith::SubFOp::create(b, loc, in[2], ofX);
        Value error =
            arith::AddFOp::create(b, loc, arith::SubFOp::create(b, loc, p, ofP),
                                  arith::SubFOp::create(b, loc, in[1], ofX));
        return arith::AddFOp::create(b, loc, times(b, in[3], r), error);
      });
  return {sum, rest};
}

} // namespace attnc::lowering
