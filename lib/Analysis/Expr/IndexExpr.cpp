//===- IndexExpr.cpp - Integer expressions in a normal form ---------------===//
//
// Sums are flat, with their terms in the order of creation; products are
// distributed over sums; multiples of a constant divisor leave its division.
// That is enough for `q + 1 - q` to vanish and for starts of key ranges to be
// compared.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/IndexExpr.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace attnc;
using namespace llvm;
using Kind = IndexNode::Kind;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static int64_t saturate(__int128 v) {
  constexpr __int128 limit = IndexBounds::limit;
  return int64_t(std::clamp(v, -limit, limit));
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static IndexBounds multiply(IndexBounds a, IndexBounds b) {
  __int128 p[] = {__int128(a.lo) * b.lo, __int128(a.lo) * b.hi,
                  __int128(a.hi) * b.lo, __int128(a.hi) * b.hi};
  return {saturate(*std::min_element(p, p + 4)),
          saturate(*std::max_element(p, p + 4))};
}

static IndexBounds divide(IndexBounds a, IndexBounds d) {
  int64_t least = std::max<int64_t>(d.lo, 1);
  int64_t most = std::max<int64_t>(d.hi, 1);
  return {floorDivide(a.lo, a.lo < 0 ? least : most),
          floorDivide(a.hi, a.hi < 0 ? most : least)};
}

static IndexBounds boundsOf(const IndexNode &n) {
  auto at = [&](unsigned i) { return n.operands[i]->bounds; };
  switch (n.kind) {
  case Kind::Constant:
    return {saturate(n.value), saturate(n.value)};
  case Kind::Symbol:
    return n.bounds;
  case Kind::Sum: {
    __int128 lo = n.value, hi = n.value;
    for (auto [factor, operand] : zip_equal(n.factors, n.operands)) {
      IndexBounds t = multiply({factor, factor}, operand->bounds);
      lo += t.lo;
      hi += t.hi;
    }
    return {saturate(lo), saturate(hi)};
  }
  case Kind::Product: {
    // d * floor(x / d) is at most x, and more than x - d.
    for (unsigned i : {0, 1}) {
      IndexExpr d = n.operands[i], f = n.operands[1 - i];
      if (f->kind == Kind::FloorDiv && f->operands[1] == d)
        return {saturate(__int128(f->operands[0]->bounds.lo) - d->bounds.hi),
                f->operands[0]->bounds.hi};
    }
    return multiply(at(0), at(1));
  }
  case Kind::FloorDiv:
    return divide(at(0), at(1));
  case Kind::Min:
    return {std::min(at(0).lo, at(1).lo), std::min(at(0).hi, at(1).hi)};
  case Kind::Max:
    return {std::max(at(0).lo, at(1).lo), std::max(at(0).hi, at(1).hi)};
  case Kind::Select:
    return {std::min(at(0).lo, at(1).lo), std::max(at(0).hi, at(1).hi)};
  case Kind::LowerBound:
    return {0, IndexExprs::maxSize};
  case Kind::Read:
  case Kind::TableMin:
  case Kind::TableMax:
    break; // those of the table: make()
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Making nodes
//===----------------------------------------------------------------------===//

IndexExprs::IndexExprs() {
  IndexBounds position{0, maxSize}, count{0, maxSize};
  for (unsigned i = 0; i < NumReserved; ++i)
    makeSymbol(i == KeyCount ? count : position);
  // The end of the last block may lie behind the last row.
  const_cast<IndexNode *>(symbols[RowEnd])->bounds.hi = 2 * maxSize;
  const_cast<IndexNode *>(symbols[Row])->usesRow = true;
  const_cast<IndexNode *>(symbols[Key])->usesKey = true;
}

IndexExpr IndexExprs::makeSymbol(IndexBounds bounds, bool opaque) {
  auto node = std::make_unique<IndexNode>();
  node->kind = Kind::Symbol;
  node->value = symbols.size();
  node->number = nodes.size();
  node->bounds = bounds;
  node->mayOverflow = bounds.mayOverflow();
  node->usesRow = node->usesKey = opaque;
  symbols.push_back(node.get());
  nodes.push_back(std::move(node));
  return symbols.back();
}

IndexExpr IndexExprs::make(Kind kind, int64_t value, ArrayRef<int64_t> factors,
                           ArrayRef<IndexExpr> operands) {
  size_t hash = hash_combine(kind, value, factors, operands);
  auto [first, last] = unique.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    IndexExpr known = it->second;
    if (known->kind == kind && known->value == value &&
        ArrayRef(known->factors) == factors &&
        ArrayRef(known->operands) == operands)
      return known;
  }
  auto node = std::make_unique<IndexNode>();
  node->kind = kind;
  node->value = value;
  node->factors.assign(factors.begin(), factors.end());
  node->operands.assign(operands.begin(), operands.end());
  node->number = nodes.size();
  bool isElement =
      kind == Kind::Read || kind == Kind::TableMin || kind == Kind::TableMax;
  node->bounds = isElement ? tables[value].bounds : boundsOf(*node);
  node->mayOverflow = node->bounds.mayOverflow();
  for (IndexExpr operand : operands) {
    node->mayOverflow |= operand->mayOverflow;
    node->usesRow |= operand->usesRow;
    node->usesKey |= operand->usesKey;
  }
  nodes.push_back(std::move(node));
  unique.emplace(hash, nodes.back().get());
  return nodes.back().get();
}

IndexExpr IndexExprs::constant(int64_t value) {
  return make(Kind::Constant, value, {}, {});
}

/// Two's complement, as the kernel computes. What wraps around has bounds that
/// reach the limit, so it is never used.
static int64_t wrapAdd(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

IndexExpr IndexExprs::makeSum(const Terms &terms, int64_t value) {
  if (terms.empty())
    return constant(value);
  if (terms.size() == 1 && terms[0].second == 1 && value == 0)
    return terms[0].first;
  SmallVector<int64_t> factors;
  SmallVector<IndexExpr> operands;
  for (auto [operand, factor] : terms) {
    operands.push_back(operand);
    factors.push_back(factor);
  }
  return make(Kind::Sum, value, factors, operands);
}

/// What `expr` times `factor`, which is not 0, is the sum of, but for a
/// constant.
IndexExprs::Terms IndexExprs::termsOf(IndexExpr expr, int64_t factor,
                                      bool &wraps) {
  if (expr->isConstant())
    return {};
  if (expr->kind != Kind::Sum)
    return {{expr, factor}};
  Terms terms;
  for (auto [f, operand] : zip_equal(expr->factors, expr->operands)) {
    int64_t product;
    wraps |= MulOverflow(f, factor, product);
    terms.push_back({operand, product});
  }
  return terms;
}

/// Both lists in one, without terms that vanish.
IndexExprs::Terms IndexExprs::addTerms(const Terms &a, const Terms &b,
                                       bool &wraps) {
  Terms sum;
  const auto *i = a.begin(), *j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first->number < j->first->number)) {
      sum.push_back(*i++);
    } else if (i == a.end() || j->first->number < i->first->number) {
      sum.push_back(*j++);
    } else {
      int64_t factor;
      wraps |= AddOverflow(i->second, j->second, factor);
      if (factor != 0)
        sum.push_back({i->first, factor});
      ++i;
      ++j;
    }
  }
  return sum;
}

