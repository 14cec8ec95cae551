//===- Expr.cpp - A checked formula ---------------------------------------===//
//
// Builders and comparisons. Checking and folding happen in the Checker: what is
// built here is taken as it is.
//
//===----------------------------------------------------------------------===//

#include "attnc/Spec/Expr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace attnc::spec {

StringRef typeName(Type type) {
  switch (type) {
  case Type::Bool:
    return "truth value";
  case Type::Int:
    return "int";
  case Type::Real:
    return "real";
  case Type::Vector:
    return "vector";
  case Type::Matrix:
    return "matrix";
  case Type::Tensor:
    return "tensor";
  case Type::Bools:
    return "vector of truth values";
  case Type::Ints:
    return "vector of ints";
  }
  return "";
}

bool isVector(Type type) {
  return type == Type::Vector || type == Type::Bools || type == Type::Ints;
}

Type elementType(Type type) {
  switch (type) {
  case Type::Vector:
    return Type::Real;
  case Type::Bools:
    return Type::Bool;
  case Type::Ints:
    return Type::Int;
  default:
    return type;
  }
}

Type vectorOf(Type element) {
  return element == Type::Bool  ? Type::Bools
         : element == Type::Int ? Type::Ints
                                : Type::Vector;
}

StringRef opSpelling(Op op) {
  switch (op) {
#define OPERATOR(Name, Text)                                                   \
  case Op::Name:                                                               \
    return Text;
#include "Language/Operators.def"
  }
  return "";
}

static std::shared_ptr<Expr> makeNode(Expr::Kind kind, Type type,
                                      SMRange range) {
  auto node = std::make_shared<Expr>();
  node->kind = kind;
  node->type = type;
  node->range = range;
  return node;
}

ExprPtr makeBool(bool value, SMRange range) {
  auto node = makeNode(Expr::Constant, Type::Bool, range);
  node->boolean = value;
  return node;
}

ExprPtr makeInt(int64_t value, SMRange range) {
  auto node = makeNode(Expr::Constant, Type::Int, range);
  node->integer = value;
  return node;
}

ExprPtr makeReal(double value, SMRange range) {
  auto node = makeNode(Expr::Constant, Type::Real, range);
  node->real = value;
  return node;
}

ExprPtr makeVariable(Variable variable, SMRange range) {
  auto node = makeNode(Expr::Variable, Type::Int, range);
  node->variable = variable;
  return node;
}

ExprPtr makeSize(unsigned index, SMRange range) {
  auto node = makeNode(Expr::Size, Type::Int, range);
  node->index = index;
  return node;
}

ExprPtr makeRow(Row row, SMRange range) {
  auto node = makeNode(Expr::Row, Type::Vector, range);
  node->row = row;
  return node;
}

static void adopt(Expr &node, std::vector<ExprPtr> operands) {
  uint64_t nodes = 1;
  for (const ExprPtr &operand : operands)
    nodes += operand->nodes;
  node.nodes = uint32_t(std::min<uint64_t>(nodes, UINT32_MAX));
  node.operands = std::move(operands);
}

ExprPtr makeElement(unsigned operand, Type type, SMRange range,
                    std::vector<ExprPtr> places) {
  auto node = makeNode(Expr::Element, type, range);
  node->index = operand;
  adopt(*node, std::move(places));
  return node;
}

ExprPtr makeLoad(unsigned input, Type type, std::vector<ExprPtr> indices,
                 SMRange range) {
  auto node = makeNode(Expr::Load, type, range);
  node->index = input;
  adopt(*node, std::move(indices));
  return node;
}

ExprPtr makePlace(unsigned axis, SMRange range) {
  auto node = makeNode(Expr::Place, Type::Int, range);
  node->index = axis;
  return node;
}

ExprPtr makeApply(Op op, Type type, std::vector<ExprPtr> operands,
                  SMRange range) {
  auto node = makeNode(Expr::Apply, type, range);
  node->op = op;
  adopt(*node, std::move(operands));
  return node;
}

static bool samePayload(const Expr &a, const Expr &b) {
  switch (a.kind) {
  case Expr::Constant:
    if (a.type == Type::Bool)
      return a.boolean == b.boolean;
    if (a.type == Type::Int)
      return a.integer == b.integer;
    return bit_cast<uint64_t>(a.real) == bit_cast<uint64_t>(b.real);
  case Expr::Variable:
    return a.variable == b.variable;
  case Expr::Row:
    return a.row == b.row;
  case Expr::Size:
  case Expr::Load:
  case Expr::Element:
  case Expr::Place:
    return a.index == b.index;
  case Expr::Apply:
    return a.op == b.op;
  }
  return false;
}

bool sameExpr(const Expr &a, const Expr &b) {
  if (&a == &b)
    return true;
  if (a.kind != b.kind || a.type != b.type || a.nodes != b.nodes ||
      a.operands.size() != b.operands.size() || !samePayload(a, b))
    return false;
  for (auto [x, y] : zip_equal(a.operands, b.operands))
    if (!sameExpr(*x, *y))
      return false;
  return true;
}

bool isRowNumber(Op op) { return op == Op::Sum || op == Op::Count; }

bool isRowFunction(Op op) { return op >= Op::Softmax; }

bool dependsOn(const Expr &e, Variable variable) {
  if (e.kind == Expr::Variable)
    return e.variable == variable;
  return any_of(e.operands, [&](const ExprPtr &operand) {
    return dependsOn(*operand, variable);
  });
}

bool isOfPair(const Expr &e) {
  if ((e.kind == Expr::Row && e.row != Row::Q) ||
      (e.kind == Expr::Variable && e.variable == Variable::K))
    return true;
  if (e.kind == Expr::Apply && isRowNumber(e.op))
    return false;
  return any_of(e.operands, [](const ExprPtr &x) { return isOfPair(*x); });
}

static bool hasSum(const Expr &e) {
  return e.isApply(Op::Sum) ||
         any_of(e.operands, [](const ExprPtr &x) { return hasSum(*x); });
}

bool isSumOfRow(const Expr &e) { return hasSum(e) && !isOfPair(e); }

bool usesRow(const Expr &e, Row row) {
  if (e.kind == Expr::Row)
    return e.row == row;
  return any_of(e.operands,
                [&](const ExprPtr &operand) { return usesRow(*operand, row); });
}

} // namespace attnc::spec
