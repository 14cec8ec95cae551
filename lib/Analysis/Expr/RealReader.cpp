//===- RealReader.cpp - Read floats of a mask as expressions --------------===//
//
// All reals of a mask have one type. An op that is not here makes the
// comparison unknown, and so does an element of a table of reals that moves
// with the row or the key.
//
//===----------------------------------------------------------------------===//

#include "Expr/RealReader.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace attnc;
using namespace mlir;
using Kind = RealNode::Kind;

static std::optional<Kind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([](arith::AddFOp) { return Kind::Add; })
      .Case([](arith::SubFOp) { return Kind::Subtract; })
      .Case([](arith::MulFOp) { return Kind::Multiply; })
      .Case([](arith::DivFOp) { return Kind::Divide; })
      .Case([](arith::MinimumFOp) { return Kind::Min; })
      .Case([](arith::MaximumFOp) { return Kind::Max; })
      .Case([](arith::NegFOp) { return Kind::Negate; })
      .Case([](math::AbsFOp) { return Kind::Abs; })
      .Case([](math::FloorOp) { return Kind::Floor; })
      .Case([](math::CeilOp) { return Kind::Ceil; })
      .Case([](math::SqrtOp) { return Kind::Sqrt; })
      .Case([](math::ExpOp) { return Kind::Exp; })
      .Case([](math::Exp2Op) { return Kind::Exp2; })
      .Case([](math::LogOp) { return Kind::Log; })
      .Case([](math::Log2Op) { return Kind::Log2; })
      .Case([](math::TanhOp) { return Kind::Tanh; })
      .Default(std::nullopt);
}

RealExpr RealReader::readOp(Operation *op) {
  if (auto real = dyn_cast<arith::SIToFPOp>(op)) {
    auto cast = real.getIn().getDefiningOp<arith::IndexCastOp>();
    if (!cast || !cast.getIn().getType().isIndex())
      return nullptr;
    IndexExpr index = integers.getIndex(cast.getIn());
    return index->mayOverflow ? nullptr : reals.ofIndex(index);
  }
  std::optional<Kind> kind = kindOf(op);
  if (!kind)
    return nullptr;
  SmallVector<RealExpr, 2> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getReal(operand));
    if (!operands.back())
      return nullptr;
  }
  return reals.make(*kind, operands[0],
                    operands.size() > 1 ? operands[1] : nullptr);
}

RealExpr RealReader::read(Value v) {
  if (!v.getType().isF32() && !v.getType().isF64())
    return nullptr;
  Type &type = integers.result.realType;
  if (type && type != v.getType())
    return nullptr;
  type = v.getType();
  APFloat constant(0.0);
  if (matchPattern(v, m_ConstantFloat(&constant)))
    return constant.isFinite() ? reals.constant(constant.convertToDouble())
                               : nullptr;
  Operation *op = v.getDefiningOp();
  if (op && (!integers.isFixed(v) || isa<arith::SIToFPOp>(op)))
    if (RealExpr real = readOp(op))
      return real;
  if (!integers.isFixed(v))
    return nullptr;
  integers.result.reals.push_back(v);
  return reals.makeSymbol();
}

RealExpr RealReader::getReal(Value v) {
  v = integers.canonical(v);
  if (auto it = known.find(v); it != known.end())
    return it->second;
  RealExpr real = reals.exhausted() ? nullptr : read(v);
  return known[v] = real;
}