/// The constant of a sum.
static int64_t constantOf(IndexExpr expr) {
  return expr->isConstant() || expr->kind == Kind::Sum ? expr->value : 0;
}

IndexExpr IndexExprs::add(IndexExpr a, IndexExpr b) {
  bool wraps = false;
  int64_t value;
  wraps |= AddOverflow(constantOf(a), constantOf(b), value);
  Terms terms = addTerms(termsOf(a, 1, wraps), termsOf(b, 1, wraps), wraps);
  if (wraps) // no such sum can be trusted; keep it apart from all others
    return makeSymbol(IndexBounds(), /*opaque=*/true);
  return makeSum(terms, value);
}

IndexExpr IndexExprs::scale(IndexExpr a, int64_t factor) {
  if (factor == 0)
    return constant(0);
  if (factor == 1)
    return a;
  bool wraps = false;
  int64_t value;
  wraps |= MulOverflow(constantOf(a), factor, value);
  Terms terms = termsOf(a, factor, wraps);
  if (wraps)
    return makeSymbol(IndexBounds(), /*opaque=*/true);
  return makeSum(terms, value);
}

IndexExpr IndexExprs::mul(IndexExpr a, IndexExpr b) {
  if (a->isConstant())
    return scale(b, a->value);
  if (b->isConstant())
    return scale(a, b->value);
  if (exhausted())
    return makeSymbol(IndexBounds(), /*opaque=*/true);
  if (a->kind != Kind::Sum)
    std::swap(a, b);
  if (a->kind != Kind::Sum) {
    if (a->number > b->number)
      std::swap(a, b);
    return make(Kind::Product, 0, {}, {a, b});
  }
  IndexExpr sum = scale(b, a->value);
  for (auto [factor, operand] : zip_equal(a->factors, a->operands))
    sum = add(sum, scale(mul(operand, b), factor));
  return sum;
}

