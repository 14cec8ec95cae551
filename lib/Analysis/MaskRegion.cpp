//===- MaskRegion.cpp - The mask of a kernel as cases ---------------------===//
//
// The analysis computes with exact integers, the kernel with 64 bits that wrap
// around. So a comparison counts only where bounds of all symbols show that
// nothing overflows; a symbol without bounds, such as an entry of an i64 table,
// is assumed to be small, and the assumption is checked at run time. In the
// same way a divisor is assumed to be positive.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/MaskRegion.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace attnc;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The integer `op` computes, or null. `operand` yields its operands' and never
/// null; `divisor` yields a positive one or null.
static IndexExpr combine(IndexExprs &exprs, Operation *op,
                         llvm::function_ref<IndexExpr(Value)> operand,
                         llvm::function_ref<IndexExpr(Value)> positiveDivisor) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return exprs.constant(constant.getSExtValue());
  auto get = [&](unsigned i) { return operand(op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return exprs.add(get(0), get(1));
  if (isa<arith::SubIOp>(op))
    return exprs.sub(get(0), get(1));
  if (isa<arith::MulIOp>(op))
    return exprs.mul(get(0), get(1));
  if (isa<arith::MinSIOp>(op))
    return exprs.min(get(0), get(1));
  if (isa<arith::MaxSIOp>(op))
    return exprs.max(get(0), get(1));
  if (isa<math::AbsIOp>(op))
    return exprs.max(get(0), exprs.scale(get(0), -1));
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op)) {
    int64_t sign = isa<arith::FloorDivSIOp>(op) ? 1 : -1; // -floor(-a / d)
    IndexExpr divisor = positiveDivisor(op->getOperand(1));
    if (!divisor)
      return nullptr;
    return exprs.scale(exprs.floorDiv(exprs.scale(get(0), sign), divisor),
                       sign);
  }
  return nullptr;
}

namespace {
/// Bounds of values that are computed from sizes, heads and tables.
class FixedBounds {
public:
  IndexBounds get(Value v) { return getExpr(v)->bounds; }

private:
  IndexExpr getExpr(Value v);
  static IndexBounds leafBounds(Value v);

  IndexExprs scratch;
  DenseMap<Value, IndexExpr> memo;
};
} // namespace

/// Of what no formula computes: arguments are b, h and g.
IndexBounds FixedBounds::leafBounds(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op || isa<attn::SizeOp>(op))
    return {0, IndexExprs::maxSize};
  auto read = dyn_cast<attn::ReadOp>(op);
  if (!read)
    return {};
  auto type = dyn_cast<IntegerType>(
      cast<RankedTensorType>(read.getSource().getType()).getElementType());
  if (!type || type.getWidth() > 32)
    return {};
  int64_t half = int64_t(1) << (type.getWidth() - 1);
  return type.isUnsigned() ? IndexBounds{0, 2 * half - 1}
                           : IndexBounds{-half, half - 1};
}

IndexExpr FixedBounds::getExpr(Value v) {
  if (IndexExpr expr = memo.lookup(v))
    return expr;
  IndexExpr expr = nullptr;
  if (Operation *op = v.getDefiningOp()) {
    expr = combine(
        scratch, op, [&](Value o) { return getExpr(o); },
        [&](Value o) {
          IndexExpr divisor = getExpr(o);
          return divisor->bounds.lo >= 1 ? divisor : nullptr;
        });
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      IndexBounds a = get(select.getTrueValue());
      IndexBounds b = get(select.getFalseValue());
      expr = scratch.makeSymbol({std::min(a.lo, b.lo), std::max(a.hi, b.hi)});
    }
  }
  if (!expr || expr->mayOverflow || scratch.exhausted())
    expr = scratch.makeSymbol(expr ? IndexBounds() : leafBounds(v));
  return memo[v] = expr;
}

namespace {
class Reader {
public:
  Reader(IndexExprs &exprs, Block &block, Attribute keyCount)
      : exprs(exprs), block(block), keyCount(keyCount) {}

  MaskRegion read();

private:
  using Cases = std::optional<MaskCases>;

  void numberValue(Operation &op);
  bool isFixed(Value v) const { return !moving.contains(v); }
  Value canonical(Value v) const {
    Value first = firstOf.lookup(v);
    return first ? first : v;
  }

