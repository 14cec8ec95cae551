//===- State.h - The running state of linear attention ----------*- C++ -*-===//
//
// Where weights are products of a vector of the query, one of the key, and
// factors of one side or exponentials of sums of both,
//
//   w(q, k) = f(q) * sum over d of Q'(q, d) * K'(k, d) * D(q, k)
//
// all keys together are one matrix to the query in row r, which later rows can
// go on with:
//
//   S[d, e] = sum over the keys that row r may see of D(r, k) K'(k, d) V(k, e)
//
// D(q, k) = exp(u(q) + w(k)), so D(q, k) = D(r, k) * exp(u(q) - u(r)). What
// depends on the query alone is no part of the state, and neither is what
// depends on nothing.
//
// Tests: test/Spec/Keys/Outputs/outputs-state*.yaml,
// test/Import/Storage/state.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_STATE_H
#define ATTNC_SPEC_STATE_H

#include "attnc/Spec/Spec.h"

namespace attnc::spec {

/// The formulas of a state after the last row of queries: of b, g, k, the rows
/// K and V, and sizes.
struct StateFormula {
  ExprPtr keys;    // Vector: D(r, k) * K'(k)
  ExprPtr allowed; // Bool: the keys that row r may see. Null: all
  /// The weights are divided by their sum or by what is made of it: going on
  /// needs the sum of keys, too, a last column as if V had a last 1.
  bool hasSum = false;
};

/// Why an attention has no state.
struct StateProblem {
  std::string reason;
  std::string legal;
  llvm::SMRange place; // of what is in the way; may be invalid
};

/// The state of a spec whose formulas are proved, or nothing and why.
std::optional<StateFormula> findState(const AttentionSpec &spec,
                                      StateProblem &problem);

} // namespace attnc::spec

#endif // ATTNC_SPEC_STATE_H
