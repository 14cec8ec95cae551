//===- Print.h - From specs to text ---------------------------------------===//
//
// The canonical text of a spec (--emit=spec): defaults are written out, named
// masks and constants are expanded, so two specs that mean the same by the
// front end's rules print alike. It parses back to the same spec.
//
// Tests: test/Spec (--round-trip), test/Unit/Spec/CheckTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_PRINT_H
#define ATTNC_SPEC_PRINT_H

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace llvm {
class raw_ostream;
namespace json {
class Value;
} // namespace json
} // namespace llvm

namespace attnc::spec {

/// A YAML document per spec, separated by `---`.
void printSpecs(llvm::raw_ostream &os, llvm::ArrayRef<AttentionSpec> specs);

/// A formula with no more parentheses than needed.
std::string printFormula(const AttentionSpec &spec, const Expr &formula);

/// The `attention` of a spec as a formula of `score`.
std::string printAttention(const AttentionSpec &spec);

/// A mask for titles: the name of a mask that needs no parameters ("causal"),
/// or "mask " and the formula.
std::string titleOfMask(const AttentionSpec &spec);

/// The spec as one JSON object; its keys are those of the language, and the
/// same spec always gives the same bytes. `preconditions` is a list of texts.
llvm::json::Value describeSpec(const AttentionSpec &spec);

} // namespace attnc::spec

#endif // ATTNC_SPEC_PRINT_H
