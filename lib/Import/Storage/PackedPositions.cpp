//===- PackedPositions.cpp - Positions of rows of all sequences -----------===//
//
// Row t of all is row t - start[b] of its sequence b. Which one that is nobody
// looks up: the sum over all sequences of what only one of them adds is its
// term, so a product with a mask does.
//
//   %f = attn.map "->b"                 first position of b - start[b]
//   %s = attn.contract "b,t->t" (%f, ones) where "tb" start[b] <= t <
//   start[b+1] %p = attn.map "t->t" (%s)           t + %s
//
// Integers below 2^53, so f64 has no roundings.
// Tests: test/Import/Layers/ragged-layers.yaml
//
//===----------------------------------------------------------------------===//

#include "Storage/PackedPositions.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attnc;

static Value toReal(OpBuilder &b, Location loc, Value index) {
  Value n = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return arith::SIToFPOp::create(b, loc, b.getF64Type(), n);
}

/// Whether row t is one of sequence b.
static Value isOfSequence(OpBuilder &b, Location loc, Value start, Value t,
                          Value sequence) {
  Type index = b.getIndexType();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value next = arith::AddIOp::create(b, loc, sequence, one);
  Value begin = attn::ReadOp::create(b, loc, index, start, sequence);
  Value end = attn::ReadOp::create(b, loc, index, start, next);
  Value from =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, begin, t);
  Value before =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, t, end);
  return arith::AndIOp::create(b, loc, from, before);
}

Value attnc::import::packedPositions(
    ImplicitLocOpBuilder &b, const PackedRows &rows, Type type,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> first) {
  Type f64 = b.getF64Type();
  Value terms = attn::MapOp::create(
      b, attn::tensorType(rows.sequences, f64), "->b", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value position = first(inner, loc, x[0]);
        Value begin = attn::ReadOp::create(inner, loc, inner.getIndexType(),
                                           rows.start, x[0]);
        Value term = arith::SubIOp::create(inner, loc, position, begin);
        attn::YieldOp::create(inner, loc, toReal(inner, loc, term));
      });
  Value ones = attn::MapOp::create(
      b, attn::tensorType(rows.rows, f64), "->t", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange) {
        Value one =
            arith::ConstantOp::create(inner, loc, inner.getF64FloatAttr(1));
        attn::YieldOp::create(inner, loc, one);
      });
  Value inside = attn::MaskOp::create(
      b, attn::tensorType({rows.rows, rows.sequences}, b.getI1Type()), "tb",
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value is = isOfSequence(inner, loc, rows.start, x[0], x[1]);
        attn::YieldOp::create(inner, loc, is);
      });
  Value term = attn::ContractOp::create(b, attn::tensorType(rows.rows, f64),
                                        b.getStringAttr("b,t->t"), terms, ones,
                                        b.getStringAttr("tb"), inside);
  return attn::MapOp::create(
      b, type, "t->t", term, [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value t = toReal(inner, loc, x[1]);
        Value sum = arith::AddFOp::create(inner, loc, t, x[0]);
        attn::YieldOp::create(inner, loc, sum);
      });
}
