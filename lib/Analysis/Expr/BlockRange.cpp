//===- BlockRange.cpp - Expressions over a block of pairs -----------------===//
//
// Intervals forget that two terms move together, so the two forms where that
// matters are seen as one: sums are in normal form already (q + 1 - q has no
// q), and `x - d * floor(x / d)`, the remainder, is taken from where the block
// begins and ends between two multiples of d.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/BlockRange.h"

#include "llvm/ADT/STLExtras.h"

using namespace attnc;
using namespace llvm;
using Kind = IndexNode::Kind;

using Range = std::optional<BlockRange>;

static Range overBlock(IndexExprs &exprs, IndexExpr expr);

static BlockRange addScaled(IndexExprs &exprs, BlockRange to, BlockRange term,
                            int64_t factor) {
  if (factor < 0)
    std::swap(term.least, term.greatest);
  return {exprs.add(to.least, exprs.scale(term.least, factor)),
          exprs.add(to.greatest, exprs.scale(term.greatest, factor))};
}

/// x modulo d, d > 0: known exactly while x stays between two multiples of d.
static Range remainder(IndexExprs &exprs, IndexExpr x, IndexExpr d) {
  Range range = overBlock(exprs, x);
  if (!range || d->usesRow || d->usesKey)
    return std::nullopt;
  IndexExpr first = exprs.floorDiv(range->least, d);
  IndexExpr last = exprs.floorDiv(range->greatest, d);
  IndexExpr stays = exprs.sub(first, last);
  IndexExpr base = exprs.mul(d, first);
  return BlockRange{
      exprs.select(stays, exprs.sub(range->least, base), exprs.constant(0)),
      exprs.select(stays, exprs.sub(range->greatest, base), exprs.add(d, -1))};
}

static size_t numTerms(IndexExpr expr) {
  return expr->kind == Kind::Sum ? expr->operands.size() : 1;
}

/// A sum that holds a multiple of x - d * floor(x / d).
static Range remainderInSum(IndexExprs &exprs, IndexExpr sum) {
  for (auto [factor, operand] : zip_equal(sum->factors, sum->operands)) {
    IndexExpr quotient = operand, divisor = nullptr;
    int64_t times = 0; // sum = times * (x mod d) + rest
    if (operand->kind == Kind::FloorDiv && operand->operands[1]->isConstant()) {
      divisor = operand->operands[1];
      if (factor % divisor->value == 0)
        times = -factor / divisor->value;
    } else if (operand->kind == Kind::Product) {
      for (unsigned i : {0, 1}) {
        IndexExpr other = operand->operands[1 - i];
        if (other->kind == Kind::FloorDiv &&
            other->operands[1] == operand->operands[i]) {
          quotient = other;
          divisor = operand->operands[i];
          times = -factor;
        }
      }
    }
    if (times == 0)
      continue;
    IndexExpr x = quotient->operands[0];
    IndexExpr others = exprs.sub(sum, exprs.scale(operand, factor));
    IndexExpr rest = exprs.sub(others, exprs.scale(x, times));
    if (numTerms(rest) >= numTerms(others) && !rest->isConstant())
      continue; // x is not all there
    Range part = remainder(exprs, x, divisor);
    Range outside = overBlock(exprs, rest);
    if (!part || !outside)
      return std::nullopt;
    return addScaled(exprs, *outside, *part, times);
  }
  return std::nullopt;
}

static Range sumOverBlock(IndexExprs &exprs, IndexExpr sum) {
  if (Range whole = remainderInSum(exprs, sum))
    return whole;
  IndexExpr constant = exprs.constant(sum->value);
  BlockRange result{constant, constant};
  for (auto [factor, operand] : zip_equal(sum->factors, sum->operands)) {
    Range term = overBlock(exprs, operand);
    if (!term)
      return std::nullopt;
    result = addScaled(exprs, result, *term, factor);
  }
  return result;
}

static bool isMoving(IndexExpr expr) { return expr->usesRow || expr->usesKey; }

/// Of two factors that both move: what the four pairs of their ends give.
static BlockRange cornersOf(IndexExprs &exprs, IndexExpr product, BlockRange a,
                            BlockRange b) {
  IndexExpr x = product->operands[0], y = product->operands[1];
  IndexExpr low = exprs.mul(a.least, b.least);
  IndexExpr high = exprs.mul(a.greatest, b.greatest);
  if (x->bounds.lo >= 0 && y->bounds.lo >= 0)
    return {low, high};
  IndexExpr ends[] = {exprs.mul(a.least, b.greatest),
                      exprs.mul(a.greatest, b.least)};
  BlockRange range{exprs.min(low, high), exprs.max(low, high)};
  for (IndexExpr end : ends)
    range = {exprs.min(range.least, end), exprs.max(range.greatest, end)};
  if (x == y)
    range.least = exprs.max(range.least, exprs.constant(0));
  return range;
}

