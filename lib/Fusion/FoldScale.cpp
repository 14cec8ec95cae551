//===- FoldScale.cpp - Constant factors of the product --------------------===//
//
// Q @ K / sqrt(64), or the division inside softcap, costs one multiplication
// (or division!) for each score. The kernel multiplies queries by `scale`
// anyway, once for all keys:
//
//   attn.kernel ... attributes {scale = 1.0 : f64} score {
//   ^bb0(%x: f32, ...):
//     %0 = arith.divf %x, 8.0   %1 = arith.divf %0, 50.0   %2 = math.tanh %1
// becomes
//   attn.kernel ... attributes {scale = 0.0025 : f64} score {
//   ^bb0(%x: f32, ...):
//     %2 = math.tanh %x
//
// Factors are multiplied in f64 and rounded once. Only what stands directly on
// the product, in all of its uses: a factor behind a sum or a function is
// another number. Tests: test/Fusion/fold-scale.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "RealConstant.h"

#include "attnc/Dialect/Attn/Attn.h"

#include <limits>

using namespace mlir;
using namespace attnc;
using attnc::fusion::realConstant;

namespace attnc::fusion {
#define GEN_PASS_DEF_FOLDSCALE
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

// The factor f if `op` computes x * f.
static std::optional<double> factorOf(Operation *op, Value x) {
  if (isa<arith::NegFOp>(op))
    return -1.0;
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return realConstant(product.getLhs() == x ? product.getRhs()
                                              : product.getLhs());
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient || quotient.getLhs() != x)
    return std::nullopt;
  std::optional<double> divisor = realConstant(quotient.getRhs());
  return divisor ? std::optional<double>(1.0 / *divisor) : std::nullopt;
}

// The scale must stay a normal number of the accumulate type: 0, infinity or a
// denormal would change products that the formula keeps apart.
static bool isUsable(double scale, Type real) {
  double size = std::abs(scale);
  if (real.isF64())
    return size >= std::numeric_limits<double>::min() && std::isfinite(size);
  return size >= std::numeric_limits<float>::min() &&
         size <= std::numeric_limits<float>::max();
}

static bool foldOne(attn::KernelOp kernel) {
  BlockArgument x = kernel.getScore().getArgument(0);
  if (x.use_empty())
    return false;
  std::optional<double> factor = factorOf(*x.user_begin(), x);
  // Formulas that use their score twice divide twice.
  if (!factor || !llvm::all_of(x.getUsers(), [&](Operation *user) {
        return factorOf(user, x) == factor;
      }))
    return false;
  double scale = kernel.getScale().convertToDouble() * *factor;
  if (!isUsable(scale, kernel.getAccumulateType()))
    return false;
  Builder b(kernel.getContext());
  kernel.setScaleAttr(b.getF64FloatAttr(scale));
  SmallVector<Operation *> users(x.getUsers());
  SetVector<Operation *> constants;
  for (Operation *user : users) {
    for (Value operand : user->getOperands())
      if (Operation *op = operand.getDefiningOp())
        constants.insert(op);
    user->getResult(0).replaceAllUsesWith(x);
    user->erase();
  }
  for (Operation *op : constants)
    if (isOpTriviallyDead(op))
      op->erase();
  return true;
}

namespace {
struct FoldScale final : fusion::impl::FoldScaleBase<FoldScale> {
  void runOnOperation() override {
    getOperation()->walk([](attn::KernelOp kernel) {
      while (foldOne(kernel))
        ;
    });
  }
};
} // namespace
