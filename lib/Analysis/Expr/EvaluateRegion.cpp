//===- EvaluateRegion.cpp - Evaluate scalar regions at given sizes --------===//
//
// Division follows the ops: what is undefined there has no value here. A real
// is kept as the bits of a double, and rounded to f32 where its type is that.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/EvaluateRegion.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace attnc;
using namespace mlir;

/// A divisor of zero, or the one quotient that does not fit.
static bool isUndefinedDivision(int64_t a, int64_t b) {
  return b == 0 || (a == INT64_MIN && b == -1);
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static std::optional<int64_t> evaluateDivision(Operation *op,
                                               ArrayRef<int64_t> v) {
  if (!isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp,
           arith::RemSIOp>(op) ||
      isUndefinedDivision(v[0], v[1]))
    return std::nullopt;
  int64_t quotient = floorDivide(v[0], v[1]);
  if (isa<arith::FloorDivSIOp>(op))
    return quotient;
  if (isa<arith::CeilDivSIOp>(op))
    return quotient + (quotient * v[1] != v[0]);
  return isa<arith::DivSIOp>(op) ? v[0] / v[1] : v[0] % v[1];
}

static std::optional<double> evaluateFunction(Operation *op, double x) {
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](arith::NegFOp) { return -x; })
      .Case([&](math::AbsFOp) { return std::fabs(x); })
      .Case([&](math::FloorOp) { return std::floor(x); })
      .Case([&](math::CeilOp) { return std::ceil(x); })
      .Case([&](math::SqrtOp) { return std::sqrt(x); })
      .Case([&](math::ExpOp) { return std::exp(x); })
      .Case([&](math::Exp2Op) { return std::exp2(x); })
      .Case([&](math::LogOp) { return std::log(x); })
      .Case([&](math::Log2Op) { return std::log2(x); })
      .Case([&](math::TanhOp) { return std::tanh(x); })
      .Default(std::nullopt);
}

static std::optional<double> evaluateArithmetic(Operation *op, double x,
                                                double y) {
  double nan = std::isnan(x) ? x : y;
  bool isNan = std::isnan(nan);
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](arith::AddFOp) { return x + y; })
      .Case([&](arith::SubFOp) { return x - y; })
      .Case([&](arith::MulFOp) { return x * y; })
      .Case([&](arith::DivFOp) { return x / y; })
      .Case([&](arith::MinimumFOp) { return isNan ? nan : std::min(x, y); })
      .Case([&](arith::MaximumFOp) { return isNan ? nan : std::max(x, y); })
      .Default(std::nullopt);
}

/// An op that yields or compares f32 or f64.
static std::optional<int64_t> evaluateReal(Operation *op, ArrayRef<int64_t> v) {
  auto real = [&](unsigned i) { return llvm::bit_cast<double>(v[i]); };
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APFloat(real(0)),
                                    APFloat(real(1)));
  Type type = op->getResult(0).getType();
  std::optional<double> result;
  APFloat constant(0.0);
  if (matchPattern(op, m_ConstantFloat(&constant)))
    result = constant.convertToDouble();
  else if (isa<arith::SelectOp>(op))
    return v[0] ? v[1] : v[2];
  else if (isa<arith::SIToFPOp>(op))
    result = type.isF32() ? double(float(v[0])) : double(v[0]);
  else if (v.size() == 1)
    result = evaluateFunction(op, real(0));
  else if (v.size() == 2)
    result = evaluateArithmetic(op, real(0), real(1));
  if (!result || (!type.isF32() && !type.isF64()))
    return std::nullopt;
  return llvm::bit_cast<int64_t>(type.isF32() ? double(float(*result))
                                              : *result);
}

bool attnc::isLeaf(Operation *op) {
  return isa<attn::SizeOp, attn::ReadOp, attn::TableMinOp, attn::TableMaxOp,
             attn::LowerBoundOp>(op);
}

std::optional<int64_t> attnc::evaluateOp(Operation *op, ArrayRef<int64_t> v) {
  if (isa<FloatType>(op->getResult(0).getType()) || isa<arith::CmpFOp>(op))
    return evaluateReal(op, v);
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue())
                                       : constant.getSExtValue();
  if (isa<arith::IndexCastOp>(op) && (op->getResult(0).getType().isIndex() ||
                                      op->getResult(0).getType().isInteger(64)))
    return v[0];
  auto wrap = [](uint64_t x) { return int64_t(x); };
  if (isa<arith::AddIOp>(op))
    return wrap(uint64_t(v[0]) + uint64_t(v[1]));
  if (isa<arith::SubIOp>(op))
    return wrap(uint64_t(v[0]) - uint64_t(v[1]));
  if (isa<arith::MulIOp>(op))
    return wrap(uint64_t(v[0]) * uint64_t(v[1]));
  if (isa<arith::MinSIOp>(op))
    return std::min(v[0], v[1]);
  if (isa<arith::MaxSIOp>(op))
    return std::max(v[0], v[1]);
  if (isa<math::AbsIOp>(op))
    return v[0] < 0 ? wrap(-uint64_t(v[0])) : v[0];
  if (isa<arith::AndIOp>(op))
    return v[0] & v[1];
  if (isa<arith::OrIOp>(op))
    return v[0] | v[1];
  if (isa<arith::XOrIOp>(op))
    return v[0] ^ v[1];
  if (isa<arith::SelectOp>(op))
    return v[0] ? v[1] : v[2];
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool isTruth = compare.getLhs().getType().isInteger(1);
    unsigned width = isTruth ? 1 : 64;
    auto number = [&](int64_t x) {
      return APInt(width, uint64_t(x) & (isTruth ? 1 : ~uint64_t(0)));
    };
    return arith::applyCmpPredicate(compare.getPredicate(), number(v[0]),
                                    number(v[1]));
  }
  return evaluateDivision(op, v);
}

std::optional<SmallVector<int64_t>>
attnc::evaluateRegion(Block &block, ArrayRef<int64_t> arguments,
                      LeafValue leaf) {
  llvm::DenseMap<Value, int64_t> values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : block) {
    SmallVector<int64_t> operands;
    for (Value operand : op.getOperands()) {
      auto it = values.find(operand);
      if (it != values.end())
        operands.push_back(it->second);
      else if (!isLeaf(&op)) // the tensor of a read has no number
        return std::nullopt;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    if (isLeaf(&op) && !op.getResult(0).getType().isIntOrIndex())
      return std::nullopt; // an element of a table of reals
    std::optional<int64_t> value =
        isLeaf(&op) ? leaf(&op, operands) : evaluateOp(&op, operands);
    if (!value)
      return std::nullopt;
    values[op.getResult(0)] = *value;
  }
  return std::nullopt;
}
