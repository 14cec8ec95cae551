//===- Labels.h - Letters of tensor axes ------------------------*- C++ -*-===//
//
// "bhgqd,bhkd->bhgqk" names the axes of operands and result with one letter
// each; "b(hg)qd->bhgqd" says how axes split, merge and change places.
// Verifier, interpreter and fusion read labels through these two structs only.
// Tests: test/Dialect/Attn/invalid.mlir, test/Unit/Dialect/Attn/LabelsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_LABELS_H
#define ATTNC_DIALECT_ATTN_LABELS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace attnc::attn {

/// "bhgqk,bhq->bhgqk": letters of each operand and of the result. The strings
/// point into the parsed text.
struct Labels {
  llvm::SmallVector<llvm::StringRef, 2> inputs;
  llvm::StringRef output;

  /// Nothing and a sentence in `error` unless every side is a list of distinct
  /// lower-case letters. A text without "->" is refused. An empty list of
  /// inputs ("->bhgqk") has no operand.
  static std::optional<Labels> parse(llvm::StringRef text, std::string &error);
  /// The text that parse() reads.
  std::string str() const;
};

/// "b(hg)qd->bhgqd": each axis of a side is a group of letters, the slowest
/// first.
struct ViewLabels {
  using Side = llvm::SmallVector<llvm::StringRef, 6>;
  Side input, output;

  /// Nothing and a sentence in `error` unless both sides hold the same letters,
  /// each once.
  static std::optional<ViewLabels> parse(llvm::StringRef text,
                                         std::string &error);
  std::string str() const;
};

/// The place of `letter` in `letters`, or nothing.
std::optional<unsigned> axisOf(llvm::StringRef letters, char letter);

/// True if `letters` is a list of distinct lower-case letters (or empty).
bool areDistinctLetters(llvm::StringRef letters);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_LABELS_H
