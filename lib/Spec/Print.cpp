//===- Print.cpp - Specs as text and as JSON ------------------------------===//

#include "attnc/Spec/Print.h"

#include "Language/Language.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

using namespace llvm;

namespace attnc::spec {

static std::string sizeText(const AttentionSpec &spec, const Size &size) {
  if (size.kind == Size::RunTime)
    return "any";
  if (size.kind == Size::PerSequence)
    return "of each sequence";
  if (size.kind == Size::Fixed)
    return std::to_string(size.value);
  return printFormula(spec, *size.formula);
}

/// "ragged(start)", "paged(table, 16)".
static std::string storageText(const AttentionSpec &spec,
                               const Storage &storage) {
  if (storage.kind == Storage::Dense)
    return "dense";
  const std::string &table = spec.inputs[storage.table].name;
  if (storage.kind == Storage::Ragged)
    return "ragged(" + table + ")";
  return "paged(" + table + ", " + std::to_string(storage.pageRows) + ")";
}

static void printStorage(raw_ostream &os, const AttentionSpec &spec) {
  bool isDense = true;
  for (auto [name, storage] : {std::pair("query", &spec.queryStorage),
                               std::pair("kv", &spec.kvStorage)}) {
    if (storage->kind == Storage::Dense)
      continue;
    os << (isDense ? "storage:\n" : "") << "  " << name << ": "
       << storageText(spec, *storage) << '\n';
    isDense = false;
  }
}

static std::string inputText(const AttentionSpec &spec, const Input &input) {
  std::string text = (input.inout      ? "inout "
                      : input.resident ? "resident "
                                       : "") +
                     dtypeName(input.dtype).str();
  if (!input.axes.empty()) {
    ListSeparator comma;
    text += "[";
    for (const ExprPtr &axis : input.axes)
      text += StringRef(comma).str() + printFormula(spec, *axis);
    text += "]";
  }
  if (input.nondecreasing)
    text += " nondecreasing";
  if (input.low)
    text += " in " + printFormula(spec, *input.low) + ".." +
            printFormula(spec, *input.high);
  return text;
}

static std::string weightText(double weight) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, weight).ptr};
}

static std::string regimeText(const AttentionSpec &spec, const Regime &regime) {
  std::string text = "{";
  ListSeparator comma;
  for (auto [size, value] : regime.sizes)
    text += StringRef(comma).str() + spec.sizes[size].name + ": " +
            std::to_string(value);
  if (regime.weight != 1)
    text += StringRef(comma).str() + "weight: " + weightText(regime.weight);
  return text + "}";
}

/// A scalar that YAML reads as it is.
static std::string quoted(const std::string &text) {
  bool plain =
      !text.empty() && !StringRef("[{&*!|>%@\"'#-?:,]}`").contains(text[0]) &&
      !StringRef(text).contains(": ") && !StringRef(text).contains(" #");
  if (plain || (text.size() > 1 && text[0] == '-' && text[1] != ' ' &&
                !StringRef(text).contains(": ")))
    return text;
  return StringRef(text).contains('"') ? "'" + text + "'" : "\"" + text + "\"";
}

static void printSizes(raw_ostream &os, const AttentionSpec &spec) {
  for (BuiltinSize size :
       {Heads, KvHeads, HeadDim, ValueDim, Batch, QueryLen, KvLen})
    if (spec.sizes[size].kind != Size::PerSequence)
      os << spec.sizes[size].name << ": " << sizeText(spec, spec.sizes[size])
         << '\n';
  const Size &keyDim = spec.sizes[KeyDim];
  if (sizeText(spec, keyDim) != sizeText(spec, spec.sizes[HeadDim]))
    os << keyDim.name << ": " << sizeText(spec, keyDim) << '\n';
  auto named =
      make_filter_range(drop_begin(spec.sizes, NumBuiltinSizes),
                        [](const Size &size) { return !size.implied; });
  if (named.empty())
    return;
  os << "sizes:\n";
  for (const Size &size : named)
    os << "  " << size.name << ": " << sizeText(spec, size) << '\n';
}

static void printDTypes(raw_ostream &os, const AttentionSpec &spec) {
  auto name = [](DType dtype) { return dtypeName(dtype); };
  bool same = spec.queryType == spec.keyType &&
              spec.queryType == spec.valueType &&
              spec.queryType == spec.outputType;
  if (same)
    os << "dtype: " << name(spec.queryType) << '\n';
  else
    os << "dtype: {query: " << name(spec.queryType)
       << ", key: " << name(spec.keyType) << ", value: " << name(spec.valueType)
       << ", output: " << name(spec.outputType) << "}\n";
}

static void printDefinitions(raw_ostream &os, const AttentionSpec &spec) {
  if (!spec.let.empty() ||
      any_of(spec.definitions, [](const ExprPtr &e) { return bool(e); }))
    os << "let:\n";
  for (const LetText &entry : spec.let)
    os << "  " << entry.name << ": " << quoted(entry.formula) << '\n';
  for (auto [row, formula] : enumerate(spec.definitions))
    if (formula)
      os << "  " << rowName(Row(row)) << ": "
         << quoted(printFormula(spec, *formula)) << '\n';
}

