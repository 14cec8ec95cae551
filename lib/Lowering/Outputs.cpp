//===- Outputs.cpp - Divide and store -------------------------------------===//
//
//   o * (l == 0 ? 0 : 1 / l), rounded once to the output's type
//   lse = l == 0 ? -inf : (m + log2(l)) * ln 2
//
// l is 0 in rows that saw no key, and at least 1 (2^-T with a threshold) in
// others. What the caller may leave out is computed under tile.present.
// Tests: test/Lowering/outputs.mlir
//
//===----------------------------------------------------------------------===//

#include "KernelBlock.h"

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

static Value emitOutput(OpBuilder &builder, KernelBlock &block,
                        const SoftmaxState &state, Type element) {
  Location loc = block.loc;
  Value inverse = emitMap(
      builder, loc, block.rowType(), state.l,
      [&](OpBuilder &b, ValueRange arguments) -> Value {
        Value zero = emitReal(b, loc, block.accumulate, 0.0);
        Value one = emitReal(b, loc, block.accumulate, 1.0);
        Value quotient = arith::DivFOp::create(b, loc, one, arguments[0]);
        return arith::SelectOp::create(b, loc, isZero(b, loc, arguments[0]),
                                       zero, quotient);
      });
  return emitMap(
      builder, loc, block.outType().withElementType(element),
      {state.o, inverse}, [&](OpBuilder &b, ValueRange arguments) -> Value {
        Value x = arith::MulFOp::create(b, loc, arguments[0], arguments[1]);
        unsigned width = element.getIntOrFloatBitWidth();
        unsigned have = block.accumulate.getIntOrFloatBitWidth();
        if (width < have)
          return arith::TruncFOp::create(b, loc, element, x);
        return x;
      });
}

static Value emitLse(OpBuilder &builder, KernelBlock &block,
                     const SoftmaxState &state) {
  Location loc = block.loc;
  Type type = block.accumulate;
  bool base2 = block.kernel.getNorm().getWeight() == attn::NormWeight::Exp2;
  return emitMap(
      builder, loc, block.rowType(), {state.m, state.l},
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

void KernelBlock::emitStore(OpBuilder &builder, const BlockOutput &output,
                            const SoftmaxState &state) {
  auto buf = cast<tile::BufType>(output.buffer.buf.getType());
  Value value = output.isLse
                    ? emitLse(builder, *this, state)
                    : emitOutput(builder, *this, state, buf.getElementType());
  tile::StoreOp::create(builder, loc, value, output.buffer.buf,
                        indices(builder, output.buffer, {}), {{"q", rows}});
}

void KernelBlock::emitOutputs(OpBuilder &builder, const SoftmaxState &state) {
  for (const BlockOutput &output : outputs) {
    OpBuilder::InsertionGuard guard(builder);
    if (output.nullable) {
      Value given = tile::PresentOp::create(builder, loc, builder.getI1Type(),
                                            output.buffer.buf);
      auto branch = scf::IfOp::create(builder, loc, given);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    emitStore(builder, output, state);
  }
}

} // namespace attnc::lowering
