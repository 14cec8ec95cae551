//===- CheckUnknown.cpp - What is told about names nobody knows -----------===//

#include "Check/Checker.h"
#include "Language/ForeignWords.h"
#include "Proof/IndexOrder.h"

#include "attnc/Spec/Print.h"
#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A function of tensors, or one over the keys of a row, where the formula
/// knows it. What `let` names may be of tensors.
bool Checker::isKnownHere(const FunctionInfo &function) const {
  if (function.place == FunctionInfo::Scalar)
    return true;
  if (function.place == FunctionInfo::Row)
    return scope.rowFunctions;
  bool isOfPairs = scope.batch || scope.row || scope.key || scope.rows;
  return function.place == FunctionInfo::Layer && scope.inputs &&
         (!isOfPairs || expanding);
}

/// The call of an unknown function with its arguments as they are written.
static std::string formulaOf(const Node &call) {
  SmallVector<StringRef> arguments;
  for (const NodePtr &child : call.children)
    arguments.push_back(child->kind == Node::Name
                            ? StringRef(child->name)
                            : Report::textOf(child->range));
  return call.arguments.empty() && !Report::textOf(call.range).empty()
             ? formulaOfCall(call.name, arguments, call.range)
             : "";
}

/// What a name of another framework is here. False if it is nobody's.
bool Checker::reportForeign(const Node &node, bool called) {
  bool onlySizes = !scope.batch && !scope.inputs; // an axis, a size, a range
  std::string formula = called && !onlySizes ? formulaOf(node) : "";
  Message message = called ? Message::UnknownFunction : Message::UnknownName;
  SMRange place = called ? node.headRange : node.range;
  if (!formula.empty()) {
    report.error(message, node.range, {node.name}).fix(formula);
    return true;
  }
  StringRef axis = onlySizes ? findForeignAxis(node.name) : "";
  if (!axis.empty()) {
    report.error(message, place, {node.name})
        .fix(axis)
        .note("declare other sizes under 'sizes:'  " + node.name + ": any");
    return true;
  }
  const ForeignWord *word = findForeignName(node.name);
  if (!word || (onlySizes && !spec.findSize(word->ours)))
    return false;
  bool isOfReals = scope.name != "mask" && scope.name != "offset";
  if (StringRef(word->ours).starts_with("head_dim") && !isOfReals && !onlySizes)
    return false; // such a name is a distance there
  const FunctionInfo *function = findFunction(word->ours);
  auto &error = report.error(message, place, {node.name});
  if (function && !isKnownHere(*function))
    error.note("'" + word->ours + "' is a function of " +
               (function->place == FunctionInfo::Row ? "'attention'"
                                                     : "'let' and 'output'"));
  else if (word->ours.empty())
    error.note(word->note);
  else
    error.fix(word->ours);
  return true;
}

Checker::Value Checker::unknownName(const Node &node, bool called) {
  if (reportForeign(node, called))
    return {};
  if (node.name == "O" && !called) {
    report.error(Message::Scope, node.range, {"O", scope.name.str()})
        .note("O is the result of the attention and only available in "
              "'output'");
    return {};
  }
  std::vector<StringRef> candidates;
  for (const NamedMask &mask : maskTable())
    candidates.push_back(mask.name);
  for (const FunctionInfo &function : functionTable())
    if (isKnownHere(function))
      candidates.push_back(function.name);
  if (!called) {
    for (const Size &size : spec.sizes)
      candidates.push_back(size.name);
    for (const Input &input : spec.inputs)
      candidates.push_back(input.name);
  }
  for (const auto &[name, definition] : use.let)
    candidates.push_back(name);
  auto &error =
      report.error(called ? Message::UnknownFunction : Message::UnknownName,
                   called ? node.headRange : node.range, {node.name});
  bool onlySizes = !scope.batch && !scope.inputs; // an axis, a size, a range
  StringRef near = nearest(node.name, candidates);
  error.fix(near);
  if (near.empty() && !called && onlySizes)
    error.fix("add under 'sizes:'    " + node.name + ": any");
  else if (near.empty() && !called && scope.inputs && node.name != "pi" &&
           node.name != "e")
    error.note("declare values supplied by the caller under 'inputs:'");
  if (near.empty() && !called && (node.name == "pi" || node.name == "e"))
    error.note("write the number itself");
  for (const NodePtr &child : node.children) // they may have more of them
    visit(*child, true);
  return {};
}

