//===- ReadLet.cpp - Names for formulas, macros, definitions of rows ------===//
//
//   let:
//     phi(x): elu(x) + 1        a macro
//     qn: l2_norm(Q)            a name for a formula, checked where it is used
//     K: K8 * scale             what K is; then K is no argument of the call
//     V: split_heads(x @ Wv)    the same by tensors (TensorChecker.h)
//     a, b: split(x, 4, 8)      pieces of a tensor
//
//===----------------------------------------------------------------------===//

#include "Reader/SpecReader.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

/// "(x, y)" of a macro.
bool SpecReader::readParameters(StringRef text, SMRange range,
                                Definition &definition) {
  definition.isMacro = true;
  SmallVector<StringRef> names;
  bool closed = text.consume_back(")");
  text.split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    name = name.trim();
    StringRef taken = name == "Y" ? "" : takenBy(name); // no formula has Y
    if (closed && isIdentifier(name) && taken.empty() &&
        !is_contained(definition.parameters, name)) {
      definition.parameters.push_back(name.str());
      continue;
    }
    if (!taken.empty())
      report.error(Message::TakenName, range, {name.str(), taken.str()});
    else
      report.error(Message::BadName, range, {name.str()});
    return false;
  }
  if (!closed || names.empty())
    report.error(Message::BadName, range, {text.str()});
  return closed && !names.empty();
}

/// "Q, K, V: split(...)".
bool SpecReader::readNames(const YamlEntry &item) {
  SmallVector<StringRef> names;
  StringRef(item.key.text).split(names, ',');
  for (auto [part, name] : enumerate(names)) {
    name = name.trim();
    if (findRow(name) && use.let.count(name.str())) {
      report.error(Message::RepeatedKey, item.key.range, {name.str()});
      return false;
    }
    if (!findRow(name) && !checkNewName(name, item.key.range))
      return false;
    Definition definition;
    definition.range = item.key.range;
    definition.group = item.key.text;
    definition.part = part;
    use.let[name.str()] = std::move(definition);
  }
  if (!needScalar(item))
    return false;
  Definition whole;
  whole.range = item.key.range;
  whole.body = parseFormula({item.value.source(), {}}, report);
  bool good = whole.body != nullptr;
  use.groups[item.key.text] = std::move(whole);
  return good;
}

bool SpecReader::readDefinition(const YamlEntry &item) {
  auto [head, parameters] = StringRef(item.key.text).split('(');
  StringRef name = head.trim();
  if (head.contains(','))
    return readNames(item);
  Definition definition;
  definition.range = item.key.range;
  std::optional<Row> row = findRow(name);
  if (!row && !checkNewName(name, item.key.range))
    return false;
  if (head.size() != item.key.text.size()) {
    if (row) {
      report.error(Message::RowParameters, item.key.range, {name.str()});
      return false;
    }
    if (!readParameters(parameters.trim(), item.key.range, definition))
      return false;
  }
  if (!needScalar(item))
    return false;
  definition.body = parseFormula({item.value.source(), {}}, report);
  bool good = definition.body != nullptr;
  if (good || row)
    use.let[name.str()] = std::move(definition);
  return good;
}

/// Names and formulas; those that cannot be used are not looked up again.
void SpecReader::readLet() {
  const YamlEntry *let = entry(Key::Let);
  if (!let || !needMap(*let))
    return;
  for (const YamlEntry &item : let->value.map)
    if (!readDefinition(item)) {
      SmallVector<StringRef> names;
      StringRef(item.key.text).split('(').first.split(names, ',');
      for (StringRef name : names)
        use.refused.insert(name.trim().str());
    }
}

/// What `let` says of the row. Weights in front, W @ x, stand behind x where
/// formulas are of tensors.
static std::string formulaOfTensors(const Expr &row, const Node *body,
                                    SMRange range) {
  std::string text = Report::textOf(range).str();
  if (!body || body->kind != Node::Binary || !row.isApply(Op::Dot))
    return text;
  const Node &left = *body->children[0], &right = *body->children[1];
  std::string written = Report::textOf(right.range).str() + " @ ";
  if (left.kind == Node::Transpose)
    return written + Report::textOf(left.children[0]->range).str();
  bool isMatrix = row.operands[0]->type == Type::Matrix;
  if (isMatrix && right.kind != Node::Transpose) // x @ W.T is W @ x, too
    return written + Report::textOf(left.range).str() + ".T";
  return text;
}

