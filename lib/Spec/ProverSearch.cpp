//===- ProverSearch.cpp - Contradictions, failures and bounds -------------===//

#include "Prover.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;

namespace attnc::spec {

/// How many choices are tried one within the other.
static constexpr unsigned maxChoices = 5;

/// The facts of a truth value. What is a choice goes to `more`, or is lost.
Prover::Facts Prover::factsOf(const ExprPtr &condition, bool value,
                              std::vector<Choice> *more) {
  const Expr &e = *condition;
  if (e.isConstant())
    return e.boolean == value ? Facts{} : Facts{LinearForm(-1)};
  if (e.kind != Expr::Apply)
    return {};
  if (e.op == Op::Not)
    return factsOf(e.operands[0], !value, more);
  if (e.op == Op::And || e.op == Op::Or) {
    bool both = (e.op == Op::And) == value;
    Facts left = factsOf(e.operands[0], value, both ? more : nullptr);
    Facts right = factsOf(e.operands[1], value, both ? more : nullptr);
    if (both) {
      left.insert(left.end(), right.begin(), right.end());
      return left;
    }
    if (more)
      more->push_back({left, right});
    return {};
  }
  if (e.operands.empty() || e.operands[0]->type != Type::Int || e.op < Op::Eq ||
      e.op > Op::Ge)
    return {};
  LinearForm difference = linear(e.operands[1]) - linear(e.operands[0]);
  LinearForm reverse = difference.scaled(-1), one(1);
  Op op = e.op;
  if (!value) {
    static constexpr Op opposite[] = {Op::Ne, Op::Eq, Op::Ge,
                                      Op::Gt, Op::Le, Op::Lt};
    op = opposite[unsigned(op) - unsigned(Op::Eq)];
  }
  switch (op) {
  case Op::Lt:
    return {difference - one};
  case Op::Le:
    return {difference};
  case Op::Gt:
    return {reverse - one};
  case Op::Ge:
    return {reverse};
  case Op::Eq:
    return {difference, reverse};
  default:
    if (more)
      more->push_back({{difference - one}, {reverse - one}});
    return {};
  }
}

void Prover::assume(const ExprPtr &condition, bool value) {
  Facts facts = factsOf(condition, value, &guardChoices);
  guards.insert(guards.end(), facts.begin(), facts.end());
}

void Prover::know(const ExprPtr &condition) {
  Facts facts = factsOf(condition, true, &knownChoices);
  known.insert(known.end(), facts.begin(), facts.end());
}

/// The symbol that a definition defines: it was made last.
static Symbol definedBy(const LinearForm &form) {
  return form.terms.empty() ? 0 : form.terms.rbegin()->first;
}

/// Whether a definition says something about the reached symbols. The facts of
/// a product name further products, so there each one counts.
bool Prover::speaksOf(const LinearForm &form,
                      const std::set<Symbol> &reached) const {
  return form.terms.empty() || reached.count(definedBy(form)) ||
         any_of(form.terms, [&](auto &term) {
           return symbols[term.first].factors && reached.count(term.first);
         });
}

/// The symbols that the facts, the guards and their definitions speak of.
std::set<Symbol> Prover::reach(const Facts &facts) {
  std::set<Symbol> reached;
  auto include = [&](const LinearForm &form) {
    bool grown = false;
    for (auto [symbol, coefficient] : form.terms)
      grown |= reached.insert(symbol).second;
    return grown;
  };
  for (const Facts *list :
       std::initializer_list<const Facts *>{&facts, &guards, &known})
    for_each(*list, include);
  for (const std::vector<Choice> *list : {&guardChoices, &knownChoices})
    for (const Choice &choice : *list)
      for (const Facts &one : choice)
        for_each(one, include);
  // What is left out makes fewer proofs, never wrong ones.
  for (bool grown = true; grown && budget;) {
    grown = false;
    budget -= std::min(budget, definitions.size() + choices.size());
    for (const LinearForm &form : definitions)
      if (speaksOf(form, reached))
        grown |= include(form);
    for (const Choice &choice : choices)
      if (reached.count(definedBy(choice[0].back())))
        for (const Facts &one : choice)
          for (const LinearForm &form : one)
            grown |= include(form);
  }
  return reached;
}

/// All that is known of the symbols of the facts, and they.
FactSet Prover::gather(const Facts &facts) {
  std::set<Symbol> reached = reach(facts);
  FactSet set;
  for (const LinearForm &form : definitions)
    if (speaksOf(form, reached))
      set.add(form);
  for (const Facts *list :
       std::initializer_list<const Facts *>{&facts, &guards, &known})
    for (const LinearForm &form : *list)
      set.add(form);
  return set;
}

const Prover::Choice *Prover::nextChoice(const Facts &facts, size_t &index) {
  std::set<Symbol> reached = reach(facts);
  while (index < choices.size()) {
    const Choice &choice = choices[index++];
    if (reached.count(definedBy(choice[0].back())))
      return &choice;
  }
  size_t rest = index - choices.size();
  if (rest >= guardChoices.size() + knownChoices.size())
    return nullptr;
  ++index;
  return rest < guardChoices.size() ? &guardChoices[rest]
                                    : &knownChoices[rest - guardChoices.size()];
}

bool Prover::contradicts(const Facts &facts, size_t firstChoice,
                         unsigned depth) {
  FactSet set = gather(facts);
  set.project([](Symbol) { return false; }, budget);
  if (set.contradicts())
    return true;
  const Choice *choice = nextChoice(facts, firstChoice);
  if (!choice || depth == maxChoices)
    return false;
  for (const Facts &one : *choice) {
    Facts more = facts;
    more.insert(more.end(), one.begin(), one.end());
    if (!contradicts(more, firstChoice, depth + 1))
      // Perhaps this choice is beside the point, and a later one helps.
      return false;
  }
  return true;
}

bool Prover::proves(const LinearForm &form) {
  if (form.overflow)
    return false;
  if (form.isConstant() && form.constant >= 0)
    return true;
  return contradicts({form.scaled(-1) - LinearForm(1)}, 0, 0);
}

void Prover::collectFailures(Facts facts, size_t firstChoice, unsigned depth,
                             std::vector<std::vector<LinearForm>> &result) {
  if (contradicts(facts, firstChoice, depth))
    return;
  const Choice *choice = nextChoice(facts, firstChoice);
  if (choice && depth < maxChoices) {
    for (const Facts &one : *choice) {
      Facts more = facts;
      more.insert(more.end(), one.begin(), one.end());
      collectFailures(more, firstChoice, depth + 1, result);
    }
    return;
  }
  FactSet set = gather(facts);
  set.project([&](Symbol symbol) { return sizeFormula(symbol) != nullptr; },
              budget);
  std::vector<LinearForm> needed;
  if (!budget) { // given up: nothing is certain
    result.push_back({});
    return;
  }
  for (const LinearForm &form : set.facts())
    if (!proves(form)) // else it says nothing new
      needed.push_back(form);
  // Nor does a fact that the others imply.
  for (size_t i = needed.size(); i-- > 0 && needed.size() > 1;) {
    Facts others = needed;
    others[i] = needed[i].scaled(-1) - LinearForm(1);
    FactSet rest = gather(others);
    rest.project([](Symbol) { return false; }, budget);
    if (rest.contradicts())
      needed.erase(needed.begin() + i);
  }
  if (!is_contained(result, needed))
    result.push_back(needed);
}

std::vector<std::vector<LinearForm>> Prover::failures(const LinearForm &form) {
  std::vector<std::vector<LinearForm>> result;
  if (form.overflow)
    return {{}};
  collectFailures({form.scaled(-1) - LinearForm(1)}, 0, 0, result);
  return result;
}

std::pair<std::optional<int64_t>, std::optional<int64_t>>
Prover::bounds(const LinearForm &form) {
  std::pair<std::optional<int64_t>, std::optional<int64_t>> result;
  if (form.overflow)
    return result;
  Symbol value = opaque(std::nullopt, std::nullopt);
  Facts facts = {LinearForm::of(value) - form, form - LinearForm::of(value)};
  for (Symbol s = 0; s < symbols.size(); ++s) {
    if (symbols[s].greatest != INT64_MAX)
      facts.push_back(LinearForm(symbols[s].greatest) - LinearForm::of(s));
    if (symbols[s].least != INT64_MIN)
      facts.push_back(LinearForm::of(s) - LinearForm(symbols[s].least));
  }
  FactSet set = gather(facts);
  set.project([&](Symbol symbol) { return symbol == value; }, budget);
  for (const LinearForm &fact : set.facts()) {
    if (fact.terms.size() != 1)
      continue;
    int64_t factor = fact.terms.begin()->second;
    if (factor > 0) // value >= -constant, the factor is 1 after the division
      result.first = -fact.constant;
    else
      result.second = fact.constant;
  }
  return result;
}

} // namespace attnc::spec
