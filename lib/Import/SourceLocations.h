//===- SourceLocations.h - Places of a spec as MLIR locations ---*- C++ -*-===//
//
// Passes and code generators report errors at an op; with the formula's file,
// line and column on it, the report points into the spec.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_SOURCELOCATIONS_H
#define ATTNC_LIB_IMPORT_SOURCELOCATIONS_H

#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc::import {

class SourceLocations {
public:
  SourceLocations(mlir::MLIRContext &context, const llvm::SourceMgr &sources)
      : context(context), sources(sources) {}

  /// The start of `range`; `otherwise` for a node without a place (a default of
  /// the language).
  mlir::Location at(llvm::SMRange range, mlir::Location otherwise) const {
    if (!range.isValid())
      return otherwise;
    unsigned id = sources.FindBufferContainingLoc(range.Start);
    if (!id)
      return otherwise;
    auto [line, column] = sources.getLineAndColumn(range.Start, id);
    llvm::StringRef file = sources.getMemoryBuffer(id)->getBufferIdentifier();
    return mlir::FileLineColLoc::get(&context, file, line, column);
  }

private:
  mlir::MLIRContext &context;
  const llvm::SourceMgr &sources;
};

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_SOURCELOCATIONS_H
