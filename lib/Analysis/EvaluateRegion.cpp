//===- EvaluateRegion.cpp - Integer regions at given sizes ----------------===//
//
// Division follows the ops: what is undefined there has no value here.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/EvaluateRegion.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

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

static std::optional<int64_t> evaluateOp(Operation *op, ArrayRef<int64_t> v) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue())
                                       : constant.getSExtValue();
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
    bool isLeaf = isa<attn::SizeOp, attn::ReadOp, attn::TableMinOp,
                      attn::TableMaxOp, attn::LowerBoundOp>(op);
    for (Value operand : op.getOperands()) {
      auto it = values.find(operand);
      if (it != values.end())
        operands.push_back(it->second);
      else if (!isLeaf) // the tensor of a read has no number
        return std::nullopt;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    std::optional<int64_t> value =
        isLeaf ? leaf(&op, operands) : evaluateOp(&op, operands);
    if (!value)
      return std::nullopt;
    values[op.getResult(0)] = *value;
  }
  return std::nullopt;
}
