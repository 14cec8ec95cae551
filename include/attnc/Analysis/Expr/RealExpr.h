//===- RealExpr.h - Float expressions of masks ------------------*- C++ -*-===//
//
// Reals that a mask compares, op by op as the kernel computes them, and what
// they are at least and at most over a block of pairs. Rounding to the nearest
// keeps order, so an op that is rounded correctly and rises with its operand
// has its least value at the operand's least one, rounded as the kernel rounds
// it: the ends need no allowance for errors. What is computed by polynomials
// gets one.
// Tests: test/Unit/Analysis/RealMasksTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_REALEXPR_H
#define ATTNC_ANALYSIS_EXPR_REALEXPR_H

#include "attnc/Analysis/Expr/IndexExpr.h"

#include <deque>

namespace attnc {

struct RealNode;
using RealExpr = const RealNode *;

/// One expression. Made by RealExprs only.
struct RealNode {
  enum class Kind {
    Constant, // value
    Symbol,   // moves with neither row nor key; `number` tells which
    Index,    // index, as a real
    Negate,
    Abs,
    Floor,
    Ceil,
    Sqrt,
    // Computed to some units of the last place, rising.
    Exp,
    Exp2,
    Log,
    Log2,
    Tanh,
    Add,
    Subtract,
    Multiply,
    Divide,
    Min, // of two; NaN if one is
    Max,
  };

  Kind kind;
  double value = 0;
  unsigned number = 0;
  IndexExpr index = nullptr;
  RealExpr a = nullptr, b = nullptr;

  // What follows is derived.
  /// Infinite where nothing is known; else no value overflows or is NaN.
  double lo = 0, hi = 0;
  /// Contains the row or the key.
  bool moves = false;

  bool isConstant(double c) const {
    return kind == Kind::Constant && value == c;
  }
};

/// Makes and owns reals, equal ones once.
class RealExprs {
public:
  using Kind = RealNode::Kind;

  RealExpr constant(double value);
  /// A new symbol.
  RealExpr makeSymbol();
  RealExpr ofIndex(IndexExpr index);
  RealExpr make(Kind kind, RealExpr a, RealExpr b = nullptr);

  bool exhausted() const { return nodes.size() > maxNodes; }

private:
  static constexpr size_t maxNodes = 400;
  RealExpr insert(RealNode node);

  std::deque<RealNode> nodes;
  unsigned numSymbols = 0;
};

/// The value in f32 for these symbols, those of integers and those of reals.
float evaluate(RealExpr expr, llvm::ArrayRef<int64_t> symbols,
               llvm::ArrayRef<TableValues> tables,
               llvm::ArrayRef<float> reals = {});

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_REALEXPR_H
