//===- RealExpr.cpp - Float expressions of masks --------------------------===//

#include "attnc/Analysis/Expr/RealExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace attnc;
using namespace llvm;
using Kind = RealNode::Kind;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds of numbers that are rounded: what f32 may add to an end, and nothing
/// known where f32 might overflow.
static void setBounds(RealNode &node, double lo, double hi) {
  constexpr double slack = 0x1p-20, most = 1e37;
  lo -= std::abs(lo) * slack;
  hi += std::abs(hi) * slack;
  bool isKnown = lo >= -most && hi <= most; // false for NaN, too
  node.lo = isKnown ? lo : -kInfinity;
  node.hi = isKnown ? hi : kInfinity;
}

static bool isKnown(RealExpr e) { return std::isfinite(e->lo); }

/// Of products or quotients of the ends.
template <typename F> static void setCorners(RealNode &node, F apply) {
  RealExpr a = node.a, b = node.b;
  double at[] = {apply(a->lo, b->lo), apply(a->lo, b->hi), apply(a->hi, b->lo),
                 apply(a->hi, b->hi)};
  if (any_of(at, [](double v) { return std::isnan(v); }))
    return setBounds(node, -kInfinity, kInfinity);
  auto [least, greatest] = std::minmax_element(at, at + 4);
  // x * x is no product of two numbers that move apart.
  bool isSquare = node.kind == Kind::Multiply && a == b;
  setBounds(node, isSquare ? std::max(*least, 0.0) : *least, *greatest);
}

static void setBoundsOfOp(RealNode &node) {
  RealExpr a = node.a, b = node.b;
  setBounds(node, -kInfinity, kInfinity);
  if ((a && !isKnown(a)) || (b && !isKnown(b)))
    return;
  switch (node.kind) {
  case Kind::Constant:
    return setBounds(node, node.value, node.value);
  case Kind::Symbol:
    return;
  case Kind::Index:
    if (!node.index->mayOverflow)
      setBounds(node, double(node.index->bounds.lo),
                double(node.index->bounds.hi));
    return;
  case Kind::Negate:
    return setBounds(node, -a->hi, -a->lo);
  case Kind::Abs:
    return setBounds(node, std::max({a->lo, -a->hi, 0.0}),
                     std::max(-a->lo, a->hi));
  case Kind::Floor:
    return setBounds(node, std::floor(a->lo), std::floor(a->hi));
  case Kind::Ceil:
    return setBounds(node, std::ceil(a->lo), std::ceil(a->hi));
  case Kind::Sqrt:
    if (a->lo >= 0)
      setBounds(node, std::sqrt(a->lo), std::sqrt(a->hi));
    return;
  case Kind::Exp:
    return setBounds(node, 0, std::exp(a->hi));
  case Kind::Exp2:
    return setBounds(node, 0, std::exp2(a->hi));
  case Kind::Log:
  case Kind::Log2:
    if (a->lo >= 0x1p-100)
      setBounds(node, -101, 150);
    return;
  case Kind::Tanh:
    return setBounds(node, -1, 1);
  case Kind::Add:
    return setBounds(node, a->lo + b->lo, a->hi + b->hi);
  case Kind::Subtract:
    return setBounds(node, a->lo - b->hi, a->hi - b->lo);
  case Kind::Multiply:
    return setCorners(node, std::multiplies<>());
  case Kind::Divide:
    if (b->lo > 0 || b->hi < 0)
      setCorners(node, std::divides<>());
    return;
  case Kind::Min:
    return setBounds(node, std::min(a->lo, b->lo), std::min(a->hi, b->hi));
  case Kind::Max:
    return setBounds(node, std::max(a->lo, b->lo), std::max(a->hi, b->hi));
  }
}

RealExpr RealExprs::insert(RealNode node) {
  for (const RealNode &known : nodes)
    if (known.kind == node.kind && known.number == node.number &&
        known.index == node.index && known.a == node.a && known.b == node.b &&
        known.value == node.value &&
        std::signbit(known.value) == std::signbit(node.value))
      return &known;
  node.moves = (node.index && (node.index->usesRow || node.index->usesKey)) ||
               (node.a && node.a->moves) || (node.b && node.b->moves);
  setBoundsOfOp(node);
  nodes.push_back(node);
  return &nodes.back();
}

RealExpr RealExprs::constant(double value) {
  RealNode node{Kind::Constant};
  node.value = value;
  return insert(node);
}

RealExpr RealExprs::makeSymbol() {
  RealNode node{Kind::Symbol};
  node.number = numSymbols++;
  return insert(node);
}

RealExpr RealExprs::ofIndex(IndexExpr index) {
  RealNode node{Kind::Index};
  node.index = index;
  return insert(node);
}

RealExpr RealExprs::make(Kind kind, RealExpr a, RealExpr b) {
  RealNode node{kind};
  node.a = a;
  node.b = b;
  return insert(node);
}

float attnc::evaluate(RealExpr e, ArrayRef<int64_t> symbols,
                      ArrayRef<TableValues> tables, ArrayRef<float> reals) {
  float a = e->a ? evaluate(e->a, symbols, tables, reals) : 0;
  float b = e->b ? evaluate(e->b, symbols, tables, reals) : 0;
  bool isNan = std::isnan(a) || std::isnan(b);
  switch (e->kind) {
  case Kind::Constant:
    return float(e->value);
  case Kind::Symbol:
    return reals[e->number];
  case Kind::Index:
    return float(evaluate(e->index, symbols, tables));
  case Kind::Negate:
    return -a;
  case Kind::Abs:
    return std::fabs(a);
  case Kind::Floor:
    return std::floor(a);
  case Kind::Ceil:
    return std::ceil(a);
  case Kind::Sqrt:
    return std::sqrt(a);
  case Kind::Exp:
    return std::exp(a);
  case Kind::Exp2:
    return std::exp2(a);
  case Kind::Log:
    return std::log(a);
  case Kind::Log2:
    return std::log2(a);
  case Kind::Tanh:
    return std::tanh(a);
  case Kind::Add:
    return a + b;
  case Kind::Subtract:
    return a - b;
  case Kind::Multiply:
    return a * b;
  case Kind::Divide:
    return a / b;
  case Kind::Min:
    return isNan ? NAN : std::min(a, b);
  case Kind::Max:
    return isNan ? NAN : std::max(a, b);
  }
  return 0;
}
