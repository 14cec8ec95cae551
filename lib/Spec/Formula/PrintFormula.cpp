//===- PrintFormula.cpp - Checked formulas as text ------------------------===//
//
// The text parses back to the same tree: parentheses where the precedence asks
// for them, reals always with a point or an exponent.
//
//===----------------------------------------------------------------------===//

#include "Language/Language.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace llvm;

namespace attnc::spec {

namespace {
enum Precedence : uint8_t {
  POr,
  PAnd,
  PNot,
  PCompare,
  PSum,
  PProduct,
  PUnary,
  PPower,
  PPrimary,
};

class FormulaPrinter {
public:
  /// What equals `score` is printed as that name (null: nothing is).
  FormulaPrinter(const AttentionSpec &spec, const Expr *score)
      : spec(spec), score(score) {}
  std::string print(const Expr &e, Precedence least);

private:
  std::string text(const Expr &e, Precedence &precedence);
  std::string constant(const Expr &e, Precedence &precedence);
  std::string apply(const Expr &e, Precedence &precedence);
  std::string call(const Expr &e);
  std::string list(ArrayRef<ExprPtr> operands);

  const AttentionSpec &spec;
  const Expr *score;
  unsigned printed = 0; // nodes
};
} // namespace

/// Nodes of a text. Shared ones are written each time, so that a formula of
/// few nodes can be a text without end; what is behind these is "...".
static constexpr unsigned maxPrinted = 4000;

static std::string realText(double value) {
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return StringRef(text).find_first_of(".e") == StringRef::npos ? text + ".0"
                                                                : text;
}

std::string FormulaPrinter::constant(const Expr &e, Precedence &precedence) {
  if (e.type == Type::Bool)
    return e.boolean ? "true" : "false";
  if (e.type == Type::Int && e.integer == INT64_MIN) {
    precedence = PSum; // the literal alone would not fit
    return "-9223372036854775807 - 1";
  }
  std::string text =
      e.type == Type::Int ? std::to_string(e.integer) : realText(e.real);
  if (text[0] == '-')
    precedence = PUnary;
  return text;
}

std::string FormulaPrinter::list(ArrayRef<ExprPtr> operands) {
  std::string text;
  ListSeparator comma;
  for (const ExprPtr &operand : operands)
    text += StringRef(comma).str() + print(*operand, POr);
  return text;
}

std::string FormulaPrinter::call(const Expr &e) {
  std::string name = opSpelling(e.op).str();
  auto isReal = [](const ExprPtr &x, double value) {
    return x->isConstant() && x->real == value;
  };
  if (e.op == Op::Softmax) {
    std::string text = name + "(" + print(*e.operands[0], POr);
    if (!isReal(e.operands[1], -HUGE_VAL))
      text += ", sink=" + print(*e.operands[1], POr);
    if (!isReal(e.operands[2], 1))
      text += ", temperature=" + print(*e.operands[2], POr);
    return text + ")";
  }
  if (e.op == Op::AlibiSlope)
    return name + "(" + print(*e.operands[0], POr) +
           ", rule=" + (e.operands[1]->boolean ? "ceil" : "floor") +
           ", max=" + print(*e.operands[2], POr) + ")";
  return name + "(" + list(e.operands) + ")";
}

static std::optional<Precedence> precedenceOf(Op op) {
  switch (op) {
  case Op::Or:
    return POr;
  case Op::And:
    return PAnd;
  case Op::Not:
    return PNot;
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return PCompare;
  case Op::Add:
  case Op::Sub:
    return PSum;
  case Op::Mul:
  case Op::Div:
  case Op::FloorDiv:
  case Op::Mod:
  case Op::Dot:
    return PProduct;
  case Op::Neg:
    return PUnary;
  case Op::Pow:
    return PPower;
  default:
    return std::nullopt;
  }
}

std::string FormulaPrinter::apply(const Expr &e, Precedence &precedence) {
  if (e.op == Op::ToReal) { // the reader puts it back
    return text(*e.operands[0], precedence);
  }
  std::optional<Precedence> own = precedenceOf(e.op);
  if (!own)
    return call(e);
  precedence = *own;
  std::string op = opSpelling(e.op).str();
  if (e.op == Op::Not)
    return "not " + print(*e.operands[0], PNot);
  if (e.op == Op::Neg) {
    // -(5) of a constant would be folded, and 5 never stands here.
    return "-" + print(*e.operands[0], PUnary);
  }
  // Chains of comparisons are not rebuilt, so both sides bind tighter; a power
  // associates to the right, all others to the left.
  Precedence tighter = Precedence(*own + 1);
  Precedence left = e.op == Op::Pow ? PPrimary : *own, right = tighter;
  if (*own == PCompare)
    left = tighter;
  if (e.op == Op::Pow)
    right = PUnary;
  // As people write it; the power of an int would be another one.
  const Expr &base = *e.operands[0], &exponent = *e.operands[1];
  if (e.op == Op::Pow && exponent.isConstant() && exponent.type == Type::Real &&
      !base.isConstant() && !base.isApply(Op::ToReal) &&
      std::abs(exponent.real) < 1e9 &&
      exponent.real == std::floor(exponent.real))
    return print(base, left) + " ** " +
           std::to_string(static_cast<int64_t>(exponent.real));
  return print(*e.operands[0], left) + " " + op + " " +
         print(*e.operands[1], right);
}

std::string FormulaPrinter::text(const Expr &e, Precedence &precedence) {
  precedence = PPrimary;
  if (++printed > maxPrinted)
    return "...";
  if (score && sameExpr(e, *score))
    return "score";
  switch (e.kind) {
  case Expr::Constant:
    return constant(e, precedence);
  case Expr::Variable:
    for (const VariableInfo &variable : variableTable())
      if (variable.variable == e.variable)
        return variable.name.str();
    return "";
  case Expr::Size:
    return spec.sizes[e.index].name;
  case Expr::Row:
    return rowName(e.row).str();
  case Expr::Load: {
    const std::string &name = spec.inputs[e.index].name;
    return e.operands.empty() ? name : name + "[" + list(e.operands) + "]";
  }
  case Expr::Apply:
    return apply(e, precedence);
  case Expr::Element: // in messages
    return "x" + std::to_string(e.index);
  case Expr::Place:
    return "i" + std::to_string(e.index);
  }
  return "";
}

std::string FormulaPrinter::print(const Expr &e, Precedence least) {
  Precedence precedence;
  std::string result = text(e, precedence);
  return precedence < least ? "(" + result + ")" : result;
}

std::string printFormula(const AttentionSpec &spec, const Expr &formula) {
  return FormulaPrinter(spec, nullptr).print(formula, POr);
}

std::string printAttention(const AttentionSpec &spec) {
  FormulaPrinter printer(spec, spec.score.get());
  std::string text = printer.print(*spec.attention, POr);
  if (!spec.isSoftmax)
    return text;
  if (spec.sink)
    text += ", sink=" + printFormula(spec, *spec.sink);
  if (spec.temperature)
    text += ", temperature=" + printFormula(spec, *spec.temperature);
  return "softmax(" + text + ")";
}

std::string titleOfMask(const AttentionSpec &spec) {
  std::string formula = printFormula(spec, *spec.mask);
  for (const NamedMask &mask : maskTable())
    if (mask.parameters.empty() && mask.formula == formula)
      return mask.name.str();
  return "mask " + formula;
}

} // namespace attnc::spec
