//===- CheckCalls.cpp - Functions and named masks of formulas -------------===//

#include "Check/Checker.h"
#include "Language/ForeignWords.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static constexpr StringLiteral rowFunctionNote =
    "it always reduces over the keys of a row";

/// 12, 0.5, -inf.
static bool isLiteral(const Node &node) {
  return node.kind == Node::Int || node.kind == Node::Real ||
         (node.kind == Node::Unary && isLiteral(*node.children[0]));
}

/// softmax(score, -1): elsewhere the number is an axis.
static bool checkNamed(Report &report, const Node &call,
                       const FunctionInfo &function) {
  if (function.place != FunctionInfo::Row)
    return true;
  for (auto [parameter, child] : zip(function.parameters, call.children)) {
    if (parameter.byDefault.empty() || !isLiteral(*child))
      continue;
    std::string text = Report::textOf(child->range).str();
    report
        .error(Message::ArgumentName, child->range,
               {text, parameter.name.str(), function.name.str()})
        .fix(parameter.name + "=" + text)
        .note(rowFunctionNote)
        .note(function.signature());
    return false;
  }
  return true;
}

/// softmax(score, scale=x): here a product.
static bool reportScaleArgument(Report &report, const Node &call,
                                const Node::Argument &argument) {
  bool isScale = argument.name == "scale" || argument.name == "scaling";
  if (call.name != "softmax" || !isScale || call.children.size() != 1 ||
      call.arguments.size() != 1)
    return false;
  auto text = [](const Node &node) {
    std::string written = Report::textOf(node.range).str();
    bool isWhole = node.kind != Node::Binary && node.kind != Node::Unary;
    return isWhole ? written : "(" + written + ")";
  };
  report.error(Message::UnknownArgument, call.range, {call.name, argument.name})
      .fix(call.name + "(" + text(*call.children[0]) + " * " +
           text(*argument.value) + ")");
  return true;
}

bool Checker::bind(const Node &call, const FunctionInfo &function,
                   std::vector<const Node *> &bound) {
  if (!checkNamed(report, call, function))
    return false;
  size_t count = function.parameters.size();
  bound.assign(count, nullptr);
  bool tooMany = call.children.size() > count && !function.variadic;
  // Where more may follow, what has a default is given by name.
  size_t places =
      function.variadic
          ? count_if(function.parameters,
                     [](const Parameter &p) { return p.byDefault.empty(); })
          : count;
  for (auto [i, child] : enumerate(call.children))
    if (i < places)
      bound[i] = child.get();
    else
      bound.push_back(child.get());
  for (const Node::Argument &argument : call.arguments) {
    auto parameter = find_if(function.parameters, [&](const Parameter &p) {
      return p.name == argument.name;
    });
    if (parameter == function.parameters.end()) {
      std::vector<StringRef> names;
      for (const Parameter &p : function.parameters)
        names.push_back(p.name);
      if (reportScaleArgument(report, call, argument))
        return false;
      auto &error = report.error(Message::UnknownArgument, argument.range,
                                 {function.name.str(), argument.name});
      error.note(function.signature());
      bool isAxis = argument.name == "axis" || argument.name == "dim";
      if (isAxis && function.place == FunctionInfo::Row)
        error.note(rowFunctionNote);
      else if (StringRef ours = findForeignArgument(argument.name, names);
               !ours.empty())
        error.fix(ours);
      else
        error.fix(nearest(argument.name, names));
      return false;
    }
    const Node *&place = bound[parameter - function.parameters.begin()];
    if (place) {
      report.error(Message::ArgumentTwice, argument.range, {argument.name});
      return false;
    }
    place = argument.value.get();
  }
  bool tooFew = false;
  for (auto [i, parameter] : enumerate(function.parameters))
    tooFew |= !bound[i] && parameter.byDefault.empty();
  if (!tooMany && !tooFew)
    return true;
  report
      .error(Message::ArgumentCount, call.range,
             {function.name.str(), tooMany ? "many" : "few"})
      .note(function.signature());
  return false;
}

