//===- Proofs.cpp - Indices in range, no zero divisors, no overflow -------===//

#include "Proof/Proofs.h"

#include "Proof/IndexOrder.h"
#include "Proof/ProofWalk.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A formula whose proofs depend on where its parts are used is refused beyond
/// this many visits.
static constexpr size_t maxVisits = 100000;

/// Makes `form` >= 0 a matter of the call, if sizes decide it.
bool ProofWalk::addPreconditions(const LinearForm &form,
                                 const std::string &reason, SMRange range) {
  if (ofSizes)
    return false;
  std::vector<ExprPtr> conditions = sizes.sufficient(form);
  for (const ExprPtr &condition : conditions) {
    bool isNew = none_of(spec.preconditions, [&](const Precondition &other) {
      return sameExpr(*other.condition, *condition);
    });
    if (!isNew)
      continue;
    spec.preconditions.push_back({condition, print(*condition), reason, range});
    know(condition);
  }
  return !conditions.empty();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The least or greatest value of an index as text, if sizes say it.
std::string
ProofWalk::extreme(const ExprPtr &index, bool low, const LinearForm &extent,
                   const std::vector<std::vector<LinearForm>> &failures) {
  LinearForm form = prover.linear(index);
  auto end = prover.endOfQuotient(form, /*greatest=*/!low);
  if (index->kind == Expr::Load)
    if (const Input &table = spec.inputs[index->index]; table.low)
      end = prover.linear(low ? table.low : table.high);
  if (end && !end->overflow && sizes.isOfSizes(*end))
    return print(*sizes.sum(*end));
  if (failures.size() == 1 && failures[0].size() == 1) {
    // The failing side is value <= -1 or value >= extent; with the other
    // symbols gone, fact >= 0 says -1 - least >= 0 or greatest - extent >= 0.
    const LinearForm &fact = failures[0][0];
    LinearForm value = low ? fact.scaled(-1) - LinearForm(1) : fact + extent;
    // Facts that were combined to get there may be weaker than the index.
    bool isBound = !value.overflow && sizes.isOfSizes(value) &&
                   prover.proves(low ? form - value : value - form);
    if (isBound)
      return print(*sizes.sum(value));
  }
  auto [least, greatest] = prover.bounds(form);
  if (low && least && *least > -maxSize)
    return std::to_string(*least);
  if (!low && greatest && *greatest < maxSize - 1)
    return std::to_string(*greatest);
  return "";
}

bool isWritten(const Expr &e, StringRef text) {
  auto letters = [](StringRef s) {
    std::string found;
    copy_if(s, std::back_inserter(found),
            [](char c) { return c != ' ' && c != '(' && c != ')'; });
    return found;
  };
  return e.range.isValid() && letters(Report::textOf(e.range)) == letters(text);
}

/// Whether an index grows with positions, so that its tables hold the first
/// values only. A bucket or a remainder has as many values as it says.
static bool isDistance(const Expr &e) {
  if (e.kind == Expr::Variable)
    return is_contained({Variable::I, Variable::Q, Variable::K}, e.variable);
  if (e.kind == Expr::Load)
    return true; // of any value that it may have
  if (e.isApply(Op::T5Bucket) || e.isApply(Op::Mod))
    return false;
  return any_of(e.operands,
                [](const ExprPtr &operand) { return isDistance(*operand); });
}

void ProofWalk::reportIndex(
    const ExprPtr &load, unsigned axis, bool low,
    const std::vector<std::vector<LinearForm>> &failures) {
  const Input &input = spec.inputs[load->index];
  const ExprPtr &index = load->operands[axis];
  const ExprPtr &extent = input.axes[axis];
  if (reportOtherAxis(spec, report, *load, axis))
    return;
  LinearForm extentForm = prover.linear(extent);
  LinearForm lastForm = extentForm - LinearForm(1);
  bool known = sizes.isOfSizes(lastForm);
  std::string last = known && !lastForm.overflow ? print(*sizes.sum(lastForm))
                                                 : print(*extent) + " - 1";
  std::string text = print(*index);
  std::string value = extreme(index, low, extentForm, failures);
  SourceDiagnostic *error;
  if (value.empty())
    error = &report.error(Message::IndexUnknown, index->range,
                          {text, last, input.name});
  else
    error = &report.error(low ? Message::IndexLow : Message::IndexHigh,
                          index->range, {text, value, last});
  // One entry is that of all; a clamped variable would be no other.
  std::string clamped =
      last == "0" ? "0" : "clamp(" + text + ", 0, " + last + ")";
  uint64_t greatest = 0;
  bool isTooShort = !low && last != "0" && !isDistance(*index) &&
                    lastForm.isConstant() &&
                    !StringRef(value).getAsInteger(10, greatest);
  if (isTooShort) // what a clamp would hide
    error->note(extent->range.isValid() ? extent->range : input.typeRange,
                "the index has values up to " + value +
                    ", so this axis needs " + std::to_string(greatest + 1) +
                    " entries");
  else if (isWritten(*index, text))
    error->fix(clamped);
  else
    error->note("keep the index in range, for example " + clamped);
  if (index->kind == Expr::Load && !spec.inputs[index->index].low &&
      lastForm.isConstant())
    error->note(spec.inputs[index->index].typeRange,
                "or declare the range of its values: 'in 0.." + last + "'");
  error->note(input.typeRange, "'" + input.name + "' is declared here");
}

bool ProofWalk::checkSide(const ExprPtr &load, unsigned axis,
                          const LinearForm &form, bool low) {
  if (prover.proves(form))
    return true;
  if (isTrial)
    return false;
  const ExprPtr &index = load->operands[axis];
  std::string reason = "index '" + print(*index) + "' of '" +
                       spec.inputs[load->index].name + "' in " + where.str();
  if (addPreconditions(form, reason, index->range))
    return true;
  reportIndex(load, axis, low, prover.failures(form));
  return false;
}

bool ProofWalk::checkIndex(const ExprPtr &load, unsigned axis) {
  LinearForm index = prover.linear(load->operands[axis]);
  LinearForm extent = prover.linear(spec.inputs[load->index].axes[axis]);
  return checkSide(load, axis, index, true) &&
         checkSide(load, axis, extent - index - LinearForm(1), false);
}

Proved ProofWalk::visitLoad(const ExprPtr &e) {
  std::vector<ExprPtr> operands;
  bool good = true;
  bool outside = std::exchange(mayBeReal, false);
  for (const ExprPtr &operand : e->operands) {
    operands.push_back(visit(operand).e);
    good &= operands.back() != nullptr;
  }
  mayBeReal = outside;
  if (!good)
    return {};
  ExprPtr load = makeLoad(e->index, e->type, operands, e->range);
  if (!isTrial && !checkIndexOrder(spec, report, *load))
    return {};
  for (unsigned axis = 0; axis < operands.size(); ++axis) {
    size_t conditions = spec.preconditions.size();
    if (!checkIndex(load, axis))
      return {};
    if (isTrial)
      continue;
    if (spec.preconditions.size() != conditions)
      warnForeignIndex(spec, report, *load, axis,
                       ArrayRef(spec.preconditions).drop_front(conditions));
    warnIndexOfOne(spec, report, prover, *load, axis);
  }
  return {load, leaf(load)};
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

Proved ProofWalk::rebuild(const ExprPtr &e, std::vector<Proved> operands) {
  std::vector<ExprPtr> exprs;
  for (const Proved &operand : operands) {
    if (!operand.e)
      return {};
    exprs.push_back(operand.e);
  }
  if ((e->op == Op::FloorDiv || e->op == Op::Mod) && !checkDivisor(exprs[1]))
    return {};
  ExprPtr result = makeApply(e->op, e->type, exprs, e->range);
  if (elementType(e->type) != Type::Int)
    return {result, {}};
  SmallVector<Interval> intervals;
  for (const Proved &operand : drop_begin(operands, e->op == Op::Select))
    intervals.push_back(operand.interval);
  Interval interval = intervalOf(*result, intervals);
  if (!interval.fits()) { // relations between the sizes may help
    for (auto [i, bound] : enumerate(intervals)) {
      const ExprPtr &operand = exprs[i + (e->op == Op::Select)];
      auto [least, greatest] = prover.bounds(prover.linear(operand));
      bound = bound.meet(Interval::of(least.value_or(INT64_MIN),
                                      greatest.value_or(INT64_MAX)));
    }
    interval = intervalOf(*result, intervals);
  }
  if (!checkOverflow(result, interval))
    return {};
  return {result, interval};
}

/// and, or, where: what stands on the left guards what stands on the right.
Proved ProofWalk::visitGuarded(const ExprPtr &e) {
  std::vector<Proved> operands = {visit(e->operands[0])};
  if (!operands[0].e)
    return {};
  for (unsigned i = 1; i < e->operands.size(); ++i) {
    Prover::Mark mark = prover.mark();
    bool holds = e->op == Op::And || (e->op == Op::Select && i == 1);
    assume(e->operands[0], holds);
    known.emplace_back();
    operands.push_back(visit(e->operands[i]));
    known.pop_back();
    prover.forget(mark);
    assumed.pop_back();
  }
  return rebuild(e, operands);
}

/// What a condition says of the pair, not of one element of a vector.
void ProofWalk::assumeOfPair(const ExprPtr &condition, bool value) {
  if (!isVector(condition->type)) {
    assume(condition, value);
    return;
  }
  bool both = value ? condition->isApply(Op::And) : condition->isApply(Op::Or);
  if (both || condition->isApply(Op::Not))
    for (const ExprPtr &operand : condition->operands)
      assumeOfPair(operand, both == value);
}

/// Inside a sum over features all elements of its operands are read: a guard on
/// one element says nothing of the others.
Proved ProofWalk::visitFeatures(const ExprPtr &e) {
  bool ofElements =
      any_of(assumed, [](auto &a) { return isVector(a.first->type); });
  if (!ofElements)
    return rebuild(e, visitOperands(e));
  Prover::SetAside others(prover);
  auto outer = std::exchange(assumed, {});
  auto outerKnown = std::exchange(known, std::vector<Known>(1));
  for (auto [condition, value] : outer)
    assumeOfPair(condition, value);
  size_t outerGiven = std::exchange(given, assumed.size());
  Proved result = rebuild(e, visitOperands(e));
  given = outerGiven;
  assumed = std::move(outer);
  known = std::move(outerKnown);
  return result;
}

std::vector<Proved> ProofWalk::visitOperands(const ExprPtr &e) {
  std::vector<Proved> operands;
  for (const ExprPtr &operand : e->operands)
    operands.push_back(visit(operand));
  return operands;
}

/// Whether an operand of `e` may be real as well as int, if `e` itself may.
static bool takesEither(const Expr &e, bool mayBeReal) {
  switch (e.op) {
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
  case Op::ToReal:
    return true;
  case Op::Neg:
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
    return mayBeReal;
  default:
    return false;
  }
}

Proved ProofWalk::visitApply(const ExprPtr &e) {
  if (e->op == Op::And || e->op == Op::Or || e->op == Op::Select)
    return visitGuarded(e);
  if (e->op == Op::Dot || e->op == Op::L2Norm)
    return visitFeatures(e);
  bool outside = std::exchange(mayBeReal, takesEither(*e, mayBeReal));
  std::vector<Proved> operands = visitOperands(e);
  mayBeReal = outside;
  return rebuild(e, operands);
}

/// Without the conditions that are given here, for all uses together: else a
/// formula that each of two branches uses would be proved in both. Fails where
/// the conditions are needed.
Proved ProofWalk::visitAnywhere(const ExprPtr &e) {
  Prover::SetAside others(prover);
  SmallVector<std::pair<ExprPtr, bool>> outer(drop_begin(assumed, given));
  assumed.truncate(given);
  for (auto [condition, value] : assumed)
    prover.assume(condition, value);
  std::vector<Known> outerKnown(std::make_move_iterator(known.begin() + 1),
                                std::make_move_iterator(known.end()));
  known.resize(1);
  bool wasTrial = std::exchange(isTrial, true);
  Proved result = visitNode(e);
  isTrial = wasTrial;
  known.insert(known.end(), std::make_move_iterator(outerKnown.begin()),
               std::make_move_iterator(outerKnown.end()));
  assumed.append(outer.begin(), outer.end());
  if (result.e)
    known.front()[e.get()] = result;
  else
    guarded.insert(e.get());
  return result;
}

Proved ProofWalk::visit(const ExprPtr &e) {
  if (e->operands.empty())
    return visitNode(e);
  for (const Known &some : known)
    if (auto found = some.find(e.get()); found != some.end())
      return found->second;
  if (isTrial && known.size() == 1 && guarded.contains(e.get()))
    return {};
  if (++visits > maxVisits) {
    if (!isTrial && !std::exchange(isTooLong, true))
      report.error(Message::FormulaTooLong, e->range,
                   {std::to_string(maxVisits)});
    return {};
  }
  bool isAgain = !visited.insert(e.get()).second;
  if (isAgain && known.size() > 1 && !guarded.contains(e.get()))
    if (Proved everywhere = visitAnywhere(e); everywhere.e)
      return everywhere;
  Proved result = visitNode(e);
  if (result.e || !isTrial)
    known.back()[e.get()] = result;
  else if (known.size() == 1)
    guarded.insert(e.get());
  return result;
}

Proved ProofWalk::visitNode(const ExprPtr &e) {
  if (e->kind == Expr::Load)
    return visitLoad(e);
  if (e->kind == Expr::Apply)
    return visitApply(e);
  return {e, e->type == Type::Int ? leaf(e) : Interval()};
}

ExprPtr proveFormula(AttentionSpec &spec, Report &report,
                     const ExprPtr &formula, StringRef where, Domain domain,
                     const ExprPtr &guard) {
  ProofWalk walk(spec, report, where, domain);
  if (guard)
    walk.assumeThroughout(guard);
  return walk.visit(formula).e;
}

bool isCausal(const AttentionSpec &spec, const ExprPtr &mask) {
  Prover prover(spec, Domain());
  prover.assume(mask, true);
  return prover.proves(prover.linear(makeVariable(Variable::Q)) -
                       prover.linear(makeVariable(Variable::K)));
}

} // namespace attnc::spec
