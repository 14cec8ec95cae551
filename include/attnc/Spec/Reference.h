//===- Reference.h - The language's tables as a document ------------------===//
//
// docs/spec-reference.md is what printReference writes: tests compare them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_REFERENCE_H
#define ATTNC_SPEC_REFERENCE_H

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace attnc::spec {

/// Writes the reference of keys, formulas, named masks, inputs and diagnostics
/// as Markdown.
void printReference(llvm::raw_ostream &os);

} // namespace attnc::spec

#endif // ATTNC_SPEC_REFERENCE_H
