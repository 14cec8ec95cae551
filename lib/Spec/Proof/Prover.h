//===- Prover.h - What is known about the ints of a formula ---------------===//
//
// Knows the ranges of b, h, g, i, k and of the sizes, reads int formulas as
// linear forms of them, and takes truth values as guards. What is not linear
// (a table's entry, a quotient, a minimum) becomes a symbol of its own with
// the facts that define it; where the definition is a choice, both cases are
// tried.
//
// Tests: test/Unit/Spec/ProverTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_PROOF_PROVER_H
#define ATTNC_LIB_SPEC_PROOF_PROVER_H

#include "Proof/LinearForm.h"

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attnc::spec {

/// Sizes are below 2^31: the call checks it.
constexpr int64_t maxSize = (INT64_C(1) << 31) - 1;

/// Which of b, i and k exist where a formula is evaluated; a size whose
/// variable exists is at least 1. `ranges` off: nothing is known of variables
/// and tables, so that what is proved holds even where a kernel computes rows
/// and keys past the end.
struct Domain {
  bool batch = true;
  bool row = true;
  bool key = true;
  bool ranges = true;
};

class Prover {
public:
  Prover(const AttentionSpec &spec, Domain domain)
      : spec(spec), domain(domain) {}

  LinearForm linear(const ExprPtr &e);

  /// Takes a truth value as given until it is forgotten.
  void assume(const ExprPtr &condition, bool value);
  /// Takes it as given for good.
  void know(const ExprPtr &condition);
  /// Takes form >= 0 as given while it lives; the last made goes first.
  class Supposition {
  public:
    Supposition(Prover &prover, const LinearForm &form) : prover(prover) {
      prover.known.push_back(form);
      ++prover.supposed;
    }
    ~Supposition() {
      prover.known.pop_back();
      --prover.supposed;
    }
    Supposition(const Supposition &) = delete;

  private:
    Prover &prover;
  };
  struct Mark {
    size_t facts, choices;
  };
  Mark mark() const { return {guards.size(), guardChoices.size()}; }
  void forget(Mark mark) {
    guards.resize(mark.facts);
    guardChoices.resize(mark.choices);
  }
  /// Takes nothing as given but what is assumed while it lives.
  class SetAside {
  public:
    explicit SetAside(Prover &prover)
        : prover(prover), facts(std::exchange(prover.guards, {})),
          choices(std::exchange(prover.guardChoices, {})) {}
    ~SetAside() {
      prover.guards = std::move(facts);
      prover.guardChoices = std::move(choices);
    }
    SetAside(const SetAside &) = delete;

  private:
    Prover &prover;
    std::vector<LinearForm> facts;
    std::vector<std::vector<std::vector<LinearForm>>> choices;
  };

  /// True only if the form is >= 0 wherever the formula is evaluated.
  bool proves(const LinearForm &form);
  /// Forms over sizes; if one of each inner list is < 0 then form >= 0 holds.
  /// An empty inner list: it may fail for all sizes. `others` are facts to
  /// start from, besides those that the definitions of its symbols give.
  std::vector<std::vector<LinearForm>>
  failures(const LinearForm &form, const std::vector<LinearForm> &others = {});
  /// Least and greatest value of a form for sizes up to maxSize, if known.
  std::pair<std::optional<int64_t>, std::optional<int64_t>>
  bounds(const LinearForm &form) {
    return boundsFrom(typeLimits(), form);
  }

  /// The greatest value of a form with a quotient by a size, or the least: what
  /// a failure says of it is less exact, as is all that is said of products.
  std::optional<LinearForm> endOfQuotient(const LinearForm &form,
                                          bool greatest) const;
  /// a of a symbol that is a // b for a constant b > 0.
  struct BlockOf {
    LinearForm a;
    int64_t b;
  };
  const std::optional<BlockOf> &blockOf(Symbol symbol) const {
    return symbols[symbol].block;
  }
  /// The greatest value of a form, or the least, as a form of sizes.
  std::optional<LinearForm> endOf(const LinearForm &form, bool greatest) const;
  /// Takes a form of sizes as the greatest value of a symbol, or the least, and
  /// returns that as a fact.
  LinearForm limit(Symbol symbol, const LinearForm &end, bool greatest);
  /// The symbol as a formula of sizes, or null if it is none.
  ExprPtr sizeFormula(Symbol symbol) const;

private:
  using Facts = std::vector<LinearForm>;
  using Bounds = std::pair<std::optional<int64_t>, std::optional<int64_t>>;
  using Choice = std::vector<Facts>; // one of them holds
  using Choices = std::vector<const Choice *>;

  LinearForm linearNode(const ExprPtr &e);
  LinearForm linearApply(const ExprPtr &e);
  LinearForm linearPower(const ExprPtr &e);
  LinearForm linearQuotient(const ExprPtr &e);
  LinearForm linearChoice(const ExprPtr &e);
  LinearForm linearLoad(const ExprPtr &e);
  LinearForm variable(Variable v);
  LinearForm size(unsigned index);
  LinearForm length(unsigned index);
  Symbol blocks(const ExprPtr &e, const LinearForm &a, int64_t b);
  void boundQuotient(const LinearForm &quotient, const LinearForm &a,
                     int64_t b);
  std::optional<LinearForm> dividedBy(const LinearForm &form,
                                      Symbol divisor) const;
  bool holdsAlways(const LinearForm &form);
  LinearForm least(const LinearForm &a, const LinearForm &b, int64_t sign);
  bool isEverPositive(const LinearForm &form) const;
  LinearForm product(const LinearForm &a, const LinearForm &b);
  Symbol productSymbol(Symbol a, Symbol b);
  Symbol opaque(std::optional<LinearForm> low, std::optional<LinearForm> high);
  Facts factsOf(const ExprPtr &condition, bool value,
                std::vector<Choice> *more);
  Facts factsOf(const ExprPtr &condition, bool value, std::vector<Choice> *more,
                size_t &parts);
  bool contradicts(const Facts &facts, llvm::ArrayRef<const Choice *> order);
  void collectFailures(const Facts &facts, llvm::ArrayRef<const Choice *> order,
                       std::vector<std::vector<LinearForm>> &result);
  Bounds boundsFrom(const Facts &given, const LinearForm &form);
  Facts typeLimits() const;
  void dropImplied(Facts &facts);
  Facts contraryOf(const LinearForm &form);
  FactSet gather(const Facts &facts);
  bool speaksOf(const LinearForm &form, const std::set<Symbol> &reached) const;
  std::set<Symbol> reach(const Facts &facts, bool withGuards);
  Choices choicesFor(const Facts &facts);

  struct SymbolInfo {
    std::optional<LinearForm> low, high; // of sizes and constants only
    std::optional<unsigned> size;        // index of the size
    std::optional<std::pair<Symbol, Symbol>> factors;
    std::optional<BlockOf> block;
    ExprPtr formula;                                 // of such a one
    int64_t least = INT64_MIN, greatest = INT64_MAX; // of the dtype or size
  };

  const AttentionSpec &spec;
  Domain domain;
  size_t budget = 4000000; // steps, well below a second in all
  std::vector<SymbolInfo> symbols;
  Facts definitions;
  std::vector<Choice> choices;
  Facts guards;
  std::vector<Choice> guardChoices;
  Facts known;
  std::vector<Choice> knownChoices;
  size_t supposed = 0;             // so many of the last known
  std::map<int, Symbol> variables; // by Variable
  std::map<unsigned, Symbol> sizes;
  std::set<unsigned> lengths; // of sequences, of which facts are known
  std::map<std::pair<Symbol, Symbol>, Symbol> products;
  struct Quotient {
    LinearForm a, b, result, rest;
  };
  const Quotient &positiveQuotient(const LinearForm &a, const LinearForm &b);
  std::vector<Quotient> quotients; // by what is always positive
  struct Seen {
    ExprPtr e;
    LinearForm form;
  };
  std::unordered_map<uint64_t, std::vector<Seen>> seen; // by hash
};

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_PROOF_PROVER_H
