//===- MaskRegion.cpp - The mask of a kernel as conditions ----------------===//
//
// Truth values; integers are read by IndexReader.cpp, reals by RealReader.cpp.
//
//===----------------------------------------------------------------------===//

#include "Expr/RealReader.h"

#include "mlir/IR/Matchers.h"

using namespace attnc;
using namespace mlir;

namespace {
class Reader {
public:
  using Condition = const MaskCondition *;

  Reader(IndexExprs &exprs, MaskConditions &conditions, Block &block,
         Attribute keyCount, TableFactsOf factsOf)
      : exprs(exprs), conditions(conditions),
        integers(exprs, block, keyCount, factsOf),
        reals(conditions.getReals(), integers) {}

  MaskRegion read(Block &block);

private:
  Condition getCondition(Value v);
  Condition readCondition(Value v);
  Condition readComparison(arith::CmpIOp op);
  Condition readComparison(arith::CmpFOp op);
  Condition unknown(Operation *op);

  IndexExprs &exprs;
  MaskConditions &conditions;
  IndexReader integers;
  RealReader reals;
  DenseMap<Value, Condition> conditionOf;
};
} // namespace

MaskRegion Reader::read(Block &block) {
  Condition condition = getCondition(block.getTerminator()->getOperand(0));
  integers.result.condition = condition;
  integers.result.cases = casesOf(exprs, condition);
  return std::move(integers.result);
}

const MaskCondition *Reader::unknown(Operation *op) {
  if (!integers.result.opaque)
    integers.result.opaque = op;
  return conditions.unknown();
}

/// Unknown where the bounds do not exclude an overflow, and for an unsigned
/// comparison.
const MaskCondition *Reader::readComparison(arith::CmpIOp op) {
  if (!op.getLhs().getType().isIndex())
    return unknown(op);
  IndexExpr left = integers.getIndex(op.getLhs());
  IndexExpr right = integers.getIndex(op.getRhs());
  IndexExpr difference = exprs.sub(left, right);
  IndexExpr negative = exprs.scale(difference, -1);
  if (difference->mayOverflow || left->mayOverflow || right->mayOverflow)
    return unknown(op);
  auto atLeast = [&](IndexExpr e, int64_t c) {
    return conditions.atLeastZero(exprs.add(e, -c));
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
    return conditions.both(atLeast(difference, 0), atLeast(negative, 0));
  case arith::CmpIPredicate::ne:
    return conditions.either(atLeast(difference, 1), atLeast(negative, 1));
  default:
    return unknown(op);
  }
}

const MaskCondition *Reader::readComparison(arith::CmpFOp op) {
  RealExpr x = reals.getReal(op.getLhs()), y = reals.getReal(op.getRhs());
  if (!x || !y)
    return unknown(op);
  auto equal = [&] {
    return conditions.both(conditions.atLeast(x, y), conditions.atLeast(y, x));
  };
  using P = arith::CmpFPredicate;
  switch (op.getPredicate()) {
  case P::OGE:
    return conditions.atLeast(x, y);
  case P::OGT:
    return conditions.above(x, y);
  case P::OLE:
    return conditions.atLeast(y, x);
  case P::OLT:
    return conditions.above(y, x);
  case P::OEQ:
    return equal();
  case P::UNE:
    return conditions.negate(equal());
  case P::UGE: // not less, which a NaN is not
    return conditions.negate(conditions.above(y, x));
  case P::UGT:
    return conditions.negate(conditions.atLeast(y, x));
  case P::ULE:
    return conditions.negate(conditions.above(x, y));
  case P::ULT:
    return conditions.negate(conditions.atLeast(x, y));
  default:
    return unknown(op);
  }
}

const MaskCondition *Reader::readCondition(Value v) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return conditions.truth(!constant.isZero());
  if (integers.isFixed(v)) // 1 where it holds
    return conditions.atLeastZero(
        exprs.add(integers.makeSymbol(v, {0, 1}), -1));
  Operation *op = v.getDefiningOp();
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return readComparison(comparison);
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return readComparison(comparison);
  if (auto read = dyn_cast<attn::ReadOp>(op)) {
    IndexExpr element = integers.getRead(read);
    return element ? conditions.atLeastZero(exprs.add(element, -1))
                   : unknown(op);
  }
  auto get = [&](unsigned i) { return getCondition(op->getOperand(i)); };
  auto choose = [&](Condition c, Condition a, Condition b) {
    return conditions.either(conditions.both(c, a),
                             conditions.both(conditions.negate(c), b));
  };
  if (isa<arith::AndIOp>(op))
    return conditions.both(get(0), get(1));
  if (isa<arith::OrIOp>(op))
    return conditions.either(get(0), get(1));
  if (isa<arith::XOrIOp>(op)) // not x is x xor true
    return choose(get(1), conditions.negate(get(0)), get(0));
  if (isa<arith::SelectOp>(op))
    return choose(get(0), get(1), get(2));
  return unknown(op);
}

const MaskCondition *Reader::getCondition(Value v) {
  v = integers.canonical(v);
  if (Condition known = conditionOf.lookup(v))
    return known;
  Condition condition = readCondition(v);
  return conditionOf[v] = condition;
}

MaskRegion attnc::readMaskRegion(IndexExprs &exprs, MaskConditions &conditions,
                                 Block &block, Attribute keyCount,
                                 TableFactsOf factsOf) {
  return Reader(exprs, conditions, block, keyCount, factsOf).read(block);
}