/// A row that is made of formulas must be as wide as the key says.
bool SpecReader::checkRowWidth(const ExprPtr &row, BuiltinSize size,
                               StringRef name, SMRange range,
                               const Node *body) {
  ExprPtr width = spec.axesOf(*row)[0];
  Prover prover(spec, Domain{false, false, false, true});
  LinearForm difference = prover.linear(width) - prover.linear(makeSize(size));
  if (prover.proves(difference) && prover.proves(difference.scaled(-1)))
    return true;
  const Size &own = spec.sizes[size];
  BuiltinSize heads = size == HeadDim ? Heads : KvHeads;
  LinearForm ofHeads =
      prover.linear(width) -
      prover.linear(
          makeApply(Op::Mul, Type::Int, {makeSize(heads), makeSize(size)}));
  bool hasHeads = prover.proves(ofHeads) && prover.proves(ofHeads.scaled(-1));
  auto &error =
      report.error(Message::RowWidth, range,
                   {name.str(), printFormula(spec, *width), own.name,
                    own.kind == Size::Fixed ? std::to_string(own.value)
                                            : std::string("another size")});
  // Heads are split off the last axis of rows.
  if (hasHeads && dependsOn(*row, size == HeadDim ? Variable::I : Variable::K))
    error.fix("split_heads(" + formulaOfTensors(*row, body, range) +
              (heads == KvHeads ? ", kv_heads)" : ")"));
  else if (!own.range.isValid())
    error.fix(own.name + ": " + printFormula(spec, *width));
  return false;
}

/// What Q, K and V are, if `let` says so.
void SpecReader::readRows() {
  static constexpr std::pair<Row, BuiltinSize> rows[] = {
      {Row::Q, HeadDim}, {Row::K, KeyDim}, {Row::V, ValueDim}};
  for (auto [row, width] : rows) {
    StringRef name = rowName(row);
    auto found = use.let.find(name.str());
    if (found == use.let.end() || use.refused.count(name.str()))
      continue;
    const Definition &definition = found->second;
    // Rows of all sequences are one tensor, of which no formula has b and k.
    bool isRagged = spec.storageOf(row).kind == Storage::Ragged;
    if (isRagged || tensors.isOfTensors(definition) ||
        tensors.crossesSides(row, definition)) {
      spec.rows[unsigned(row)] = tensors.checkRow(row);
      continue;
    }
    bool used = definition.used; // its own name means the argument
    Checker checker(spec, report, use, Scope::ofDefinition(row));
    ExprPtr formula = checker.check(*definition.body, Type::Vector, name);
    found->second.used = used || row == Row::V;
    if (checker.reportMissing() || !formula ||
        !checkRowWidth(formula, width, "'" + name.str() + "'",
                       definition.body->range, definition.body.get()))
      continue;
    if (formula->kind != Expr::Row || formula->row != row)
      spec.definitions[unsigned(row)] = formula;
  }
  const ExprPtr &key = spec.definitions[unsigned(Row::K)];
  const ExprPtr &value = spec.definitions[unsigned(Row::V)];
  if (key && value && usesRow(*key, Row::V) && usesRow(*value, Row::K))
    report.error(Message::Recursion, use.let["V"].range, {"V"});
}

/// The entries that tensors use, as they are written.
void SpecReader::keepLet() {
  const YamlEntry *let = entry(Key::Let);
  if (!let || let->value.kind != YamlNode::Map)
    return;
  for (const YamlEntry &item : let->value.map) {
    SmallVector<StringRef> names;
    StringRef(item.key.text).split('(').first.split(names, ',');
    bool isOfTensors = any_of(names, [&](StringRef name) {
      std::optional<Row> row = findRow(name.trim());
      auto found = use.let.find(name.trim().str());
      return found != use.let.end() && found->second.ofTensors &&
             !(row && spec.definitions[unsigned(*row)]);
    });
    if (isOfTensors)
      spec.let.push_back({item.key.text, item.value.text});
  }
}

} // namespace attnc::spec
