//===- Language.cpp - The tables of the language --------------------------===//

#include "Language/Language.h"

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

ArrayRef<KeyInfo> keyTable() {
  static constexpr KeyInfo keys[] = {
#define KEY(Name, Text, Value, Default, Meaning)                               \
  {Text, Value, Default, Meaning},
#include "Language/Keys.def"
  };
  return keys;
}

std::optional<Key> findKey(StringRef name) {
  for (auto [i, key] : enumerate(keyTable()))
    if (key.name == name)
      return Key(i);
  return std::nullopt;
}

static FunctionInfo makeFunction(Function function, StringRef name,
                                 StringRef parameters, StringRef result,
                                 FunctionInfo::Place place, StringRef meaning) {
  FunctionInfo info{function, name, {}, false, result, place, meaning};
  SmallVector<StringRef> parts;
  parameters.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    if (part == "...") {
      info.variadic = true;
      continue;
    }
    auto [parameter, type] = part.split(':');
    auto [typeName, byDefault] = type.split('=');
    info.parameters.push_back({parameter, typeName, byDefault});
  }
  return info;
}

ArrayRef<FunctionInfo> functionTable() {
  static const std::vector<FunctionInfo> functions = {
#define FUNCTION(Name, Text, Parameters, Result, Where, Meaning)               \
  makeFunction(Function::Name, Text, Parameters, Result, FunctionInfo::Where,  \
               Meaning),
#include "Language/Functions.def"
  };
  return functions;
}

const FunctionInfo *findFunction(StringRef name) {
  for (const FunctionInfo &function : functionTable())
    if (function.name == name)
      return &function;
  return nullptr;
}

std::string FunctionInfo::signature() const {
  std::string text = name.str() + "(";
  ListSeparator comma;
  bool more = variadic; // after what has no default
  for (const Parameter &parameter : parameters) {
    if (more && !parameter.byDefault.empty()) {
      text += ", ...";
      more = false;
    }
    text += StringRef(comma).str() + parameter.name.str();
    if (!parameter.byDefault.empty())
      text += "=" + parameter.byDefault.str();
  }
  if (more)
    text += ", ...";
  return text + ")";
}

std::optional<Op> opOfFunction(Function function) {
  StringRef name = functionTable()[size_t(function)].name;
  for (unsigned op = unsigned(Op::Select); op <= unsigned(Op::Count); ++op)
    if (opSpelling(Op(op)) == name)
      return Op(op);
  return std::nullopt;
}

static NamedMask makeMask(StringRef name, StringRef parameters,
                          StringRef formula, StringRef keys) {
  NamedMask mask{name, {}, formula, keys};
  auto [input, declaration] = parameters.split(':');
  if (!declaration.empty()) {
    mask.parameters.push_back({input, std::nullopt, declaration});
    return mask;
  }
  SmallVector<StringRef> parts;
  parameters.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [parameter, least] = part.split(">=");
    int64_t value = 0;
    least.getAsInteger(10, value);
    mask.parameters.push_back({parameter, value, ""});
  }
  return mask;
}

ArrayRef<NamedMask> maskTable() {
  static const std::vector<NamedMask> masks = {
#define NAMED_MASK(Name, Parameters, Formula, Keys)                            \
  makeMask(Name, Parameters, Formula, Keys),
#include "Language/NamedMasks.def"
  };
  return masks;
}

const NamedMask *findMask(StringRef name) {
  for (const NamedMask &mask : maskTable())
    if (mask.name == name)
      return &mask;
  return nullptr;
}

std::string NamedMask::signature() const {
  std::string text = name.str();
  if (parameters.empty())
    return text;
  text += "(";
  ListSeparator comma;
  for (const MaskParameter &parameter : parameters)
    text += StringRef(comma).str() + parameter.name.str();
  return text + ")";
}

ArrayRef<VariableInfo> variableTable() {
  static constexpr VariableInfo variables[] = {
      {"b", Variable::B, "batch, 0 .. batch-1"},
      {"h", Variable::H, "query head, 0 .. heads-1"},
      {"g", Variable::G, "KV head: `h // group`"},
      {"i", Variable::I, "row in the query tensor, 0 .. query_len-1"},
      {"q", Variable::Q,
       "position of that row on the key axis: `i + offset`; may be negative"},
      {"k", Variable::K, "position of the key, 0 .. kv_len-1"}};
  return variables;
}

static constexpr StringLiteral rowNames[] = {"Q", "K", "V"}; // by Row

StringRef rowName(Row row) { return rowNames[unsigned(row)]; }

std::optional<Row> findRow(StringRef name) {
  const auto *found = find(rowNames, name);
  if (found == std::end(rowNames))
    return std::nullopt;
  return static_cast<Row>(found - rowNames);
}

ArrayRef<StringRef> builtinSizeNames() {
  static constexpr StringRef names[NumBuiltinSizes] = {
      "batch", "query_len", "kv_len",  "heads",    "kv_heads",
      "group", "head_dim",  "key_dim", "value_dim"};
  return names;
}

StringRef takenBy(StringRef name) {
  if (any_of(variableTable(), [&](auto &v) { return v.name == name; }))
    return "a variable";
  if (is_contained(builtinSizeNames(), name))
    return "a size";
  if (findFunction(name))
    return "a function";
  if (findMask(name))
    return "a named mask";
  if (name == "Y")
    return "the output of layers, called Y in C";
  static constexpr StringLiteral words[] = {
      "Q",   "K",   "V",         "O",     "score",   "true",  "false",
      "inf", "and", "or",        "not",   "if",      "else",  "in",
      "any", "lse", "attention", "state", "prefill", "decode"};
  return is_contained(words, name) ? "a keyword of the spec language" : "";
}

bool isIdentifier(StringRef text) {
  return !text.empty() && (isAlpha(text[0]) || text[0] == '_') &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_'; });
}

} // namespace attnc::spec