/// The element of an input that belongs to a pair, by the names of its axes:
/// bias[h, i, k], with the indices that are given where they fit. Empty where
/// the axes do not say, or an index has no place.
std::string Checker::elementOf(const Input &input,
                               ArrayRef<ExprPtr> given) const {
  std::pair<unsigned, StringRef> variables[] = {
      {Batch, scope.batch ? "b" : ""},
      {Heads, scope.row ? "h" : ""},
      {KvHeads, scope.row || scope.key ? "g" : ""},
      {QueryLen, scope.row ? "i" : ""},
      {KvLen, scope.key ? "k" : ""}};
  std::vector<std::string> indices;
  std::vector<bool> placed(given.size());
  for (const ExprPtr &axis : input.axes) {
    auto fits = [&](auto index) {
      return !placed[index.index()] && countedAxis(spec, *axis) &&
             sizeOfIndex(spec, *index.value()) == countedAxis(spec, *axis);
    };
    std::string text;
    for (auto index : enumerate(given))
      if (text.empty() && fits(index)) {
        placed[index.index()] = true;
        text = printFormula(spec, *index.value());
      }
    // query_len of self-attention is kv_len, and yet counted by rows.
    std::optional<unsigned> named = spec.findSize(Report::textOf(axis->range));
    for (auto [size, name] : variables)
      if (text.empty() && axis->kind == Expr::Size &&
          named.value_or(axis->index) == size)
        text = name.str();
    if (text.empty() || is_contained(indices, text))
      return "";
    indices.push_back(text);
  }
  if (is_contained(placed, false))
    return "";
  if (indices.empty())
    return input.name;
  return input.name + "[" + join(indices, ", ") + "]";
}

/// The row of features that belongs to a pair, u[h] of u: [heads, head_dim], or
/// else the matrix.
std::string Checker::rowOf(const Input &input, ArrayRef<ExprPtr> given) const {
  for (size_t features : {1, 2}) {
    if (input.axes.size() <= features)
      break;
    Input front;
    front.name = input.name;
    front.axes.assign(input.axes.begin(), input.axes.end() - features);
    if (std::string text = elementOf(front, given); !text.empty())
      return text;
  }
  return "";
}

/// An index of a name that nobody declared: tells how to declare it.
Checker::Value Checker::undeclared(const Node &base, const Node &index) {
  static constexpr std::pair<StringLiteral, StringLiteral> axes[] = {
      {"b", "batch"},     {"h", "heads"},  {"g", "kv_heads"},
      {"i", "query_len"}, {"q", "kv_len"}, {"k", "kv_len"}};
  std::string shape;
  bool certain = true;
  ListSeparator comma;
  for (const NodePtr &child : drop_begin(index.children)) {
    auto axis = find_if(axes, [&](auto &a) { return a.first == child->name; });
    bool simple = child->kind == Node::Name && axis != std::end(axes);
    certain &= simple;
    if (simple)
      shape += StringRef(comma).str() + axis->second.str();
  }
  // Masks and positions compare ints, everything else computes with reals.
  bool countsInInts = scope.name == "mask" || scope.name == "offset";
  std::string type = countsInInts ? "i32" : "";
  std::vector<StringRef> names;
  for (const Input &input : spec.inputs)
    names.push_back(input.name);
  StringRef near = nearest(base.name, names);
  auto &error = report.error(Message::Undeclared, base.range, {base.name});
  if (!near.empty())
    error.fix(near);
  else if (certain)
    error.fix("add under 'inputs:'    " + base.name + ": " + type + "[" +
              shape + "]");
  for (const NodePtr &child : drop_begin(index.children))
    visit(*child);
  return {};
}

} // namespace attnc::spec