/// One argument as the type of its parameter; of "num" and "any" any one.
Checker::Value Checker::checkParameter(const Node &node,
                                       const Parameter &parameter,
                                       const FunctionInfo &function,
                                       bool vectorPlace) {
  std::string what =
      ("'" + parameter.name + "' of '" + function.name + "'").str();
  if (parameter.type == "rule") {
    if (node.kind == Node::Name &&
        (node.name == "floor" || node.name == "ceil"))
      return {makeBool(node.name == "ceil", node.range), {}};
    return error(Message::BadArgument, node.range, {what, "floor or ceil"});
  }
  Value value = visit(node, vectorPlace || parameter.type == "vector");
  if (!value || parameter.type == "any")
    return value;
  if (parameter.type == "vector") {
    if (!isVector(value.type()))
      return error(Message::NeedsVector, node.range,
                   {typeWithArticle(value.type())});
    if (!needNumber(value, node, function.name))
      return {};
    return value.type() == Type::Ints ? toReal(value) : value;
  }
  if (parameter.type == "num")
    return needNumber(value, node, function.name) ? value : Value();
  if (vectorPlace && isVector(value.type())) { // element by element
    if (parameter.type == "bool" && value.type() == Type::Bools)
      return value;
    if (parameter.type == "real" && value.type() != Type::Bools)
      return value.type() == Type::Ints ? toReal(value) : value;
  }
  bool constant = parameter.type.ends_with("const");
  char kind = parameter.type.front();
  Type type = kind == 'i' ? Type::Int : kind == 'r' ? Type::Real : Type::Bool;
  ExprPtr e = convert(value, node, type, what);
  if (!e)
    return {};
  if (constant && !e->isConstant())
    return error(Message::BadArgument, node.range, {what, "a constant"});
  return {e, {}};
}

bool Checker::checkArguments(const Node &node, const FunctionInfo &function,
                             ArrayRef<const Node *> bound,
                             std::vector<Value> &values, bool vectorPlace) {
  bool good = true;
  for (auto [i, argument] : enumerate(bound)) {
    const Parameter &parameter =
        function
            .parameters[std::min<size_t>(i, function.parameters.size() - 1)];
    if (argument) {
      values.push_back(
          checkParameter(*argument, parameter, function, vectorPlace));
    } else if (parameter.type == "rule") {
      values.push_back({makeBool(parameter.byDefault == "ceil"), {}});
    } else { // the default's text is a formula of the language
      SourceText text{parameter.byDefault, node.headRange};
      NodePtr byDefault = parseFormula(text, report);
      values.push_back(
          byDefault ? checkParameter(*byDefault, parameter, function, false)
                    : Value());
    }
    good &= bool(values.back());
  }
  return good;
}

/// Ranges of constant arguments.
bool Checker::checkConstants(const Node &node, const FunctionInfo &function,
                             ArrayRef<const Node *> bound,
                             ArrayRef<Value> values) {
  auto require = [&](bool good, unsigned i, StringRef what) {
    if (good)
      return true;
    std::string name =
        ("'" + function.parameters[i].name + "' of '" + function.name + "'")
            .str();
    report.error(Message::BadArgument,
                 bound[i] ? bound[i]->range : node.headRange,
                 {name, what.str()});
    return false;
  };
  auto positive = [&](unsigned i) {
    const Expr &e = *values[i].e;
    return require(!e.isConstant() || e.type != Type::Real || e.real > 0, i,
                   "positive");
  };
  switch (function.function) {
  case Function::Softcap:
    return positive(1);
  case Function::AlibiSlope:
    if (spec.sizes[Heads].kind == Size::Fixed)
      return positive(2);
    report
        .error(Message::NeedsFixedHeads, node.headRange, {function.name.str()})
        .note("pass the slopes as an input instead, for example  "
              "slope: [heads]");
    return false;
  case Function::Softmax:
    return positive(2);
  case Function::TopK:
    return require(values[1].e->integer >= 1 &&
                       values[1].e->integer <= INT32_MAX,
                   1, "at least 1 and below 2 ** 31");
  case Function::T5Bucket: {
    int64_t buckets = values[1].e->integer;
    bool both = values[3].e->boolean;
    // Half of the buckets of a side hold one distance each, the others more.
    int64_t exact = both ? buckets / 4 : buckets / 2;
    return require(exact >= 1 && (!both || buckets % 2 == 0) &&
                       buckets <= INT32_MAX,
                   1,
                   both ? "even, at least 4 and below 2 ** 31"
                        : "at least 2 and below 2 ** 31") &&
           require(values[2].e->integer > exact &&
                       values[2].e->integer <= INT32_MAX,
                   2, "above " + std::to_string(exact) + " and below 2 ** 31");
  }
  default:
    return true;
  }
}

