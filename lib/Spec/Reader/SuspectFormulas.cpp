//===- SuspectFormulas.cpp - Valid formulas that look like mistakes -------===//
//
// Warnings only: a mask that no pair meets, a window that is open to the
// future, and a score that is scaled twice.
//
// Tests: test/Regression/suspect-masks.yaml, scaled-twice.yaml
//
//===----------------------------------------------------------------------===//

#include "Reader/SpecReader.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include <cmath>

using namespace llvm;

namespace attnc::spec {

void SpecReader::warnEmptyMask() {
  Prover prover(spec, Domain());
  for (const Precondition &condition : spec.preconditions)
    prover.know(condition.condition);
  prover.assume(spec.mask, true);
  bool isNever = spec.mask->isConstant() ? !spec.mask->boolean
                                         : prover.proves(LinearForm(-1));
  if (isNever && entry(Key::Mask))
    report.warning(Message::EmptyMask, entry(Key::Mask)->value.range)
        .note("'mask' is true for keys that are visible to the query");
}

/// Whether the condition bounds q - k from above by itself; with the text that
/// bounds it from below, too.
static bool isWindow(const AttentionSpec &spec, const ExprPtr &e) {
  bool isLess = e->isApply(Op::Lt) || e->isApply(Op::Le);
  if (!isLess && !e->isApply(Op::Gt) && !e->isApply(Op::Ge))
    return false;
  Prover prover(spec, Domain{false, false, false, true});
  ExprPtr low = e->operands[isLess ? 0 : 1], high = e->operands[isLess ? 1 : 0];
  if (low->type != Type::Int || high->type != Type::Int)
    return false;
  LinearForm difference = prover.linear(high) - prover.linear(low);
  LinearForm distance = prover.linear(makeVariable(Variable::Q)) -
                        prover.linear(makeVariable(Variable::K));
  return (difference + distance).isConstant();
}

static void collectConjuncts(const ExprPtr &e, std::vector<ExprPtr> &found) {
  if (!e->isApply(Op::And))
    return found.push_back(e);
  for (const ExprPtr &operand : e->operands)
    collectConjuncts(operand, found);
}

/// `q - k < 128` limits the past only: keys of the future have q - k < 0.
void SpecReader::warnOpenWindow() {
  std::vector<ExprPtr> conjuncts;
  collectConjuncts(spec.mask, conjuncts);
  for (const ExprPtr &e : conjuncts) {
    if (!isWindow(spec, e) || !e->range.isValid())
      continue;
    Prover prover(spec, Domain{true, true, true, /*ranges=*/false});
    prover.assume(spec.mask, true);
    LinearForm ahead = prover.linear(makeVariable(Variable::K)) -
                       prover.linear(makeVariable(Variable::Q));
    if (prover.bounds(ahead).second)
      return;
    StringRef text = Report::textOf(e->range);
    std::string closed;
    if (text.starts_with("q - k <"))
      closed = "0 <= " + text.str();
    report.warning(Message::OpenWindow, e->range)
        .fix(closed)
        .note("'k <= q' masks them; 'band(L, R)' limits both sides");
    return;
  }
}

static std::optional<double> constantOf(const Expr &e) {
  if (e.isApply(Op::ToReal))
    return constantOf(*e.operands[0]);
  if (!e.isConstant() || e.type == Type::Bool)
    return std::nullopt;
  return e.type == Type::Real ? e.real : double(e.integer);
}

/// The constant by which a formula multiplies `inner(operand)`, if it does.
static std::optional<double> scaleOf(const Expr &e,
                                     function_ref<bool(const Expr &)> inner) {
  if (e.isApply(Op::Div) && inner(*e.operands[0]))
    if (std::optional<double> divisor = constantOf(*e.operands[1]))
      return 1 / *divisor;
  if (e.isApply(Op::Mul))
    for (unsigned i : {0, 1})
      if (inner(*e.operands[i]))
        if (std::optional<double> factor = constantOf(*e.operands[1 - i]))
          return factor;
  return std::nullopt;
}

/// Whether a product of rows is multiplied by `scale` somewhere in the score.
static bool isScaledBy(const Expr &e, double scale) {
  auto isProduct = [](const Expr &x) { return x.isApply(Op::Dot); };
  std::optional<double> own = scaleOf(e, isProduct);
  return (own && std::abs(*own - scale) < 1e-6 * scale) ||
         any_of(e.operands,
                [&](const ExprPtr &x) { return isScaledBy(*x, scale); });
}

/// softmax(score / sqrt(head_dim)): the default score is divided already.
void SpecReader::warnScaledTwice() {
  const Size &width = spec.sizes[HeadDim];
  if (!spec.attention || spec.attention == spec.score ||
      width.kind != Size::Fixed)
    return;
  double scale = 1 / std::sqrt(double(width.value));
  if (!isScaledBy(*spec.score, scale))
    return;
  auto isScore = [&](const Expr &e) { return &e == spec.score.get(); };
  auto find = [&](auto &self, const ExprPtr &e) -> ExprPtr {
    std::optional<double> own = scaleOf(*e, isScore);
    if (own && std::abs(*own - scale) < 1e-6 * scale)
      return e;
    for (const ExprPtr &operand : e->operands)
      if (ExprPtr found = self(self, operand))
        return found;
    return nullptr;
  };
  ExprPtr found = find(find, spec.attention);
  if (!found || !found->range.isValid())
    return;
  auto &warning = report.warning(Message::ScaledTwice, found->range);
  warning.fix("score");
  if (const YamlEntry *score = entry(Key::Score))
    warning.note(score->value.range, "'score' is scaled here");
  else
    warning.note("the default of 'score' is Q @ K / sqrt(head_dim)");
}

} // namespace attnc::spec
