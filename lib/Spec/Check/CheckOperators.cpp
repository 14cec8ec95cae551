//===- CheckOperators.cpp - Operators of formulas -------------------------===//

#include "Check/Checker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A formula of more nodes than this, with its named masks expanded, is
/// refused: every later step takes time by its nodes. Shared ones count once.
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
  parts += 1 + count_if(folded->operands, [](const ExprPtr &operand) {
             return operand->operands.empty();
           });
  if (parts <= maxNodes)
    return {folded, {}};
  if (!std::exchange(isTooLong, true)) // told once
    error(Message::FormulaTooLong, range, {std::to_string(maxNodes)});
  return {};
}

Checker::Value Checker::toReal(Value value) {
  Type type = isVector(value.type()) ? Type::Vector : Type::Real;
  Value real = apply(Op::ToReal, type, {value}, value.e->range);
  if (real)
    real.axes = std::move(value.axes);
  return real;
}

bool Checker::needNumber(const Value &value, const Node &node, StringRef op) {
  if (value.element() != Type::Bool)
    return true;
  auto &error = report.error(Message::NeedsNumber, node.range, {op.str()});
  StringRef text = Report::textOf(node.range);
  if (bindings.empty() && text.size() < 60)
    error.fix("where(" + text.str() + ", 1, 0)");
  return false;
}

bool Checker::needBool(const Value &value, const Node &node, StringRef op) {
  if (value.element() == Type::Bool)
    return true;
  auto &error = report.error(Message::NeedsBool, node.range,
                             {op.str(), typeWithArticle(value.type())});
  if (value.element() == Type::Int)
    error.note("expected a condition; did you mean a comparison such as "
               "0 <= q - k < 128?");
  return false;
}

bool Checker::needInt(const Value &value, const Node &node, StringRef op) {
  if (value.element() == Type::Int)
    return true;
  auto &error = report.error(Message::NeedsInt, node.range,
                             {op.str(), typeWithArticle(value.type())});
  if (value.element() == Type::Real)
    error.note("for floats, write floor(x / y)");
  return false;
}

/// Makes all ints real if one is real.
void Checker::unify(std::vector<Value> &values) {
  if (any_of(values, [](const Value &v) { return v.element() == Type::Real; }))
    for (Value &value : values)
      if (value.element() == Type::Int)
        value = toReal(value);
}

Checker::Value Checker::visitUnary(const Node &node, bool vectorPlace) {
  const Node &child = *node.children[0];
  Value value = visit(child, vectorPlace);
  if (!value)
    return {};
  if (node.op == Op::Not)
    return needBool(value, child, "not")
               ? elementwise(node, Op::Not, Type::Bool, {value})
               : Value();
  if (!needNumber(value, child, "-"))
    return {};
  return elementwise(node, Op::Neg, value.element(), {value});
}

Checker::Value Checker::visitLogic(const Node &node, bool vectorPlace) {
  StringRef op = opSpelling(node.op);
  Value a = visit(*node.children[0], vectorPlace);
  Value b = visit(*node.children[1], vectorPlace);
  bool good = a && needBool(a, *node.children[0], op);
  good &= b && needBool(b, *node.children[1], op);
  return good ? elementwise(node, node.op, Type::Bool, {a, b}) : Value();
}

Checker::Value Checker::visitPower(const Node &node, Value base,
                                   Value exponent) {
  if (base.element() == Type::Int && exponent.element() == Type::Int) {
    bool good = exponent.e->isConstant() && exponent.e->integer >= 0;
    if (good)
      return elementwise(node, Op::Pow, Type::Int, {base, exponent});
    report.error(Message::IntPower, node.children[1]->range)
        .note("for a float power, write 2.0 ** x");
    return {};
  }
  std::vector<Value> values = {base, exponent};
  for (Value &value : values)
    if (value.element() == Type::Int)
      value = toReal(value);
  return elementwise(node, Op::Pow, Type::Real, values);
}