  IndexExpr makeSymbol(Value v, IndexBounds bounds, bool opaque = false);
  void assume(IndexExpr expr);
  IndexExpr getIndex(Value v);
  IndexExpr readFixedIndex(Value v);
  IndexExpr getPositiveDivisor(Value v);

  MaskCases getCases(Value v);
  Cases readCases(Operation *op);
  Cases readComparison(arith::CmpIOp op);
  MaskCases conditionCases(Value v, bool opaque);

  IndexExprs &exprs;
  Block &block;
  Attribute keyCount;
  MaskRegion result;
  FixedBounds fixedBounds;
  /// Values that depend on the row or the key.
  llvm::DenseSet<Value> moving;
  /// The first of all values that are computed alike.
  DenseMap<Value, Value> firstOf;
  std::map<std::vector<const void *>, Value> known;
  DenseMap<Value, IndexExpr> indexOf;
  DenseMap<Value, MaskCases> casesOf;
};
} // namespace

void Reader::numberValue(Operation &op) {
  if (op.getNumResults() != 1)
    return;
  Value v = op.getResult(0);
  std::vector<const void *> key{op.getName().getAsOpaquePointer(),
                                op.getAttrDictionary().getAsOpaquePointer(),
                                v.getType().getAsOpaquePointer()};
  for (Value operand : op.getOperands()) {
    key.push_back(canonical(operand).getAsOpaquePointer());
    if (!isFixed(operand))
      moving.insert(v);
  }
  firstOf[v] = known.try_emplace(std::move(key), v).first->second;
}

MaskRegion Reader::read() {
  result.block = &block;
  moving.insert(block.getArgument(3));
  moving.insert(block.getArgument(4));
  indexOf[block.getArgument(3)] = exprs.symbol(IndexExprs::Row);
  indexOf[block.getArgument(4)] = exprs.symbol(IndexExprs::Key);
  for (Operation &op : block.without_terminator())
    numberValue(op);
  result.cases = getCases(block.getTerminator()->getOperand(0));
  return std::move(result);
}

IndexExpr Reader::makeSymbol(Value v, IndexBounds bounds, bool opaque) {
  result.symbols.resize(exprs.getNumSymbols() - IndexExprs::NumReserved);
  result.symbols.push_back(opaque ? Value() : v);
  if (opaque && !result.opaque)
    result.opaque = v.getDefiningOp();
  return exprs.makeSymbol(bounds, opaque);
}

void Reader::assume(IndexExpr expr) {
  if (!llvm::is_contained(result.assumptions, expr))
    result.assumptions.push_back(expr);
}

static constexpr int64_t kAssumedLimit = int64_t(1) << 40;

/// A value that moves with neither row nor key: `x + c` where it is a sum with
/// a constant, so that constants meet, else a symbol.
IndexExpr Reader::readFixedIndex(Value v) {
  APInt constant;
  Operation *op = v.getDefiningOp();
  if (op && matchPattern(op, m_ConstantInt(&constant)))
    return exprs.constant(constant.getSExtValue());
  if (auto size = dyn_cast_if_present<attn::SizeOp>(op))
    if (size.getNameAttr() == keyCount)
      return exprs.symbol(IndexExprs::KeyCount);
  IndexBounds bounds = fixedBounds.get(v);
  if (!bounds.mayOverflow()) {
    if (isa_and_present<arith::AddIOp, arith::SubIOp>(op) &&
        llvm::any_of(op->getOperands(), [&](Value o) {
          return matchPattern(o, m_ConstantInt(&constant));
        }))
      return combine(
          exprs, op, [&](Value o) { return getIndex(o); },
          [](Value) { return nullptr; });
    return makeSymbol(v, bounds);
  }
  // Two symbols for one value: bounds of the one must not prove what is asked
  // about the other. -limit <= v < limit, without an overflow of its own.
  IndexExpr any =
      makeSymbol(v, {1 - IndexBounds::limit, IndexBounds::limit - 1});
  IndexExpr part = exprs.floorDiv(any, exprs.constant(kAssumedLimit));
  assume(exprs.add(part, 1));
  assume(exprs.scale(part, -1));
  return makeSymbol(v, {-kAssumedLimit, kAssumedLimit});
}

IndexExpr Reader::getPositiveDivisor(Value v) {
  if (!isFixed(v))
    return nullptr;
  IndexExpr divisor = getIndex(v);
  if (divisor->bounds.lo >= 1)
    return divisor;
  if (divisor->bounds.hi < 1)
    return nullptr;
  assume(exprs.add(divisor, -1));
  return exprs.max(divisor, exprs.constant(1));
}

