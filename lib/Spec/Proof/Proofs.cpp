//===- Proofs.cpp - Indices in range, no zero divisors, no overflow -------===//

#include "Proof/Proofs.h"

#include "Proof/IndexOrder.h"
#include "Proof/Interval.h"
#include "Proof/SizeConditions.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

namespace {
/// A rewritten formula and, of an int, its least and greatest value.
struct Proved {
  ExprPtr e; // null after an error
  Interval interval;
};

class Walk {
public:
  Walk(AttentionSpec &spec, Report &report, StringRef where, Domain domain)
      : spec(spec), report(report), where(where),
        ofSizes(!domain.batch && !domain.row && !domain.key),
        prover(spec, domain), sizes(spec, prover),
        anywhere(spec, Domain{false, false, false, /*ranges=*/false}) {
    for (const Precondition &condition : spec.preconditions)
      know(condition.condition);
  }

  Proved visit(const ExprPtr &e);
  /// Takes a truth value as given in all that is visited next.
  void assume(const ExprPtr &condition, bool value) {
    prover.assume(condition, value);
    assumed.push_back({condition, value});
  }
  void know(const ExprPtr &condition) {
    prover.know(condition);
    anywhere.know(condition);
  }

private:
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
  Interval intervalIn(const ExprPtr &e);
  bool addPreconditions(const LinearForm &form, const std::string &reason,
                        SMRange range);
  void reportIndex(const ExprPtr &load, unsigned axis, bool low,
                   const std::vector<std::vector<LinearForm>> &failures);
  std::string extreme(const ExprPtr &index, bool low, const LinearForm &extent,
                      const std::vector<std::vector<LinearForm>> &failures);
  std::string print(const Expr &e) const { return printFormula(spec, e); }

  AttentionSpec &spec;
  Report &report;
  StringRef where;
  bool ofSizes; // computed before the preconditions are checked
  Prover prover;
  SizeConditions sizes;
  Prover anywhere; // knows no variable's range
  SmallVector<std::pair<ExprPtr, bool>> assumed;
  bool mayBeReal =
      false; // what is visited, without a change of its surroundings
};
} // namespace

