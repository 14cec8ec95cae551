//===- Explain.cpp - What --explain prints --------------------------------===//

#include "Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// The kinds in the order in which a reader asks for them.
static constexpr llvm::StringLiteral kinds[] = {
    "fused", "missed", "mask", "kernel", "limit", "cost", "schedule"};

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

void printExplanation(llvm::raw_ostream &os,
                      llvm::ArrayRef<Interface> functions,
                      llvm::ArrayRef<unsigned> firstLines,
                      llvm::ArrayRef<Remark> remarks) {
  for (size_t i = 0; i < functions.size(); ++i) {
    printTitle(os, functions[i]);
    for (size_t rank = 0; rank <= std::size(kinds); ++rank)
      for (const Remark &remark : remarks)
        if (rankOf(remark) == rank && functionOf(remark, firstLines) == i)
          os << llvm::formatv("  {0,-9} {1}\n", remark.kind, remark.text);
  }
}

} // namespace attnc
