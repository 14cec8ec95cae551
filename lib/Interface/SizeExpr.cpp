//===- SizeExpr.cpp - Integer expressions over sizes ----------------------===//
//
// Postfix order is the one representation: building appends, evaluating and
// printing walk it with a stack, and the object's descriptor is a copy of it.
// Tests: test/Unit/Interface/SizeExprTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Interface/SizeExpr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace attnc;
using llvm::StringRef;

SizeExpr SizeExpr::constant(int64_t value) {
  return SizeExpr(std::vector<Step>{{Op::Constant, value, {}}});
}

SizeExpr SizeExpr::size(StringRef name) {
  return SizeExpr(std::vector<Step>{{Op::Size, 0, name.str()}});
}

SizeExpr SizeExpr::binary(Op op, const SizeExpr &lhs, const SizeExpr &rhs) {
  std::optional<int64_t> a = lhs.constantValue(), b = rhs.constantValue();
  if (a && b)
    if (std::optional<int64_t> folded = apply(op, *a, *b))
      return constant(*folded);
  bool sum = op == Op::Add || op == Op::Sub;
  bool product = op == Op::Mul || op == Op::FloorDiv;
  if ((sum && b == 0) || (product && b == 1))
    return lhs;
  if ((op == Op::Add && a == 0) || (op == Op::Mul && a == 1))
    return rhs;
  std::vector<Step> steps = lhs.steps;
  llvm::append_range(steps, rhs.steps);
  steps.push_back({op, 0, {}});
  return SizeExpr(std::move(steps));
}

std::optional<int64_t> SizeExpr::constantValue() const {
  if (steps.size() == 1 && steps[0].op == Op::Constant)
    return steps[0].value;
  return std::nullopt;
}

std::optional<StringRef> SizeExpr::sizeName() const {
  if (steps.size() == 1 && steps[0].op == Op::Size)
    return StringRef(steps[0].name);
  return std::nullopt;
}

std::vector<std::string> SizeExpr::sizeNames() const {
  std::vector<std::string> names;
  for (const Step &step : steps)
    if (step.op == Op::Size && !llvm::is_contained(names, step.name))
      names.push_back(step.name);
  return names;
}

unsigned SizeExpr::depth() const {
  unsigned now = 0, worst = 0;
  for (const Step &step : steps) {
    if (step.op == Op::Constant || step.op == Op::Size)
      worst = std::max(worst, ++now);
    else
      --now;
  }
  return worst;
}

std::optional<int64_t> SizeExpr::apply(Op op, int64_t lhs, int64_t rhs) {
  int64_t result;
  bool smallest = lhs == std::numeric_limits<int64_t>::min();
  switch (op) {
  case Op::Add:
    if (llvm::AddOverflow(lhs, rhs, result))
      return std::nullopt;
    return result;
  case Op::Sub:
    if (llvm::SubOverflow(lhs, rhs, result))
      return std::nullopt;
    return result;
  case Op::Mul:
    if (llvm::MulOverflow(lhs, rhs, result))
      return std::nullopt;
    return result;
  case Op::FloorDiv:
    if (rhs == 0 || (smallest && rhs == -1))
      return std::nullopt;
    return llvm::divideFloorSigned(lhs, rhs);
  case Op::Mod:
    if (rhs == 0)
      return std::nullopt;
    if (rhs == -1)
      return 0;
    result = lhs % rhs;
    return result != 0 && (result < 0) != (rhs < 0) ? result + rhs : result;
  case Op::Min:
    return std::min(lhs, rhs);
  case Op::Max:
    return std::max(lhs, rhs);
  case Op::Constant:
  case Op::Size:
    break;
  }
  return std::nullopt;
}

std::optional<int64_t> SizeExpr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> value) const {
  llvm::SmallVector<int64_t> stack;
  for (const Step &step : steps) {
    std::optional<int64_t> result;
    if (step.op == Op::Constant) {
      result = step.value;
    } else if (step.op == Op::Size) {
      result = value(step.name);
    } else {
      int64_t rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
      result = apply(step.op, lhs, rhs);
    }
    if (!result)
      return std::nullopt;
    stack.push_back(*result);
  }
  return stack.back();
}

SizeExpr SizeExpr::substitute(
    llvm::function_ref<std::optional<SizeExpr>(StringRef)> with) const {
  std::vector<SizeExpr> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back(constant(step.value));
    } else if (step.op == Op::Size) {
      std::optional<SizeExpr> replacement = with(step.name);
      stack.push_back(replacement ? *replacement : size(step.name));
    } else {
      SizeExpr rhs = std::move(stack.back());
      stack.pop_back();
      stack.back() = binary(step.op, stack.back(), rhs);
    }
  }
  return stack.back();
}

// How tightly the text of an operand binds: 1 sum, 2 product, 3 everything
// that needs no parentheses.
static int precedence(SizeExpr::Op op) {
  switch (op) {
  case SizeExpr::Op::Add:
  case SizeExpr::Op::Sub:
    return 1;
  case SizeExpr::Op::Mul:
  case SizeExpr::Op::FloorDiv:
  case SizeExpr::Op::Mod:
    return 2;
  default:
    return 3;
  }
}

static std::string symbol(SizeExpr::Op op) {
  switch (op) {
  case SizeExpr::Op::Add:
    return " + ";
  case SizeExpr::Op::Sub:
    return " - ";
  case SizeExpr::Op::Mul:
    return " * ";
  case SizeExpr::Op::FloorDiv:
    return " // ";
  case SizeExpr::Op::Mod:
    return " % ";
  case SizeExpr::Op::Min:
    return "min";
  default:
    return "max";
  }
}

std::string SizeExpr::str() const {
  struct Text {
    std::string text;
    int precedence;
  };
  auto inParentheses = [](const Text &t, int needed) {
    return t.precedence < needed ? "(" + t.text + ")" : t.text;
  };
  std::vector<Text> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back({std::to_string(step.value), step.value < 0 ? 0 : 3});
      continue;
    }
    if (step.op == Op::Size) {
      stack.push_back({step.name, 3});
      continue;
    }
    Text rhs = std::move(stack.back());
    stack.pop_back();
    Text &lhs = stack.back();
    int binds = precedence(step.op);
    if (binds == 3)
      lhs.text = symbol(step.op) + "(" + lhs.text + ", " + rhs.text + ")";
    else // left associative: an equal operand on the right is bracketed
      lhs.text = inParentheses(lhs, binds) + symbol(step.op) +
                 inParentheses(rhs, binds + 1);
    lhs.precedence = binds;
  }
  return stack.back().text;
}
