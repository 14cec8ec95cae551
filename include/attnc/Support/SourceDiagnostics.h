//===- SourceDiagnostics.h - Errors that point into a text ----------------===//
//
// What a reader of a text has to say is collected first and printed at the
// end, so that it comes in the order of the file however many passes looked at
// it. A diagnostic has one place, a message with an id, and what helps: other
// places, what is legal, what to type.
//
//   a.yaml:2:1: error: unknown key 'head' [unknown-key]
//       2 | head: 12
//         | ^~~~ fix: heads
//
// Tests: test/Unit/Support/SourceDiagnosticsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SUPPORT_SOURCEDIAGNOSTICS_H
#define ATTNC_SUPPORT_SOURCEDIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace attnc {

/// One thing to say about a text.
class SourceDiagnostic {
public:
  enum class Severity { Error, Warning };

  SourceDiagnostic(Severity severity, llvm::StringRef id, llvm::SMRange range,
                   const llvm::Twine &message)
      : severity(severity), id(id), message(message.str()), range(range) {}

  /// Adds what is legal or what may be meant. Stands behind the caret.
  SourceDiagnostic &note(const llvm::Twine &text);
  /// Adds another place that matters; stands on a line of its own.
  SourceDiagnostic &note(llvm::SMRange place, const llvm::Twine &text);
  /// Adds the text to type instead; only where it is certain. An empty text is
  /// left out.
  SourceDiagnostic &fix(const llvm::Twine &text);

  struct Remark {
    std::string text;    // with "note: " or "fix: "
    llvm::SMRange range; // invalid: belongs to the caret's line
  };

  Severity severity;
  std::string id; // may be empty
  std::string message;
  llvm::SMRange range; // invalid: about the text as a whole
  std::vector<Remark> remarks;
};

/// Collects diagnostics about the buffers of a SourceMgr.
class SourceDiagnostics {
public:
  /// At most this many errors are printed in one run.
  static constexpr unsigned shownErrors = 20;

  explicit SourceDiagnostics(const llvm::SourceMgr &sources)
      : sources(sources) {}

  /// Warnings with one of these ids are not kept.
  void hideWarnings(llvm::ArrayRef<std::string> ids) {
    hidden.assign(ids.begin(), ids.end());
  }
  /// Warnings are kept as errors from now on.
  void makeWarningsErrors() { warningsAreErrors = true; }

  /// The same message about the same place is kept once. The returned
  /// reference stays valid while this object lives.
  SourceDiagnostic &error(llvm::StringRef id, llvm::SMRange range,
                          const llvm::Twine &message);
  SourceDiagnostic &warning(llvm::StringRef id, llvm::SMRange range,
                            const llvm::Twine &message);

  unsigned errors() const { return errorCount; }
  /// With those that are kept once: an error of --set is one of each function.
  unsigned foundErrors() const { return foundCount; }
  unsigned warnings() const { return warningCount; }
  const llvm::SourceMgr &sourceMgr() const { return sources; }

  /// All diagnostics in the order of the buffers and of the text.
  std::vector<const SourceDiagnostic *> sorted() const;

  /// Prints them with their source lines, and a line with the count of errors
  /// if there are any; in colour if the stream's colours are enabled.
  void print(llvm::raw_ostream &os) const;

private:
  void print(llvm::raw_ostream &os, const SourceDiagnostic &d) const;

  const llvm::SourceMgr &sources;
  std::deque<SourceDiagnostic> diagnostics, repeated;
  std::set<std::pair<const char *, std::string>> told;
  std::vector<std::string> hidden;
  bool warningsAreErrors = false;
  unsigned errorCount = 0, foundCount = 0;
  unsigned warningCount = 0;
};

} // namespace attnc

#endif // ATTNC_SUPPORT_SOURCEDIAGNOSTICS_H
