//===- Checker.cpp - Names and indices of formulas ------------------------===//
//
// Operators are in CheckOperators.cpp, calls in CheckCalls.cpp, what is told
// about unknown names in CheckUnknown.cpp.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "Language/ForeignWords.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace attnc::spec {

Scope Scope::ofPair(StringRef name) {
  Scope scope;
  scope.name = name;
  scope.batch = scope.row = scope.key = scope.rows = scope.inputs = true;
  return scope;
}

Scope Scope::ofDefinition(Row row) {
  Scope scope = ofPair(rowName(row));
  scope.row = row == Row::Q;
  scope.key = !scope.row;
  scope.defines = row;
  return scope;
}

Scope Scope::ofRow(StringRef name) {
  Scope scope = ofPair(name);
  scope.key = scope.rows = false;
  scope.query = true;
  return scope;
}

Scope Scope::ofBatch(StringRef name) {
  Scope scope = ofRow(name);
  scope.row = scope.query = false;
  return scope;
}

Scope Scope::ofSizes(StringRef name) {
  Scope scope;
  scope.name = name;
  return scope;
}

std::string typeWithArticle(Type type) {
  return (type == Type::Int ? "an " : "a ") + typeName(type).str();
}

bool Checker::reportMissing() {
  if (missingFeatures.empty())
    return false;
  const Missing &first = missingFeatures.front();
  report.error(Message::Unsupported, first.range, {first.what});
  missingFeatures.clear();
  return true;
}

/// Where(c, 0, -inf) or where(c, -inf, 0): a mask to be added to the score, as
/// other systems have it. The text of c, or of `not (c)`; else nothing.
static std::string conditionOfAdditiveMask(const Expr &e, const Node &node) {
  if (!e.isApply(Op::Select) || node.kind != Node::Call ||
      node.children.empty() || !node.range.isValid())
    return "";
  auto isReal = [](const ExprPtr &x, double value) {
    return x->isConstant() && x->real == value;
  };
  std::string text = Report::textOf(node.children[0]->range).str();
  if (isReal(e.operands[1], 0) && isReal(e.operands[2], -HUGE_VAL))
    return text;
  if (isReal(e.operands[1], -HUGE_VAL) && isReal(e.operands[2], 0))
    return "not (" + text + ")";
  return "";
}

/// 4.0 as 4; empty for a number that is no integer.
static std::string integerText(double value) {
  bool isInteger = std::floor(value) == value && std::abs(value) <= INT32_MAX;
  return isInteger ? std::to_string(int64_t(value)) : "";
}

/// The value as the type that its place wants.
ExprPtr Checker::convert(Value value, const Node &node, Type type,
                         StringRef what) {
  if (elementType(type) == Type::Real && value.element() == Type::Int)
    value = toReal(value);
  if (!value || value.type() == type)
    return value.e;
  auto &error = report.error(
      Message::MustBe, node.range,
      {what.str(), typeWithArticle(type), typeWithArticle(value.type())});
  bool quotable = !bindings.size() && node.range.isValid();
  std::string text = quotable ? Report::textOf(node.range).str() : "";
  std::string condition = type == Type::Bool && quotable
                              ? conditionOfAdditiveMask(*value.e, node)
                              : "";
  if (!condition.empty())
    error.fix(condition);
  else if (type == Type::Bool && value.type() == Type::Int)
    error.note("expected a condition; did you mean a comparison such as "
               "0 <= q - k < 128?");
  else if (type == Type::Bool && value.type() == Type::Real)
    error.note("expected a condition; did you mean a comparison such as "
               "... > 0?");
  else if (value.type() == Type::Bool && !text.empty() && text.size() < 60)
    error.fix("where(" + text + ", 1, 0)");
  else if (value.type() == Type::Bools && type == Type::Bool)
    error.note("this has one boolean per feature; compare products "
               "instead, for example Q @ K > 0");
  else if (isVector(value.type()))
    error.note("the dot product of two vectors is written Q @ K");
  else if (type == Type::Int && node.kind == Node::Real)
    error.fix(quotable ? integerText(node.real) : "");
  else if (type == Type::Int && value.type() == Type::Real)
    error.note(text.find('/') != std::string::npos
                   ? "'/' returns a float; '//' divides integers"
                   : "there is no float-to-integer conversion, and floor(x) "
                     "returns a float; compute integers from integers with + "
                     "- * // % **");
  return nullptr;
}

