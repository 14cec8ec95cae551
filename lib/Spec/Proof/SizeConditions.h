//===- SizeConditions.h - What a call must ask of its sizes ---------------===//
//
// A form that is >= 0 for some sizes only: finds few and simple inequalities
// of sizes that suffice, one if possible. They may ask for more than needed,
// never for less.
//
// Tests: test/Spec/Proofs
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_SIZECONDITIONS_H
#define ATTNC_LIB_SPEC_PROOF_SIZECONDITIONS_H

#include "Proof/Prover.h"

namespace attnc::spec {

class SizeConditions {
public:
  SizeConditions(const AttentionSpec &spec, Prover &prover)
      : spec(spec), prover(prover) {}

  /// Conditions that together make form >= 0 hold; none if sizes do not decide
  /// it, or only by leaving a size no value above 1.
  std::vector<ExprPtr> sufficient(const LinearForm &form);

  bool isOfSizes(const LinearForm &form) const;
  /// A form over sizes as a formula.
  ExprPtr sum(const LinearForm &form) const;

private:
  struct Candidate {
    LinearForm needed; // >= 0
    ExprPtr condition;
    std::string text;
  };
  void limitBlocks(const LinearForm &form, std::vector<LinearForm> &facts);
  bool hasUse(const LinearForm &needed) const;
  ExprPtr remainder(const LinearForm &needed) const;
  std::vector<Candidate>
  candidates(const std::vector<std::vector<LinearForm>> &failures) const;
  ExprPtr inequality(const LinearForm &needed) const;

  const AttentionSpec &spec;
  Prover &prover;
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_SIZECONDITIONS_H