static Range productOverBlock(IndexExprs &exprs, IndexExpr product) {
  IndexExpr fixed = product->operands[0], moving = product->operands[1];
  if (isMoving(fixed))
    std::swap(fixed, moving);
  Range range = overBlock(exprs, moving);
  if (!range)
    return std::nullopt;
  if (isMoving(fixed)) {
    Range other = overBlock(exprs, fixed);
    if (!other)
      return std::nullopt;
    return product->operands[0] == moving
               ? cornersOf(exprs, product, *range, *other)
               : cornersOf(exprs, product, *other, *range);
  }
  IndexExpr a = exprs.mul(fixed, range->least);
  IndexExpr b = exprs.mul(fixed, range->greatest);
  if (fixed->bounds.lo >= 0)
    return BlockRange{a, b};
  if (fixed->bounds.hi <= 0)
    return BlockRange{b, a};
  return BlockRange{exprs.min(a, b), exprs.max(a, b)};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// How far apart values of `expr` in a block of 64 by 64 can be; more than
/// maxTableEntries: it is not bounded by the block.
static int64_t widthOf(IndexExpr expr) {
  constexpr int64_t block = 64, far = maxTableEntries + 1;
  if (!isMoving(expr))
    return 0;
  switch (expr->kind) {
  case Kind::Symbol:
    return expr->value == IndexExprs::Row || expr->value == IndexExprs::Key
               ? block - 1
               : far;
  case Kind::Sum: {
    int64_t width = 0;
    for (auto [factor, operand] : zip_equal(expr->factors, expr->operands))
      width = std::min(far, width + std::min(far, std::abs(factor)) *
                                        widthOf(operand));
    return width;
  }
  case Kind::FloorDiv: {
    int64_t width = widthOf(expr->operands[0]);
    IndexExpr divisor = expr->operands[1];
    return divisor->isConstant() && width < far ? width / divisor->value + 1
                                                : width;
  }
  case Kind::Min:
  case Kind::Max:
    return std::max(widthOf(expr->operands[0]), widthOf(expr->operands[1]));
  default:
    return far;
  }
}

static Range readOverBlock(IndexExprs &exprs, IndexExpr read) {
  const IndexTable &table = exprs.getTable(read->value);
  SmallVector<IndexExpr> first, last;
  int64_t entries = 1;
  for (IndexExpr index : read->operands) {
    Range range = overBlock(exprs, index);
    if (!range)
      return std::nullopt;
    first.push_back(range->least);
    last.push_back(range->greatest);
    entries = std::min<int64_t>(entries * (widthOf(index) + 1), INT32_MAX);
  }
  bool onlyLastMoves = none_of(drop_end(read->operands), isMoving);
  if (table.nondecreasing && onlyLastMoves)
    return BlockRange{exprs.read(read->value, first),
                      exprs.read(read->value, last)};
  if (entries > maxTableEntries)
    return std::nullopt;
  return BlockRange{exprs.tableEnd(Kind::TableMin, read->value, first, last),
                    exprs.tableEnd(Kind::TableMax, read->value, first, last)};
}

static Range lowerBoundOverBlock(IndexExprs &exprs, IndexExpr bound) {
  ArrayRef<IndexExpr> row = ArrayRef(bound->operands).drop_back();
  Range value = overBlock(exprs, bound->operands.back());
  if (!value || any_of(row, isMoving))
    return std::nullopt;
  return BlockRange{exprs.lowerBound(bound->value, row, value->least),
                    exprs.lowerBound(bound->value, row, value->greatest)};
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

static Range symbolOverBlock(IndexExprs &exprs, IndexExpr symbol) {
  auto range = [&](unsigned begin, unsigned end) {
    return BlockRange{exprs.symbol(begin), exprs.add(exprs.symbol(end), -1)};
  };
  if (symbol == exprs.symbol(IndexExprs::Row))
    return range(IndexExprs::RowBegin, IndexExprs::RowEnd);
  if (symbol == exprs.symbol(IndexExprs::Key))
    return range(IndexExprs::KeyBegin, IndexExprs::KeyEnd);
  return std::nullopt;
}

static Range overBlock(IndexExprs &exprs, IndexExpr expr) {
  if (!isMoving(expr))
    return BlockRange{expr, expr};
  if (exprs.exhausted())
    return std::nullopt;
  switch (expr->kind) {
  case Kind::Symbol:
    return symbolOverBlock(exprs, expr);
  case Kind::Sum:
    return sumOverBlock(exprs, expr);
  case Kind::Product:
    return productOverBlock(exprs, expr);
  case Kind::FloorDiv: {
    Range range = overBlock(exprs, expr->operands[0]);
    IndexExpr divisor = expr->operands[1];
    if (!range || isMoving(divisor))
      return std::nullopt;
    return BlockRange{exprs.floorDiv(range->least, divisor),
                      exprs.floorDiv(range->greatest, divisor)};
  }
  case Kind::Min:
  case Kind::Max: {
    Range a = overBlock(exprs, expr->operands[0]);
    Range b = overBlock(exprs, expr->operands[1]);
    if (!a || !b)
      return std::nullopt;
    auto both = [&](IndexExpr x, IndexExpr y) {
      return expr->kind == Kind::Min ? exprs.min(x, y) : exprs.max(x, y);
    };
    return BlockRange{both(a->least, b->least), both(a->greatest, b->greatest)};
  }
  case Kind::Read:
    return readOverBlock(exprs, expr);
  case Kind::LowerBound:
    return lowerBoundOverBlock(exprs, expr);
  case Kind::Constant:
  case Kind::Select:
  case Kind::TableMin:
  case Kind::TableMax:
    break;
  }
  return std::nullopt;
}

std::optional<BlockRange> attnc::rangeOverBlock(IndexExprs &exprs,
                                                IndexExpr expr) {
  Range range = overBlock(exprs, expr);
  if (!range || range->least->mayOverflow || range->greatest->mayOverflow)
    return std::nullopt;
  return range;
}