IndexExpr IndexExprs::floorDiv(IndexExpr a, IndexExpr divisor) {
  if (divisor->isConstant(1))
    return a;
  if (a->isConstant() && divisor->isConstant())
    return constant(floorDivide(a->value, divisor->value));
  if (!divisor->isConstant() || a->kind != Kind::Sum)
    return make(Kind::FloorDiv, 0, {}, {a, divisor});
  // floor((d * x + y + r) / d) = x + floor((y + r mod d) / d) + floor(r / d)
  int64_t d = divisor->value;
  Terms outside, inside;
  for (auto [factor, operand] : zip_equal(a->factors, a->operands)) {
    bool multiple = factor % d == 0;
    auto &terms = multiple ? outside : inside;
    terms.push_back({operand, multiple ? factor / d : factor});
  }
  int64_t whole = floorDivide(a->value, d);
  IndexExpr rest = makeSum(inside, a->value - whole * d);
  IndexExpr quotient = rest->isConstant()
                           ? constant(floorDivide(rest->value, d))
                           : make(Kind::FloorDiv, 0, {}, {rest, divisor});
  return add(makeSum(outside, whole), quotient);
}

IndexExpr IndexExprs::min(IndexExpr a, IndexExpr b) {
  if (provablyLessEqual(a, b))
    return a;
  if (provablyLessEqual(b, a))
    return b;
  return make(Kind::Min, 0, {}, {a, b});
}

IndexExpr IndexExprs::max(IndexExpr a, IndexExpr b) {
  if (provablyLessEqual(a, b))
    return b;
  if (provablyLessEqual(b, a))
    return a;
  return make(Kind::Max, 0, {}, {a, b});
}

