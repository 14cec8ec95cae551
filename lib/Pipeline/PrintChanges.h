//===- PrintChanges.h - What each pass changed, as a diff -------*- C++ -*-===//

#ifndef ATTNC_LIB_PIPELINE_PRINTCHANGES_H
#define ATTNC_LIB_PIPELINE_PRINTCHANGES_H

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace attnc {

/// Prints after each pass the lines of functions that it changed (--print-
/// changed), to `os`, which must outlive the instrumentation.
std::unique_ptr<mlir::PassInstrumentation>
createChangePrinter(llvm::raw_ostream &os);

} // namespace attnc

#endif // ATTNC_LIB_PIPELINE_PRINTCHANGES_H
