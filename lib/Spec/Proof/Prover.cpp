//===- Prover.cpp - What is known about the ints of a formula -------------===//
//
// Symbols and their defining facts; the search is in ProverSearch.cpp.
//
//===----------------------------------------------------------------------===//

#include "Proof/Prover.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace attnc::spec {

Symbol Prover::opaque(std::optional<LinearForm> low,
                      std::optional<LinearForm> high) {
  Symbol symbol = symbols.size();
  SymbolInfo &info = symbols.emplace_back();
  info.low = low;
  info.high = high;
  if (low)
    definitions.push_back(LinearForm::of(symbol) - *low);
  if (high)
    definitions.push_back(*high - LinearForm::of(symbol));
  return symbol;
}

LinearForm Prover::size(unsigned index) {
  const Size &size = spec.sizes[index];
  if (size.kind == Size::Fixed)
    return size.value;
  if (size.kind == Size::Derived && size.formula)
    return linear(size.formula);
  if (size.kind == Size::PerSequence)
    return length(index);
  auto [place, isNew] = sizes.try_emplace(index, 0);
  if (isNew) {
    bool exists = (index == Batch && domain.batch) ||
                  (index == QueryLen && domain.row && !spec.queryRows) ||
                  (index == KvLen && domain.key && !spec.keyRows);
    Symbol symbol = opaque(LinearForm(exists && domain.ranges), std::nullopt);
    symbols[symbol].size = index;
    symbols[symbol].greatest = maxSize;
    sizes[index] = symbol;
  }
  return LinearForm::of(sizes[index]);
}

/// start[b + 1] - start[b]: no size, so a call does not ask for conditions on
/// it, and tables along all rows may be read at start[b] + k.
LinearForm Prover::length(unsigned index) {
  bool isQuery = index == QueryLen;
  const Storage &storage = isQuery ? spec.queryStorage : spec.kvStorage;
  ExprPtr b = makeVariable(Variable::B);
  ExprPtr next = makeApply(Op::Add, Type::Int, {b, makeInt(1)});
  LinearForm end = linear(makeLoad(storage.table, Type::Int, {next}));
  LinearForm length = end - linear(makeLoad(storage.table, Type::Int, {b}));
  if (lengths.insert(index).second) {
    bool exists = (isQuery ? domain.row : domain.key) && domain.ranges;
    definitions.push_back(length - LinearForm(exists));
    definitions.push_back(size(storage.tokens) - length);
  }
  return length;
}

LinearForm Prover::variable(Variable v) {
  if (v == Variable::Q)
    return variable(Variable::I) + linear(spec.offset);
  auto found = variables.find(int(v));
  if (found != variables.end())
    return LinearForm::of(found->second);
  unsigned extent = v == Variable::B   ? Batch
                    : v == Variable::H ? Heads
                    : v == Variable::G ? KvHeads
                    : v == Variable::I ? QueryLen
                                       : KvLen;
  std::optional<LinearForm> first, last;
  if (domain.ranges) {
    const ExprPtr *rows = v == Variable::I   ? &spec.queryRows
                          : v == Variable::K ? &spec.keyRows
                                             : nullptr;
    first = LinearForm(0);
    last = (rows && *rows ? linear(*rows) : size(extent)) - LinearForm(1);
  }
  Symbol symbol = opaque(first, last);
  variables[int(v)] = symbol;
  if (v == Variable::G && domain.ranges) {
    // g == h // group
    LinearForm rest =
        variable(Variable::H)
            .add(LinearForm::of(symbol), -spec.sizes[Group].value);
    definitions.push_back(rest);
    definitions.push_back(LinearForm(spec.sizes[Group].value - 1) - rest);
  }
  return LinearForm::of(symbol);
}

