//===- Report.h - Diagnostics of the spec language by name ----------------===//
//
// Every message and every id of the front end is a row of Diagnostics.def.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_DIAGNOSTIC_REPORT_H
#define ATTNC_LIB_SPEC_DIAGNOSTIC_REPORT_H

#include "attnc/Support/SourceDiagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace attnc::spec {

enum class Message {
#define MESSAGE(Name, Id, Text) Name,
#include "Diagnostic/Diagnostics.def"
};

/// An id and what the reference says about it.
struct DiagnosticId {
  llvm::StringRef id;
  llvm::StringRef explanation;
};
llvm::ArrayRef<DiagnosticId> diagnosticIds();

/// The text of a message with `{0}`, `{1}`, ... replaced.
std::string formatMessage(Message message,
                          llvm::ArrayRef<std::string> arguments);

class Report {
public:
  explicit Report(SourceDiagnostics &sink) : sink(sink) {}

  SourceDiagnostic &error(Message message, llvm::SMRange range,
                          std::initializer_list<std::string> arguments = {});
  SourceDiagnostic &warning(Message message, llvm::SMRange range,
                            std::initializer_list<std::string> arguments = {});
  /// A note for all errors while it lives: what they are about.
  class About {
  public:
    About(Report &report, llvm::SMRange place, std::string text)
        : report(report) {
      report.about.emplace(place, std::move(text));
    }
    ~About() { report.about.reset(); }
    About(const About &) = delete;

  private:
    Report &report;
  };

  unsigned errors() const { return sink.errors(); }
  unsigned foundErrors() const { return sink.foundErrors(); }

  /// Characters of a buffer between two places.
  static llvm::StringRef textOf(llvm::SMRange range) {
    return {range.Start.getPointer(),
            size_t(range.End.getPointer() - range.Start.getPointer())};
  }

private:
  SourceDiagnostics &sink;
  std::optional<std::pair<llvm::SMRange, std::string>> about;
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_DIAGNOSTIC_REPORT_H
