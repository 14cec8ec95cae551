//===- CheckVectors.cpp - Vectors and matrices of formulas ----------------===//
//
// A vector has one axis and a matrix two; what an operation makes of them is a
// vector again, or with '@' a real.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "Formula/PairFactors.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

/// Whether two axes have one size at every call.
bool Checker::sameWidth(const ExprPtr &a, const ExprPtr &b) {
  auto isRefused = [&](const ExprPtr &e) { // as a run-time width: told there
    return e->kind == Expr::Size && e->index < NumBuiltinSizes &&
           e->index >= HeadDim && spec.sizes[e->index].kind == Size::RunTime;
  };
  if (sameExpr(*a, *b) || isRefused(a) || isRefused(b))
    return true;
  Prover prover(spec, Domain{false, false, false, true});
  LinearForm difference = prover.linear(a) - prover.linear(b);
  return prover.proves(difference) && prover.proves(difference.scaled(-1));
}

/// A size as a caller knows it: its number, else its name.
static std::string sizeText(const AttentionSpec &spec, const ExprPtr &size) {
  bool fixed =
      size->kind == Expr::Size && spec.sizes[size->index].kind == Size::Fixed;
  return fixed ? std::to_string(spec.sizes[size->index].value)
               : printFormula(spec, *size);
}

static std::string textOf(const Node &node) {
  return node.kind == Node::Name ? node.name : Report::textOf(node.range).str();
}

/// Of two vectors that meet element by element.
bool Checker::needSameWidth(const Node &node, const Value &a, const Value &b,
                            StringRef op) {
  if (sameWidth(a.axes.front(), b.axes.front()))
    return true;
  report.error(Message::Width, node.range,
               {"the left side has " + sizeText(spec, a.axes.front()) +
                    " features, the right side has " +
                    sizeText(spec, b.axes.front()),
                op.str()});
  return false;
}

/// An operation that yields `element`: on vectors element by element, where
/// scalars are the same for each.
Checker::Value Checker::elementwise(const Node &node, Op op, Type element,
                                    const std::vector<Value> &values) {
  const Value *vector = nullptr;
  for (const Value &value : values) {
    if (value.type() == Type::Matrix)
      return error(Message::NeedsVector, value.e->range,
                   {typeWithArticle(Type::Matrix)});
    if (value.axes.empty())
      continue;
    if (vector && !needSameWidth(node, *vector, value, opSpelling(op)))
      return {};
    vector = &value;
  }
  Value result =
      apply(op, vector ? vectorOf(element) : element, values, node.range);
  if (result && vector)
    result.axes = vector->axes;
  return result;
}

Checker::Value Checker::visitTranspose(const Node &node) {
  Value value = visit(*node.children[0], true);
  if (!value)
    return {};
  if (value.type() != Type::Matrix) {
    auto &error = report.error(Message::NeedsMatrix, node.range,
                               {typeWithArticle(value.type())});
    if (value.type() == Type::Vector)
      error.fix(textOf(*node.children[0]))
          .note("this is a single row; the product of two rows is "
                "written Q @ K");
    return {};
  }
  std::swap(value.axes[0], value.axes[1]);
  value.transposed = !value.transposed;
  return value;
}

/// The two axes that `a @ b` sums over.
bool Checker::checkWidths(const Node &node, const Value &a, const Value &b) {
  const ExprPtr &left = a.axes.back(), &right = b.axes.front();
  if (sameWidth(left, right))
    return true;
  std::string leftText = textOf(*node.children[0]);
  std::string rightText = textOf(*node.children[1]);
  auto &error =
      report.error(Message::Width, node.range,
                   {leftText + " has " + sizeText(spec, left) + " features, " +
                        rightText + " has " + sizeText(spec, right),
                    leftText + " @ " + rightText});
  // u: [heads, head_dim] has a row for each head.
  bool isLoad = b.axes.size() == 2 && b.e->kind == Expr::Load;
  std::string row = isLoad && bindings.empty() && sameWidth(b.axes[1], left)
                        ? rowOf(spec.inputs[b.e->index], b.e->operands)
                        : "";
  bool isTransposed = a.axes.size() == 2   ? sameWidth(a.axes[0], right)
                      : b.axes.size() == 2 ? sameWidth(b.axes[1], left)
                                           : false;
  if (!row.empty())
    error.fix(leftText + " @ " + row);
  else if (isTransposed && a.axes.size() == 2 && scope.defines)
    error.fix(rightText + " @ " + leftText); // as weights of a layer stand
  else if (isTransposed)
    error.fix(a.axes.size() == 2 ? leftText + ".T @ " + rightText
                                 : leftText + " @ " + rightText + ".T");
  else if (a.axes.size() == 1 && b.axes.size() == 1)
    error.note("did you mean a projection in between?  Q @ W @ K with "
               "W: [head_dim, key_dim]");
  return false;
}

