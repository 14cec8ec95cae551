//===- Expr.cpp - A checked formula ---------------------------------------===//
//
// Builders and comparisons. Checking and folding happen in the Checker: what is
// built here is taken as it is.
//
//===----------------------------------------------------------------------===//

#include "attnc/Spec/Expr.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace attnc::spec {

StringRef typeName(Type type) {
  switch (type) {
  case Type::Bool:
    return "boolean";
  case Type::Int:
    return "integer";
  case Type::Real:
    return "float";
  case Type::Vector:
    return "vector";
  case Type::Matrix:
    return "matrix";
  case Type::Tensor:
    return "tensor";
  case Type::Bools:
    return "vector of booleans";
  case Type::Ints:
    return "vector of integers";
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

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

/// Bits of Expr::uses: a variable each, a row each, and these.
static constexpr unsigned firstRowBit = 6;
enum UseBit : uint16_t {
  UsesInput = 1 << 9,
  UsesSum = 1 << 10,
  UsesPair = 1 << 11, // differs from key to key
};

static uint16_t bitOf(Variable variable) { return 1 << unsigned(variable); }
static uint16_t bitOf(Row row) { return 1 << (firstRowBit + unsigned(row)); }

static uint16_t usesOf(const Expr &e) {
  uint16_t uses = 0;
  for (const ExprPtr &operand : e.operands)
    uses |= operand->uses;
  switch (e.kind) {
  case Expr::Variable:
    return bitOf(e.variable) | (e.variable == Variable::K ? UsesPair : 0);
  case Expr::Row:
    return bitOf(e.row) | (e.row != Row::Q ? UsesPair : 0);
  case Expr::Load:
    return uses | UsesInput;
  case Expr::Apply:
    if (isRowNumber(e.op))
      uses &= ~UsesPair;
    return uses | (e.op == Op::Sum ? UsesSum : 0);
  default:
    return uses;
  }
}

static uint64_t payloadOf(const Expr &e) {
  switch (e.kind) {
  case Expr::Constant:
    return e.type == Type::Bool  ? uint64_t(e.boolean)
           : e.type == Type::Int ? uint64_t(e.integer)
                                 : bit_cast<uint64_t>(e.real);
  case Expr::Variable:
    return uint64_t(e.variable);
  case Expr::Row:
    return uint64_t(e.row);
  case Expr::Apply:
    return uint64_t(e.op);
  default:
    return e.index;
  }
}

/// Fills in what follows from payload and operands.
static ExprPtr finish(std::shared_ptr<Expr> node) {
  uint64_t nodes = 1;
  hash_code hash =
      hash_combine(uint8_t(node->kind), uint8_t(node->type), payloadOf(*node));
  for (const ExprPtr &operand : node->operands) {
    nodes += operand->nodes;
    hash = hash_combine(hash, operand->hash);
  }
  node->nodes = uint32_t(std::min<uint64_t>(nodes, UINT32_MAX));
  node->hash = uint64_t(size_t(hash));
  node->uses = usesOf(*node);
  return node;
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
  return finish(std::move(node));
}

ExprPtr makeInt(int64_t value, SMRange range) {
  auto node = makeNode(Expr::Constant, Type::Int, range);
  node->integer = value;
  return finish(std::move(node));
}

ExprPtr makeReal(double value, SMRange range) {
  auto node = makeNode(Expr::Constant, Type::Real, range);
  node->real = value;
  return finish(std::move(node));
}

ExprPtr makeVariable(Variable variable, SMRange range) {
  auto node = makeNode(Expr::Variable, Type::Int, range);
  node->variable = variable;
  return finish(std::move(node));
}

ExprPtr makeSize(unsigned index, SMRange range) {
  auto node = makeNode(Expr::Size, Type::Int, range);
  node->index = index;
  return finish(std::move(node));
}

ExprPtr makeRow(Row row, SMRange range) {
  auto node = makeNode(Expr::Row, Type::Vector, range);
  node->row = row;
  return finish(std::move(node));
}

ExprPtr makeElement(unsigned operand, Type type, SMRange range,
                    std::vector<ExprPtr> places) {
  auto node = makeNode(Expr::Element, type, range);
  node->index = operand;
  node->operands = std::move(places);
  return finish(std::move(node));
}

ExprPtr makeLoad(unsigned input, Type type, std::vector<ExprPtr> indices,
                 SMRange range) {
  auto node = makeNode(Expr::Load, type, range);
  node->index = input;
  node->operands = std::move(indices);
  return finish(std::move(node));
}

ExprPtr makePlace(unsigned axis, SMRange range) {
  auto node = makeNode(Expr::Place, Type::Int, range);
  node->index = axis;
  return finish(std::move(node));
}

ExprPtr makeApply(Op op, Type type, std::vector<ExprPtr> operands,
                  SMRange range) {
  auto node = makeNode(Expr::Apply, type, range);
  node->op = op;
  node->operands = std::move(operands);
  return finish(std::move(node));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool anyNode(const Expr &e, function_ref<bool(const Expr &)> is,
             function_ref<bool(const Expr &)> ends) {
  SmallPtrSet<const Expr *, 32> seen;
  SmallVector<const Expr *> pending{&e};
  while (!pending.empty()) {
    const Expr &node = *pending.pop_back_val();
    if (!seen.insert(&node).second)
      continue;
    if (is(node))
      return true;
    if (ends && ends(node))
      continue;
    for (const ExprPtr &operand : reverse(node.operands)) // the first is next
      pending.push_back(operand.get());
  }
  return false;
}

using SamePairs = SmallDenseSet<std::pair<const Expr *, const Expr *>>;

static bool areSame(const Expr &a, const Expr &b, SamePairs &known) {
  if (&a == &b)
    return true;
  if (a.hash != b.hash || a.kind != b.kind || a.type != b.type ||
      a.operands.size() != b.operands.size() || payloadOf(a) != payloadOf(b))
    return false;
  if (!a.operands.empty() && !known.insert({&a, &b}).second)
    return true;
  for (auto [x, y] : zip_equal(a.operands, b.operands))
    if (!areSame(*x, *y, known))
      return false;
  return true;
}

bool sameExpr(const Expr &a, const Expr &b) {
  SamePairs known;
  return areSame(a, b, known);
}

bool isRowNumber(Op op) { return op == Op::Sum || op == Op::Count; }

bool isRowFunction(Op op) { return op >= Op::Softmax; }

bool dependsOn(const Expr &e, Variable variable) {
  return e.uses & bitOf(variable);
}

bool isOfPair(const Expr &e) { return e.uses & UsesPair; }

bool isSumOfRow(const Expr &e) { return (e.uses & UsesSum) && !isOfPair(e); }

bool usesRow(const Expr &e, Row row) { return e.uses & bitOf(row); }

bool readsInput(const Expr &e) { return e.uses & UsesInput; }

} // namespace attnc::spec