ExprPtr Checker::check(const Node &node, Type type, StringRef what) {
  unsigned before = report.errors();
  formula = &node;
  Value value = visit(node, type == Type::Vector);
  ExprPtr result = value ? convert(value, node, type, what) : nullptr;
  if (report.errors() != before) // a mistake comes before what is missing
    missingFeatures.clear();
  return result;
}

ExprPtr Checker::checkAny(const Node &node) {
  unsigned before = report.errors();
  Value value = visit(node);
  if (report.errors() != before)
    missingFeatures.clear();
  return value.e;
}

Checker::Value Checker::visit(const Node &node, bool vectorPlace) {
  if (leaves)
    if (std::optional<ExprPtr> leaf = leaves(node))
      return {*leaf, {}};
  switch (node.kind) {
  case Node::Int:
    return {makeInt(node.integer, node.range), {}};
  case Node::Real:
    return {makeReal(node.real, node.range), {}};
  case Node::Bool:
    return {makeBool(node.boolean, node.range), {}};
  case Node::Text:
    return error(Message::TextHere, node.range, {});
  case Node::Name:
    return visitName(node, vectorPlace);
  case Node::Call:
    return visitCall(node, vectorPlace);
  case Node::Index:
    return visitIndex(node, vectorPlace);
  case Node::Transpose:
    return visitTranspose(node);
  case Node::Unary:
    return visitUnary(node, vectorPlace);
  case Node::Binary:
    return visitBinary(node, vectorPlace);
  case Node::Chain:
    return visitChain(node, vectorPlace);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<unsigned> Checker::findInput(StringRef name) {
  auto bound = bindings.find(name.str());
  if (bound != bindings.end())
    return bound->second.input;
  for (auto [i, input] : enumerate(spec.inputs))
    if (input.name == name)
      return i;
  return std::nullopt;
}

/// An input, or what `let` makes by tensors, that the node names. False after
/// an error.
bool Checker::findTensor(const Node &node, std::optional<unsigned> &input) {
  if (node.kind != Node::Name)
    return true;
  input = findInput(node.name);
  if (input || bindings.count(node.name) || !use.let.count(node.name) ||
      findRow(node.name) || use.let[node.name].isMacro || !scope.inputs)
    return true;
  return !use.tensor(node, input) || input;
}

Checker::Value Checker::visitVariable(const Node &node,
                                      const VariableInfo &variable) {
  if (use.refused.count(node.name)) // an input that was to have this name
    return {};
  bool known = variable.variable == Variable::B   ? scope.batch
               : variable.variable == Variable::K ? scope.key
                                                  : scope.row;
  // A definition of K or V is one per KV head.
  known |= scope.defines && variable.variable == Variable::G;
  if (known)
    return {makeVariable(variable.variable, node.range), {}};
  if (scope.row && variable.variable == Variable::K) {
    report.error(Message::PerRow, node.range, {scope.name.str(), node.name});
    return {};
  }
  std::string names = scope.row      ? "b, h, g, i, q, sizes, inputs"
                      : scope.key    ? "b, g, k, sizes, inputs"
                      : scope.batch  ? "b, sizes, inputs"
                      : scope.inputs ? "sizes, inputs"
                                     : "sizes";
  auto &error =
      report.error(Message::Scope, node.range, {node.name, scope.name.str()});
  if (!scope.inputs)
    error.fix(findForeignAxis(node.name));
  error.note("available here: " + names);
  if (scope.inputs && !scope.row && !scope.key && !scope.batch)
    error.note("row and key indices are available in 'mask' and "
               "'score'; a tensor s of scores is read there as s[b, h, "
               "i, k]");
  return {};
}

Checker::Value Checker::visitRow(const Node &node) {
  if (!scope.rows && !(scope.query && node.name == "Q")) {
    if (scope.row)
      report.error(Message::PerRow, node.range, {scope.name.str(), node.name});
    else
      report.error(Message::VectorScope, node.range,
                   {node.name, scope.name.str()});
    return {};
  }
  Row row = *findRow(node.name);
  unsigned width = row == Row::Q ? HeadDim : row == Row::K ? KeyDim : ValueDim;
  const Size &size = spec.sizes[width];
  if (scope.defines && (*scope.defines == Row::Q) != (row == Row::Q))
    return error(Message::Scope, node.range, {node.name, scope.name.str()});
  if (auto found = use.let.find(node.name); found != use.let.end())
    found->second.used = true;
  return {makeRow(row, node.range),
          {size.kind == Size::Fixed ? makeInt(size.value) : makeSize(width)}};
}

Checker::Value Checker::visitName(const Node &node, bool vectorPlace) {
  StringRef name = node.name;
  auto bound = bindings.find(node.name);
  if (bound != bindings.end() && !bound->second.input)
    return bound->second.value;
  for (const VariableInfo &variable : variableTable())
    if (variable.name == name)
      return visitVariable(node, variable);
  if (findRow(name))
    return visitRow(node);
  if (name == "score") {
    if (scope.score) {
      use.score = true;
      return {scope.score, {}};
    }
    auto &error = report.error(Message::ScoreScope, node.range);
    if (scope.name == "score")
      error.note("in 'score' the dot product is written Q @ K");
    else if (scope.name == "mask")
      error.note("write the product itself, for example Q @ K > 0");
    return {};
  }
  if (std::optional<unsigned> index = spec.findSize(name)) {
    use.sizes.insert(*index);
    const Size &size = spec.sizes[*index];
    if (size.kind == Size::PerSequence && !scope.batch) {
      const Storage &storage =
          *index == QueryLen ? spec.queryStorage : spec.kvStorage;
      report
          .error(Message::LengthScope, node.range,
                 {node.name, scope.name.str()})
          .note(storage.range, "storage is ragged here")
          .fix(spec.sizes[storage.tokens].name);
      return {};
    }
    if (size.kind == Size::Fixed && scope.foldSizes)
      return {makeInt(size.value, node.range), {}};
    return {makeSize(*index, node.range), {}};
  }
  if (std::optional<unsigned> input = findInput(name))
    return load(*input, node.range, node.range, {}, vectorPlace);
  if (const NamedMask *mask = findMask(name))
    return expandMask(node, *mask);
  if (use.let.count(node.name))
    return expandDefinition(node, vectorPlace);
  if (use.refused.count(node.name))
    return {};
  if (const FunctionInfo *function = findFunction(name)) {
    report.error(Message::FunctionName, node.range,
                 {function->name.str(), function->signature()});
    return {};
  }
  return unknownName(node, false);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::string axesText(const AttentionSpec &spec, const Input &input) {
  std::string text = "[";
  ListSeparator comma;
  for (const ExprPtr &axis : input.axes)
    text += StringRef(comma).str() + printFormula(spec, *axis);
  return text + "]";
}

Checker::Value Checker::load(unsigned index, SMRange name, SMRange range,
                             std::vector<ExprPtr> indices, bool vectorPlace) {
  const Input &input = spec.inputs[index];
  use.inputs.insert(index);
  if (input.inout) {
    report.error(Message::CacheRead, name, {input.name})
        .note(input.typeRange, "'" + input.name + "' is declared here");
    return {};
  }
  if (!scope.inputs) {
    report.error(Message::Scope, name, {input.name, scope.name.str()})
        .note("available here: sizes");
    return {};
  }
  if (scope.defines && indices.empty() && !rowIndices(input, range, indices))
    return {};
  Type element = isFloat(input.dtype)         ? Type::Real
                 : input.dtype == DType::Bool ? Type::Bool
                                              : Type::Int;
  size_t rank = input.axes.size(), given = indices.size();
  if (given > rank || (given < rank && !vectorPlace)) {
    auto &error = report.error(
        Message::Rank, range,
        {input.name, std::to_string(rank) + (rank == 1 ? " axis" : " axes"),
         rank ? " " + axesText(spec, input) : "",
         std::to_string(given) + (given == 1 ? " index is" : " indices are"),
         given < rank ? " where a scalar is expected" : ""});
    error.fix(bindings.empty() ? elementOf(input, indices) : "");
    if (expandedMask) // the indices are those of its formula
      error.note(
          (expandedMask->signature() + " is " + expandedMask->formula).str());
    std::string own = input.dtype == DType::Bool ? elementOf(input, {}) : "";
    if (expandedMask && scope.name == "mask" && !own.empty())
      error.note("a boolean input is a mask itself; write " + own);
    error.note(input.typeRange, "'" + input.name + "' is declared here");
    return {};
  }
  if (given < rank) {
    std::vector<ExprPtr> axes(input.axes.begin() + given, input.axes.end());
    if (axes.size() > (input.dtype == DType::Bool ? 1 : 2)) {
      auto &error = report.error(Message::VectorInput, range, {input.name});
      error.fix(bindings.empty() ? rowOf(input, indices) : "");
      error.note(input.typeRange, "'" + input.name + "' is declared here");
      return {};
    }
    Type type = axes.size() == 1 ? vectorOf(element) : Type::Matrix;
    return {makeLoad(index, type, std::move(indices), range), std::move(axes)};
  }
  return {makeLoad(index, element, std::move(indices), range), {}};
}

Checker::Value Checker::visitIndex(const Node &node, bool vectorPlace) {
  const Node &base = *node.children[0];
  std::optional<unsigned> input;
  SMRange name = base.range;
  if (base.kind == Node::Name) {
    auto bound = bindings.find(base.name);
    if (bound != bindings.end())
      name = bound->second.range;
    input = findInput(base.name);
    if (!input && bound == bindings.end() && !use.let.count(base.name)) {
      if (use.refused.count(base.name))
        return {};
      if (takenBy(base.name).empty() && !spec.findSize(base.name))
        return undeclared(base, node);
    }
    if (!input && bound == bindings.end() && use.let.count(base.name)) {
      Definition &definition = use.let[base.name];
      definition.isIndexed = !definition.isMacro && !findRow(base.name);
      if (use.tensor(base, input) && !input)
        return {};
    }
  }
  if (!input) {
    std::string text = base.kind == Node::Name ? base.name : "this";
    if (base.kind == Node::Index && bindings.empty()) { // m[b][k]
      StringRef first = Report::textOf(base.range),
                rest = Report::textOf({base.range.End, node.range.End});
      return report.error(Message::IndexTwice, node.range)
                 .fix(first.drop_back() + ", " + rest.ltrim().drop_front()),
             Value();
    }
    auto &error =
        report.error(Message::NotIndexable, name,
                     {base.kind == Node::Name ? "'" + text + "'" : text});
    if (auto entry = use.let.find(text); entry != use.let.end())
      error.note(entry->second.range,
                 "defined here; it is not a tensor with axes");
    return {};
  }
  std::vector<ExprPtr> indices;
  bool good = true;
  for (const NodePtr &child : drop_begin(node.children)) {
    Value index = visit(*child);
    indices.push_back(index ? convert(index, *child, Type::Int, "an index")
                            : nullptr);
    good &= indices.back() != nullptr;
  }
  if (!good) {
    use.inputs.insert(*input);
    return {};
  }
  return load(*input, name, bindings.empty() ? node.range : name,
              std::move(indices), vectorPlace);
}

} // namespace attnc::spec
