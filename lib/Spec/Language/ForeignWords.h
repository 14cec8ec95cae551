//===- ForeignWords.h - Words of other frameworks, and ours ---------------===//
//
// ForeignWords.def as data, and what an error about such a word says.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_LANGUAGE_FOREIGNWORDS_H
#define ATTNC_LIB_SPEC_LANGUAGE_FOREIGNWORDS_H

#include "Diagnostic/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace attnc::spec {

struct ForeignWord {
  llvm::StringRef theirs;
  llvm::StringRef value; // of a key: the row is for it only; empty: for each
  llvm::StringRef ours;  // a word, or a line with {0} for the value
  llvm::StringRef note;

  bool isLine() const { return ours.contains(':'); }
};

/// The row of a name in a formula, or null.
const ForeignWord *findForeignName(llvm::StringRef name);

/// What others call an element type, in our words; empty if nobody does.
llvm::StringRef findForeignType(llvm::StringRef name);

/// What an argument that others have is called here, among `names`; or empty.
llvm::StringRef findForeignArgument(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::StringRef> names);

/// The formula for a call of a function that others have, with its arguments:
/// "Q @ K" for dot(Q, K). `range` is the call; it gets parentheses where others
/// would bind its parts. Empty if there is none.
std::string formulaOfCall(llvm::StringRef name,
                          llvm::ArrayRef<llvm::StringRef> arguments,
                          llvm::SMRange range);

/// The size that others call `name` in a list of axes; empty if nobody does.
llvm::StringRef findForeignAxis(llvm::StringRef name);

/// Whether others put `name` and a point before the name of a function.
bool isForeignModule(llvm::StringRef name);

/// An entry whose key is none of the language.
struct UnknownEntry {
  llvm::StringRef key, value; // value: empty if it is no text
  llvm::SMRange keyRange, range;
  llvm::StringRef separator; // between a key and its value
};

/// Tells that there is no such key and what is written instead. `isSet` says
/// whether a key of ours is set already. Returns the key that is meant, or
/// nothing.
llvm::StringRef
reportUnknownKey(Report &report, const UnknownEntry &entry,
                 llvm::function_ref<bool(llvm::StringRef)> isSet);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_LANGUAGE_FOREIGNWORDS_H
