//===- RowFunctions.cpp - Functions of the keys of a row ------------------===//
//
// sum(x), count(), top_k(x, n), sparsemax(x) and softmax(x) inside a formula of
// `attention` look at all allowed keys of a row. Each is an op over the keys
// and a formula of its result:
//
//   sum(x)         attn.reduce #attn.row<sum>
//   count()        the same of 1
//   top_k(x, n)    attn.reduce #attn.row<rank>: x where it is not below that
//   sparsemax(x)   attn.reduce #attn.row<simplex>: what x exceeds it by
//   softmax(x)     attn.normalize
//
// Tests: test/Import/attention.yaml
//
//===----------------------------------------------------------------------===//

#include "Formula/Infinities.h"
#include "Tensor/RowFormulas.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Expr;
using Fn = spec::Op;

bool RowFormulas::addGuard(const Expr &e, FormulaLeaves &leaves) {
  if (!canBeInfinite(*spec.score) ||
      valueAtMinusInfinity(e, *spec.score) == 0.0)
    return false;
  addLeaves(*spec.score, leaves);
  return true;
}

/// The operand as a tensor of pairs; a term of a sum is 0 where the score is
/// -inf.
Value RowFormulas::rowOperand(const Expr &e, bool isTerm) {
  FormulaLeaves leaves = leavesOf(e);
  bool guarded = isTerm && addGuard(e, leaves);
  return map("bhgqk", type("bhgqk", {}, real), leaves,
             [&](FormulaBuilder &formula) {
               Value x = formula.build(e);
               if (!guarded)
                 return x;
               return formula.zeroWhereNothing(formula.build(*spec.score), x);
             });
}

attn::ReduceOp RowFormulas::reduce(attn::RowAttr kind, Value x) {
  SmallVector<Type, 2> results{type("bhgq", {}, real)};
  if (kind.getKind() == attn::RowKind::Rank)
    results.push_back(type("bhgq", {}, b.getI32Type()));
  return attn::ReduceOp::create(b, results, "bhgqk", "k", kind, x, mask());
}

LetteredTensor RowFormulas::rowSum(const Expr &e) {
  spec::ExprPtr one = spec::makeReal(1, e.range);
  const Expr &term = e.op == Fn::Count ? *one : *e.operands[0];
  Value x = rowOperand(term, /*isTerm=*/e.op == Fn::Sum);
  auto kind = attn::RowAttr::get(b.getContext(), attn::RowKind::Sum, 0);
  return {reduce(kind, x).getRow(), "bhgq"};
}

LetteredTensor RowFormulas::rowSoftmax(const Expr &e) {
  FormulaLeaves leaves = leavesOf(*e.operands[0]);
  addLeaves(*e.operands[2], leaves);
  Type pairs = type("bhgqk", {}, real);
  Value x = map("bhgqk", pairs, leaves, [&](FormulaBuilder &formula) {
    return formula.divide(formula.build(*e.operands[0]),
                          formula.build(*e.operands[2]));
  });
  const Expr &sink = *e.operands[1];
  bool hasSink = !sink.isConstant() || sink.real != -HUGE_VAL;
  FormulaLeaves ofSink = leavesOf(sink);
  auto init = [&](OpBuilder &builder, Location loc, ValueRange places) {
    Value value = at(builder, loc, sink, ofSink, places);
    attn::YieldOp::create(builder, loc, value);
  };
  attn::RegionBuilder build = init;
  auto op = attn::NormalizeOp::create(
      b, pairs, type("bhgq", {}, real), "bhgqk", "k",
      attn::NormAttr::softmax(b.getContext()), x, mask(),
      hasSink ? build : attn::RegionBuilder(nullptr));
  return {op.getWeights(), "bhgqk"};
}

LetteredTensor RowFormulas::rowTopK(const Expr &e) {
  Value x = rowOperand(*e.operands[0], /*isTerm=*/false);
  auto kind = attn::RowAttr::get(b.getContext(), attn::RowKind::Rank,
                                 e.operands[1]->integer);
  attn::ReduceOp rank = reduce(kind, x);
  FormulaLeaves leaves;
  leaves.tensors = {
      {x, "bhgqk"}, {rank.getRow(), "bhgq"}, {rank.getKey(), "bhgq"}};
  return {map("bhgqk", type("bhgqk", {}, real), leaves,
              [](FormulaBuilder &formula, ValueRange scalars) {
                return formula.keepGreatest(scalars[0], scalars[1], scalars[2]);
              }),
          "bhgqk"};
}

LetteredTensor RowFormulas::rowSparsemax(const Expr &e) {
  Value x = rowOperand(*e.operands[0], /*isTerm=*/false);
  auto kind = attn::RowAttr::get(b.getContext(), attn::RowKind::Simplex, 0);
  FormulaLeaves leaves;
  leaves.tensors = {{x, "bhgqk"}, {reduce(kind, x).getRow(), "bhgq"}};
  return {map("bhgqk", type("bhgqk", {}, real), leaves,
              [](FormulaBuilder &formula, ValueRange scalars) {
                return formula.excess(scalars[0], scalars[1]);
              }),
          "bhgqk"};
}

LetteredTensor RowFormulas::rowFunction(const Expr &e) {
  switch (e.op) {
  case Fn::Softmax:
    return rowSoftmax(e);
  case Fn::TopK:
    return rowTopK(e);
  case Fn::Sparsemax:
    return rowSparsemax(e);
  default:
    return rowSum(e);
  }
}
