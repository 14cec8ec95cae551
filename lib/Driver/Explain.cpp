//===- Explain.cpp - What --explain and --remarks tell --------------------===//

#include "Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// The kinds in the order in which a reader asks for them.
static constexpr llvm::StringLiteral kinds[] = {"fused", "missed", "product",
                                                "mask",  "order",  "kernel",
                                                "limit", "cost",   "schedule"};

static size_t rankOf(const Remark &remark) {
  return llvm::find(kinds, remark.kind) - std::begin(kinds);
}

/// The function that the remark is about.
static size_t functionOf(const Remark &remark,
                         llvm::ArrayRef<unsigned> firstLines) {
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

/// Calls `take` with the remarks about one function, in the order of `kinds`.
static void forEachRemark(llvm::ArrayRef<unsigned> firstLines,
                          llvm::ArrayRef<Remark> remarks, size_t function,
                          llvm::function_ref<void(const Remark &)> take) {
  for (size_t rank = 0; rank <= std::size(kinds); ++rank)
    for (const Remark &remark : remarks)
      if (rankOf(remark) == rank && functionOf(remark, firstLines) == function)
        take(remark);
}

void printExplanation(llvm::raw_ostream &os,
                      llvm::ArrayRef<Interface> functions,
                      llvm::ArrayRef<std::vector<std::string>> accounts,
                      llvm::ArrayRef<unsigned> firstLines,
                      llvm::ArrayRef<Remark> remarks) {
  for (size_t i = 0; i < functions.size(); ++i) {
    printTitle(os, functions[i]);
    if (i < accounts.size())
      for (const std::string &line : accounts[i])
        os << llvm::formatv("  {0,-9} {1}\n", "account", line);
    forEachRemark(firstLines, remarks, i, [&](const Remark &remark) {
      os << llvm::formatv("  {0,-9} {1}\n", remark.kind, remark.text);
    });
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
  for (auto [i, function] : llvm::enumerate(functions))
    forEachRemark(firstLines, remarks, i, [&](const Remark &remark) {
      llvm::StringRef type = remark.kind == "fused"    ? "Passed"
                             : remark.kind == "missed" ? "Missed"
                                                       : "Analysis";
      os << "--- !" << type << "\nPass: attnc\nName: "
         << (remark.kind.empty() ? "note" : remark.kind) << '\n';
      if (remark.line)
        os << "DebugLoc: { File: " << quoted(file) << ", Line: " << remark.line
           << ", Column: " << remark.column << " }\n";
      os << "Function: " << function.name
         << "\nArgs:\n  - String: " << quoted(remark.text) << "\n...\n";
    });
}

} // namespace attnc