/// Makes `form` >= 0 a matter of the call, if sizes decide it.
bool Walk::addPreconditions(const LinearForm &form, const std::string &reason,
                            SMRange range) {
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
Walk::extreme(const ExprPtr &index, bool low, const LinearForm &extent,
              const std::vector<std::vector<LinearForm>> &failures) {
  auto end = prover.endOfQuotient(prover.linear(index), /*greatest=*/!low);
  if (end && !end->overflow && sizes.isOfSizes(*end))
    return print(*sizes.sum(*end));
  if (failures.size() == 1 && failures[0].size() == 1) {
    // The failing side is value <= -1 or value >= extent; with the other
    // symbols gone, fact >= 0 says -1 - least >= 0 or greatest - extent >= 0.
    const LinearForm &fact = failures[0][0];
    LinearForm value = low ? fact.scaled(-1) - LinearForm(1) : fact + extent;
    if (!value.overflow && sizes.isOfSizes(value))
      return print(*sizes.sum(value));
  }
  auto [least, greatest] = prover.bounds(prover.linear(index));
  if (low && least && *least > -maxSize)
    return std::to_string(*least);
  if (!low && greatest && *greatest < maxSize - 1)
    return std::to_string(*greatest);
  return "";
}

/// Whether the text of the formula stands in the file, not that of a macro.
static bool isWritten(const Expr &e, StringRef text) {
  auto letters = [](StringRef s) {
    std::string found;
    copy_if(s, std::back_inserter(found),
            [](char c) { return c != ' ' && c != '(' && c != ')'; });
    return found;
  };
  return e.range.isValid() && letters(Report::textOf(e.range)) == letters(text);
}

void Walk::reportIndex(const ExprPtr &load, unsigned axis, bool low,
                       const std::vector<std::vector<LinearForm>> &failures) {
  const Input &input = spec.inputs[load->index];
  const ExprPtr &index = load->operands[axis];
  const ExprPtr &extent = input.axes[axis];
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
  if (isWritten(*index, text))
    error->fix(clamped);
  else
    error->note("keep the index in range, for example " + clamped);
  if (index->kind == Expr::Load && !spec.inputs[index->index].low &&
      lastForm.isConstant())
    error->note(spec.inputs[index->index].typeRange,
                "or write what its values are: 'in 0.." + last + "'");
  error->note(input.typeRange, "'" + input.name + "' is declared here");
}

bool Walk::checkSide(const ExprPtr &load, unsigned axis, const LinearForm &form,
                     bool low) {
  if (prover.proves(form))
    return true;
  const ExprPtr &index = load->operands[axis];
  std::string reason = "index '" + print(*index) + "' of '" +
                       spec.inputs[load->index].name + "' in " + where.str();
  if (addPreconditions(form, reason, index->range))
    return true;
  reportIndex(load, axis, low, prover.failures(form));
  return false;
}

bool Walk::checkIndex(const ExprPtr &load, unsigned axis) {
  LinearForm index = prover.linear(load->operands[axis]);
  LinearForm extent = prover.linear(spec.inputs[load->index].axes[axis]);
  return checkSide(load, axis, index, true) &&
         checkSide(load, axis, extent - index - LinearForm(1), false);
}

Proved Walk::visitLoad(const ExprPtr &e) {
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
  if (!checkIndexOrder(spec, report, *load))
    return {};
  for (unsigned axis = 0; axis < operands.size(); ++axis) {
    size_t conditions = spec.preconditions.size();
    if (!checkIndex(load, axis))
      return {};
    if (spec.preconditions.size() != conditions)
      warnForeignIndex(spec, report, *load, axis,
                       ArrayRef(spec.preconditions).drop_front(conditions));
    warnIndexOfOne(spec, report, prover, *load, axis);
  }
  return {load, leaf(load)};
}

//===----------------------------------------------------------------------===//
// Divisors and overflow
//===----------------------------------------------------------------------===//

bool Walk::checkDivisor(ExprPtr &divisor) {
  LinearForm value = prover.linear(divisor), one(1);
  LinearForm free = anywhere.linear(divisor);
  if (anywhere.proves(free - one) || anywhere.proves(free.scaled(-1) - one))
    return true;
  if (prover.proves(value - one)) {
    divisor = makeApply(Op::Max, divisor->type, {divisor, makeInt(1)},
                        divisor->range);
    return true;
  }
  if (prover.proves(value.scaled(-1) - one)) {
    divisor = makeApply(Op::Min, divisor->type, {divisor, makeInt(-1)},
                        divisor->range);
    return true;
  }
  std::string text = print(*divisor);
  bool decidedBySizes = sizes.isOfSizes(value);
  std::string reason = "divisor '" + text + "' in " + where.str();
  if (decidedBySizes && addPreconditions(value - one, reason, divisor->range))
    return true;
  auto &error = report.error(Message::MaybeZero, divisor->range, {text});
  bool isCount = prover.proves(value);
  if (isCount && isWritten(*divisor, text))
    error.fix("max(" + text + ", 1)");
  if (divisor->kind == Expr::Load)
    error.note(spec.inputs[divisor->index].typeRange,
               std::string(isCount ? "or write" : "write") +
                   " what its values are, as 'in 1..8'");
  return false;
}

/// A table of wide ints that the formula reads, in q's offset, too, and that is
/// said nothing about.
const Expr *Walk::freeTable(const Expr &e) const {
  if (e.kind == Expr::Variable && e.variable == Variable::Q)
    return freeTable(*spec.offset);
  if (e.kind == Expr::Load) {
    const Input &input = spec.inputs[e.index];
    bool isWide = input.dtype == DType::I64 || input.dtype == DType::I32;
    return isWide && !input.low ? &e : nullptr;
  }
  for (const ExprPtr &operand : e.operands)
    if (const Expr *table = freeTable(*operand))
      return table;
  return nullptr;
}

/// The same product or power of reals; empty if `e` is neither.
std::string Walk::asReal(const Expr &e) const {
  if (e.isApply(Op::Mul))
    return "1.0 * " + print(e);
  if (!e.isApply(Op::Pow))
    return "";
  const Expr &base = *e.operands[0];
  std::string text = print(base);
  bool isWhole = base.kind != Expr::Apply;
  return "(1.0 * " + (isWhole ? text : "(" + text + ")") + ") ** " +
         print(*e.operands[1]);
}

/// Lets the call check that both factors of a product of sizes are so small
/// that it does not overflow. A call that does not meet this is refused
/// whatever the product was.
bool Walk::limitFactors(const ExprPtr &e) {
  constexpr int64_t most = 3037000499; // the root of 2 ** 63 - 1
  if (!e->isApply(Op::Mul) || !sizes.isOfSizes(prover.linear(e)))
    return false;
  for (const ExprPtr &factor : e->operands) {
    LinearForm form = prover.linear(factor), limit(most);
    if (!prover.proves(form + limit))
      return false;
    auto greatest = prover.bounds(form).second;
    if (greatest && *greatest <= most)
      continue;
    ExprPtr condition = makeApply(Op::Le, Type::Bool, {factor, makeInt(most)});
    spec.preconditions.push_back(
        {condition, print(*condition),
         "the product '" + print(*e) + "' in " + where.str(), e->range});
    know(condition);
  }
  return true;
}

bool Walk::checkOverflow(const ExprPtr &e, Interval &interval) {
  if (interval.fits())
    return true;
  auto [least, greatest] = prover.bounds(prover.linear(e));
  if (least && greatest) {
    interval = interval.meet({*least, *greatest});
    return true;
  }
  if (limitFactors(e)) {
    interval = interval.meet(Interval::all());
    return true;
  }
  auto &error = report.error(Message::MayOverflow, e->range, {print(*e)});
  if (mayBeReal)
    error.fix(asReal(*e));
  if (const Expr *table = freeTable(*e))
    error.note(spec.inputs[table->index].typeRange,
               "write what its values are, as 'in 0..2147483647'");
  else
    error.note("sizes and positions may be up to 2 ** 31 - 1; a real does not "
               "overflow: 1.0 * x");
  return false;
}

Interval Walk::leaf(const ExprPtr &e) {
  Interval all = Interval::all();
  if (e->isConstant())
    return Interval::of(e->integer, e->integer);
  auto upTo = [](int64_t greatest) {
    return Interval::of(0, std::max<int64_t>(greatest, 0));
  };
  if (e->kind == Expr::Load) {
    const Input &input = spec.inputs[e->index];
    int bits = input.dtype == DType::I64   ? 64
               : input.dtype == DType::I32 ? 32
                                           : 8;
    __int128 half = __int128(1) << (bits - 1);
    all = input.dtype == DType::U8 ? Interval::of(0, 255)
                                   : Interval::of(-half, half - 1);
    if (!input.low)
      return all;
    auto least = prover.bounds(prover.linear(input.low)).first;
    auto greatest = prover.bounds(prover.linear(input.high)).second;
    return all.meet(
        Interval::of(least.value_or(INT64_MIN), greatest.value_or(INT64_MAX)));
  }
  auto sizeLimit = [&](unsigned index) {
    const Size &size = spec.sizes[index];
    return size.kind == Size::Fixed ? size.value : maxSize;
  };
  if (e->kind == Expr::Size) {
    int64_t limit = sizeLimit(e->index);
    return spec.sizes[e->index].kind == Size::Fixed ? Interval::of(limit, limit)
                                                    : upTo(limit);
  }
  auto rows = [&](BuiltinSize length) {
    ExprPtr size = spec.sizeOf(length);
    return upTo(std::min<__int128>(intervalIn(size).high, maxSize) - 1);
  };
  switch (e->variable) {
  case Variable::B:
    return upTo(sizeLimit(Batch) - 1);
  case Variable::H:
    return upTo(sizeLimit(Heads) - 1);
  case Variable::G:
    return upTo(sizeLimit(KvHeads) - 1);
  case Variable::I:
    return rows(QueryLen);
  case Variable::K:
    return rows(KvLen);
  case Variable::Q: {
    // Sums of linear forms know relations, intervals what is no such form.
    Interval row = rows(QueryLen), from = intervalIn(spec.offset);
    all = Interval::of(row.low + from.low, row.high + from.high);
    break;
  }
  }
  auto [least, greatest] = prover.bounds(prover.linear(e));
  return all.meet(
      Interval::of(least.value_or(INT64_MIN), greatest.value_or(INT64_MAX)));
}

/// Of an int that is proved elsewhere.
Interval Walk::intervalIn(const ExprPtr &e) {
  if (e->kind != Expr::Apply)
    return leaf(e);
  SmallVector<Interval> operands;
  for (const ExprPtr &operand : drop_begin(e->operands, e->op == Op::Select))
    operands.push_back(operand->type == Type::Int ? intervalIn(operand)
                                                  : Interval::all());
  return intervalOf(*e, operands);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

Proved Walk::rebuild(const ExprPtr &e, std::vector<Proved> operands) {
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
Proved Walk::visitGuarded(const ExprPtr &e) {
  std::vector<Proved> operands = {visit(e->operands[0])};
  if (!operands[0].e)
    return {};
  for (unsigned i = 1; i < e->operands.size(); ++i) {
    Prover::Mark mark = prover.mark();
    bool holds = e->op == Op::And || (e->op == Op::Select && i == 1);
    assume(e->operands[0], holds);
    operands.push_back(visit(e->operands[i]));
    prover.forget(mark);
    assumed.pop_back();
  }
  return rebuild(e, operands);
}

/// What a condition says of the pair, not of one element of a vector.
void Walk::assumeOfPair(const ExprPtr &condition, bool value) {
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
Proved Walk::visitFeatures(const ExprPtr &e) {
  Prover::SetAside others(prover);
  auto outer = std::exchange(assumed, {});
  for (auto [condition, value] : outer)
    assumeOfPair(condition, value);
  std::vector<Proved> operands;
  for (const ExprPtr &operand : e->operands)
    operands.push_back(visit(operand));
  assumed = std::move(outer);
  return rebuild(e, operands);
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

Proved Walk::visitApply(const ExprPtr &e) {
  if (e->op == Op::And || e->op == Op::Or || e->op == Op::Select)
    return visitGuarded(e);
  if (e->op == Op::Dot || e->op == Op::L2Norm)
    return visitFeatures(e);
  bool outside = mayBeReal;
  bool inside = takesEither(*e, outside);
  std::vector<Proved> operands;
  for (const ExprPtr &operand : e->operands) {
    mayBeReal = inside;
    operands.push_back(visit(operand));
  }
  mayBeReal = outside;
  return rebuild(e, operands);
}

Proved Walk::visit(const ExprPtr &e) {
  if (e->kind == Expr::Load)
    return visitLoad(e);
  if (e->kind == Expr::Apply)
    return visitApply(e);
  return {e, e->type == Type::Int ? leaf(e) : Interval()};
}

ExprPtr proveFormula(AttentionSpec &spec, Report &report,
                     const ExprPtr &formula, StringRef where, Domain domain,
                     const ExprPtr &guard) {
  Walk walk(spec, report, where, domain);
  if (guard)
    walk.assume(guard, true);
  return walk.visit(formula).e;
}

bool isCausal(const AttentionSpec &spec, const ExprPtr &mask) {
  Prover prover(spec, Domain());
  prover.assume(mask, true);
  return prover.proves(prover.linear(makeVariable(Variable::Q)) -
                       prover.linear(makeVariable(Variable::K)));
}

} // namespace attnc::spec