/// Sink and temperature have one value per row.
bool Checker::needsRow(const ExprPtr &e, StringRef name, const Node &node) {
  if (!isOfPair(*e))
    return true;
  report.error(Message::PerRow, node.range,
               {name.str(), Report::textOf(node.range).str()});
  return false;
}

Checker::Value Checker::callRow(const Node &node, const FunctionInfo &function,
                                ArrayRef<const Node *> bound,
                                const std::vector<Value> &values) {
  Op op = *opOfFunction(function.function);
  if (op == Op::Softmax)
    for (unsigned i : {1, 2})
      if (bound[i] &&
          !needsRow(values[i].e, function.parameters[i].name, *bound[i]))
        return {};
  return apply(op, function.result == "int" ? Type::Int : Type::Real, values,
               node.range);
}

/// softmax(...) outside of `attention`: in `score` the habit of other
/// frameworks, where one formula is both.
void Checker::reportRowFunction(const Node &node,
                                const FunctionInfo &function) {
  bool isSoftmax = function.function == Function::Softmax;
  bool normalizes = isSoftmax || function.function == Function::Sparsemax;
  bool hasLogits = node.children.size() == 1 && node.arguments.empty() &&
                   node.children[0]->range.isValid();
  bool isLogits = scope.name == "score" && isSoftmax && hasLogits;
  SourceDiagnostic &error = report.error(Message::AttentionScope,
                                         isLogits ? node.range : node.headRange,
                                         {function.name.str()});
  if (isLogits) {
    std::string logits = Report::textOf(node.children[0]->range).str();
    error.fix(&node == formula ? logits : "(" + logits + ")");
  }
  if (scope.name == "score" && normalizes) // other rules have to be named
    error.note(isSoftmax
                   ? "'score' defines the logits; 'attention', by default "
                     "softmax(score), normalizes them"
                   : "'score' defines the logits; write  attention: " +
                         function.name.str() + "(score)");
  if (function.function == Function::Sum && scope.rows)
    error.note("to sum over features, use a product: u @ x, with an "
               "input u: [head_dim] of ones");
}

Checker::Value Checker::callFunction(const Node &node,
                                     const FunctionInfo &function,
                                     bool vectorPlace) {
  if (function.place == FunctionInfo::Layer ||
      function.place == FunctionInfo::Scaling) {
    auto &error = report.error(Message::LayerScope, node.headRange,
                               {function.name.str()});
    const Node *row = node.children.empty() ? nullptr : &*node.children[0];
    bool keepsRows =
        is_contained({Function::Rope, Function::RmsNorm, Function::LayerNorm},
                     function.function);
    if (keepsRows && row && row->kind == Node::Name && findRow(row->name) &&
        scope.rows)
      error.note("define the row under 'let':  " + row->name + ": " +
                 Report::textOf(node.range) + "  and use " + row->name +
                 " here");
    return {};
  }
  if (function.place == FunctionInfo::Row && !scope.rowFunctions) {
    reportRowFunction(node, function);
    return {};
  }
  std::vector<const Node *> bound;
  std::vector<Value> values;
  if (!bind(node, function, bound) ||
      !checkArguments(node, function, bound, values, vectorPlace) ||
      !checkConstants(node, function, bound, values))
    return {};
  if (function.place == FunctionInfo::Row)
    return callRow(node, function, bound, values);
  Op op = *opOfFunction(function.function);
  if (op == Op::Select)
    return choose(node, values);
  if (function.result != "num") {
    bool isInt = function.result == "int";
    return elementwise(node, op, isInt ? Type::Int : Type::Real, values);
  }
  unify(values);
  if (op != Op::Min && op != Op::Max)
    return elementwise(node, op, values[0].element(), values);
  Value result = values[0]; // of more than two, one by one
  for (const Value &value : drop_begin(values)) {
    result = elementwise(node, op, values[0].element(), {result, value});
    if (!result)
      return {};
  }
  return result;
}

