//===- Explain.cpp - What --explain and --remarks tell --------------------===//

#include "Compile/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <tuple>

namespace attnc {

/// The kinds in the order in which a reader asks for them.
static constexpr llvm::StringLiteral kinds[] = {
    "fused",  "missed", "product", "mask",     "order", "packed",
    "kernel", "limit",  "cost",    "schedule", "object"};

static size_t rankOf(const Remark &remark) {
  return llvm::find(kinds, remark.kind) - std::begin(kinds);
}

/// The function that the remark is about.
static size_t functionOf(const Remark &remark,
                         llvm::ArrayRef<Interface> functions,
                         llvm::ArrayRef<unsigned> firstLines) {
  for (auto [i, function] : llvm::enumerate(functions))
    if (function.name == ownerOfBody(remark.body))
      return i;
  size_t found = 0;
  for (auto [i, line] : llvm::enumerate(firstLines))
    if (line <= remark.line && line >= firstLines[found])
      found = i;
  return found;
}

static void printTitle(llvm::raw_ostream &os, const Interface &function) {
  os << function.name << ": " << function.title;
  if (auto sizes = function.runtimeSizes(); !sizes.empty())
    os << "; " << llvm::join(sizes, ", ") << " at run time";
  os << '\n';
}

/// A remark that all `parts` make is made once, and about all.
static std::vector<Remark> mergeParts(std::vector<Remark> remarks,
                                      size_t parts) {
  auto isSame = [](const Remark &a, const Remark &b) {
    return std::tie(a.line, a.column, a.kind, a.text, a.body, a.kernel) ==
           std::tie(b.line, b.column, b.kind, b.text, b.body, b.kernel);
  };
  std::vector<Remark> merged;
  for (const Remark &remark : remarks) {
    std::set<std::string> makers;
    for (const Remark &other : remarks)
      if (isSame(remark, other))
        makers.insert(other.part);
    bool isOfAll = makers.size() == parts && !remark.part.empty();
    if (isOfAll && llvm::any_of(merged, [&](const Remark &known) {
          return known.part.empty() && isSame(known, remark);
        }))
      continue;
    merged.push_back(remark);
    if (isOfAll)
      merged.back().part.clear();
  }
  return merged;
}

/// The remarks about one function, in the order of `kinds`.
static std::vector<Remark> remarksOf(llvm::ArrayRef<Interface> functions,
                                     llvm::ArrayRef<unsigned> firstLines,
                                     llvm::ArrayRef<Remark> remarks,
                                     size_t function) {
  std::vector<Remark> own;
  for (size_t rank = 0; rank <= std::size(kinds); ++rank)
    for (const Remark &remark : remarks)
      if (rankOf(remark) == rank &&
          functionOf(remark, functions, firstLines) == function)
        own.push_back(remark);
  std::set<std::string> parts;
  for (const Remark &remark : remarks)
    if (!remark.part.empty())
      parts.insert(remark.part);
  return parts.size() > 1 ? mergeParts(std::move(own), parts.size()) : own;
}

/// "x86-64-v4: " of a remark that not all parts make. The text of many names
/// the processor itself.
static std::string partPrefix(const Remark &remark) {
  return remark.part.empty() ||
                 llvm::StringRef(remark.text).starts_with(remark.part + ": ")
             ? ""
             : remark.part + ": ";
}

/// Of which kernel of several a remark is: "kernel 2 at 8:38: ", or nothing.
static std::string kernelPrefix(const Remark &remark,
                                llvm::ArrayRef<Remark> own) {
  bool isOneOfSeveral = llvm::any_of(own, [&](const Remark &other) {
    return other.body == remark.body && !other.kernel.empty() &&
           other.kernel != remark.kernel;
  });
  return remark.kernel.empty() || !isOneOfSeveral ? "" : remark.kernel + ": ";
}

/// The names of ops in the words of a spec.
static std::string inWords(llvm::StringRef text) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> words[] = {
      {"attn.contract", "product"},
      {"attn.normalize", "normalization"},
      {"attn.reduce", "function of a row"},
      {"attn.map", "formula"}};
  std::string result = text.str();
  for (auto [op, word] : words)
    for (size_t at = result.find(op); at != std::string::npos;
         at = result.find(op, at))
      result.replace(at, op.size(), word);
  return result;
}

/// What goes through memory, where and why; nothing if `told` has the reason.
static std::string missedText(const Remark &remark,
                              std::vector<std::string> &told) {
  auto [what, reason] = llvm::StringRef(remark.text).split(" is not fused: ");
  std::string why = inWords(reason.empty() ? what : reason);
  if (llvm::is_contained(told, why))
    return "";
  told.push_back(why);
  std::string place = remark.line ? std::to_string(remark.line) + ":" +
                                        std::to_string(remark.column) + ": "
                                  : "";
  if (reason.empty())
    return place + why;
  return place + "a " + inWords(what) + " goes through memory: " + why;
}

void printExplanation(llvm::raw_ostream &os,
                      llvm::ArrayRef<Interface> functions,
                      llvm::ArrayRef<AccountLines> accounts,
                      llvm::ArrayRef<unsigned> firstLines,
                      llvm::ArrayRef<Remark> remarks) {
  for (size_t i = 0; i < functions.size(); ++i) {
    printTitle(os, functions[i]);
    auto printAccount = [&](bool isAfter) {
      if (i < accounts.size())
        for (const AccountLine &line : accounts[i])
          if (line.isResult == isAfter)
            os << llvm::formatv("  {0,-9} {1}\n", line.kind, line.text);
    };
    printAccount(false);
    std::vector<std::string> told;
    std::vector<Remark> own = remarksOf(functions, firstLines, remarks, i);
    for (const Remark &remark : own) {
      std::string text =
          remark.kind == "missed" ? missedText(remark, told) : remark.text;
      if (text.empty())
        continue;
      std::string body = remark.body.empty() ? "" : remark.body + ": ";
      os << llvm::formatv("  {0,-9} {1}{2}{3}{4}\n", remark.kind, body,
                          kernelPrefix(remark, own), partPrefix(remark), text);
    }
    printAccount(true);
  }
}

/// A YAML scalar in single quotes.
static std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

void printRemarks(llvm::raw_ostream &os, llvm::StringRef file,
                  llvm::ArrayRef<Interface> functions,
                  llvm::ArrayRef<unsigned> firstLines,
                  llvm::ArrayRef<Remark> remarks) {
  for (auto [i, function] : llvm::enumerate(functions)) {
    std::vector<Remark> own = remarksOf(functions, firstLines, remarks, i);
    for (const Remark &remark : own) {
      llvm::StringRef type = remark.kind == "fused"    ? "Passed"
                             : remark.kind == "missed" ? "Missed"
                                                       : "Analysis";
      os << "--- !" << type << "\nPass: attnc\nName: "
         << (remark.kind.empty() ? "note" : remark.kind) << '\n';
      if (remark.line)
        os << "DebugLoc: { File: " << quoted(file) << ", Line: " << remark.line
           << ", Column: " << remark.column << " }\n";
      os << "Function: " << (remark.body.empty() ? function.name : remark.body)
         << "\nArgs:\n  - String: "
         << quoted(kernelPrefix(remark, own) + partPrefix(remark) + remark.text)
         << "\n...\n";
    }
  }
}

} // namespace attnc
