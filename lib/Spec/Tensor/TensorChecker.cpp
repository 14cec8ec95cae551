//===- TensorChecker.cpp - Names and macros of tensor formulas ------------===//

#include "Tensor/TensorChecker.h"

#include "Proof/Proofs.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace llvm;

namespace attnc::spec {

std::string textOfNode(const Node &node) {
  return node.kind == Node::Name ? node.name : Report::textOf(node.range).str();
}

//===----------------------------------------------------------------------===//
// Which entries are of tensors
//===----------------------------------------------------------------------===//

/// Whether an entry of `let` calls a function of tensors, directly or in what
/// it names. Remembers what is certain: recursion may have ended at an entry
/// that is not answered yet.
bool TensorChecker::entryUsesTensors(const std::string &name, Seen &seen) {
  const Definition &definition = use.let[name];
  if (definition.callsTensors)
    return *definition.callsTensors;
  bool uses = !definition.group.empty() ||
              (definition.body && usesTensors(*definition.body, seen));
  if (uses)
    definition.callsTensors = true;
  return uses;
}

bool TensorChecker::usesTensors(const Node &node, Seen &seen) {
  if (node.kind == Node::Call) {
    const FunctionInfo *function = findFunction(node.name);
    if (function && function->place == FunctionInfo::Layer)
      return true;
  }
  if (node.kind == Node::Name || node.kind == Node::Call) {
    if (use.let.count(node.name) && !findRow(node.name) &&
        seen.insert(node.name).second && entryUsesTensors(node.name, seen))
      return true;
  }
  auto uses = [&](const Node &child) { return usesTensors(child, seen); };
  // An element of a tensor is a number.
  bool isElement =
      node.kind == Node::Index && node.children[0]->kind == Node::Name;
  return any_of(drop_begin(node.children, isElement ? 1 : 0),
                [&](auto &child) { return uses(*child); }) ||
         any_of(node.arguments, [&](auto &a) { return uses(*a.value); });
}

bool TensorChecker::isOfTensors(const Definition &definition) {
  if (!definition.group.empty() || definition.isIndexed || !definition.body)
    return !definition.group.empty() || definition.isIndexed;
  if (definition.callsTensors)
    return *definition.callsTensors;
  Seen seen;
  bool uses = usesTensors(*definition.body, seen);
  definition.callsTensors = uses;
  if (!uses)
    for (const std::string &name : seen)
      use.let[name].callsTensors = false;
  return uses;
}

bool TensorChecker::namesRow(const Node &node, function_ref<bool(Row)> is,
                             Seen &seen) {
  if (node.kind == Node::Name || node.kind == Node::Call) {
    if (std::optional<Row> row = findRow(node.name); row && is(*row))
      return true;
    auto entry = use.let.find(node.name);
    if (entry != use.let.end() && !findRow(node.name) &&
        seen.insert(node.name).second) {
      const NodePtr &body = entry->second.body;
      if (body && namesRow(*body, is, seen))
        return true;
    }
  }
  auto names = [&](const Node &child) { return namesRow(child, is, seen); };
  return any_of(node.children, [&](auto &child) { return names(*child); }) ||
         any_of(node.arguments, [&](auto &a) { return names(*a.value); });
}

bool TensorChecker::crossesSides(Row row, const Definition &definition) {
  Seen seen;
  auto isOther = [&](Row other) {
    return (other == Row::Q) != (row == Row::Q);
  };
  return definition.body && namesRow(*definition.body, isOther, seen);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

DType TensorChecker::computeType() const {
  bool isDouble = is_contained(
      {spec.queryType, spec.keyType, spec.valueType, spec.outputType},
      DType::F64);
  return isDouble ? DType::F64 : DType::F32;
}

TensorChecker::Value TensorChecker::visitInput(unsigned index,
                                               const Node &node) {
  const attnc::spec::Input &input = spec.inputs[index];
  use.inputs.insert(index);
  if (input.dtype == DType::F64 && computeType() != DType::F64) {
    report
        .error(Message::Unsupported, node.range,
               {"an f64 tensor in a layer of type " +
                dtypeName(spec.queryType).str()})
        .note(input.typeRange, "'" + input.name + "' is declared here");
    return {};
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Input;
  tensor->dtype = input.dtype;
  tensor->axes = input.axes;
  tensor->index = index;
  tensor->range = node.range;
  return {tensor, nullptr};
}

static TensorPtr argumentTensor(const AttentionSpec &spec, Row row,
                                SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Argument;
  tensor->row = row;
  tensor->dtype = row == Row::Q   ? spec.queryType
                  : row == Row::K ? spec.keyType
                                  : spec.valueType;
  tensor->axes = spec.axesOf(row);
  tensor->range = range;
  return tensor;
}

/// The argument in its own definition, elsewhere what `let` says.
TensorChecker::Value TensorChecker::visitRow(Row row, const Node &node) {
  const Storage &storage = spec.storageOf(row);
  if (storage.kind == Storage::Paged) {
    report
        .error(Message::Unsupported, node.range,
               {"using paged rows as a tensor"})
        .note(storage.range, "the storage is set here")
        .note("pages store the final rows (after rope); rows computed "
              "under 'let' must be dense or ragged");
    return {};
  }
  auto entry = use.let.find(rowName(row).str());
  if (entry == use.let.end() || (defining && *defining == row)) {
    std::string name = "the argument " + node.name;
    Value &argument = known[name];
    if (!argument)
      argument.tensor = argumentTensor(spec, row, node.range);
    return argument;
  }
  std::optional<Row> before = defining;
  defining = row;
  Value value = visitDefinition(node);
  defining = before;
  return value;
}

/// An entry of `let` without parameters: one value, however often it is used.
TensorChecker::Value TensorChecker::visitDefinition(const Node &node) {
  Definition &definition = use.let[node.name];
  definition.used = definition.ofTensors = true;
  if (auto found = known.find(node.name); found != known.end())
    return found->second;
  if (definition.isMacro) {
    report.error(Message::FunctionName, node.range,
                 {node.name, Report::textOf(definition.range).str()});
    return {};
  }
  if (definition.active) {
    report.error(Message::Recursion, node.range, {node.name});
    return {};
  }
  if (!definition.group.empty())
    return known[node.name] = visitPart(definition, node);
  if (!definition.body)
    return {};
  Value value = evaluate(definition, {});
  return known[node.name] = value;
}

TensorChecker::Value TensorChecker::evaluate(Definition &definition,
                                             Environment arguments) {
  definition.active = true;
  std::swap(environment, arguments);
  Value value = visit(*definition.body);
  std::swap(environment, arguments);
  definition.active = false;
  return value;
}

bool TensorChecker::Expansion::operator<(const Expansion &other) const {
  auto isLess = [](const Value &a, const Value &b) {
    return std::tie(a.tensor, a.scalar) < std::tie(b.tensor, b.scalar);
  };
  auto key = [](const Expansion &e) {
    return std::tie(e.name, e.defining, e.attentionKnown);
  };
  if (key(*this) != key(other))
    return key(*this) < key(other);
  return std::lexicographical_compare(arguments.begin(), arguments.end(),
                                      other.arguments.begin(),
                                      other.arguments.end(), isLess);
}

/// A macro with its arguments; for the same ones the same value.
TensorChecker::Value TensorChecker::expand(const Node &node) {
  Definition &macro = use.let[node.name];
  macro.used = macro.ofTensors = true;
  auto count = [](size_t n) {
    return std::to_string(n) + (n == 1 ? " argument" : " arguments");
  };
  if (!macro.isMacro) {
    report.error(Message::NotAFunction, node.headRange, {node.name});
    return {};
  }
  if (macro.active) {
    report.error(Message::Recursion, node.range, {node.name});
    return {};
  }
  if (node.children.size() != macro.parameters.size() ||
      !node.arguments.empty()) {
    report
        .error(Message::MacroArguments, node.range,
               {node.name, count(macro.parameters.size()),
                node.arguments.empty() ? count(node.children.size())
                                       : "one by name"})
        .note(macro.range, "'" + node.name + "' is defined here");
    return {};
  }
  Environment arguments;
  Expansion key{node.name, {}, defining, attentionKnown};
  for (auto [parameter, child] : zip_equal(macro.parameters, node.children)) {
    Value value = visit(*child);
    if (!value || !macro.body)
      return {};
    arguments[parameter] = value;
    key.arguments.push_back(value);
  }
  auto known = expansions.find(key);
  if (known == expansions.end())
    known = expansions.try_emplace(key, evaluate(macro, std::move(arguments)))
                .first;
  return known->second;
}

std::optional<TensorChecker::Value> TensorChecker::visitName(const Node &node) {
  if (auto bound = environment.find(node.name); bound != environment.end())
    return bound->second;
  if (std::optional<Row> row = findRow(node.name))
    return visitRow(*row, node);
  if (node.name == "O") {
    if (!attentionKnown) {
      report.error(Message::Scope, node.range, {"O", what.str()})
          .note("O is the result of the attention and only available in "
                "'output'");
      return Value();
    }
    Value &result = known["the result O"];
    if (!result) {
      auto tensor = std::make_shared<Tensor>();
      tensor->kind = Tensor::Result;
      tensor->dtype = spec.outputType;
      tensor->axes = spec.axesOfResult();
      tensor->range = node.range;
      result.tensor = tensor;
    }
    return result;
  }
  if (use.let.count(node.name))
    return visitDefinition(node);
  for (auto [index, input] : enumerate(spec.inputs))
    if (input.name == node.name && !input.axes.empty())
      return visitInput(index, node);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// What is no operation on elements; nothing for one that is.
std::optional<TensorChecker::Value> TensorChecker::visitLeaf(const Node &node) {
  switch (node.kind) {
  case Node::Name:
    return visitName(node);
  case Node::Transpose:
    return visitTranspose(node);
  case Node::Binary:
    if (node.op == Op::Dot)
      return visitProduct(node);
    return std::nullopt;
  case Node::Call:
    if (const FunctionInfo *function = findFunction(node.name)) {
      if (function->place == FunctionInfo::Layer ||
          function->function == Function::L2Norm ||
          function->function == Function::Softmax)
        return call(node, *function);
      if (function->place == FunctionInfo::Scaling) {
        report.error(Message::ScalingPlace, node.headRange, {node.name});
        return Value();
      }
    } else if (use.let.count(node.name)) {
      return expand(node);
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// A formula in which tensors stand for their elements.
TensorChecker::Value TensorChecker::visitElements(const Node &node) {
  std::vector<TensorPtr> operands;
  std::vector<unsigned> norms; // those that belong to this formula
  Scope scope = Scope::ofSizes(what);
  scope.inputs = true;
  Checker checker(spec, report, use, scope);
  checker.setLeaves([&](const Node &child) -> std::optional<ExprPtr> {
    std::optional<Value> leaf = visitLeaf(child);
    if (!leaf)
      return std::nullopt;
    if (!leaf->tensor)
      return leaf->scalar;
    auto same = find(operands, leaf->tensor);
    unsigned index = same - operands.begin();
    if (same == operands.end()) {
      if (isPartOfFormula(child))
        norms.push_back(index);
      operands.push_back(leaf->tensor);
    }
    bool isBool = leaf->tensor->dtype == DType::Bool;
    return makeElement(index, isBool ? Type::Bool : Type::Real, child.range);
  });
  ExprPtr formula = checker.checkAny(node);
  if (checker.reportMissing() || !formula)
    return {};
  if (formula->kind == Expr::Element)
    return {operands[formula->index], nullptr};
  formula = proveFormula(spec, report, formula, ("'" + what + "'").str(),
                         Domain{false, false, false, true}, nullptr);
  if (!formula || operands.empty())
    return {nullptr, formula};
  DType type = commonType(operands); // before norms lose theirs
  for (unsigned norm : norms)
    operands[norm] = withoutRounding(operands[norm]);
  return {map(formula, std::move(operands), node.range, type), nullptr};
}

TensorChecker::Value TensorChecker::visit(const Node &node) {
  if (std::optional<Value> leaf = visitLeaf(node))
    return *leaf;
  return visitElements(node);
}

/// A tensor; a number is one without axes.
TensorPtr TensorChecker::visitTensor(const Node &node) {
  Value value = visit(node);
  if (!value || value.tensor)
    return value.tensor;
  if (value.scalar->type == Type::Bool) {
    report.error(Message::MustBe, node.range,
                 {"'" + textOfNode(node) + "'", "a tensor",
                  typeWithArticle(Type::Bool)});
    return nullptr;
  }
  return map(value.scalar, {}, node.range);
}

//===----------------------------------------------------------------------===//
// Q, K, V and Y
//===----------------------------------------------------------------------===//

void TensorChecker::noteInputs(SourceDiagnostic &error,
                               std::initializer_list<const Tensor *> tensors) {
  for (const Tensor *tensor : tensors)
    if (tensor->kind == Tensor::Input) {
      const attnc::spec::Input &input = spec.inputs[tensor->index];
      error.note(input.typeRange, "'" + input.name + "' is declared here");
    }
}

RowTensor TensorChecker::checkRow(Row row) {
  Definition &definition = use.let[rowName(row).str()];
  what = rowName(row);
  bool used = definition.used;
  Node name;
  name.kind = Node::Name;
  name.name = what.str();
  SMRange place = definition.body ? definition.body->range : definition.range;
  name.range = place;
  std::optional<Value> value = visitRow(row, name);
  definition.used = used || row == Row::V;
  TensorPtr tensor = value->tensor;
  if (!tensor) {
    if (value->scalar)
      report.error(Message::MustBe, place,
                   {"'" + what.str() + "'", "a tensor",
                    typeWithArticle(value->scalar->type)});
    return {};
  }
  ExprPtr rows = makeSize(spec.axisOf(row == Row::Q ? QueryLen : KvLen));
  return asRow(tensor, row, rows, place, what);
}

/// One fix of the lengths is enough: both are a cycle.
void TensorChecker::fixRows(SourceDiagnostic &error, BuiltinSize length) {
  if (!std::exchange(fixesLengths, true))
    fixLengths(error, spec, length);
}

/// A tensor in the place of Q, K or V, of so many rows.
RowTensor TensorChecker::asRow(const TensorPtr &tensor, Row row,
                               const ExprPtr &rows, SMRange place,
                               StringRef name) {
  auto whole = std::make_shared<Tensor>(*argumentTensor(spec, row, {}));
  whole->axes[whole->axes.size() - 2] = rows;
  size_t rank = tensor->axes.size();
  bool isRagged = spec.storageOf(row).kind == Storage::Ragged;
  const ExprPtr &allHeads = whole->axes[isRagged ? 0 : 1];
  for (auto [batch, heads] :
       {std::pair(true, true), std::pair(true, false), std::pair(false, true),
        std::pair(false, false)}) {
    if (batch && isRagged)
      continue;
    Axes axes(whole->axes.end() - 2, whole->axes.end());
    if (heads)
      axes.insert(axes.begin(), allHeads);
    if (batch)
      axes.insert(axes.begin(), whole->axes[0]);
    if (rank == axes.size() && shapes.embed(tensor->axes, axes))
      return {asReal(tensor), batch, heads};
  }
  auto &error = report.error(Message::RowShape, place,
                             {name.str(), shapeText(whole), shapeText(tensor)});
  auto isAxis = [&](size_t axis, const ExprPtr &size) {
    return axis < rank && shapes.isSame(tensor->axes[axis], size);
  };
  BuiltinSize length = row == Row::Q ? QueryLen : KvLen;
  size_t head = isRagged ? 0 : 1;
  if (row != Row::Q && rank == head + 3 && !isAxis(head, allHeads) &&
      isAxis(head, makeSize(Heads)))
    error.note("split_heads(..., kv_heads) splits into key and value heads");
  else if (isRagged)
    error.note(spec.storageOf(row).range,
               "the rows of all sequences are concatenated along the "
               "axis '" +
                   spec.sizes[spec.storageOf(row).tokens].name + "'");
  else if (rank >= 2 && shapes.isSame(rows, makeSize(length)) &&
           !isAxis(rank - 2, rows) &&
           isAxis(rank - 2, makeSize(length == QueryLen ? KvLen : QueryLen)))
    fixRows(error, isAxis(rank - 2, makeSize(KvLen)) ? QueryLen : KvLen);
  else if (rank == 3)
    error.note("split_heads(...) splits the last axis into heads");
  noteInputs(error, {tensor.get()});
  return {};
}

/// The tensor by its name among the inputs: a formula of pairs reads it there.
bool TensorChecker::findTable(const Node &name,
                              std::optional<unsigned> &input) {
  auto isIt = [&](const attnc::spec::Input &i) { return i.name == name.name; };
  const Definition &definition = use.let[name.name];
  if (!isOfTensors(definition))
    return false;
  auto known = find_if(spec.inputs, isIt);
  if (known != spec.inputs.end()) {
    input = known - spec.inputs.begin();
    return true;
  }
  StringRef before = what;
  Environment outside;
  std::swap(environment, outside);
  what = name.name;
  Value value = visitDefinition(name);
  TensorPtr tensor = value.tensor;
  what = before;
  std::swap(environment, outside);
  if (!tensor)
    return !value.scalar; // a number has no elements
  attnc::spec::Input table;
  table.name = name.name;
  table.dtype = tensor->dtype;
  table.axes = tensor->axes;
  table.nameRange = table.typeRange = definition.range;
  table.made = tensor;
  input = spec.inputs.size();
  spec.inputs.push_back(std::move(table));
  return true;
}

/// A tensor as the caller gets it: of reals, and of as many axes as the
/// interface can have.
TensorPtr TensorChecker::asOutput(const Node &node) {
  constexpr size_t mostAxes = 5;
  attentionKnown = true;
  TensorPtr tensor = visitTensor(node);
  if (tensor)
    tensor = asReal(tensor);
  if (!tensor || (!tensor->axes.empty() && tensor->axes.size() <= mostAxes))
    return tensor;
  auto &error = report.error(Message::OutputAxes, node.range,
                             {"'" + what.str() + "'", shapeText(tensor)});
  error.note(tensor->axes.empty()
                 ? "keep an axis, such as that of the batch"
                 : "or merge axes: merge_heads(X) merges the heads into the "
                   "last axis");
  return nullptr;
}

TensorPtr TensorChecker::checkOutput(const Node &node) {
  what = "output";
  return asOutput(node);
}

TensorPtr TensorChecker::checkExtra(const Node &name) {
  what = name.name;
  return asOutput(name);
}

} // namespace attnc::spec