/// where(c, a, b)
Checker::Value Checker::choose(const Node &node,
                               const std::vector<Value> &values) {
  std::vector<Value> branches = {values[1], values[2]};
  unify(branches);
  if (branches[0].element() != branches[1].element())
    return error(Message::BranchTypes, node.range,
                 {typeWithArticle(branches[0].type()),
                  typeWithArticle(branches[1].type())});
  return elementwise(node, Op::Select, branches[0].element(),
                     {values[0], branches[0], branches[1]});
}

Checker::Value Checker::visitCall(const Node &node, bool vectorPlace) {
  if (const FunctionInfo *function = findFunction(node.name))
    return callFunction(node, *function, vectorPlace);
  if (const NamedMask *mask = findMask(node.name))
    return expandMask(node, *mask);
  if (use.let.count(node.name))
    return expandDefinition(node, vectorPlace);
  if (use.refused.count(node.name))
    return {};
  if (spec.findSize(node.name) || findInput(node.name) ||
      !takenBy(node.name).empty())
    return error(Message::NotAFunction, node.headRange, {node.name});
  return unknownName(node, true);
}

Checker::Value Checker::expandMask(const Node &node, const NamedMask &mask) {
  if (node.children.size() != mask.parameters.size() ||
      !node.arguments.empty()) {
    bool isShort = node.children.size() < mask.parameters.size();
    auto &error = report.error(Message::ArgumentCount, node.range,
                               {mask.name.str(), isShort ? "few" : "many"});
    if (!node.arguments.empty())
      error.note("named masks accept positional arguments only");
    error.note(mask.signature());
    return {};
  }
  Bindings arguments;
  for (auto [parameter, child] : zip_equal(mask.parameters, node.children)) {
    Binding &binding = arguments[parameter.name.str()];
    binding.range = child->range;
    if (!parameter.least) {
      if (!findTensor(*child, binding.input))
        return {};
      if (binding.input)
        continue;
      if (child->kind == Node::Name && use.refused.count(child->name))
        return {};
      if (child->kind == Node::Name && takenBy(child->name).empty() &&
          !spec.findSize(child->name) && !use.let.count(child->name)) {
        report.error(Message::Undeclared, child->range, {child->name})
            .fix("add under 'inputs:'    " + child->name + ": " +
                 parameter.declaration);
        return {};
      }
      std::string text = child->kind == Node::Name ? "'" + child->name + "'"
                                                   : std::string("this");
      report.error(Message::NeedsInput, child->range, {mask.name.str(), text})
          .note((mask.signature() + " is " + mask.formula).str());
      return {};
    }
    Value value = visit(*child);
    binding.value = {
        value
            ? convert(value, *child, Type::Int,
                      ("'" + parameter.name + "' of '" + mask.name + "'").str())
            : nullptr,
        {}};
    if (!binding.value)
      return {};
    const Expr &given = *binding.value.e;
    if (given.isConstant() && given.integer < *parameter.least)
      return error(Message::MaskArgument, child->range,
                   {parameter.name.str(), mask.name.str(),
                    std::to_string(*parameter.least),
                    std::to_string(given.integer)});
  }
  NodePtr formula = parseFormula({mask.formula, node.range}, report);
  if (!formula)
    return {};
  std::swap(bindings, arguments);
  const NamedMask *outer = std::exchange(expandedMask, &mask);
  Value value = visit(*formula);
  expandedMask = outer;
  std::swap(bindings, arguments);
  return value;
}

} // namespace attnc::spec
