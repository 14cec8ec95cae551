//===- Formula.cpp - A formula at one pair after the other ----------------===//

#include "Formula.h"

#include "Scalars.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnc::formula {

using spec::Expr;
using spec::Op;

static bool isOfReals(spec::Type type) {
  return type == spec::Type::Matrix ||
         spec::elementType(type) == spec::Type::Real;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Formula::Formula(const Expr &e, Scope &scope) : Formula(e, scope, 0) {}

Formula::Formula(const Expr &e, Scope &scope, unsigned defining)
    : scope(scope), root(compile(e, defining)) {}

/// `defining` has a bit for each of Q, K and V whose definition this is a part
/// of: inside, its name means the argument.
Formula::Node *Formula::compile(const Expr &e, unsigned defining) {
  Node *&found = known[{&e, defining}];
  if (found)
    return found;
  Node &node = nodes.emplace_back();
  node.expr = &e;
  node.isReal = isOfReals(e.type);
  if (spec::isVector(e.type) || e.type == spec::Type::Matrix)
    for (const spec::ExprPtr &axis : scope.call.spec.axesOf(e))
      node.width *= size_t(scope.call.extent(*axis));
  if (e.kind == Expr::Apply && spec::isRowFunction(e.op)) {
    compileRowFunction(node, defining);
  } else {
    for (const spec::ExprPtr &operand : e.operands)
      node.operands.push_back(compile(*operand, defining));
    if (e.kind == Expr::Variable)
      compileVariable(node);
    if (e.kind == Expr::Row)
      compileRow(node, defining);
    if (e.kind == Expr::Size &&
        scope.call.spec.sizes[e.index].kind == spec::Size::PerSequence)
      node.dependence = OnSequence;
    if (e.kind == Expr::Element || e.kind == Expr::Place)
      node.dependence = OnElement;
    for (Node *operand : node.operands)
      node.dependence |= operand->dependence;
  }
  return known[{&e, defining}] = &node;
}

void Formula::compileVariable(Node &node) {
  switch (node.expr->variable) {
  case spec::Variable::B:
    node.dependence = OnSequence;
    return;
  case spec::Variable::H:
  case spec::Variable::G:
    node.dependence = OnHead;
    return;
  case spec::Variable::K:
    node.dependence = OnKey;
    return;
  case spec::Variable::I:
    node.dependence = OnRow;
    return;
  case spec::Variable::Q:
    node.dependence = OnRow;
    node.operands.push_back(compile(*scope.attention->offset, 0));
    return;
  }
}

void Formula::compileRow(Node &node, unsigned defining) {
  spec::Row row = node.expr->row;
  unsigned bit = 1u << unsigned(row);
  const spec::ExprPtr &definition = scope.call.spec.definitions[unsigned(row)];
  if (definition && scope.hasDefinitions && !(defining & bit))
    node.operands.push_back(compile(*definition, defining | bit));
  node.dependence = OnSequence | OnHead | (row == spec::Row::Q ? OnRow : OnKey);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether the node's values are from another place; makes this one theirs.
bool Formula::isNewPlace(Node &node) const {
  auto part = [&](unsigned what, int64_t value) {
    return node.dependence & what ? value : 0;
  };
  std::array<int64_t, 5> here = {
      part(OnSequence, scope.b), part(OnHead, scope.h), part(OnRow, scope.i),
      node.dependence & OnRow ? part(OnKey, scope.k) : 0,
      part(OnElement, scope.step)};
  bool isNew = !node.isKnown || here != node.place;
  node.place = here;
  node.isKnown = true;
  return isNew;
}

const Value &Formula::value(Node &node) {
  bool isNew = isNewPlace(node);
  if (!(node.dependence & OnKey) || (node.dependence & OnRow)) {
    if (isNew)
      compute(node, node.value);
    return node.value;
  }
  if (isNew)
    node.ofKeys.clear();
  auto key = size_t(scope.k);
  if (node.ofKeys.size() <= key)
    node.ofKeys.resize(key + 1);
  if (!node.ofKeys[key]) {
    auto made = std::make_unique<Value>();
    compute(node, *made);
    node.ofKeys[key] = std::move(made);
  }
  return *node.ofKeys[key];
}

void Formula::compute(Node &node, Value &out) {
  if (node.isReal)
    out.reals.resize(node.width);
  else
    out.integers.resize(node.width);
  const Expr &e = *node.expr;
  switch (e.kind) {
  case Expr::Constant:
    if (e.type == spec::Type::Real)
      out.reals[0] = scope.isDouble ? Number(e.real) : Number(float(e.real));
    else
      out.integers[0] = e.type == spec::Type::Bool ? e.boolean : e.integer;
    return;
  case Expr::Variable:
    return computeVariable(e.variable, node, out);
  case Expr::Size:
    out.integers[0] = scope.call.size(e.index, scope.b);
    return;
  case Expr::Row:
    if (node.operands.empty())
      return scope.given(e.row, out);
    out = value(*node.operands[0]);
    return;
  case Expr::Load:
    return computeLoad(node, out);
  case Expr::Element:
    return computeElement(node, out);
  case Expr::Place:
    out.integers[0] = scope.places[e.index];
    return;
  case Expr::Apply:
    return computeApply(node, out);
  }
}

void Formula::computeVariable(spec::Variable variable, Node &node, Value &out) {
  switch (variable) {
  case spec::Variable::B:
    out.integers[0] = scope.b;
    return;
  case spec::Variable::H:
    out.integers[0] = scope.h;
    return;
  case spec::Variable::G:
    out.integers[0] = scope.h / scope.call.size(spec::Group);
    return;
  case spec::Variable::I:
    out.integers[0] = scope.i;
    return;
  case spec::Variable::Q:
    out.integers[0] = scope.i + value(*node.operands[0]).integers[0];
    return;
  case spec::Variable::K:
    out.integers[0] = scope.k;
    return;
  }
}

/// Copies elements that follow each other.
static void copyElements(const Array &from, int64_t first, bool isReal,
                         Value &out) {
  size_t count = isReal ? out.reals.size() : out.integers.size();
  for (size_t feature = 0; feature < count; ++feature)
    if (isReal)
      out.reals[feature] = from.real(first + int64_t(feature));
    else
      out.integers[feature] = from.integer(first + int64_t(feature));
}

static void fillZero(Value &out) {
  llvm::fill(out.reals, 0);
  llvm::fill(out.integers, 0);
}

/// An axis without places is read as 0.
void Formula::computeLoad(Node &node, Value &out) {
  const Array &array = scope.call.inputs[node.expr->index];
  int64_t place = 0;
  for (auto [operand, extent] : llvm::zip(node.operands, array.shape)) {
    if (extent == 0)
      return fillZero(out);
    int64_t index = value(*operand).integers[0];
    place = place * extent + std::clamp<int64_t>(index, 0, extent - 1);
  }
  copyElements(array, place * int64_t(node.width), node.isReal, out);
}

void Formula::computeElement(Node &node, Value &out) {
  unsigned index = node.expr->index;
  const Array &array = *scope.operands[index];
  if (node.operands.empty())
    return copyElements(array, scope.elements[index], node.isReal, out);
  int64_t place = 0;
  for (auto [operand, extent] : llvm::zip_equal(node.operands, array.shape)) {
    if (extent == 0)
      return fillZero(out);
    int64_t at = value(*operand).integers[0];
    place = place * extent + std::clamp<int64_t>(at, 0, extent - 1);
  }
  copyElements(array, place, node.isReal, out);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Formula::computeApply(Node &node, Value &out) {
  const Expr &e = *node.expr;
  if (spec::isRowFunction(e.op)) {
    computeRow(node);
    Number number = node.numbers[spec::isRowNumber(e.op) ? 0 : scope.k];
    if (node.isReal)
      out.reals[0] = number;
    else
      out.integers[0] = int64_t(number);
    return;
  }
  if (e.op == Op::Dot)
    return computeProduct(node, out);
  if (e.op == Op::L2Norm)
    return computeNorm(node, out);
  if (e.op == Op::AlibiSlope) {
    out.reals[0] =
        alibiSlope(value(*node.operands[0]).integers[0],
                   scope.call.size(spec::Heads), e.operands[2]->real);
    return;
  }
  if (!computeChoice(node, out))
    computeElementwise(node, out);
}

/// where, and, or: evaluates what is needed only. False if the operation is
/// another one or the condition a vector.
bool Formula::computeChoice(Node &node, Value &out) {
  Op op = node.expr->op;
  if (op != Op::Select && op != Op::And && op != Op::Or)
    return false;
  if (spec::isVector(node.expr->operands[0]->type))
    return false;
  bool first = value(*node.operands[0]).integers[0] != 0;
  if (op != Op::Select && spec::isVector(node.expr->type))
    return false;
  if (op != Op::Select && first == (op == Op::Or)) {
    out.integers[0] = first;
    return true;
  }
  const Value &chosen =
      value(*node.operands[op == Op::Select && !first ? 2 : 1]);
  for (size_t feature = 0; feature < node.width; ++feature)
    if (node.isReal)
      out.reals[feature] = chosen.reals[chosen.reals.size() == 1 ? 0 : feature];
    else
      out.integers[feature] =
          chosen.integers[chosen.integers.size() == 1 ? 0 : feature];
  return true;
}

/// One function of numbers for each feature; operands that are no vectors are
/// the same for all.
void Formula::computeElementwise(Node &node, Value &out) {
  const Expr &e = *node.expr;
  llvm::SmallVector<const Value *, 3> x;
  for (Node *operand : node.operands)
    x.push_back(&value(*operand));
  bool isSum = e.op == Op::Div && spec::isSumOfRow(*e.operands[1]);
  bool ofReals = node.operands.back()->isReal;
  for (size_t feature = 0; feature < node.width; ++feature) {
    llvm::SmallVector<Number, 3> reals;
    llvm::SmallVector<int64_t, 3> integers;
    for (const Value *operand : x) {
      if (!operand->reals.empty())
        reals.push_back(
            operand->reals[operand->reals.size() == 1 ? 0 : feature]);
      if (!operand->integers.empty())
        integers.push_back(
            operand->integers[operand->integers.size() == 1 ? 0 : feature]);
    }
    if (e.op == Op::ToReal)
      out.reals[feature] = Number(integers[0]);
    else if (e.op == Op::Select && node.isReal)
      out.reals[feature] = reals[integers[0] ? 0 : 1];
    else if (e.op == Op::Select)
      out.integers[feature] = integers[integers[0] ? 1 : 2];
    else if (e.op >= Op::Eq && e.op <= Op::Ge)
      out.integers[feature] = ofReals
                                  ? compareReals(e.op, reals[0], reals[1])
                                  : compareInts(e.op, integers[0], integers[1]);
    else if (e.op == Op::T5Bucket)
      out.integers[feature] =
          t5Bucket(integers[0], integers[1], integers[2], integers[3] != 0);
    else if (isSum && reals[1] == 0) // x / sum(x) of a row without weights
      out.reals[feature] = 0;
    else if (node.isReal)
      out.reals[feature] = applyReal(e.op, reals);
    else
      out.integers[feature] = applyInt(e.op, integers);
  }
}

/// u @ v, W @ v, v @ W.
void Formula::computeProduct(Node &node, Value &out) {
  const Value &left = value(*node.operands[0]);
  const Value &right = value(*node.operands[1]);
  bool isTurned = node.expr->operands[1]->type == spec::Type::Matrix;
  size_t summed = isTurned ? left.reals.size() : right.reals.size();
  for (size_t feature = 0; feature < node.width; ++feature) {
    Number sum = 0;
    for (size_t c = 0; c < summed; ++c)
      sum += isTurned ? left.reals[c] * right.reals[c * node.width + feature]
                      : left.reals[feature * summed + c] * right.reals[c];
    out.reals[feature] = sum;
  }
}

/// v / max(|v|, eps)
void Formula::computeNorm(Node &node, Value &out) {
  const Value &v = value(*node.operands[0]);
  Number squares = 0;
  for (Number x : v.reals)
    squares += x * x;
  Number length = std::sqrt(squares);
  Number eps = value(*node.operands[1]).reals[0];
  if (length < eps)
    length = eps;
  for (size_t feature = 0; feature < node.width; ++feature)
    out.reals[feature] = v.reals[feature] / length;
}

} // namespace attnc::formula
