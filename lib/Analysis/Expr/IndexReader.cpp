//===- IndexReader.cpp - Read integers of a mask as expressions -----------===//
//
// The analysis computes with exact integers, the kernel with 64 bits that wrap
// around. So a comparison counts only where bounds of all symbols show that
// nothing overflows; a symbol without bounds, such as an entry of an i64 table,
// is assumed to be small, and the assumption is checked at run time. In the
// same way a divisor is assumed to be positive.
//
//===----------------------------------------------------------------------===//

#include "Expr/IndexReader.h"

#include "mlir/IR/Matchers.h"

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

/// Of what no formula computes: arguments are b, h and g.
IndexBounds FixedBounds::leafBounds(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op || isa<attn::SizeOp>(op))
    return {0, IndexExprs::maxSize};
  auto read = dyn_cast<attn::ReadOp>(op);
  return read ? elements(read.getSource()) : IndexBounds();
}

IndexBounds FixedBounds::elements(Value table) {
  if (TableFacts facts = factsOf(table); facts.range)
    return {facts.range->first, facts.range->second};
  auto type = dyn_cast<IntegerType>(
      cast<RankedTensorType>(table.getType()).getElementType());
  if (!type || type.getWidth() > 32)
    return {};
  if (type.getWidth() == 1)
    return {0, 1};
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

void IndexReader::numberValue(Operation &op) {
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

IndexReader::IndexReader(IndexExprs &exprs, Block &block, Attribute keyCount,
                         TableFactsOf factsOf)
    : exprs(exprs), keyCount(keyCount), factsOf(factsOf), fixedBounds(factsOf) {
  result.block = &block;
  moving.insert(block.getArgument(3));
  moving.insert(block.getArgument(4));
  indexOf[block.getArgument(3)] = exprs.symbol(IndexExprs::Row);
  indexOf[block.getArgument(4)] = exprs.symbol(IndexExprs::Key);
  for (Operation &op : block.without_terminator())
    numberValue(op);
}

IndexExpr IndexReader::makeSymbol(Value v, IndexBounds bounds, bool opaque) {
  result.symbols.resize(exprs.getNumSymbols() - IndexExprs::NumReserved);
  result.symbols.push_back(opaque ? Value() : v);
  if (opaque && !result.opaque)
    result.opaque = v.getDefiningOp();
  return exprs.makeSymbol(bounds, opaque);
}

void IndexReader::assume(IndexExpr expr) {
  if (!llvm::is_contained(result.assumptions, expr))
    result.assumptions.push_back(expr);
}

static constexpr int64_t kAssumedLimit = int64_t(1) << 40;

/// A value that moves with neither row nor key: `x + c` where it is a sum with
/// a constant, so that constants meet, else a symbol.
IndexExpr IndexReader::readFixedIndex(Value v) {
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

IndexExpr IndexReader::getPositiveDivisor(Value v) {
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

//===----------------------------------------------------------------------===//
// Products of positions
//===----------------------------------------------------------------------===//

static constexpr int64_t kSmall = int64_t(1) << 28;

/// The bounds of `expr` if no symbol were greater than kSmall.
static IndexBounds boundsOfSmall(IndexExpr expr) {
  using Kind = IndexNode::Kind;
  auto at = [&](unsigned i) { return boundsOfSmall(expr->operands[i]); };
  switch (expr->kind) {
  case Kind::Symbol:
    return {std::max(expr->bounds.lo, -kSmall),
            std::min(expr->bounds.hi, kSmall)};
  case Kind::Sum: {
    IndexBounds bounds{expr->value, expr->value};
    for (auto [i, factor] : llvm::enumerate(expr->factors)) {
      IndexBounds term = at(i);
      if (std::abs(factor) > kSmall || term.lo < -kSmall || term.hi > kSmall)
        return expr->bounds;
      bounds.lo += factor * (factor < 0 ? term.hi : term.lo);
      bounds.hi += factor * (factor < 0 ? term.lo : term.hi);
    }
    return bounds;
  }
  case Kind::FloorDiv: {
    IndexBounds a = at(0); // the divisor is at least 1
    return {std::min<int64_t>(a.lo, 0), std::max<int64_t>(a.hi, 0)};
  }
  case Kind::Min:
  case Kind::Max: {
    IndexBounds a = at(0), b = at(1);
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
  }
  default:
    return expr->bounds;
  }
}

/// No symbol of `expr` is greater than kSmall.
void IndexReader::assumeSmall(IndexExpr expr) {
  for (IndexExpr operand : expr->operands)
    assumeSmall(operand);
  if (expr->kind != IndexNode::Kind::Symbol)
    return;
  if (expr->value == IndexExprs::Row)
    expr = exprs.symbol(IndexExprs::RowEnd);
  else if (expr->value == IndexExprs::Key)
    expr = exprs.symbol(IndexExprs::KeyCount);
  if (expr->bounds.hi > kSmall)
    assume(exprs.add(exprs.scale(expr, -1), kSmall));
  if (expr->bounds.lo < -kSmall)
    assume(exprs.add(expr, kSmall));
}

/// A factor of a product of positions, which would overflow if they went to
/// IndexExprs::maxSize: cut off at a size that is not reached, as is assumed.
IndexExpr IndexReader::getFactor(Value v) {
  constexpr int64_t limit = int64_t(1) << 30;
  IndexExpr expr = getIndex(v);
  if (expr->mayOverflow ||
      (expr->bounds.lo >= -limit && expr->bounds.hi <= limit))
    return expr;
  IndexBounds small = boundsOfSmall(expr);
  if (small.lo < -limit || small.hi > limit)
    return expr;
  assumeSmall(expr);
  return exprs.max(exprs.min(expr, exprs.constant(limit)),
                   exprs.constant(-limit));
}

IndexExpr IndexReader::getRead(attn::ReadOp op) {
  Value source = op.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  if (!isa<IntegerType>(type.getElementType()) || !isa<BlockArgument>(source))
    return nullptr;
  auto *known = llvm::find(result.tables, source);
  unsigned number = known - result.tables.begin();
  if (known == result.tables.end()) {
    IndexTable table;
    table.bounds = fixedBounds.elements(source);
    table.nondecreasing = factsOf(source).nondecreasing;
    table.spansKeys =
        type.getRank() > 0 &&
        attn::axisSize(type, unsigned(type.getRank()) - 1) == keyCount;
    result.tables.push_back(source);
    exprs.addTable(table);
  }
  SmallVector<IndexExpr> indices;
  for (Value index : op.getIndices())
    indices.push_back(getIndex(index));
  return exprs.read(number, indices);
}

IndexExpr IndexReader::getIndex(Value v) {
  v = canonical(v);
  if (IndexExpr expr = indexOf.lookup(v))
    return expr;
  IndexExpr expr = nullptr;
  if (isFixed(v))
    expr = readFixedIndex(v);
  else if (auto read = v.getDefiningOp<attn::ReadOp>())
    expr = getRead(read);
  else if (auto product = v.getDefiningOp<arith::MulIOp>();
           product && !isFixed(product.getLhs()) &&
           !isFixed(product.getRhs()) && !exprs.exhausted())
    expr = exprs.mul(getFactor(product.getLhs()), getFactor(product.getRhs()));
  else if (!exprs.exhausted())
    expr = combine(
        exprs, v.getDefiningOp(), [&](Value o) { return getIndex(o); },
        [&](Value o) { return getPositiveDivisor(o); });
  if (!expr)
    expr = makeSymbol(v, IndexBounds(), /*opaque=*/true);
  return indexOf[v] = expr;
}
