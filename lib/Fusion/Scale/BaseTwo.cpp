//===- BaseTwo.cpp - Rewrite the exp of 1 + exp(y) to exp2 ----------------===//
//
// Hardware and polynomials know 2^x. exp(y) = exp2(y log2 e) rounds y once
// more, which shows where the result is large: exp(80) by 30 ulp. In 1 + exp(y)
// as a divisor it does not: beside the 1 of a sigmoid or a silu what is off by
// that much is either lost or the relative error of something close to 0.
//
//   %0 = arith.subf %x, %b   %1 = arith.negf %0    %2 = math.exp %1
//   %3 = arith.addf %2, 1.0  %4 = arith.divf 1.0, %3
// becomes
//   %0 = arith.subf %x, %b   %1 = arith.mulf %0, -1.44269502
//   %2 = math.exp2 %1 ...
//
// The factor comes last, behind every sum: terms that are exact may cancel, and
// each of them times log2 e would leave a rounding of its own size. So it joins
// signs and constant factors, and is never spread over terms, `scale` included.
// The weights of a softmax are the same case: lowering multiplies the
// difference to the maximum. Tests: test/Fusion/base-two.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Scale/RealConstant.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace attnc;
using attnc::fusion::realConstant;

namespace attnc::fusion {
#define GEN_PASS_DEF_BASETWO
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

/// Whether a large number leaves little where it is used: it divides, or its
/// logarithm is taken.
static bool isReduced(Value number) {
  return llvm::all_of(number.getUsers(), [&](Operation *user) {
    auto quotient = dyn_cast<arith::DivFOp>(user);
    return isa<math::LogOp>(user) || (quotient && quotient.getLhs() != number);
  });
}

/// Whether only 1 + e, or a greater constant plus e, is asked for, and that as
/// a divisor or under a logarithm.
static bool isBesideOne(Value e) {
  return !e.use_empty() && llvm::all_of(e.getUsers(), [&](Operation *user) {
    if (!isa<arith::AddFOp>(user))
      return false;
    Value other = user->getOperand(user->getOperand(0) == e ? 1 : 0);
    std::optional<double> number = realConstant(other);
    return number && *number >= 1 && std::isfinite(*number) &&
           isReduced(user->getResult(0));
  });
}

/// The factor that `op` multiplies its first operand by, or its second one.
static std::optional<std::pair<unsigned, double>> factorOf(Operation *op) {
  if (isa<arith::NegFOp>(op))
    return std::pair(0u, -1.0);
  if (isa<arith::MulFOp>(op))
    for (unsigned i : {0u, 1u})
      if (auto number = realConstant(op->getOperand(1 - i)))
        return std::pair(i, *number);
  if (isa<arith::DivFOp>(op))
    if (auto divisor = realConstant(op->getOperand(1)))
      return std::pair(0u, 1 / *divisor);
  return std::nullopt;
}

static bool isNormal(double number, Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  double size = std::abs(number);
  return size >= llvm::APFloat::getSmallestNormalized(semantics)
                     .convertToDouble() &&
         size <= llvm::APFloat::getLargest(semantics).convertToDouble();
}

static void useBaseTwo(math::ExpOp exp) {
  Value y = exp.getOperand();
  double factor = std::numbers::log2e;
  // Signs and constant factors, as long as the product is a normal number.
  while (Operation *op = y.hasOneUse() ? y.getDefiningOp() : nullptr) {
    auto found = factorOf(op);
    if (!found || !isNormal(factor * found->second, y.getType()))
      break;
    factor *= found->second;
    y = op->getOperand(found->first);
  }
  OpBuilder b(exp);
  Value c = arith::ConstantOp::create(b, exp.getLoc(),
                                      b.getFloatAttr(y.getType(), factor));
  Value product = arith::MulFOp::create(b, exp.getLoc(), y, c);
  Value power = math::Exp2Op::create(b, exp.getLoc(), product);
  exp.replaceAllUsesWith(power);
}

static void useBaseTwo(Block &formula) {
  for (auto exp : formula.getOps<math::ExpOp>())
    if (isBesideOne(exp.getResult()))
      useBaseTwo(exp);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(formula)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct BaseTwo final : fusion::impl::BaseTwoBase<BaseTwo> {
  void runOnOperation() override {
    getOperation()->walk([](attn::KernelOp kernel) {
      useBaseTwo(kernel.getScore().front());
      if (kernel.hasGate())
        useBaseTwo(kernel.getGate().front());
      if (kernel.hasSelect())
        useBaseTwo(kernel.getSelect().front());
    });
  }
};
} // namespace
