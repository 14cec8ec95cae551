//===- MaskInScore.cpp - Keys that numbers of the score leave out ---------===//
//
// A score of -inf, or of -1e9, is right, and every key of it is computed.
//
//===----------------------------------------------------------------------===//

#include "Reader/SpecReader.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace llvm;

namespace attnc::spec {

namespace {
struct ScoreMask {
  const Expr *term = nullptr;
  double number = 0;
  std::string mask; // what is seen
};
} // namespace

static const Expr &withoutConversion(const Expr &e) {
  return e.isApply(Op::ToReal) ? *e.operands[0] : e;
}

static std::optional<double> numberOf(const Expr &e) {
  const Expr &plain = withoutConversion(e);
  if (!plain.isConstant() || plain.type == Type::Bool)
    return std::nullopt;
  return plain.type == Type::Real ? plain.real : double(plain.integer);
}

/// -inf, or a number that stands for it elsewhere: -1e9, -10000.
static bool leavesOut(std::optional<double> number) {
  constexpr double kLeast = -1e4;
  return number && *number <= kLeast;
}

static bool usesRows(const Expr &e) {
  return usesRow(e, Row::Q) || usesRow(e, Row::K) || usesRow(e, Row::V);
}

/// where(c, x, -inf) with a condition that a mask could be. `sign`: of the term
/// in the score.
static std::optional<ScoreMask> maskOfChoice(const AttentionSpec &spec,
                                             const Expr &e, double sign) {
  if (!e.isApply(Op::Select) || usesRows(*e.operands[0]) ||
      !isOfPair(*e.operands[0]))
    return std::nullopt;
  // Of one key of a row a number is meant: it counts where it is the only one.
  bool isOfOneKey = e.operands[0]->isApply(Op::Eq);
  std::string condition = printFormula(spec, *e.operands[0]);
  for (auto [branch, mask] :
       {std::pair(2, condition), std::pair(1, "not (" + condition + ")")})
    if (std::optional<double> number = numberOf(*e.operands[branch]);
        number && leavesOut(sign * *number) &&
        !(isOfOneKey && branch == 1 && std::isfinite(*number)))
      return ScoreMask{&e, sign * *number, mask};
  return std::nullopt;
}

/// (1 - m[b, k]) * -10000.0, m[b, k] * -1e9 and (m[b, k] - 1) * 1e4, of which m
/// is 0 or 1.
static std::optional<ScoreMask> maskOfFactor(const AttentionSpec &spec,
                                             const Expr &e, double sign) {
  if (!e.isApply(Op::Mul))
    return std::nullopt;
  bool isFirst = numberOf(*e.operands[0]).has_value();
  std::optional<double> number = numberOf(*e.operands[isFirst ? 0 : 1]);
  if (!number)
    return std::nullopt;
  double least = sign * *number;
  const Expr *table = &withoutConversion(*e.operands[isFirst ? 1 : 0]);
  bool isOfSeen = table->isApply(Op::Sub);
  if (isOfSeen) {
    bool isFromOne = numberOf(*table->operands[0]) == 1.0;
    if (!isFromOne && numberOf(*table->operands[1]) != 1.0)
      return std::nullopt;
    least = isFromOne ? least : -least;
    table = &withoutConversion(*table->operands[isFromOne ? 1 : 0]);
  }
  if (table->kind != Expr::Load || !isOfPair(*table) || !leavesOut(least))
    return std::nullopt;
  return ScoreMask{&e, least,
                   printFormula(spec, *table) + (isOfSeen ? " != 0" : " == 0")};
}

/// Nodes without such a mask, and the sign they were looked at with.
using Seen = DenseSet<std::pair<const Expr *, unsigned>>;

static std::optional<ScoreMask> maskInScore(const AttentionSpec &spec,
                                            const Expr &e, Seen &seen,
                                            double sign = 1) {
  if (!seen.insert({&e, unsigned(sign > 0)}).second)
    return std::nullopt;
  std::optional<ScoreMask> found = maskOfChoice(spec, e, sign);
  if (!found)
    found = maskOfFactor(spec, e, sign);
  if (e.kind != Expr::Apply)
    return found;
  for (size_t i = 0; i < e.operands.size() && !found; ++i) {
    bool isTaken = e.op == Op::Neg || (e.op == Op::Sub && i == 1);
    found = maskInScore(spec, *e.operands[i], seen, isTaken ? -sign : sign);
  }
  return found;
}

void SpecReader::warnMaskInScore() {
  Seen seen;
  std::optional<ScoreMask> found = maskInScore(spec, *spec.score, seen);
  if (!found || !found->term->range.isValid())
    return;
  auto &warning =
      report.warning(Message::MaskInScore, found->term->range,
                     {printFormula(spec, *makeReal(found->number))});
  warning.note(std::string(entry(Key::Mask) ? "add it to the mask with 'and':  "
                                            : "use instead:  mask: ") +
               found->mask);
  if (std::isfinite(found->number))
    warning.note("a fully masked row becomes the mean of all of V this "
                 "way, but 0 with 'mask'");
}

} // namespace attnc::spec
