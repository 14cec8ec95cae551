//===- IndexOrder.h - Variables that index the axis of another one --------===//
//
// b counts along batch, h along heads, q and k along kv_len, and so on. With
// G: [batch, heads, kv_len], G[b, q, h] is legal for calls of one length only,
// which is nobody's wish: two indices have changed places.
//
// Tests: test/Spec/Inputs/Indices/index-order*.yaml, index-of-one*.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_INDEXORDER_H
#define ATTNC_LIB_SPEC_PROOF_INDEXORDER_H

#include "Diagnostic/Report.h"
#include "Proof/Prover.h"

#include "attnc/Spec/Spec.h"

namespace attnc::spec {

/// What an index that is a variable counts along, by index in `sizes`.
std::optional<unsigned> sizeOfIndex(const AttentionSpec &spec,
                                    const Expr &index);

/// The axis as one of the sizes that variables count along.
std::optional<unsigned> countedAxis(const AttentionSpec &spec,
                                    const Expr &axis);

/// False after an error: an index that is a variable stands in another axis
/// than its own, and another index in its own. Axes go by the names that the
/// spec gives them, also where two names are one size.
bool checkIndexOrder(const AttentionSpec &spec, Report &report,
                     const Expr &load);

/// Reports an index that is a variable and may exceed the axis of another one;
/// false where the axis is no such axis.
bool reportOtherAxis(const AttentionSpec &spec, Report &report,
                     const Expr &load, unsigned axis);

/// Warns of an index that is made of a row of one sequence, in an axis that
/// counts the rows of all: each sequence would read what belongs to the first
/// rows, or, where it counts from the start of the sequence, to another one.
void warnIndexOfOne(const AttentionSpec &spec, Report &report, Prover &prover,
                    const Expr &load, unsigned axis);

/// Warns of an index that is a variable, or its blocks, and stands in an axis
/// that counts something else, so that every call has to meet `conditions`.
void warnForeignIndex(const AttentionSpec &spec, Report &report,
                      const Expr &load, unsigned axis,
                      llvm::ArrayRef<Precondition> conditions);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_INDEXORDER_H
