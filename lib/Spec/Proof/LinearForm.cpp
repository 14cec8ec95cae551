//===- LinearForm.cpp - Sums of symbols, and what follows from them -------===//

#include "Proof/LinearForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <optional>
#include <set>

using namespace llvm;

namespace attnc::spec {

/// More facts than this are not kept in an elimination.
static constexpr size_t maxFacts = 300;

LinearForm &LinearForm::add(const LinearForm &other, int64_t factor) {
  overflow |= other.overflow;
  auto accumulate = [&](int64_t &target, int64_t value) {
    int64_t product, sum = 0;
    overflow |= bool(MulOverflow(value, factor, product)) ||
                bool(AddOverflow(target, product, sum));
    target = sum;
  };
  accumulate(constant, other.constant);
  for (auto [symbol, coefficient] : other.terms) {
    accumulate(terms[symbol], coefficient);
    if (!terms[symbol])
      terms.erase(symbol);
  }
  return *this;
}

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

void FactSet::add(LinearForm form) {
  constexpr int64_t limit = INT64_C(1) << 61;
  bool large = form.overflow || form.constant > limit || form.constant < -limit;
  uint64_t divisor = 0;
  for (auto [symbol, coefficient] : form.terms) {
    large |= coefficient > limit || coefficient < -limit;
    divisor = std::gcd(divisor, uint64_t(std::abs(coefficient)));
  }
  if (large)
    return;
  if (form.terms.empty()) {
    contradiction |= form.constant < 0;
    return;
  }
  for (auto &[symbol, coefficient] : form.terms)
    coefficient /= int64_t(divisor);
  form.constant = floorDivide(form.constant, int64_t(divisor));
  auto [place, isNew] = tightest.try_emplace(form.terms, form.constant);
  if (!isNew)
    place->second = std::min(place->second, form.constant);
}

std::vector<LinearForm> FactSet::facts() const {
  std::vector<LinearForm> result;
  for (auto &[terms, constant] : tightest) {
    result.emplace_back(constant);
    result.back().terms = terms;
  }
  return result;
}

void FactSet::eliminate(Symbol symbol) {
  std::vector<std::pair<LinearForm, int64_t>> lower, upper;
  FactSet rest;
  rest.contradiction = contradiction;
  for (LinearForm &form : facts()) {
    auto term = form.terms.find(symbol);
    if (term == form.terms.end())
      rest.add(form);
    else if (term->second > 0)
      lower.push_back({form, term->second});
    else
      upper.push_back({form, -term->second});
  }
  for (auto &[low, a] : lower)
    for (auto &[high, b] : upper)
      if (rest.tightest.size() < maxFacts)
        rest.add(low.scaled(b).add(high, a));
  *this = std::move(rest);
}

void FactSet::project(function_ref<bool(Symbol)> keep, size_t &budget) {
  while (!contradiction) {
    // The symbol that gives the fewest new facts goes first.
    std::map<Symbol, std::pair<size_t, size_t>> uses;
    for (auto &[terms, constant] : tightest)
      for (auto [symbol, coefficient] : terms)
        ++(coefficient > 0 ? uses[symbol].first : uses[symbol].second);
    std::optional<Symbol> next;
    size_t fewest = 0;
    for (auto &[symbol, use] : uses) {
      size_t facts = use.first * use.second;
      if (!keep(symbol) && (!next || facts < fewest)) {
        next = symbol;
        fewest = facts;
      }
    }
    size_t work = tightest.size() + fewest;
    if (!next || work > budget) {
      budget = next ? 0 : budget;
      return;
    }
    budget -= work;
    eliminate(*next);
  }
}

} // namespace attnc::spec
