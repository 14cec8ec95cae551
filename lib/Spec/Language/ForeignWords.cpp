//===- ForeignWords.cpp - Words of other frameworks, and ours -------------===//

#include "Language/ForeignWords.h"

#include "Language/Language.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

static constexpr ForeignWord foreignKeys[] = {
#define FOREIGN_KEY(Theirs, Value, Ours, Note) {Theirs, Value, Ours, Note},
#include "Language/ForeignWords.def"
};

const ForeignWord *findForeignName(StringRef name) {
  static constexpr ForeignWord names[] = {
#define FOREIGN_NAME(Theirs, Ours, Note) {Theirs, "", Ours, Note},
#include "Language/ForeignWords.def"
  };
  for (const ForeignWord &word : names)
    if (word.theirs == name)
      return &word;
  for (const ForeignWord &word : foreignKeys)
    if (word.theirs == name && !word.ours.empty() && !word.isLine())
      return &word;
  return nullptr;
}

StringRef findForeignType(StringRef name) {
  static constexpr std::pair<StringLiteral, StringLiteral> types[] = {
#define FOREIGN_TYPE(Theirs, Ours) {Theirs, Ours},
#include "Language/ForeignWords.def"
  };
  for (auto &[theirs, ours] : types)
    if (theirs == name)
      return ours;
  return {};
}

StringRef findForeignArgument(StringRef name, ArrayRef<StringRef> names) {
  static constexpr std::pair<StringLiteral, StringLiteral> arguments[] = {
#define FOREIGN_ARGUMENT(Theirs, Ours) {Theirs, Ours},
#include "Language/ForeignWords.def"
  };
  for (auto &[theirs, ours] : arguments)
    if (theirs == name && is_contained(names, ours))
      return ours;
  return {};
}

bool isForeignModule(StringRef name) {
  static constexpr StringLiteral modules[] = {
#define FOREIGN_MODULE(Name) Name,
#include "Language/ForeignWords.def"
  };
  return is_contained(modules, name);
}

/// An argument as an operand of an operator.
static std::string asOperand(StringRef text) {
  bool isSigned = text.starts_with("-");
  bool isWhole = text.find_first_of(" +-*/%@<>=") == StringRef::npos;
  return isWhole && !isSigned ? text.str() : "(" + text.str() + ")";
}

/// Whether the text at the range is a whole formula or a whole argument.
static bool isWholeFormula(SMRange range) {
  const char *before = range.Start.getPointer() - 1;
  const char *after = range.End.getPointer();
  while (*before == ' ')
    --before;
  while (*after == ' ')
    ++after;
  return StringRef(":=(,[").contains(*before) &&
         (*after == '\0' || StringRef("\r\n),]#").contains(*after));
}

/// {0}, {1} of a formula as operands or as arguments.
static std::string fillCall(StringRef formula, ArrayRef<StringRef> arguments) {
  constexpr StringLiteral open = "{";
  std::string text;
  StringRef rest = formula;
  for (size_t at; (at = rest.find(open)) != StringRef::npos;
       rest = rest.substr(at + 3)) {
    bool isArgument = rest.take_front(at).ends_with("(") ||
                      rest.substr(at + 3).starts_with(",");
    StringRef argument = arguments[size_t(rest[at + 1] - '0')];
    text += rest.take_front(at);
    text += isArgument ? argument.str() : asOperand(argument);
  }
  return text + rest.str();
}

namespace {
struct ForeignCall {
  StringLiteral theirs;
  unsigned arguments;
  StringLiteral formula;

  bool isCall() const {
    size_t open = formula.find('(');
    return formula.ends_with(")") && open != StringRef::npos &&
           all_of(formula.take_front(open), isAlnum);
  }
};
} // namespace

static constexpr ForeignCall foreignCalls[] = {
#define FOREIGN_CALL(Theirs, Arguments, Formula) {Theirs, Arguments, Formula},
#include "ForeignWords.def"
};

std::string formulaOfCall(StringRef name, ArrayRef<StringRef> arguments,
                          SMRange range) {
  if (any_of(arguments, [](StringRef a) { return a.contains('='); }))
    return "";
  auto call = find_if(foreignCalls, [&](const ForeignCall &other) {
    return other.theirs == name && other.arguments == arguments.size();
  });
  if (call == std::end(foreignCalls))
    return "";
  std::string text = fillCall(call->formula, arguments);
  return call->isCall() || isWholeFormula(range) ? text : "(" + text + ")";
}

StringRef findForeignAxis(StringRef name) {
  static constexpr std::pair<StringLiteral, StringLiteral> axes[] = {
#define FOREIGN_AXIS(Theirs, Ours) {Theirs, Ours},
#include "ForeignWords.def"
  };
  for (auto &[theirs, ours] : axes)
    if (theirs == name)
      return ours;
  return {};
}

/// `{0}` of a line; what is more than a name or a number in parentheses.
static std::string fillIn(StringRef line, StringRef value) {
  if (!line.contains("{0}"))
    return line.str();
  auto [before, after] = line.split("{0}");
  if (after.contains("{0}"))
    return fillIn(line.take_front(before.size() + 3), value) +
           fillIn(after, value);
  bool isWord =
      all_of(value, [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
  bool isArgument = after.starts_with(")");
  std::string text =
      isWord || isArgument ? value.str() : "(" + value.str() + ")";
  return (before + text + after).str();
}

StringRef reportUnknownKey(Report &report, const UnknownEntry &entry,
                           function_ref<bool(StringRef)> isSet) {
  std::string key = entry.key.str();
  auto word = find_if(foreignKeys, [&](const ForeignWord &word) {
    return word.theirs == key &&
           (word.value.empty() || entry.value.equals_insensitive(word.value));
  });
  if (word == std::end(foreignKeys)) {
    std::vector<StringRef> names;
    for (const KeyInfo &info : keyTable())
      names.push_back(info.name);
    StringRef near = nearest(key, names);
    auto &error = report.error(Message::UnknownKey, entry.keyRange, {key});
    error.fix(near);
    if (near.empty())
      error
          .note("define formulas of a layer under 'let' and declare "
                "tensors under 'inputs'")
          .note("valid keys: " + join(names, ", "));
    return near;
  }
  auto [ours, formula] = word->ours.split(": ");
  bool lacksValue = word->isLine() && entry.value.empty();
  auto &error =
      report.error(Message::UnknownKey,
                   word->isLine() ? entry.range : entry.keyRange, {key});
  if (ours.empty())
    error.note(fillIn(word->note, entry.value.empty() ? "10000" : entry.value));
  else if (lacksValue)
    error.note("write it as '" + fillIn(word->ours, "...") + "'");
  else if (isSet(ours))
    error.note("'" + ours + "' is already set" +
               (word->isLine()
                    ? "; add this to it: " + fillIn(formula, entry.value)
                    : std::string()));
  else if (word->isLine())
    error.fix(ours.str() + entry.separator.str() +
              fillIn(formula, entry.value));
  else
    error.fix(ours);
  return ours;
}

} // namespace attnc::spec
