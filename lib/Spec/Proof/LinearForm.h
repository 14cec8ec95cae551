//===- LinearForm.h - Sums of symbols, and what follows from them ---------===//
//
// A form is constant + sum of coefficient * symbol over the integers; a fact
// says that a form is >= 0. Whether facts contradict each other is found by
// eliminating one symbol after the other (Fourier and Motzkin), with rounding
// to integers on the way. What grows too large is dropped: facts may be lost,
// so "no contradiction" may be wrong, "contradiction" never is.
//
// Tests: test/Unit/Spec/LinearFormTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_LINEARFORM_H
#define ATTNC_LIB_SPEC_PROOF_LINEARFORM_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>
#include <vector>

namespace attnc::spec {

using Symbol = unsigned;

struct LinearForm {
  std::map<Symbol, int64_t> terms; // no zero coefficients
  int64_t constant = 0;
  bool overflow = false; // a number did not fit: nothing is known

  LinearForm() = default;
  LinearForm(int64_t constant) : constant(constant) {}
  static LinearForm of(Symbol symbol) {
    LinearForm form;
    form.terms[symbol] = 1;
    return form;
  }

  bool isConstant() const { return terms.empty() && !overflow; }
  LinearForm &add(const LinearForm &other, int64_t factor = 1);
  LinearForm scaled(int64_t factor) const {
    return LinearForm().add(*this, factor);
  }
  bool operator==(const LinearForm &) const = default;

  friend LinearForm operator+(LinearForm a, const LinearForm &b) {
    return a.add(b);
  }
  friend LinearForm operator-(LinearForm a, const LinearForm &b) {
    return a.add(b, -1);
  }
};

/// Towards minus infinity.
int64_t floorDivide(int64_t a, int64_t b);

/// A set of facts.
class FactSet {
public:
  /// Adds form >= 0.
  void add(LinearForm form);
  /// Removes all facts with a symbol that is not kept, with what follows from
  /// them for the others. The set then holds whenever the old one can. `budget`
  /// goes down with the work; at 0 the rest is left undone.
  void project(llvm::function_ref<bool(Symbol)> keep, size_t &budget);
  /// True only if no integers make all facts hold.
  bool contradicts() const { return contradiction; }
  std::vector<LinearForm> facts() const;

private:
  void eliminate(Symbol symbol);

  std::map<std::map<Symbol, int64_t>, int64_t> tightest; // terms -> constant
  bool contradiction = false;
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_LINEARFORM_H