LinearForm Prover::linear(const ExprPtr &e) {
  switch (e->kind) {
  case Expr::Constant:
    return e->integer;
  case Expr::Variable:
    return variable(e->variable);
  case Expr::Size:
    return size(e->index);
  default:
    break;
  }
  for (const Seen &known : seen[e->hash])
    if (sameExpr(*known.e, *e))
      return known.form;
  LinearForm form = linearNode(e);
  seen[e->hash].push_back({e, form});
  return form;
}

LinearForm Prover::linearNode(const ExprPtr &e) {
  if (e->kind == Expr::Load)
    return linearLoad(e);
  if (e->kind != Expr::Apply)
    return LinearForm::of(opaque(std::nullopt, std::nullopt));
  switch (e->op) {
  case Op::Add:
  case Op::Sub:
    return linear(e->operands[0])
        .add(linear(e->operands[1]), e->op == Op::Add ? 1 : -1);
  case Op::Neg:
    return linear(e->operands[0]).scaled(-1);
  case Op::Mul:
    return product(linear(e->operands[0]), linear(e->operands[1]));
  default:
    return linearApply(e);
  }
}

LinearForm Prover::linearLoad(const ExprPtr &e) {
  const Input &input = spec.inputs[e->index];
  if (!domain.ranges)
    return LinearForm::of(opaque(std::nullopt, std::nullopt));
  if (input.low)
    return LinearForm::of(opaque(linear(input.low), linear(input.high)));
  for (const Storage *storage : {&spec.queryStorage, &spec.kvStorage})
    if (storage->kind == Storage::Ragged && storage->table == e->index)
      return LinearForm::of(opaque(LinearForm(0), size(storage->tokens)));
  if (input.dtype == DType::I8)
    return LinearForm::of(opaque(LinearForm(-128), LinearForm(127)));
  if (input.dtype == DType::U8)
    return LinearForm::of(opaque(LinearForm(0), LinearForm(255)));
  Symbol entry = opaque(std::nullopt, std::nullopt);
  if (input.dtype == DType::I32) {
    // Only for bounds(): as a fact it would let sizes near 2^31 be asked for.
    symbols[entry].least = INT32_MIN;
    symbols[entry].greatest = INT32_MAX;
  }
  return LinearForm::of(entry);
}

/// Exact where the base is a constant, as with fixed sizes.
LinearForm Prover::linearPower(const ExprPtr &e) {
  LinearForm base = linear(e->operands[0]);
  int64_t exponent = e->operands[1]->integer, power = 1;
  bool isExact = base.isConstant() && exponent < 64;
  for (int64_t i = 0; isExact && i < exponent; ++i)
    isExact = !MulOverflow<int64_t>(power, base.constant, power);
  if (isExact)
    return LinearForm(power);
  if (exponent % 2 == 0)
    return LinearForm::of(opaque(LinearForm(0), std::nullopt));
  return LinearForm::of(opaque(std::nullopt, std::nullopt));
}

LinearForm Prover::linearApply(const ExprPtr &e) {
  switch (e->op) {
  case Op::FloorDiv:
  case Op::Mod:
    return linearQuotient(e);
  case Op::Min:
  case Op::Max:
  case Op::Clamp:
  case Op::Abs:
  case Op::Select:
    return linearChoice(e);
  case Op::Sign:
    return LinearForm::of(opaque(LinearForm(-1), LinearForm(1)));
  case Op::T5Bucket:
    return LinearForm::of(
        opaque(LinearForm(0), linear(e->operands[1]) - LinearForm(1)));
  case Op::Pow:
    return linearPower(e);
  default:
    break;
  }
  return LinearForm::of(opaque(std::nullopt, std::nullopt));
}