/// softmax(score) @ V, as other frameworks write it: true after an error.
bool Checker::reportImpliedProduct(const Node &node, const Value &left,
                                   const Value &right) {
  bool isWeights = scope.name == "attention" && scope.rowFunctions &&
                   left.type() == Type::Real;
  bool isV = right.e->kind == Expr::Row && right.e->row == Row::V;
  if (!isWeights || !isV)
    return false;
  report.error(Message::ImpliedProduct, node.range)
      .fix(textOf(*node.children[0]))
      .note("'value' replaces V by a formula");
  return true;
}

/// u @ v, W @ v and v @ W.
Checker::Value Checker::visitDot(const Node &node) {
  Value a = visit(*node.children[0], true), b = visit(*node.children[1], true);
  if (!a || !b || reportImpliedProduct(node, a, b))
    return {};
  bool good = true;
  for (auto [value, child] : {std::pair(&a, node.children[0].get()),
                              std::pair(&b, node.children[1].get())})
    if (value->axes.empty())
      good = bool(error(Message::NeedsVector, child->range,
                        {typeWithArticle(value->type())}));
    else if (!needNumber(*value, *child, "@"))
      good = false;
    else if (value->type() == Type::Ints)
      *value = toReal(*value);
  if (!good)
    return {};
  if (a.axes.size() == 2 && b.axes.size() == 2)
    return error(Message::DotShapes, node.range, {});
  if (!checkWidths(node, a, b))
    return {};
  if (!scope.rows && !scope.query)
    missing(node.range, "a product of vectors in '" + scope.name.str() + "'");
  std::vector<ExprPtr> axes;
  if (a.axes.size() == 2)
    axes = {a.axes.front()};
  else if (b.axes.size() == 2)
    axes = {b.axes.back()};
  bool rows = a.e->kind == Expr::Row && b.e->kind == Expr::Row;
  if (a.transposed || b.transposed) // W.T @ v is v @ W
    std::swap(a, b);
  else if (rows && a.e->row == Row::K && b.e->row == Row::Q)
    std::swap(a, b);
  if (axes.empty())
    return multiply(a, b, node.range);
  Value result = apply(Op::Dot, Type::Vector, {a, b}, node.range);
  result.axes = axes;
  return result;
}

/// u @ v, times what is a number for each pair.
Checker::Value Checker::multiply(Value a, Value b, SMRange range) {
  std::vector<PairFactor> factors;
  a.e = takePairFactors(a.e, factors);
  b.e = takePairFactors(b.e, factors);
  Value result = apply(Op::Dot, Type::Real, {a, b}, range);
  for (const PairFactor &factor : factors)
    if (result)
      result = apply(factor.divides ? Op::Div : Op::Mul, Type::Real,
                     {result, {factor.number, {}}}, range);
  return result;
}

//===----------------------------------------------------------------------===//
// Definitions of rows: inputs are indexed by the names of their axes
//===----------------------------------------------------------------------===//

