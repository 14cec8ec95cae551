//===- Evaluate.cpp - Checked formulas on small sizes ---------------------===//

#include "Evaluate.h"

#include "attnc/Spec/Parse.h"
#include "attnc/Spec/Print.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace attnc;
using namespace attnc::spec;
using namespace llvm;

std::optional<AttentionSpec> parse(const std::string &text, std::string *said) {
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "test.yaml"),
                             SMLoc());
  SourceDiagnostics diagnostics(sources);
  auto specs = parseSpecs(sources, diagnostics);
  if (said) {
    raw_string_ostream os(*said);
    diagnostics.print(os);
  }
  if (!specs || specs->size() != 1)
    return std::nullopt;
  return std::move(specs->front());
}

std::string print(const AttentionSpec &spec) {
  std::string text;
  raw_string_ostream os(text);
  printSpecs(os, spec);
  return text;
}

int64_t Evaluator::sizeOf(unsigned index) {
  const Size &size = spec.sizes[index];
  if (size.kind == Size::Fixed)
    return size.value;
  if (size.kind == Size::Derived)
    return evaluate(*size.formula, true).integer;
  return runTime.at(size.name);
}

bool Evaluator::legal() {
  for (const Precondition &condition : spec.preconditions)
    if (!evaluate(*condition.condition, true).boolean)
      return false;
  for (unsigned index = 0; index < spec.sizes.size(); ++index)
    if (sizeOf(index) < 0)
      return false;
  return true;
}

void Evaluator::run() {
  int64_t batch = sizeOf(Batch), heads = sizeOf(Heads);
  int64_t rows = sizeOf(QueryLen), keys = sizeOf(KvLen);
  if (!batch || !rows || !keys) // nothing is evaluated then
    return;
  for (b = 0; b < batch; ++b)
    for (h = 0; h < heads; ++h)
      for (i = 0; i <= rows; ++i)
        for (k = 0; k <= keys; ++k) {
          bool inside = i < rows && k < keys;
          bool sees = evaluate(*spec.mask, inside).boolean;
          evaluate(*spec.score, inside && sees);
        }
}

Evaluator::Value Evaluator::load(const Expr &e, bool guarded) {
  const Input &input = spec.inputs[e.index];
  hash_code hash = hash_combine(seed, e.index);
  for (size_t axis = 0; axis < e.operands.size(); ++axis) {
    int64_t index = evaluate(*e.operands[axis], guarded).integer;
    int64_t extent = evaluate(*input.axes[axis], true).integer;
    ++loads;
    if (guarded && (index < 0 || index >= extent))
      wrong.push_back("index " + std::to_string(index) + " of " + input.name +
                      ", which has " + std::to_string(extent));
    index = std::max<int64_t>(std::min(index, extent - 1), 0);
    hash = hash_combine(hash, index);
  }
  int64_t low = -3, high = 9;
  if (input.low) {
    low = evaluate(*input.low, true).integer;
    high = std::max(low, evaluate(*input.high, true).integer);
  } else if (input.dtype == DType::U8) {
    low = 0;
    high = 255;
  }
  Value value;
  value.integer = low + int64_t(size_t(hash) % size_t(high - low + 1));
  value.boolean = size_t(hash) & 1;
  value.real = double(value.integer);
  return value;
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t Evaluator::ints(const Expr &e, int64_t a, int64_t b, int64_t c) {
  switch (e.op) {
  case Op::Neg:
    return -a;
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::FloorDiv:
  case Op::Mod:
    if (!b) {
      wrong.push_back("division by 0");
      return 0;
    }
    return e.op == Op::FloorDiv ? floorDivide(a, b) : a - floorDivide(a, b) * b;
  case Op::Pow: {
    int64_t result = 1;
    for (int64_t n = 0; n < b; ++n)
      result *= a;
    return result;
  }
  case Op::Abs:
    return std::abs(a);
  case Op::Sign:
    return (a > 0) - (a < 0);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::Clamp:
    return std::min(std::max(a, b), c);
  default:
    return 0;
  }
}

static bool compares(Op op, auto a, auto b) {
  switch (op) {
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

Evaluator::Value Evaluator::apply(const Expr &e, bool guarded) {
  auto operand = [&](unsigned n, bool holds = true) {
    return evaluate(*e.operands[n], guarded && holds);
  };
  Value result, first = operand(0);
  if (e.op == Op::And || e.op == Op::Or) {
    bool isAnd = e.op == Op::And;
    bool second = operand(1, first.boolean == isAnd).boolean;
    result.boolean = isAnd ? first.boolean && second : first.boolean || second;
    return result;
  }
  if (e.op == Op::Select) { // both branches are computed
    Value yes = operand(1, first.boolean), no = operand(2, !first.boolean);
    return first.boolean ? yes : no;
  }
  Value second, third;
  if (e.operands.size() > 1)
    second = operand(1);
  if (e.operands.size() > 2)
    third = operand(2);
  if (e.op == Op::Not)
    result.boolean = !first.boolean;
  else if (e.op >= Op::Eq && e.op <= Op::Ge)
    result.boolean = e.operands[0]->type == spec::Type::Real
                         ? compares(e.op, first.real, second.real)
                     : e.operands[0]->type == spec::Type::Int
                         ? compares(e.op, first.integer, second.integer)
                         : compares(e.op, first.boolean, second.boolean);
  else if (e.op == Op::ToReal)
    result.real = double(first.integer);
  else if (e.type == spec::Type::Int)
    result.integer = ints(e, first.integer, second.integer, third.integer);
  return result; // the value of a real does not matter here
}

Evaluator::Value Evaluator::evaluate(const Expr &e, bool guarded) {
  Value value;
  switch (e.kind) {
  case Expr::Constant:
    value.integer = e.integer;
    value.boolean = e.boolean;
    value.real = e.real;
    return value;
  case Expr::Variable: {
    int64_t group = std::max<int64_t>(sizeOf(Group), 1);
    switch (e.variable) {
    case Variable::B:
      value.integer = b;
      break;
    case Variable::H:
      value.integer = h;
      break;
    case Variable::G:
      value.integer = h / group;
      break;
    case Variable::I:
      value.integer = i;
      break;
    case Variable::Q:
      value.integer = i + evaluate(*spec.offset, guarded).integer;
      break;
    case Variable::K:
      value.integer = k;
      break;
    }
    return value;
  }
  case Expr::Size:
    value.integer = sizeOf(e.index);
    return value;
  case Expr::Row:
  case Expr::Element: // of tensors, whose formulas are not evaluated here
  case Expr::Place:
    return value;
  case Expr::Load:
    return load(e, guarded);
  case Expr::Apply:
    return apply(e, guarded);
  }
  return value;
}