IndexExpr Reader::getIndex(Value v) {
  v = canonical(v);
  if (IndexExpr expr = indexOf.lookup(v))
    return expr;
  IndexExpr expr = nullptr;
  if (isFixed(v))
    expr = readFixedIndex(v);
  else if (!exprs.exhausted())
    expr = combine(
        exprs, v.getDefiningOp(), [&](Value o) { return getIndex(o); },
        [&](Value o) { return getPositiveDivisor(o); });
  if (!expr)
    expr = makeSymbol(v, IndexBounds(), /*opaque=*/true);
  return indexOf[v] = expr;
}

//===----------------------------------------------------------------------===//
// Truth values
//===----------------------------------------------------------------------===//

/// A condition as a symbol, 1 where it holds.
MaskCases Reader::conditionCases(Value v, bool opaque) {
  IndexExpr symbol = makeSymbol(v, {0, 1}, opaque);
  return MaskCases{{{exprs.add(symbol, -1)}}};
}

/// Nothing where the bounds do not exclude an overflow, or for an unsigned
/// comparison.
std::optional<MaskCases> Reader::readComparison(arith::CmpIOp op) {
  if (!op.getLhs().getType().isIndex())
    return std::nullopt;
  IndexExpr difference =
      exprs.sub(getIndex(op.getLhs()), getIndex(op.getRhs()));
  IndexExpr negative = exprs.scale(difference, -1);
  if (difference->mayOverflow || getIndex(op.getLhs())->mayOverflow ||
      getIndex(op.getRhs())->mayOverflow)
    return std::nullopt;
  auto atLeast = [&](IndexExpr e, int64_t c) {
    return atLeastZero(exprs, exprs.add(e, -c));
  };
  auto both = [&](auto combineCases, int64_t c) -> Cases {
    Cases a = atLeast(difference, c), b = atLeast(negative, c);
    return a && b ? combineCases(exprs, *a, *b) : std::nullopt;
  };
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::sge:
    return atLeast(difference, 0);
  case arith::CmpIPredicate::sgt:
    return atLeast(difference, 1);
  case arith::CmpIPredicate::sle:
    return atLeast(negative, 0);
  case arith::CmpIPredicate::slt:
    return atLeast(negative, 1);
  case arith::CmpIPredicate::eq:
    return both(intersect, 0);
  case arith::CmpIPredicate::ne:
    return both(unite, 1);
  default:
    return std::nullopt;
  }
}

std::optional<MaskCases> Reader::readCases(Operation *op) {
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return readComparison(comparison);
  auto get = [&](unsigned i) { return getCases(op->getOperand(i)); };
  if (isa<arith::AndIOp>(op))
    return intersect(exprs, get(0), get(1));
  if (isa<arith::OrIOp>(op))
    return unite(exprs, get(0), get(1));
  auto choose = [&](const MaskCases &c, const MaskCases &a,
                    const MaskCases &b) -> Cases {
    Cases otherwise = complement(exprs, c);
    Cases first = intersect(exprs, c, a);
    Cases second = otherwise ? intersect(exprs, *otherwise, b) : std::nullopt;
    return first && second ? unite(exprs, *first, *second) : std::nullopt;
  };
  if (isa<arith::XOrIOp>(op)) {
    Cases opposite = complement(exprs, get(1));
    return opposite ? choose(get(0), *opposite, get(1)) : std::nullopt;
  }
  if (isa<arith::SelectOp>(op))
    return choose(get(0), get(1), get(2));
  return std::nullopt;
}

MaskCases Reader::getCases(Value v) {
  v = canonical(v);
  if (auto it = casesOf.find(v); it != casesOf.end())
    return it->second;
  APInt constant;
  Cases cases;
  if (matchPattern(v, m_ConstantInt(&constant)))
    cases = constant.isZero() ? MaskCases::never() : MaskCases::always();
  else if (isFixed(v))
    cases = conditionCases(v, /*opaque=*/false);
  else if (!exprs.exhausted())
    cases = readCases(v.getDefiningOp());
  if (!cases)
    cases = conditionCases(v, /*opaque=*/true);
  return casesOf[v] = *cases;
}

MaskRegion attnc::readMaskRegion(IndexExprs &exprs, Block &block,
                                 Attribute keyCount) {
  return Reader(exprs, block, keyCount).read();
}