/// a // b and a % b. For a constant b > 0 the quotient is a symbol with
/// 0 <= a - b * quotient < b, which says all. For another b the cases of its
/// sign are choices: a definition must hold without the guards of the moment.
LinearForm Prover::linearQuotient(const ExprPtr &e) {
  LinearForm a = linear(e->operands[0]), b = linear(e->operands[1]);
  LinearForm one(1);
  bool mod = e->op == Op::Mod;
  if (b.isConstant() && b.constant > 0) {
    LinearForm result = LinearForm::of(blocks(e, a, b.constant));
    return mod ? a - result.scaled(b.constant) : result;
  }
  if (holdsAlways(b - one)) {
    const Quotient &known = positiveQuotient(a, b);
    return mod ? known.rest : known.result;
  }
  LinearForm result = LinearForm::of(opaque(std::nullopt, std::nullopt));
  Facts notPositive = {b.scaled(-1)};
  if (mod)
    choices.push_back({{b - one, b - one - result, result}, notPositive});
  else
    choices.push_back({{b - one, a, a - result, result},
                       {b - one, a.scaled(-1) - one, result.scaled(-1) - one},
                       notPositive});
  return result;
}

/// The symbol of a // b, where e is that or the remainder.
Symbol Prover::blocks(const ExprPtr &e, const LinearForm &a, int64_t b) {
  for (Symbol known = 0; known < symbols.size(); ++known)
    if (symbols[known].block && symbols[known].block->a == a &&
        symbols[known].block->b == b)
      return known;
  Symbol symbol = opaque(std::nullopt, std::nullopt);
  symbols[symbol].block = {a, b};
  symbols[symbol].formula = makeApply(
      Op::FloorDiv, Type::Int, {e->operands[0], e->operands[1]}, e->range);
  LinearForm result = LinearForm::of(symbol), rest = a - result.scaled(b);
  definitions.push_back(rest);
  definitions.push_back(LinearForm(b - 1) - rest);
  boundQuotient(result, a, b);
  return symbol;
}

/// Whether form >= 0 without the guards and suppositions of the moment, as a
/// definition has to be.
bool Prover::holdsAlways(const LinearForm &form) {
  SetAside others(*this);
  Facts ofMoment(known.end() - ptrdiff_t(supposed), known.end());
  known.resize(known.size() - supposed);
  bool holds = proves(form);
  known.insert(known.end(), ofMoment.begin(), ofMoment.end());
  return holds;
}

std::optional<LinearForm> Prover::endOf(const LinearForm &form,
                                        bool greatest) const {
  LinearForm end(form.constant);
  end.overflow = form.overflow;
  for (auto [symbol, factor] : form.terms) {
    const SymbolInfo &info = symbols[symbol];
    const std::optional<LinearForm> &own =
        (factor > 0) == greatest ? info.high : info.low;
    if (sizeFormula(symbol))
      end.add(LinearForm::of(symbol), factor);
    else if (own)
      end.add(*own, factor);
    else
      return std::nullopt;
  }
  return end;
}

LinearForm Prover::limit(Symbol symbol, const LinearForm &end, bool greatest) {
  SymbolInfo &info = symbols[symbol];
  (greatest ? info.high : info.low) = end;
  LinearForm self = LinearForm::of(symbol);
  definitions.push_back(greatest ? end - self : self - end);
  return definitions.back();
}

std::optional<LinearForm> Prover::endOfQuotient(const LinearForm &form,
                                                bool greatest) const {
  bool isOne = any_of(quotients, [&](const Quotient &known) {
    return any_of(form.terms, [&](auto &term) {
      LinearForm symbol = LinearForm::of(term.first);
      return symbol == known.result || symbol == known.rest;
    });
  });
  return isOne ? endOf(form, greatest) : std::nullopt;
}

/// m of a form that is divisor * m and a constant, which is left out.
std::optional<LinearForm> Prover::dividedBy(const LinearForm &form,
                                            Symbol divisor) const {
  LinearForm quotient;
  for (auto [symbol, factor] : form.terms) {
    const auto &factors = symbols[symbol].factors;
    if (symbol == divisor)
      quotient.add(LinearForm(factor));
    else if (factors && factors->first == divisor)
      quotient.add(LinearForm::of(factors->second), factor);
    else if (factors && factors->second == divisor)
      quotient.add(LinearForm::of(factors->first), factor);
    else
      return std::nullopt;
  }
  return quotient;
}

