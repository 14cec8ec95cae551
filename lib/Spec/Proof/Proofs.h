//===- Proofs.h - Indices in range, no zero divisors, no overflow ---------===//
//
// Goes through a checked formula and proves, under the guards on the way, that
// every index of every input is in range, that no int divisor is 0, and that
// no int overflows. What only sizes decide becomes a precondition of the call;
// what is not proved is an error.
//
// A divisor that is proved by a guard or by the range of a variable is replaced
// by max(divisor, 1), since a kernel computes past the end and both branches
// of a choice: no evaluation divides by 0, guard or not.
//
// Tests: test/Spec/Proofs
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_PROOFS_H
#define ATTNC_LIB_SPEC_PROOF_PROOFS_H

#include "Diagnostic/Report.h"
#include "Proof/Prover.h"

#include "attnc/Spec/Spec.h"

#include <string>

namespace attnc::spec {

/// Proves one formula of a spec whose sizes, inputs and offset are known. A
/// guard holds where the formula is evaluated; it may be null. Preconditions go
/// to the spec. Null after an error.
ExprPtr proveFormula(AttentionSpec &spec, Report &report,
                     const ExprPtr &formula, llvm::StringRef where,
                     Domain domain, const ExprPtr &guard);

/// Whether every key that the mask lets row q see has k <= q.
bool isCausal(const AttentionSpec &spec, const ExprPtr &mask);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_PROOFS_H
