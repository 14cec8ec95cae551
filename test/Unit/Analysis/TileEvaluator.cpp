//===- TileEvaluator.cpp - Expressions for all tiles of a block -----------===//

#include "TileEvaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace attnc;
using namespace llvm;
using Kind = IndexNode::Kind;
using Truth = MaskCondition::Kind;

TileEvaluator::TileEvaluator(std::vector<int64_t> symbols,
                             const std::vector<TableValues> &tables,
                             int64_t keys)
    : symbols(std::move(symbols)), tables(tables),
      numTiles(keys * (keys + 1) / 2) {
  for (int64_t k0 = 0; k0 < keys; ++k0)
    for (int64_t k1 = k0 + 1; k1 <= keys; ++k1) {
      begins.push_back(k0);
      ends.push_back(k1);
    }
}

unsigned TileEvaluator::insert(Node node) {
  for (unsigned operand : node.operands) {
    node.usesRows |= nodes[operand].usesRows;
    node.usesKeys |= nodes[operand].usesKeys;
  }
  node.values.resize(node.usesKeys ? numTiles : 1);
  if (!node.usesRows)
    compute(node);
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

unsigned TileEvaluator::add(IndexExpr expr) {
  if (auto it = numbers.find(expr); it != numbers.end())
    return it->second;
  Node node;
  node.expr = expr;
  for (IndexExpr operand : expr->operands)
    node.operands.push_back(add(operand));
  bool isSymbol = expr->kind == Kind::Symbol;
  node.usesRows = isSymbol && (expr->value == IndexExprs::RowBegin ||
                               expr->value == IndexExprs::RowEnd);
  node.usesKeys = isSymbol && (expr->value == IndexExprs::KeyBegin ||
                               expr->value == IndexExprs::KeyEnd);
  return numbers[expr] = insert(std::move(node));
}

unsigned TileEvaluator::add(const MaskCondition *condition) {
  if (auto it = numbers.find(condition); it != numbers.end())
    return it->second;
  Node node;
  node.condition = condition;
  if (condition->expr)
    node.operands.push_back(add(condition->expr));
  for (const MaskCondition *operand : {condition->a, condition->b})
    if (operand)
      node.operands.push_back(add(operand));
  return numbers[condition] = insert(std::move(node));
}

void TileEvaluator::setBlock(int64_t q0, int64_t q1) {
  symbols[IndexExprs::RowBegin] = q0;
  symbols[IndexExprs::RowEnd] = q1;
  for (Node &node : nodes)
    if (node.usesRows)
      compute(node);
}

/// `value` gets the tile and the operands' values.
template <typename F> void TileEvaluator::forEachTile(Node &node, F value) {
  const int64_t *from[2] = {};
  size_t step[2] = {};
  for (auto [i, operand] : enumerate(ArrayRef(node.operands).take_front(2))) {
    from[i] = nodes[operand].values.data();
    step[i] = nodes[operand].values.size() == 1 ? 0 : 1;
  }
  int64_t zero = 0;
  for (unsigned i : {0, 1})
    from[i] = from[i] ? from[i] : &zero;
  for (size_t i = 0; i < node.values.size(); ++i)
    node.values[i] = value(from[0][i * step[0]], from[1][i * step[1]]);
}

void TileEvaluator::computeSymbol(Node &node) {
  if (node.expr->value == IndexExprs::KeyBegin)
    node.values = begins;
  else if (node.expr->value == IndexExprs::KeyEnd)
    node.values = ends;
  else
    node.values[0] = symbols[node.expr->value];
}

void TileEvaluator::computeSum(Node &node) {
  int64_t fixed = node.expr->value;
  for (auto [factor, operand] : zip_equal(node.expr->factors, node.operands))
    if (nodes[operand].values.size() == 1)
      fixed += factor * nodes[operand].values[0];
  bool isFirst = true;
  for (auto [f, operand] : zip_equal(node.expr->factors, node.operands)) {
    const Lanes &values = nodes[operand].values;
    if (values.size() == 1)
      continue;
    int64_t factor = f;
    for (size_t i = 0; i < values.size(); ++i)
      node.values[i] = (isFirst ? fixed : node.values[i]) + factor * values[i];
    isFirst = false;
  }
  if (isFirst)
    std::fill(node.values.begin(), node.values.end(), fixed);
}

/// An element, or what a part of the table has: places out of range count as
/// the nearest.
static int64_t elementAt(const TableValues &table, ArrayRef<int64_t> places) {
  int64_t offset = 0;
  for (auto [extent, place] : zip_equal(table.shape, places))
    offset = offset * extent + place;
  return table.data[offset];
}

static int64_t endOf(const TableValues &table, ArrayRef<int64_t> places,
                     bool greatest) {
  size_t rank = table.shape.size();
  SmallVector<int64_t> at(places.take_front(rank));
  ArrayRef<int64_t> last = places.drop_front(rank);
  int64_t best = elementAt(table, at);
  while (true) {
    size_t axis = rank;
    while (axis > 0 && at[axis - 1] >= last[axis - 1]) {
      at[axis - 1] = places[axis - 1];
      --axis;
    }
    if (axis == 0)
      return best;
    ++at[axis - 1];
    int64_t value = elementAt(table, at);
    best = greatest ? std::max(best, value) : std::min(best, value);
  }
}

/// What the table says of `places`, which lie within it.
int64_t TileEvaluator::lookUp(const Node &node, ArrayRef<int64_t> places) {
  const TableValues &table = tables[node.expr->value];
  return places.size() == table.shape.size()
             ? elementAt(table, places)
             : endOf(table, places, node.expr->kind == Kind::TableMax);
}

void TileEvaluator::computeTable(Node &node) {
  const TableValues &table = tables[node.expr->value];
  size_t rank = table.shape.size(), numKeys = 1, count = node.operands.size();
  if (table.data.empty())
    return std::fill(node.values.begin(), node.values.end(), 0);
  if (node.expr->kind == Kind::LowerBound) // rows of one axis only
    return forEachTile(node, [&](int64_t value, int64_t) {
      auto at = std::lower_bound(table.data.begin(), table.data.end(), value);
      return at - table.data.begin();
    });
  SmallVector<const int64_t *, 4> from(count);
  SmallVector<size_t, 4> step(count);
  SmallVector<int64_t, 4> extent(count), places(count);
  for (size_t i = 0; i < count; ++i) {
    from[i] = nodes[node.operands[i]].values.data();
    step[i] = nodes[node.operands[i]].values.size() == 1 ? 0 : 1;
    extent[i] = table.shape[i % rank];
    numKeys *= extent[i];
  }
  constexpr int64_t unknown = INT64_MIN;
  node.memo.resize(numKeys, unknown);
  for (size_t tile = 0; tile < node.values.size(); ++tile) {
    size_t key = 0;
    for (size_t i = 0; i < count; ++i) {
      int64_t place = from[i][tile * step[i]];
      places[i] = std::clamp<int64_t>(place, 0, extent[i] - 1);
      key = key * extent[i] + places[i];
    }
    int64_t &known = node.memo[key];
    if (known == unknown)
      known = lookUp(node, places);
    node.values[tile] = known;
  }
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

void TileEvaluator::compute(Node &node) {
  if (node.condition) {
    bool isFixed = node.condition->kind != Truth::Never;
    switch (node.condition->kind) {
    case Truth::Never:
    case Truth::Always:
    case Truth::Unknown:
      return forEachTile(node, [&](int64_t, int64_t) { return isFixed; });
    case Truth::RealAtLeast:
    case Truth::RealAbove: // RealMasksTest.cpp looks at these
      llvm_unreachable("masks of reals are not evaluated here");
    case Truth::AtLeastZero:
      return forEachTile(node, [](int64_t a, int64_t) { return a >= 0; });
    case Truth::Not:
      return forEachTile(node, [](int64_t a, int64_t) { return 1 - a; });
    case Truth::And:
      return forEachTile(node, [](int64_t a, int64_t b) { return a & b; });
    case Truth::Or:
      return forEachTile(node, [](int64_t a, int64_t b) { return a | b; });
    }
  }
  switch (node.expr->kind) {
  case Kind::Constant:
    node.values[0] = node.expr->value;
    return;
  case Kind::Symbol:
    return computeSymbol(node);
  case Kind::Sum:
    return computeSum(node);
  case Kind::Product:
    return forEachTile(node, [](int64_t a, int64_t b) { return a * b; });
  case Kind::FloorDiv:
    return forEachTile(node, [](int64_t a, int64_t b) {
      return floorDivide(a, std::max<int64_t>(b, 1));
    });
  case Kind::Min:
    return forEachTile(node,
                       [](int64_t a, int64_t b) { return std::min(a, b); });
  case Kind::Max:
    return forEachTile(node,
                       [](int64_t a, int64_t b) { return std::max(a, b); });
  case Kind::Select:
    for (size_t i = 0; i < node.values.size(); ++i) {
      bool holds = all_of(ArrayRef(node.operands).drop_front(2),
                          [&](unsigned o) { return at(o, i) >= 0; });
      node.values[i] = at(node.operands[holds ? 0 : 1], i);
    }
    return;
  case Kind::Read:
  case Kind::TableMin:
  case Kind::TableMax:
  case Kind::LowerBound:
    return computeTable(node);
  }
}