/// a // b for b >= 1: 0 <= a - b * quotient < b. The product is no linear term,
/// so what a multiple of b says of a is said of the quotient, too.
const Prover::Quotient &Prover::positiveQuotient(const LinearForm &a,
                                                 const LinearForm &b) {
  for (const Quotient &known : quotients)
    if (known.a == a && known.b == b)
      return known;
  Symbol symbol = opaque(std::nullopt, std::nullopt);
  LinearForm result = LinearForm::of(symbol), one(1);
  std::optional<LinearForm> ends[2] = {endOf(a, false), endOf(a, true)};
  if (b.terms.size() == 1 && b == LinearForm::of(b.terms.begin()->first))
    for (bool isHigh : {false, true}) {
      const std::optional<LinearForm> &end = ends[isHigh];
      std::optional<LinearForm> multiple;
      if (end && !end->overflow)
        multiple = dividedBy(*end, b.terms.begin()->first);
      if (!multiple)
        continue;
      // The rest divided by b, which may be 1.
      int64_t rest = end->constant;
      if (isHigh)
        symbols[symbol].high = *multiple + LinearForm(rest < 0 ? -1 : rest);
      else
        symbols[symbol].low =
            *multiple + LinearForm(std::min<int64_t>(rest, 0));
    }
  if (const auto &low = symbols[symbol].low)
    definitions.push_back(result - *low);
  if (const auto &high = symbols[symbol].high)
    definitions.push_back(*high - result);
  LinearForm rest = LinearForm::of(opaque(LinearForm(0), b - one));
  LinearForm whole = product(b, result) + rest;
  definitions.push_back(a - whole);
  definitions.push_back(whole - a);
  choices.push_back(
      {{a, a - result, result}, {a.scaled(-1) - one, result.scaled(-1) - one}});
  quotients.push_back({a, b, result, rest});
  return quotients.back();
}

/// The quotient's own least and greatest value: sums of its facts forget that
/// it is an int. Not what the greatest size gives: sizes would be asked to be
/// near it.
void Prover::boundQuotient(const LinearForm &quotient, const LinearForm &a,
                           int64_t b) {
  // A definition must hold without the guards of the moment.
  Facts ofMoment = std::move(guards), supposed = std::move(known);
  guards.clear();
  known.clear();
  auto [least, greatest] = boundsFrom({}, a);
  guards = std::move(ofMoment);
  known = std::move(supposed);
  if (least)
    definitions.push_back(quotient - LinearForm(floorDivide(*least, b)));
  if (greatest)
    definitions.push_back(LinearForm(floorDivide(*greatest, b)) - quotient);
}

/// Whether constants that the form's symbols never fall below say form >= 0.
bool Prover::isEverPositive(const LinearForm &form) const {
  LinearForm least(form.constant);
  for (auto [symbol, factor] : form.terms) {
    const std::optional<LinearForm> &low = symbols[symbol].low;
    if (factor < 0 || !low || !low->isConstant())
      return false;
    least.add(*low, factor);
  }
  return least.isConstant() && least.constant >= 0;
}

/// min(a, b) for sign 1, max(a, b) for sign -1.
LinearForm Prover::least(const LinearForm &a, const LinearForm &b,
                         int64_t sign) {
  // The guard of a divisor, max(n, 1), says nothing where n >= 1 anyway.
  if (isEverPositive((b - a).scaled(sign)))
    return a;
  LinearForm m = LinearForm::of(opaque(std::nullopt, std::nullopt));
  LinearForm belowA = (a - m).scaled(sign), belowB = (b - m).scaled(sign);
  definitions.push_back(belowA);
  definitions.push_back(belowB);
  choices.push_back({{belowA.scaled(-1)}, {belowB.scaled(-1)}});
  return m;
}

