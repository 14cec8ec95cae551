//===- ProverSearch.cpp - Contradictions, failures and bounds -------------===//

#include "Proof/Prover.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;

namespace attnc::spec {

/// How many choices are tried one within the other.
static constexpr unsigned maxChoices = 5;

/// Of a condition of more parts, those behind it are lost: fewer proofs, never
/// wrong ones.
static constexpr size_t maxParts = 4000;

/// The facts of a truth value. What is a choice goes to `more`, or is lost.
Prover::Facts Prover::factsOf(const ExprPtr &condition, bool value,
                              std::vector<Choice> *more) {
  size_t parts = 0;
  return factsOf(condition, value, more, parts);
}

Prover::Facts Prover::factsOf(const ExprPtr &condition, bool value,
                              std::vector<Choice> *more, size_t &parts) {
  if (++parts > maxParts)
    return {};
  const Expr &e = *condition;
  if (e.isConstant())
    return e.boolean == value ? Facts{} : Facts{LinearForm(-1)};
  if (e.kind != Expr::Apply)
    return {};
  if (e.op == Op::Not)
    return factsOf(e.operands[0], !value, more, parts);
  if (e.op == Op::And || e.op == Op::Or) {
    bool both = (e.op == Op::And) == value;
    Facts left = factsOf(e.operands[0], value, both ? more : nullptr, parts);
    Facts right = factsOf(e.operands[1], value, both ? more : nullptr, parts);
    if (both) {
      left.insert(left.end(), right.begin(), right.end());
      return left;
    }
    if (more)
      more->push_back({left, right});
    return {};
  }
  // Of vectors it holds for the element that is computed.
  if (e.operands.empty() || elementType(e.operands[0]->type) != Type::Int ||
      e.op < Op::Eq || e.op > Op::Ge)
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
  for (const LinearForm &fact : facts) { // a size is at least a number
    if (fact.terms.size() != 1 || fact.terms.begin()->second != 1)
      continue;
    SymbolInfo &info = symbols[fact.terms.begin()->first];
    if (info.size && info.low->constant < -fact.constant)
      info.low = LinearForm(-fact.constant);
  }
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

/// The symbols that the facts and their definitions speak of, and the guards
/// and theirs.
std::set<Symbol> Prover::reach(const Facts &facts, bool withGuards) {
  std::set<Symbol> reached;
  auto include = [&](const LinearForm &form) {
    bool grown = false;
    for (auto [symbol, coefficient] : form.terms)
      grown |= reached.insert(symbol).second;
    return grown;
  };
  for_each(facts, include);
  if (withGuards) {
    for_each(guards, include);
    for_each(known, include);
    for (const std::vector<Choice> *list : {&guardChoices, &knownChoices})
      for (const Choice &choice : *list)
        for (const Facts &one : choice)
          for_each(one, include);
  }
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
  std::set<Symbol> reached = reach(facts, true);
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

/// The choices to try: those of the facts' own definitions, then the guards,
/// then those of the guards' definitions, since only a few are tried at once.
Prover::Choices Prover::choicesFor(const Facts &facts) {
  Choices order;
  std::set<Symbol> own = reach(facts, false), all = reach(facts, true);
  auto addDefinitions = [&](bool wanted) {
    for (const Choice &choice : choices) {
      Symbol symbol = definedBy(choice[0].back());
      if (all.count(symbol) && own.count(symbol) == wanted)
        order.push_back(&choice);
    }
  };
  addDefinitions(true);
  for (const Choice &choice : guardChoices)
    order.push_back(&choice);
  for (const Choice &choice : knownChoices)
    order.push_back(&choice);
  addDefinitions(false);
  if (order.size() > maxChoices)
    order.resize(maxChoices);
  return order;
}

bool Prover::contradicts(const Facts &facts, ArrayRef<const Choice *> order) {
  FactSet set = gather(facts);
  set.project([](Symbol) { return false; }, budget);
  if (set.contradicts())
    return true;
  if (order.empty())
    return false;
  for (const Facts &one : *order.front()) {
    Facts more = facts;
    more.insert(more.end(), one.begin(), one.end());
    if (!contradicts(more, order.drop_front()))
      return false;
  }
  return true;
}

/// What holds where `form` >= 0 does not. Of a quotient by something positive
/// also the product with that: facts of its dividend are of products.
Prover::Facts Prover::contraryOf(const LinearForm &form) {
  LinearForm contrary = form.scaled(-1) - LinearForm(1);
  Facts facts = {contrary};
  for (const Quotient &known : quotients)
    if (form.terms.count(definedBy(known.result)))
      facts.push_back(product(contrary, known.b));
  return facts;
}

bool Prover::proves(const LinearForm &form) {
  if (form.overflow)
    return false;
  if (form.isConstant() && form.constant >= 0)
    return true;
  Facts contrary = contraryOf(form);
  return contradicts(contrary, choicesFor(contrary));
}

/// Leaves out facts that the others imply. Of two that say one thing that with
/// a quotient goes.
void Prover::dropImplied(Facts &facts) {
  auto hasBlock = [&](const LinearForm &form) {
    return any_of(form.terms,
                  [&](auto &term) { return blockOf(term.first).has_value(); });
  };
  for (bool withBlock : {true, false})
    for (size_t i = facts.size(); i-- > 0 && facts.size() > 1;) {
      if (hasBlock(facts[i]) != withBlock)
        continue;
      Facts others = facts;
      others[i] = facts[i].scaled(-1) - LinearForm(1);
      FactSet rest = gather(others);
      rest.project([](Symbol) { return false; }, budget);
      if (rest.contradicts())
        facts.erase(facts.begin() + i);
    }
}

void Prover::collectFailures(const Facts &facts, ArrayRef<const Choice *> order,
                             std::vector<std::vector<LinearForm>> &result) {
  if (contradicts(facts, order))
    return;
  if (!order.empty()) {
    for (const Facts &one : *order.front()) {
      Facts more = facts;
      more.insert(more.end(), one.begin(), one.end());
      collectFailures(more, order.drop_front(), result);
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
  dropImplied(needed);
  if (!is_contained(result, needed))
    result.push_back(needed);
}

std::vector<std::vector<LinearForm>> Prover::failures(const LinearForm &form,
                                                      const Facts &others) {
  std::vector<std::vector<LinearForm>> result;
  if (form.overflow)
    return {{}};
  Facts contrary = contraryOf(form);
  contrary.insert(contrary.end(), others.begin(), others.end());
  collectFailures(contrary, choicesFor(contrary), result);
  return result;
}

/// What the types of tables and the greatest size say.
Prover::Facts Prover::typeLimits() const {
  Facts facts;
  for (Symbol s = 0; s < symbols.size(); ++s) {
    if (symbols[s].greatest != INT64_MAX)
      facts.push_back(LinearForm(symbols[s].greatest) - LinearForm::of(s));
    if (symbols[s].least != INT64_MIN)
      facts.push_back(LinearForm::of(s) - LinearForm(symbols[s].least));
  }
  return facts;
}

Prover::Bounds Prover::boundsFrom(const Facts &given, const LinearForm &form) {
  Bounds result;
  if (form.overflow)
    return result;
  Symbol value = opaque(std::nullopt, std::nullopt);
  Facts facts = {LinearForm::of(value) - form, form - LinearForm::of(value)};
  facts.insert(facts.end(), given.begin(), given.end());
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