IndexExpr IndexExprs::select(ArrayRef<IndexExpr> conditions, IndexExpr a,
                             IndexExpr b) {
  SmallVector<IndexExpr> operands{a, b};
  for (IndexExpr condition : conditions) {
    if (condition->bounds.lo >= 0 || is_contained(operands, condition))
      continue;
    if (condition->bounds.hi < 0)
      return b;
    operands.push_back(condition);
  }
  if (operands.size() == 2 || a == b)
    return a;
  return make(Kind::Select, 0, {}, operands);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

unsigned IndexExprs::addTable(IndexTable table) {
  tables.push_back(table);
  return tables.size() - 1;
}

IndexExpr IndexExprs::read(unsigned table, ArrayRef<IndexExpr> indices) {
  return make(Kind::Read, table, {}, indices);
}

IndexExpr IndexExprs::tableEnd(Kind kind, unsigned table,
                               ArrayRef<IndexExpr> first,
                               ArrayRef<IndexExpr> last) {
  if (first == last)
    return read(table, first);
  SmallVector<IndexExpr> operands(first);
  operands.append(last.begin(), last.end());
  return make(kind, table, {}, operands);
}

IndexExpr IndexExprs::lowerBound(unsigned table, ArrayRef<IndexExpr> row,
                                 IndexExpr value) {
  SmallVector<IndexExpr> operands(row);
  operands.push_back(value);
  return make(Kind::LowerBound, table, {}, operands);
}

//===----------------------------------------------------------------------===//
// Proofs, evaluation, size
//===----------------------------------------------------------------------===//

/// `b - a >= 0` by its terms, which are not made into a node: most proofs fail.
bool IndexExprs::isDifferenceAtLeastZero(IndexExpr b, IndexExpr a) {
  bool wraps = false;
  Terms terms = addTerms(termsOf(b, 1, wraps), termsOf(a, -1, wraps), wraps);
  __int128 lo = __int128(constantOf(b)) - constantOf(a), hi = lo;
  for (auto [operand, factor] : terms) {
    IndexBounds t = multiply({factor, factor}, operand->bounds);
    lo += t.lo;
    hi += t.hi;
    wraps |= operand->mayOverflow;
  }
  return !wraps && lo >= 0 && hi < IndexBounds::limit;
}

bool IndexExprs::prove(IndexExpr a, IndexExpr b, unsigned depth) {
  auto forBoth = [&](IndexExpr e, auto test) {
    return test(e->operands[0]) && test(e->operands[1]);
  };
  auto forOne = [&](IndexExpr e, auto test) {
    return test(e->operands[0]) || test(e->operands[1]);
  };
  auto lessThanB = [&](IndexExpr x) { return provablyLessEqual(x, b, depth); };
  auto moreThanA = [&](IndexExpr x) { return provablyLessEqual(a, x, depth); };
  if (a->kind == Kind::Max || a->kind == Kind::Select)
    if (forBoth(a, lessThanB))
      return true;
  if (b->kind == Kind::Min || b->kind == Kind::Select)
    if (forBoth(b, moreThanA))
      return true;
  if (a->kind == Kind::Min && forOne(a, lessThanB))
    return true;
  if (b->kind == Kind::Max && forOne(b, moreThanA))
    return true;
  return isDifferenceAtLeastZero(b, a);
}

bool IndexExprs::provablyLessEqual(IndexExpr a, IndexExpr b, unsigned depth) {
  if (a == b)
    return true;
  // Each level of minima and maxima doubles the work.
  if (++depth > 5)
    return false;
  std::pair<IndexExpr, std::pair<IndexExpr, unsigned>> question{a, {b, depth}};
  if (auto it = proved.find(question); it != proved.end())
    return it->second;
  if (++numProofs > maxProofs)
    return false;
  bool result = prove(a, b, depth);
  return proved[question] = result;
}

/// The element at `places`, each clamped to its axis.
static int64_t elementAt(const TableValues &table, ArrayRef<int64_t> places) {
  int64_t offset = 0;
  for (auto [extent, place] : zip_equal(table.shape, places))
    offset = offset * extent + std::clamp<int64_t>(place, 0, extent - 1);
  return table.data[offset];
}

static int64_t endOf(const TableValues &table, ArrayRef<int64_t> places,
                     bool greatest) {
  size_t rank = table.shape.size();
  SmallVector<int64_t> first, last;
  for (size_t i = 0; i < rank; ++i) {
    int64_t end = table.shape[i] - 1;
    first.push_back(std::clamp<int64_t>(places[i], 0, end));
    last.push_back(
        std::max(first[i], std::clamp<int64_t>(places[rank + i], 0, end)));
  }
  SmallVector<int64_t> at = first;
  int64_t best = elementAt(table, at);
  while (true) {
    size_t axis = rank;
    while (axis > 0 && at[axis - 1] == last[axis - 1]) {
      at[axis - 1] = first[axis - 1];
      --axis;
    }
    if (axis == 0)
      return best;
    ++at[axis - 1];
    int64_t value = elementAt(table, at);
    best = greatest ? std::max(best, value) : std::min(best, value);
  }
}

/// Read, TableMin, TableMax, LowerBound; an empty table holds zeros only.
static int64_t evaluateTable(IndexExpr expr, const TableValues &table,
                             ArrayRef<int64_t> operands) {
  if (table.data.empty())
    return 0;
  if (expr->kind == Kind::Read)
    return elementAt(table, operands);
  if (expr->kind != Kind::LowerBound)
    return endOf(table, operands, expr->kind == Kind::TableMax);
  SmallVector<int64_t> places(operands);
  for (places.back() = 0; places.back() < table.shape.back(); ++places.back())
    if (elementAt(table, places) >= operands.back())
      break;
  return places.back();
}

int64_t attnc::evaluate(IndexExpr expr, ArrayRef<int64_t> symbols,
                        ArrayRef<TableValues> tables) {
  auto at = [&](unsigned i) {
    return evaluate(expr->operands[i], symbols, tables);
  };
  switch (expr->kind) {
  case Kind::Constant:
    return expr->value;
  case Kind::Symbol:
    return symbols[expr->value];
  case Kind::Sum: {
    int64_t sum = expr->value;
    for (auto [i, factor] : enumerate(expr->factors))
      sum = wrapAdd(sum, wrapMul(factor, at(i)));
    return sum;
  }
  case Kind::Product:
    return wrapMul(at(0), at(1));
  case Kind::FloorDiv:
    return floorDivide(at(0), std::max<int64_t>(at(1), 1));
  case Kind::Min:
    return std::min(at(0), at(1));
  case Kind::Max:
    return std::max(at(0), at(1));
  case Kind::Select:
    for (unsigned i = 2; i < expr->operands.size(); ++i)
      if (at(i) < 0)
        return at(1);
    return at(0);
  case Kind::Read:
  case Kind::TableMin:
  case Kind::TableMax:
  case Kind::LowerBound: {
    SmallVector<int64_t> operands;
    for (unsigned i = 0; i < expr->operands.size(); ++i)
      operands.push_back(at(i));
    return evaluateTable(expr, tables[expr->value], operands);
  }
  }
  return 0;
}

static unsigned countOperations(IndexExpr expr, DenseSet<IndexExpr> &seen) {
  if (expr->operands.empty() || !seen.insert(expr).second)
    return 0;
  unsigned count = 0;
  for (IndexExpr operand : expr->operands)
    count += countOperations(operand, seen);
  if (expr->kind == Kind::Select) // comparisons, their conjunction, the choice
    return count + 2 * (expr->operands.size() - 2);
  if (expr->kind != Kind::Sum)
    return count + 1;
  count += expr->operands.size() - 1 + (expr->value != 0);
  return count +
         count_if(expr->factors, [](int64_t f) { return f != 1 && f != -1; });
}

unsigned attnc::countOperations(ArrayRef<IndexExpr> exprs) {
  DenseSet<IndexExpr> seen;
  unsigned count = 0;
  for (IndexExpr expr : exprs)
    count += ::countOperations(expr, seen);
  return count;
}