/// b of `batch`, g of `kv_heads` and so on; null for an axis of features.
ExprPtr Checker::rowIndex(const ExprPtr &axis, SMRange range) {
  auto is = [&](BuiltinSize size) {
    return axis->kind == Expr::Size && sameWidth(axis, makeSize(size)) &&
           (axis->index == size || spec.sizes[size].kind != Size::Fixed);
  };
  bool ofQuery = *scope.defines == Row::Q;
  const Size &group = spec.sizes[Group];
  bool alike = group.kind == Size::Fixed && group.value == 1;
  if (is(Batch))
    return makeVariable(Variable::B, range);
  if (ofQuery && is(QueryLen))
    return makeVariable(Variable::I, range);
  if (!ofQuery && is(KvLen))
    return makeVariable(Variable::K, range);
  if (ofQuery && is(Heads))
    return makeVariable(Variable::H, range);
  if (is(KvHeads) || (alike && is(Heads)))
    return makeVariable(Variable::G, range);
  return nullptr;
}

bool Checker::rowIndices(const Input &input, SMRange range,
                         std::vector<ExprPtr> &indices) {
  bool features = false, good = true;
  for (const ExprPtr &axis : input.axes) {
    ExprPtr index = rowIndex(axis, range);
    good &= !(index && features);
    features |= !index;
    if (index)
      indices.push_back(index);
  }
  if (good)
    return true;
  report
      .error(Message::RowAxes, range,
             {input.name, *scope.defines == Row::Q ? "batch, heads, query_len"
                                                   : "batch, kv_heads, kv_len"})
      .note(input.typeRange, "'" + input.name + "' is declared here");
  return false;
}

//===----------------------------------------------------------------------===//
// Entries of `let`
//===----------------------------------------------------------------------===//

bool Checker::bindMacro(const Node &node, const Definition &macro,
                        Bindings &arguments) {
  auto count = [](size_t n) {
    return std::to_string(n) + (n == 1 ? " argument" : " arguments");
  };
  size_t given = node.children.size() + node.arguments.size();
  if (given != macro.parameters.size() || !node.arguments.empty()) {
    report
        .error(Message::MacroArguments, node.range,
               {node.name, count(macro.parameters.size()),
                node.arguments.empty() ? count(given) : "one by name"})
        .note(macro.range, "'" + node.name + "' is defined here");
    return false;
  }
  for (auto [parameter, child] : zip_equal(macro.parameters, node.children)) {
    Binding binding;
    binding.range = child->range;
    if (!findTensor(*child, binding.input))
      return false;
    if (!binding.input) {
      binding.value = visit(*child, true);
      if (!binding.value)
        return false;
    }
    arguments[parameter] = std::move(binding);
  }
  return true;
}

bool Checker::sameArguments(const Bindings &a, const Bindings &b) {
  auto isSame = [](const auto &x, const auto &y) {
    const Value &left = x.second.value, &right = y.second.value;
    return x.first == y.first && x.second.input == y.second.input &&
           left.transposed == right.transposed && !left.e == !right.e &&
           (!left.e || sameExpr(*left.e, *right.e));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), isSame);
}

/// The formula of the entry, with the arguments in place of its parameters.
Checker::Value Checker::expandDefinition(const Node &node, bool vectorPlace) {
  Definition &definition = use.let[node.name];
  definition.used = true;
  if (node.kind == Node::Name && !definition.isMacro && scope.inputs)
    if (std::optional<unsigned> input; use.tensor(node, input))
      return input ? load(*input, node.range, node.range, {}, vectorPlace)
                   : Value();
  if (!definition.group.empty())
    return error(Message::LayerScope, node.range, {node.name});
  if (definition.isMacro != (node.kind == Node::Call)) {
    std::string text = Report::textOf(definition.range).str();
    return definition.isMacro
               ? error(Message::FunctionName, node.range, {node.name, text})
               : error(Message::NotAFunction, node.headRange, {node.name});
  }
  if (definition.active)
    return error(Message::Recursion, node.range, {node.name});
  Bindings arguments;
  if (!definition.body || !bindMacro(node, definition, arguments))
    return {};
  for (const Expansion &known : expansions[node.name])
    if (known.vectorPlace == vectorPlace &&
        sameArguments(known.arguments, arguments))
      return known.value;
  definition.active = true;
  ++expanding;
  std::swap(bindings, arguments);
  Value value = visit(*definition.body, vectorPlace);
  std::swap(bindings, arguments);
  --expanding;
  definition.active = false;
  expansions[node.name].push_back({std::move(arguments), vectorPlace, value});
  return value;
}

} // namespace attnc::spec
