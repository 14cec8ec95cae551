//===- SizeConditions.cpp - What a call must ask of its sizes -------------===//

#include "Proof/SizeConditions.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <tuple>

using namespace llvm;

namespace attnc::spec {

/// More conditions than these are no interface.
static constexpr unsigned maxConditions = 3;

bool SizeConditions::isOfSizes(const LinearForm &form) const {
  return !form.overflow && all_of(form.terms, [&](auto &term) {
    return prover.sizeFormula(term.first) != nullptr;
  });
}

ExprPtr SizeConditions::sum(const LinearForm &form) const {
  // In the order of the text, so that it does not depend on how the symbols
  // came about.
  std::vector<std::tuple<bool, std::string, ExprPtr>> terms;
  for (auto [symbol, coefficient] : form.terms) {
    ExprPtr term = prover.sizeFormula(symbol);
    if (std::abs(coefficient) != 1)
      term =
          makeApply(Op::Mul, Type::Int, {makeInt(std::abs(coefficient)), term});
    terms.emplace_back(coefficient < 0, printFormula(spec, *term), term);
  }
  bool onlyNegative =
      all_of(terms, [](auto &term) { return std::get<0>(term); });
  if (form.constant && (form.constant < 0 || !onlyNegative))
    terms.emplace_back(form.constant < 0, "~",
                       makeInt(form.constant == INT64_MIN
                                   ? INT64_MAX
                                   : std::abs(form.constant)));
  llvm::sort(terms, [](auto &a, auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b));
  });
  ExprPtr result;
  if (onlyNegative && form.constant > 0) // 1 - n, not -n + 1
    result = makeInt(form.constant);
  for (auto &[minus, text, term] : terms) {
    if (!result)
      result = minus ? term->isConstant()
                           ? makeInt(-term->integer)
                           : makeApply(Op::Neg, Type::Int, {term})
                     : term;
    else
      result = makeApply(minus ? Op::Sub : Op::Add, Type::Int, {result, term});
  }
  return result ? result : makeInt(0);
}

/// a % b <= rest or null, where needed is rest - (a - b * (a // b)).
ExprPtr SizeConditions::remainder(const LinearForm &needed) const {
  for (auto [symbol, coefficient] : needed.terms) {
    const auto &block = prover.blockOf(symbol);
    if (!block || coefficient != block->b)
      continue;
    LinearForm rest =
        needed + block->a - LinearForm::of(symbol).scaled(block->b);
    if (!rest.isConstant())
      continue;
    const Expr &quotient = *prover.sizeFormula(symbol);
    ExprPtr mod = makeApply(Op::Mod, Type::Int, quotient.operands);
    return makeApply(rest.constant ? Op::Le : Op::Eq, Type::Bool,
                     {mod, makeInt(rest.constant)});
  }
  return nullptr;
}

/// needed >= 0 with positive terms on both sides.
ExprPtr SizeConditions::inequality(const LinearForm &needed) const {
  if (ExprPtr ofRemainder = remainder(needed))
    return ofRemainder;
  LinearForm left, right; // left <= right
  for (auto [symbol, coefficient] : needed.terms)
    (coefficient < 0 ? left : right).terms[symbol] = std::abs(coefficient);
  (needed.constant < 0 ? left : right).constant = std::abs(needed.constant);
  return left.terms.empty()
             ? makeApply(Op::Ge, Type::Bool, {sum(right), sum(left)})
             : makeApply(Op::Le, Type::Bool, {sum(left), sum(right)});
}

/// Whether there are sizes for which needed >= 0 that a spec can mean: not one
/// size at most 1, nor one above the greatest.
bool SizeConditions::hasUse(const LinearForm &needed) const {
  auto term = needed.terms.begin();
  bool leavesOne = needed.terms.size() == 1 && term->second < 0 &&
                   needed.constant < 2 * -term->second;
  std::optional<int64_t> greatest = prover.bounds(needed).second;
  return !leavesOne && (!greatest || *greatest >= 0);
}

/// A failure is a list of facts: each one's contrary rules it out. Simple ones
/// come first.
std::vector<SizeConditions::Candidate> SizeConditions::candidates(
    const std::vector<std::vector<LinearForm>> &failures) const {
  std::vector<Candidate> result;
  for (const std::vector<LinearForm> &failure : failures)
    for (const LinearForm &fact : failure) {
      LinearForm needed = fact.scaled(-1) - LinearForm(1);
      if (needed.terms.empty() || !isOfSizes(needed) || !hasUse(needed))
        continue;
      ExprPtr condition = inequality(needed);
      result.push_back({needed, condition, printFormula(spec, *condition)});
    }
  llvm::sort(result, [](const Candidate &a, const Candidate &b) {
    size_t aSize = a.needed.terms.size(), bSize = b.needed.terms.size();
    return std::tie(aSize, a.text) < std::tie(bSize, b.text);
  });
  return result;
}

/// The least and greatest value of each quotient of the form, as a quotient of
/// sizes: what follows from its defining facts is not exact if it is scaled.
void SizeConditions::limitBlocks(const LinearForm &form,
                                 std::vector<LinearForm> &facts) {
  for (auto [symbol, coefficient] : form.terms) {
    std::optional<Prover::BlockOf> block = prover.blockOf(symbol);
    if (!block || prover.sizeFormula(symbol))
      continue;
    limitBlocks(block->a, facts);
    for (bool greatest : {false, true}) {
      std::optional<LinearForm> end = prover.endOf(block->a, greatest);
      if (!end || !isOfSizes(*end))
        continue;
      ExprPtr quotient =
          makeApply(Op::FloorDiv, Type::Int, {sum(*end), makeInt(block->b)});
      LinearForm last = end->isConstant() ? floorDivide(end->constant, block->b)
                                          : prover.linear(quotient);
      facts.push_back(prover.limit(symbol, last, greatest));
    }
  }
}

std::vector<ExprPtr> SizeConditions::sufficient(const LinearForm &form) {
  std::vector<LinearForm> ends;
  limitBlocks(form, ends);
  auto failures = prover.failures(form, ends);
  if (any_of(failures, [](auto &failure) { return failure.empty(); }))
    return {};
  for (const Candidate &candidate : candidates(failures)) {
    Prover::Supposition supposed(prover, candidate.needed);
    if (prover.proves(form))
      return {candidate.condition};
  }
  // Several together: against one failure after the other.
  std::vector<std::unique_ptr<Prover::Supposition>> supposed;
  std::vector<ExprPtr> result;
  while (result.size() < maxConditions && !failures.empty()) {
    std::vector<Candidate> against = candidates({failures.front()});
    if (against.empty())
      return {};
    supposed.push_back(
        std::make_unique<Prover::Supposition>(prover, against.front().needed));
    result.push_back(against.front().condition);
    if (prover.proves(form))
      return result;
    failures = prover.failures(form, ends);
  }
  return {};
}

} // namespace attnc::spec
