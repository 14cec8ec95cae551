//===- Diagnostics.cpp - What the user gets to see ------------------------===//

#include "Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     const CommonOptions &options, bool explain)
    : SourceMgrDiagnosticHandler(sources, context, llvm::errs()),
      options(options), explain(explain) {
  setHandler([this](Diagnostic &diagnostic) { handle(diagnostic); });
}

void DiagnosticPrinter::handle(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Remark:
    remarkTexts.push_back(text);
    // Remarks tell a story; the place of each is in the dumps.
    if (explain)
      llvm::errs() << "  " << text << '\n';
    return;
  case DiagnosticSeverity::Warning: {
    bool isSlowPath = llvm::StringRef(text).ends_with("[slow-path]");
    if (isSlowPath && !options.warnSlowPath)
      return;
    if (options.warningsAreErrors) {
      InFlightDiagnostic error = emitError(diagnostic.getLocation(), text);
      for (Diagnostic &note : diagnostic.getNotes())
        error.attachNote(note.getLocation()) << note.str();
      return;
    }
    break;
  }
  case DiagnosticSeverity::Error:
    hasFailed = true;
    break;
  case DiagnosticSeverity::Note:
    break;
  }
  emitDiagnostic(diagnostic);
}

} // namespace attnc
