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
    : symbols(std::move(symbols)), tables(tables), keys(keys) {
  this->symbols[IndexExprs::RowBegin] = -1; // no block yet
}

/// Of Begin lane i is k0 = i, of End lane i is k1 = i + 1.
int64_t TileEvaluator::numLanes(unsigned shape) const {
  if (shape == Fixed)
    return 1;
  return shape == Tile ? keys * (keys + 1) / 2 : keys;
}

unsigned TileEvaluator::insert(Node node) {
  for (unsigned operand : node.operands) {
    node.rows |= nodes[operand].rows;
    node.shape |= nodes[operand].shape;
  }
  if (node.condition)
    node.truths.resize(numLanes(node.shape));
  else
    node.values.resize(numLanes(node.shape));
  if (!node.rows)
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
  if (expr->kind == Kind::Symbol) {
    node.rows = (expr->value == IndexExprs::RowBegin ? 1 : 0) |
                (expr->value == IndexExprs::RowEnd ? 2 : 0);
    node.shape = (expr->value == IndexExprs::KeyBegin ? Begin : Fixed) |
                 (expr->value == IndexExprs::KeyEnd ? End : Fixed);
  }
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

unsigned TileEvaluator::addForTiles(const MaskCondition *condition) {
  Node node; // the same, spread over the tiles
  node.condition = condition;
  node.operands.assign(2, add(condition));
  node.shape = Tile;
  return insert(std::move(node));
}

void TileEvaluator::setBlock(int64_t q0, int64_t q1) {
  unsigned changed = (symbols[IndexExprs::RowBegin] != q0 ? 1 : 0) | 2;
  symbols[IndexExprs::RowBegin] = q0;
  symbols[IndexExprs::RowEnd] = q1;
  for (Node &node : nodes)
    if (node.rows & changed)
      compute(node);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether an operand moves is a constant of the loop, so that it can be one of
/// vectors.
template <bool MovesA, bool MovesB, typename R, typename T, typename F>
static void runLoop(int64_t count, R *result, const T *a, const T *b, F f) {
  for (int64_t i = 0; i < count; ++i)
    result[i] = f(result[i], a[MovesA ? i : 0], b[MovesB ? i : 0]);
}

template <typename R, typename T, typename F>
static void runLoop(int64_t count, R *result, const T *a, bool movesA,
                    const T *b, bool movesB, F f) {
  if (movesA && movesB)
    runLoop<true, true>(count, result, a, b, f);
  else if (movesA)
    runLoop<true, false>(count, result, a, b, f);
  else if (movesB)
    runLoop<false, true>(count, result, a, b, f);
  else
    runLoop<false, false>(count, result, a, b, f);
}

/// result = f(result, a, b) for each lane of `shape`.
template <typename R, typename T, typename F>
void TileEvaluator::combine(unsigned shape, R *result, const T *a,
                            unsigned shapeOfA, const T *b, unsigned shapeOfB,
                            F f) {
  if (shape != Tile)
    return runLoop(numLanes(shape), result, a, shapeOfA != Fixed, b,
                   shapeOfB != Fixed, f);
  for (int64_t k0 = 0, tile = 0; k0 < keys; tile += keys - k0, ++k0) {
    auto at = [&](const T *lanes, unsigned of) {
      return lanes + (of == Tile ? tile : of == Fixed ? 0 : k0);
    };
    runLoop(keys - k0, result + tile, at(a, shapeOfA), (shapeOfA & End) != 0,
            at(b, shapeOfB), (shapeOfB & End) != 0, f);
  }
}

template <typename F> void TileEvaluator::combineNumbers(Node &node, F f) {
  const Node &a = nodes[node.operands[0]], &b = nodes[node.operands[1]];
  combine(node.shape, node.values.data(), a.values.data(), a.shape,
          b.values.data(), b.shape,
          [&](int64_t, int64_t x, int64_t y) { return f(x, y); });
}

template <typename F> void TileEvaluator::combineTruths(Node &node, F f) {
  const Node &a = nodes[node.operands.front()],
             &b = nodes[node.operands.back()];
  combine(node.shape, node.truths.data(), a.truths.data(), a.shape,
          b.truths.data(), b.shape,
          [&](uint8_t, uint8_t x, uint8_t y) { return f(x, y); });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void TileEvaluator::computeSymbol(Node &node) {
  for (auto [i, value] : enumerate(node.values))
    value = node.shape == Fixed ? symbols[node.expr->value]
                                : int64_t(i) + (node.shape == End ? 1 : 0);
}

void TileEvaluator::computeSum(Node &node) {
  std::fill(node.values.begin(), node.values.end(), node.expr->value);
  int64_t none = 0;
  for (auto [factor, number] : zip_equal(node.expr->factors, node.operands)) {
    const Node &operand = nodes[number];
    combine(node.shape, node.values.data(), operand.values.data(),
            operand.shape, &none, Fixed,
            [times = factor](int64_t sum, int64_t x, int64_t) {
              return sum + times * x;
            });
  }
}

void TileEvaluator::computeSelect(Node &node) {
  // The least of the conditions, then what it chooses.
  std::fill(node.values.begin(), node.values.end(), INT64_MAX);
  int64_t none = 0;
  for (unsigned number : drop_begin(node.operands, 2)) {
    const Node &operand = nodes[number];
    combine(node.shape, node.values.data(), operand.values.data(),
            operand.shape, &none, Fixed, [](int64_t least, int64_t x, int64_t) {
              return std::min(least, x);
            });
  }
  const Node &a = nodes[node.operands[0]], &b = nodes[node.operands[1]];
  combine(node.shape, node.values.data(), a.values.data(), a.shape,
          b.values.data(), b.shape, [](int64_t least, int64_t x, int64_t y) {
            return least >= 0 ? x : y;
          });
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
  bool searches = node.expr->kind == Kind::LowerBound; // rows of one axis only
  SmallVector<int64_t, 4> extent(count), places(count);
  for (size_t i = 0; i < count; ++i) {
    extent[i] = table.shape[i % rank];
    numKeys *= extent[i];
  }
  constexpr int64_t unknown = INT64_MIN;
  node.memo.resize(searches ? 0 : numKeys, unknown);
  auto at = [&](int64_t lane, int64_t k0, int64_t last) {
    auto operand = [&](size_t i) {
      const Node &from = nodes[node.operands[i]];
      return from.values[from.shape == Tile    ? lane
                         : from.shape == Begin ? k0
                         : from.shape == End   ? last
                                               : 0];
    };
    if (searches)
      return std::lower_bound(table.data.begin(), table.data.end(),
                              operand(count - 1)) -
             table.data.begin();
    size_t key = 0;
    for (size_t i = 0; i < count; ++i) {
      places[i] = std::clamp<int64_t>(operand(i), 0, extent[i] - 1);
      key = key * extent[i] + places[i];
    }
    int64_t &known = node.memo[key];
    if (known == unknown)
      known = lookUp(node, places);
    return known;
  };
  if (node.shape != Tile) {
    for (auto [lane, value] : enumerate(node.values))
      value = at(int64_t(lane), int64_t(lane), int64_t(lane));
    return;
  }
  int64_t lane = 0;
  for (int64_t k0 = 0; k0 < keys; ++k0)
    for (int64_t last = k0; last < keys; ++last, ++lane)
      node.values[lane] = at(lane, k0, last);
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

void TileEvaluator::computeNumber(Node &node) {
  switch (node.expr->kind) {
  case Kind::Constant:
    node.values[0] = node.expr->value;
    return;
  case Kind::Symbol:
    return computeSymbol(node);
  case Kind::Sum:
    return computeSum(node);
  case Kind::Product:
    return combineNumbers(node, [](int64_t a, int64_t b) { return a * b; });
  case Kind::FloorDiv:
    return combineNumbers(node, [](int64_t a, int64_t b) {
      return floorDivide(a, std::max<int64_t>(b, 1));
    });
  case Kind::Min:
    return combineNumbers(node,
                          [](int64_t a, int64_t b) { return std::min(a, b); });
  case Kind::Max:
    return combineNumbers(node,
                          [](int64_t a, int64_t b) { return std::max(a, b); });
  case Kind::Select:
    return computeSelect(node);
  case Kind::Read:
  case Kind::TableMin:
  case Kind::TableMax:
  case Kind::LowerBound:
    return computeTable(node);
  }
}

//===----------------------------------------------------------------------===//
// Truths
//===----------------------------------------------------------------------===//

void TileEvaluator::computeTruth(Node &node) {
  if (node.operands.size() == 2 && node.operands[0] == node.operands[1])
    return combineTruths(node, [](uint8_t a, uint8_t) { return a; });
  switch (node.condition->kind) {
  case Truth::Never:
  case Truth::Always:
  case Truth::Unknown:
    return std::fill(node.truths.begin(), node.truths.end(),
                     node.condition->kind != Truth::Never);
  case Truth::RealAtLeast:
  case Truth::RealAbove: // RealMasksTest.cpp looks at these
    llvm_unreachable("masks of reals are not evaluated here");
  case Truth::AtLeastZero: {
    const Node &operand = nodes[node.operands[0]];
    int64_t none = 0;
    return combine(node.shape, node.truths.data(), operand.values.data(),
                   operand.shape, &none, Fixed,
                   [](uint8_t, int64_t x, int64_t) -> uint8_t {
                     return ~uint64_t(x) >> 63;
                   });
  }
  case Truth::Not:
    return combineTruths(node,
                         [](uint8_t a, uint8_t) -> uint8_t { return a ^ 1; });
  case Truth::And:
    return combineTruths(node,
                         [](uint8_t a, uint8_t b) -> uint8_t { return a & b; });
  case Truth::Or:
    return combineTruths(node,
                         [](uint8_t a, uint8_t b) -> uint8_t { return a | b; });
  }
}

void TileEvaluator::compute(Node &node) {
  if (node.condition)
    computeTruth(node);
  else
    computeNumber(node);
}