/// Truth values are not counted with: 1 - causal, causal * first(4). One error
/// for both sides.
bool Checker::isOfTruthValues(const Node &node, const Value &a,
                              const Value &b) {
  bool isNot = node.op == Op::Sub && a.e->isConstant() &&
               a.type() == Type::Int && a.e->integer == 1 &&
               b.element() == Type::Bool;
  bool areBoth = a.element() == Type::Bool && b.element() == Type::Bool &&
                 (node.op == Op::Mul || node.op == Op::Add);
  if (!isNot && !areBoth)
    return false;
  auto &error = report.error(Message::NeedsNumber, node.range,
                             {opSpelling(node.op).str()});
  if (!bindings.empty())
    return true;
  std::string left = Report::textOf(node.children[0]->range).str();
  std::string right = Report::textOf(node.children[1]->range).str();
  std::string both = left + (node.op == Op::Mul ? " and " : " or ") + right;
  if (scope.name != "mask") { // a number is meant
    StringRef condition = right;
    if (condition.starts_with("(") && condition.ends_with(")"))
      condition = condition.drop_front().drop_back();
    error.fix(areBoth ? "where(" + both + ", 1, 0)"
                      : "where(" + condition.str() + ", 0, 1)");
    return true;
  }
  if (areBoth)
    return error.fix(both), true;
  bool isOne = node.children[1]->kind == Node::Name ||
               node.children[1]->kind == Node::Call ||
               node.children[1]->kind == Node::Index ||
               StringRef(right).starts_with("(");
  error.fix("not " + (isOne ? right : "(" + right + ")"))
      .note("as a number: where(" + right + ", 0, 1)");
  return true;
}

Checker::Value Checker::visitBinary(const Node &node, bool vectorPlace) {
  if (node.op == Op::And || node.op == Op::Or)
    return visitLogic(node, vectorPlace);
  if (node.op == Op::Dot)
    return visitDot(node);
  StringRef op = opSpelling(node.op);
  std::vector<Value> values = {visit(*node.children[0], vectorPlace),
                               visit(*node.children[1], vectorPlace)};
  if (values[0] && values[1] && isOfTruthValues(node, values[0], values[1]))
    return {};
  bool good = true;
  for (auto [value, child] : zip_equal(values, node.children)) {
    good &= bool(value) && needNumber(value, *child, op);
    if (value && (node.op == Op::FloorDiv || node.op == Op::Mod))
      good = good && needInt(value, *child, op);
  }
  if (!good)
    return {};
  if (node.op == Op::Pow)
    return visitPower(node, values[0], values[1]);
  unify(values);
  bool byZero = node.op == Op::FloorDiv || node.op == Op::Mod;
  if (byZero && values[1].e->isConstant() && !values[1].e->integer)
    return error(Message::ZeroDivisor, node.range, {});
  if (node.op == Op::Div)
    for (Value &value : values)
      if (value.element() == Type::Int)
        value = toReal(value);
  return elementwise(node, node.op, values[0].element(), values);
}

Checker::Value Checker::compare(const Node &node, Op op, Value a, Value b) {
  bool bools = a.element() == Type::Bool && b.element() == Type::Bool;
  std::vector<Value> values = {a, b};
  unify(values);
  bool equality = op == Op::Eq || op == Op::Ne;
  if (values[0].element() != values[1].element() || (bools && !equality))
    return error(Message::CompareTypes, node.range,
                 {opSpelling(op).str(), typeWithArticle(a.type()),
                  typeWithArticle(b.type())});
  return elementwise(node, op, Type::Bool, values);
}

/// a < b <= c is a < b and b <= c.
Checker::Value Checker::visitChain(const Node &node, bool vectorPlace) {
  std::vector<Value> values;
  bool good = true;
  for (const NodePtr &child : node.children) {
    values.push_back(visit(*child, vectorPlace));
    good &= bool(values.back());
    if (!good && child->range.End == node.range.End &&
        child->range.Start == node.range.Start) // of a named mask: told once
      return {};
  }
  if (!good)
    return {};
  Value result;
  for (auto [i, op] : enumerate(node.ops)) {
    Value link = compare(node, op, values[i], values[i + 1]);
    if (!link)
      return {};
    result =
        result ? elementwise(node, Op::And, Type::Bool, {result, link}) : link;
    if (!result)
      return {};
  }
  return result;
}

} // namespace attnc::spec
