//===- ProveRanges.cpp - Divisors other than 0, ints that fit -------------===//

#include "Proof/ProofWalk.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

bool ProofWalk::checkDivisor(ExprPtr &divisor) {
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
  if (isTrial)
    return false;
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
               std::string(isCount ? "or declare" : "write") +
                   " the range of its values, such as 'in 1..8'");
  return false;
}

/// A table of wide ints that the formula reads, in q's offset, too, and that is
/// said nothing about.
const Expr *ProofWalk::freeTable(const Expr &e) const {
  const Expr *table = nullptr;
  auto isFreeTable = [&](const Expr &node) {
    if (node.kind == Expr::Variable && node.variable == Variable::Q) {
      table = freeTable(*spec.offset);
      return table != nullptr;
    }
    if (node.kind != Expr::Load)
      return false;
    const Input &input = spec.inputs[node.index];
    bool isWide = input.dtype == DType::I64 || input.dtype == DType::I32;
    table = isWide && !input.low ? &node : nullptr;
    return table != nullptr;
  };
  auto isLoad = [](const Expr &node) { return node.kind == Expr::Load; };
  anyNode(e, isFreeTable, /*ends=*/isLoad);
  return table;
}

/// The same product or power of reals; empty if `e` is neither.
std::string ProofWalk::asReal(const Expr &e) const {
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
bool ProofWalk::limitFactors(const ExprPtr &e) {
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

bool ProofWalk::checkOverflow(const ExprPtr &e, Interval &interval) {
  if (interval.fits())
    return true;
  auto [least, greatest] = prover.bounds(prover.linear(e));
  if (least && greatest) {
    interval = interval.meet({*least, *greatest});
    return true;
  }
  if (isTrial)
    return false;
  if (limitFactors(e)) {
    interval = interval.meet(Interval::all());
    return true;
  }
  auto &error = report.error(Message::MayOverflow, e->range, {print(*e)});
  if (mayBeReal)
    error.fix(asReal(*e));
  if (const Expr *table = freeTable(*e))
    error.note(spec.inputs[table->index].typeRange,
               "declare the range of its values, such as 'in "
               "0..2147483647'");
  else
    error.note("sizes and positions may be up to 2 ** 31 - 1; floats do "
               "not overflow: 1.0 * x");
  return false;
}

Interval ProofWalk::leaf(const ExprPtr &e) {
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
Interval ProofWalk::intervalIn(const ExprPtr &e) {
  Intervals known;
  return intervalIn(e, known);
}

Interval ProofWalk::intervalIn(const ExprPtr &e, Intervals &known) {
  if (e->kind != Expr::Apply)
    return leaf(e);
  if (auto found = known.find(e.get()); found != known.end())
    return found->second;
  SmallVector<Interval> operands;
  for (const ExprPtr &operand : drop_begin(e->operands, e->op == Op::Select))
    operands.push_back(operand->type == Type::Int ? intervalIn(operand, known)
                                                  : Interval::all());
  return known[e.get()] = intervalOf(*e, operands);
}

} // namespace attnc::spec
