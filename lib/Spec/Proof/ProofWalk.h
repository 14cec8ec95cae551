//===- ProofWalk.h - Proves a formula node by node --------------*- C++ -*-===//

#ifndef ATTNC_LIB_SPEC_PROOF_PROOFWALK_H
#define ATTNC_LIB_SPEC_PROOF_PROOFWALK_H

#include "Diagnostic/Report.h"
#include "Proof/Interval.h"
#include "Proof/Prover.h"
#include "Proof/SizeConditions.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc::spec {

/// A rewritten formula and, of an int, its least and greatest value.
struct Proved {
  ExprPtr e; // null after an error
  Interval interval;
};

/// Whether `text`, the formula printed, is what the file has at its range. In
/// the call of a macro it is not, and no fix can be placed there.
bool isWritten(const Expr &e, llvm::StringRef text);

class ProofWalk {
public:
  ProofWalk(AttentionSpec &spec, Report &report, llvm::StringRef where,
            Domain domain)
      : spec(spec), report(report), where(where),
        ofSizes(!domain.batch && !domain.row && !domain.key),
        prover(spec, domain), sizes(spec, prover),
        anywhere(spec, Domain{false, false, false, /*ranges=*/false}) {
    for (const Precondition &condition : spec.preconditions)
      know(condition.condition);
  }

  /// Proves a formula once, however often it is used: what is proved holds
  /// wherever more is given.
  Proved visit(const ExprPtr &e);
  /// Takes a truth value as given in all that is visited next.
  void assume(const ExprPtr &condition, bool value) {
    prover.assume(condition, value);
    assumed.push_back({condition, value});
  }
  /// Takes it as given in the whole formula.
  void assumeThroughout(const ExprPtr &condition) {
    assume(condition, true);
    given = assumed.size();
  }
  void know(const ExprPtr &condition) {
    prover.know(condition);
    anywhere.know(condition);
  }

private:
  using Known = llvm::DenseMap<const Expr *, Proved>;

  Proved visitNode(const ExprPtr &e);
  Proved visitAnywhere(const ExprPtr &e);
  std::vector<Proved> visitOperands(const ExprPtr &e);
  Proved visitLoad(const ExprPtr &e);
  Proved visitApply(const ExprPtr &e);
  Proved visitGuarded(const ExprPtr &e);
  Proved visitFeatures(const ExprPtr &e);
  void assumeOfPair(const ExprPtr &condition, bool value);
  Proved rebuild(const ExprPtr &e, std::vector<Proved> operands);
  Interval leaf(const ExprPtr &e);
  bool checkIndex(const ExprPtr &load, unsigned axis);
  bool checkSide(const ExprPtr &load, unsigned axis, const LinearForm &form,
                 bool low);
  bool checkDivisor(ExprPtr &divisor);
  bool checkOverflow(const ExprPtr &e, Interval &interval);
  bool limitFactors(const ExprPtr &e);
  std::string asReal(const Expr &e) const;
  const Expr *freeTable(const Expr &e) const;
  using Intervals = llvm::DenseMap<const Expr *, Interval>;
  Interval intervalIn(const ExprPtr &e);
  Interval intervalIn(const ExprPtr &e, Intervals &known);
  bool addPreconditions(const LinearForm &form, const std::string &reason,
                        llvm::SMRange range);
  void reportIndex(const ExprPtr &load, unsigned axis, bool low,
                   const std::vector<std::vector<LinearForm>> &failures);
  std::string extreme(const ExprPtr &index, bool low, const LinearForm &extent,
                      const std::vector<std::vector<LinearForm>> &failures);
  std::string print(const Expr &e) const { return printFormula(spec, e); }

  AttentionSpec &spec;
  Report &report;
  llvm::StringRef where;
  bool ofSizes; // computed before the preconditions are checked
  Prover prover;
  SizeConditions sizes;
  Prover anywhere; // knows no variable's range
  llvm::SmallVector<std::pair<ExprPtr, bool>> assumed;
  /// What is proved: where nothing is assumed but for the whole formula, then
  /// under each further condition.
  std::vector<Known> known = std::vector<Known>(1);
  llvm::DenseSet<const Expr *> visited,
      guarded;          // guarded: not proved everywhere
  size_t given = 0;     // so many of the first assumed hold throughout
  bool isTrial = false; // reports nothing, asks nothing of the call
  size_t visits = 0;
  bool isTooLong = false;
  /// Whether what is visited may become a float without a change around it.
  bool mayBeReal = false;
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_PROOFWALK_H
