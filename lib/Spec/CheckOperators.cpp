//===- CheckOperators.cpp - Operators of formulas -------------------------===//

#include "Checker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A formula of more nodes than this, with its named masks expanded, is
/// refused: every later step takes time by its nodes.
static constexpr uint32_t maxNodes = 4000;

Checker::Value Checker::apply(Op op, Type type, ArrayRef<Value> operands,
                              SMRange range) {
  std::vector<ExprPtr> exprs;
  for (const Value &operand : operands)
    exprs.push_back(operand.e);
  FoldProblem problem = FoldProblem::None;
  ExprPtr folded = foldConstants(op, type, exprs, range, problem);
  switch (problem) {
  case FoldProblem::None:
    break;
  case FoldProblem::Overflow:
    return error(Message::Overflow, range, {});
  case FoldProblem::ZeroDivisor:
    return error(Message::ZeroDivisor, range, {});
  case FoldProblem::NotANumber:
    return error(Message::NotANumber, range, {});
  }
  if (!folded || folded->type != type)
    folded = makeApply(op, type, std::move(exprs), range);
  if (folded->nodes > maxNodes)
    return error(Message::FormulaTooLong, range, {std::to_string(maxNodes)});
  return {folded, {}};
}

Checker::Value Checker::toReal(Value value) {
  return apply(Op::ToReal, Type::Real, {value}, value.e->range);
}

bool Checker::needNumber(const Value &value, const Node &node, StringRef op) {
  if (value.type() != Type::Bool)
    return true;
  auto &error = report.error(Message::NeedsNumber, node.range, {op.str()});
  StringRef text = Report::textOf(node.range);
  if (bindings.empty() && text.size() < 60)
    error.fix("where(" + text.str() + ", 1, 0)");
  return false;
}

bool Checker::needBool(const Value &value, const Node &node, StringRef op) {
  if (value.type() == Type::Bool)
    return true;
  auto &error = report.error(Message::NeedsBool, node.range,
                             {op.str(), typeWithArticle(value.type())});
  if (value.type() == Type::Int)
    error.note("a comparison is meant? for example 0 <= q - k < 128");
  return false;
}

bool Checker::needInt(const Value &value, const Node &node, StringRef op) {
  if (value.type() == Type::Int)
    return true;
  auto &error = report.error(Message::NeedsInt, node.range,
                             {op.str(), typeWithArticle(value.type())});
  if (value.type() == Type::Real)
    error.note("of reals: floor(x / y)");
  return false;
}

/// Makes all ints real if one is real.
void Checker::unify(std::vector<Value> &values) {
  if (any_of(values, [](const Value &v) { return v.type() == Type::Real; }))
    for (Value &value : values)
      if (value.type() == Type::Int)
        value = toReal(value);
}

Checker::Value Checker::visitUnary(const Node &node, bool vectorPlace) {
  const Node &child = *node.children[0];
  Value value = visit(child, vectorPlace);
  if (!value)
    return {};
  if (node.op == Op::Not)
    return needBool(value, child, "not")
               ? apply(Op::Not, Type::Bool, {value}, node.range)
               : Value();
  if (!needNumber(value, child, "-"))
    return {};
  if (!value.axes.empty())
    return elementwise(node, Op::Neg, {value});
  return apply(Op::Neg, value.type(), {value}, node.range);
}

Checker::Value Checker::visitLogic(const Node &node) {
  StringRef op = opSpelling(node.op);
  Value a = visit(*node.children[0]), b = visit(*node.children[1]);
  bool good = a && needBool(a, *node.children[0], op);
  good &= b && needBool(b, *node.children[1], op);
  return good ? apply(node.op, Type::Bool, {a, b}, node.range) : Value();
}

Checker::Value Checker::visitPower(const Node &node, Value base,
                                   Value exponent) {
  if (base.type() == Type::Int && exponent.type() == Type::Int) {
    bool good = exponent.e->isConstant() && exponent.e->integer >= 0;
    if (good)
      return apply(Op::Pow, Type::Int, {base, exponent}, node.range);
    report.error(Message::IntPower, node.children[1]->range)
        .note("of reals: 2.0 ** x");
    return {};
  }
  std::vector<Value> values = {toReal(base), toReal(exponent)};
  if (base.type() == Type::Real)
    values[0] = base;
  if (exponent.type() == Type::Real)
    values[1] = exponent;
  return apply(Op::Pow, Type::Real, values, node.range);
}

Checker::Value Checker::visitBinary(const Node &node, bool vectorPlace) {
  if (node.op == Op::And || node.op == Op::Or)
    return visitLogic(node);
  if (node.op == Op::Dot)
    return visitDot(node);
  StringRef op = opSpelling(node.op);
  std::vector<Value> values = {visit(*node.children[0], vectorPlace),
                               visit(*node.children[1], vectorPlace)};
  bool good = true;
  for (auto [value, child] : zip_equal(values, node.children)) {
    good &= bool(value) && needNumber(value, *child, op);
    if (value && (node.op == Op::FloorDiv || node.op == Op::Mod))
      good = good && needInt(value, *child, op);
  }
  if (!good)
    return {};
  if (!values[0].axes.empty() || !values[1].axes.empty())
    return elementwise(node, node.op, values);
  if (node.op == Op::Pow)
    return visitPower(node, values[0], values[1]);
  unify(values);
  bool byZero = node.op == Op::FloorDiv || node.op == Op::Mod;
  if (byZero && values[1].e->isConstant() && !values[1].e->integer)
    return error(Message::ZeroDivisor, node.range, {});
  if (node.op == Op::Div)
    for (Value &value : values)
      if (value.type() == Type::Int)
        value = toReal(value);
  return apply(node.op, values[0].type(), values, node.range);
}

Checker::Value Checker::compare(const Node &node, Op op, Value a, Value b) {
  bool bools = a.type() == Type::Bool && b.type() == Type::Bool;
  std::vector<Value> values = {a, b};
  if (!a.axes.empty() || !b.axes.empty())
    return error(Message::CompareVectors, node.range, {});
  unify(values);
  bool equality = op == Op::Eq || op == Op::Ne;
  if (values[0].type() != values[1].type() || (bools && !equality))
    return error(Message::CompareTypes, node.range,
                 {opSpelling(op).str(), typeWithArticle(a.type()),
                  typeWithArticle(b.type())});
  return apply(op, Type::Bool, values, node.range);
}

/// a < b <= c is a < b and b <= c.
Checker::Value Checker::visitChain(const Node &node) {
  std::vector<Value> values;
  for (const NodePtr &child : node.children) {
    values.push_back(visit(*child));
    if (!values.back())
      return {};
  }
  Value result;
  for (auto [i, op] : enumerate(node.ops)) {
    Value link = compare(node, op, values[i], values[i + 1]);
    if (!link)
      return {};
    result =
        result ? apply(Op::And, Type::Bool, {result, link}, node.range) : link;
    if (!result)
      return {};
  }
  return result;
}

} // namespace attnc::spec