LinearForm Prover::linearChoice(const ExprPtr &e) {
  auto operand = [&](unsigned i) { return linear(e->operands[i]); };
  switch (e->op) {
  case Op::Min:
    return least(operand(0), operand(1), 1);
  case Op::Max:
    return least(operand(0), operand(1), -1);
  case Op::Clamp:
    return least(least(operand(0), operand(1), -1), operand(2), 1);
  case Op::Abs:
    return least(operand(0), operand(0).scaled(-1), -1);
  default:
    break;
  }
  LinearForm branches[] = {operand(1), operand(2)};
  Facts taken = factsOf(e->operands[0], true, nullptr);
  Facts other = factsOf(e->operands[0], false, nullptr);
  // The symbol comes after what it depends on, and last in its facts.
  LinearForm m = LinearForm::of(opaque(std::nullopt, std::nullopt));
  for (auto [facts, i] : {std::pair(&taken, 0), std::pair(&other, 1)}) {
    facts->push_back(m - branches[i]);
    facts->push_back(branches[i] - m);
  }
  choices.push_back({taken, other});
  return m;
}

LinearForm Prover::product(const LinearForm &a, const LinearForm &b) {
  if (b.isConstant())
    return a.scaled(b.constant);
  LinearForm result = b.scaled(a.constant);
  result.overflow |= a.overflow;
  for (auto [x, c] : a.terms) {
    LinearForm part = LinearForm::of(x).scaled(b.constant);
    for (auto [y, d] : b.terms)
      part.add(LinearForm::of(productSymbol(std::min(x, y), std::max(x, y))),
               d);
    result.add(part, c);
  }
  return result;
}

/// x * y as a symbol; for y >= 0 every bound of x gives one of x * y.
Symbol Prover::productSymbol(Symbol x, Symbol y) {
  auto known = products.find({x, y});
  if (known != products.end())
    return known->second;
  Symbol symbol = opaque(std::nullopt, std::nullopt);
  symbols[symbol].factors = {x, y};
  products[{x, y}] = symbol;
  auto depth = [&](Symbol s) {
    unsigned n = 0;
    for (; symbols[s].factors && n < 4; ++n)
      s = symbols[s].factors->first;
    return n;
  };
  auto nonnegative = [&](Symbol s) {
    const std::optional<LinearForm> &low = symbols[s].low;
    return low && low->isConstant() && low->constant >= 0;
  };
  if (nonnegative(x) && nonnegative(y)) {
    symbols[symbol].low = LinearForm(0);
    definitions.push_back(LinearForm::of(symbol));
  }
  if (depth(x) + depth(y) > 2)
    return symbol;
  for (auto [s, t] : {std::pair(x, y), std::pair(y, x)}) {
    if (!nonnegative(t))
      continue;
    SymbolInfo info = symbols[s];
    // (t - least) * (high - s) >= 0: for t >= 1 more than t * (high - s) >= 0.
    int64_t least = symbols[t].low->constant;
    auto addBound = [&](const LinearForm &difference, const LinearForm &times) {
      definitions.push_back(times);
      if (least > 0)
        definitions.push_back(times - difference.scaled(least));
    };
    LinearForm self = LinearForm::of(s), whole = LinearForm::of(symbol);
    if (info.high)
      addBound(*info.high - self,
               product(*info.high, LinearForm::of(t)) - whole);
    if (info.low)
      addBound(self - *info.low, whole - product(*info.low, LinearForm::of(t)));
  }
  return symbol;
}

ExprPtr Prover::sizeFormula(Symbol symbol) const {
  const SymbolInfo &info = symbols[symbol];
  if (info.size)
    return makeSize(*info.size);
  if (info.block) {
    bool isOfSizes = all_of(info.block->a.terms, [&](auto &term) {
      return sizeFormula(term.first) != nullptr;
    });
    return isOfSizes ? info.formula : nullptr;
  }
  if (!info.factors)
    return nullptr;
  ExprPtr x = sizeFormula(info.factors->first);
  ExprPtr y = sizeFormula(info.factors->second);
  return x && y ? makeApply(Op::Mul, Type::Int, {x, y}) : nullptr;
}

} // namespace attnc::spec
