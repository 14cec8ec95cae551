//===- FoldScale.cpp - Fold constant factors into the scale ---------------===//
//
// Q @ K / sqrt(64), or the division inside softcap, costs one multiplication
// (or division!) for each score. The kernel multiplies queries by a `scale`
// that is a power of two once for all keys, and scores by any other one, in a
// single multiplication for all factors:
//
//   attn.kernel ... attributes {scale = 1.0 : f64} score {
//   ^bb0(%x: f32, ...):
//     %0 = arith.divf %x, 8.0   %1 = arith.divf %0, 50.0   %2 = math.tanh %1
// becomes
//   attn.kernel ... attributes {scale = 0.0025 : f64} score {
//   ^bb0(%x: f32, ...):
//     %2 = math.tanh %x
//
// Factors are multiplied in f64 and rounded once. Only a factor directly on
// the product, in all of its uses: a factor behind a sum or a function is
// another number. A kernel that reads a number of each row from another one
// (the greatest score, the n-th greatest) compares scores with it, so both must
// round them alike: a factor is folded in all of them or in none.
// Tests: test/Fusion/fold-scale.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Scale/RealConstant.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/EquivalenceClasses.h"

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

/// The product, in all formulas of it.
static SmallVector<BlockArgument> productsOf(attn::KernelOp kernel) {
  SmallVector<BlockArgument> products{kernel.getScore().getArgument(0)};
  if (kernel.hasGate())
    products.push_back(kernel.getGate().getArgument(0));
  if (kernel.hasSelect())
    products.push_back(kernel.getSelect().getArgument(0));
  return products;
}

/// The factor of all uses of the product.
static std::optional<double> factorOf(attn::KernelOp kernel) {
  // Formulas that use their score twice divide twice.
  std::optional<double> factor;
  for (BlockArgument x : productsOf(kernel))
    for (Operation *user : x.getUsers()) {
      std::optional<double> next = factorOf(user, x);
      if (!next || (factor && factor != next))
        return std::nullopt;
      factor = next;
    }
  if (!factor)
    return std::nullopt;
  double scale = kernel.getScale().convertToDouble() * *factor;
  return isUsable(scale, kernel.getAccumulateType()) ? factor : std::nullopt;
}

static void fold(attn::KernelOp kernel, double factor) {
  Builder b(kernel.getContext());
  kernel.setScaleAttr(
      b.getF64FloatAttr(kernel.getScale().convertToDouble() * factor));
  SetVector<Operation *> constants;
  for (BlockArgument x : productsOf(kernel))
    for (Operation *user : SmallVector<Operation *>(x.getUsers())) {
      for (Value operand : user->getOperands())
        if (Operation *op = operand.getDefiningOp())
          constants.insert(op);
      user->getResult(0).replaceAllUsesWith(x);
      user->erase();
    }
  for (Operation *op : constants)
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Kernels that read rows of each other.
static llvm::EquivalenceClasses<Operation *> findGroups(Operation *root) {
  llvm::EquivalenceClasses<Operation *> groups;
  root->walk([&](attn::KernelOp kernel) {
    groups.insert(kernel);
    kernel->walk([&](attn::ReadOp read) {
      if (auto source = read.getSource().getDefiningOp<attn::KernelOp>())
        groups.unionSets(kernel, source);
    });
  });
  return groups;
}

static bool foldOne(ArrayRef<attn::KernelOp> group) {
  std::optional<double> factor = factorOf(group.front());
  if (!factor || !llvm::all_of(group, [&](attn::KernelOp kernel) {
        return factorOf(kernel) == factor;
      }))
    return false;
  for (attn::KernelOp kernel : group)
    fold(kernel, *factor);
  return true;
}

namespace {
struct FoldScale final : fusion::impl::FoldScaleBase<FoldScale> {
  void runOnOperation() override {
    llvm::EquivalenceClasses<Operation *> groups = findGroups(getOperation());
    for (const auto *leader : groups) {
      SmallVector<attn::KernelOp> group;
      if (leader->isLeader())
        for (Operation *member : groups.members(*leader))
          group.push_back(cast<attn::KernelOp>(member));
      while (!group.empty() && foldOne(group))
        ;
    }
  }
};
} // namespace