static std::vector<StringRef> outputNames(const AttentionSpec &spec) {
  std::vector<StringRef> names;
  for (auto [wanted, name] : {std::pair<bool, StringRef>{spec.lse, "lse"},
                              {spec.attentionOutput, "attention"},
                              {spec.scoreOutput, "score"},
                              {spec.stateOutput, "state"}})
    if (wanted)
      names.push_back(name);
  for (const ExtraOutput &extra : spec.extras)
    names.push_back(extra.name);
  return names;
}

static void printSpec(raw_ostream &os, const AttentionSpec &spec) {
  os << "attnc: 1\nname: " << spec.name << '\n';
  printSizes(os, spec);
  printDTypes(os, spec);
  // Formulas without effect are refused where they are written.
  bool isUsed = spec.usesAttention();
  if (isUsed && spec.readsScore)
    os << "score: " << quoted(printFormula(spec, *spec.score)) << '\n';
  if (isUsed)
    os << "mask: " << quoted(printFormula(spec, *spec.mask)) << '\n'
       << "attention: " << quoted(printAttention(spec)) << '\n';
  if (isUsed && spec.value)
    os << "value: " << quoted(printFormula(spec, *spec.value)) << '\n';
  if (spec.output)
    os << "output: " << quoted(spec.outputText) << '\n';
  os << "offset: " << quoted(printFormula(spec, *spec.offset)) << '\n';
  if (!spec.declaredInputs().empty())
    os << "inputs:\n";
  for (const Input &input : spec.declaredInputs())
    os << "  " << input.name << ": " << inputText(spec, input) << '\n';
  printDefinitions(os, spec);
  printStorage(os, spec);
  std::vector<std::string> precision;
  if (spec.probabilities)
    precision.push_back("probabilities: " +
                        dtypeName(*spec.probabilities).str());
  if (spec.tf32)
    precision.push_back("tf32: true");
  if (!precision.empty())
    os << "precision: {" << llvm::join(precision, ", ") << "}\n";
  std::vector<StringRef> outputs = outputNames(spec);
  if (!outputs.empty())
    os << "outputs: [" << llvm::join(outputs, ", ") << "]\n";
  // A default is told in a comment, so that it stays one when it is read back.
  llvm::StringRef lead = spec.expectGiven ? "" : "# ";
  if (!spec.expect.empty())
    os << lead << "expect:\n";
  for (const Regime &regime : spec.expect)
    os << lead << "  - " << regimeText(spec, regime) << '\n';
  if (!spec.schedule.empty())
    os << "schedule: " << quoted(spec.schedule) << '\n';
  for (const Precondition &condition : spec.preconditions)
    os << "# needs " << condition.text << ": " << condition.reason << '\n';
}

void printSpecs(raw_ostream &os, ArrayRef<AttentionSpec> specs) {
  for (auto [i, spec] : enumerate(specs)) {
    if (i)
      os << "---\n";
    printSpec(os, spec);
  }
}

json::Value describeSpec(const AttentionSpec &spec) {
  json::Object sizes;
  for (const Size &size : spec.sizes) {
    if (size.kind == Size::Fixed)
      sizes[size.name] = size.value;
    else
      sizes[size.name] = sizeText(spec, size);
  }
  json::Object inputs;
  for (const Input &input : spec.declaredInputs())
    inputs[input.name] = inputText(spec, input);
  json::Object let;
  for (auto [row, formula] : enumerate(spec.definitions))
    if (formula)
      let[rowName(Row(row))] = printFormula(spec, *formula);
  for (const LetText &entry : spec.let)
    let[entry.name] = entry.formula;
  json::Array expect, preconditions, outputs;
  for (const Regime &regime : spec.expect) {
    json::Object object;
    for (auto [size, value] : regime.sizes)
      object[spec.sizes[size].name] = value;
    object["weight"] = regime.weight;
    expect.push_back(std::move(object));
  }
  for (const Precondition &condition : spec.preconditions)
    preconditions.push_back(condition.text);
  for (StringRef output : outputNames(spec))
    outputs.push_back(output);
  return json::Object{
      {"attnc", 1},
      {"name", spec.name},
      {"sizes", std::move(sizes)},
      {"dtype", json::Object{{"query", dtypeName(spec.queryType)},
                             {"key", dtypeName(spec.keyType)},
                             {"value", dtypeName(spec.valueType)},
                             {"output", dtypeName(spec.outputType)}}},
      {"score", printFormula(spec, *spec.score)},
      {"mask", printFormula(spec, *spec.mask)},
      {"attention", printAttention(spec)},
      {"value", spec.value ? printFormula(spec, *spec.value) : "V"},
      {"output", spec.output ? spec.outputText : "O"},
      {"offset", printFormula(spec, *spec.offset)},
      {"let", std::move(let)},
      {"inputs", std::move(inputs)},
      {"storage", json::Object{{"query", storageText(spec, spec.queryStorage)},
                               {"kv", storageText(spec, spec.kvStorage)}}},
      {"outputs", std::move(outputs)},
      {"expect", std::move(expect)},
      {"preconditions", std::move(preconditions)}};
}

} // namespace attnc::spec
