//===- DependenceSplit.cpp - Split formulas by their dependencies ---------===//
//
// One pass over the block: a value depends on what its operands depend on.
// Integers that are linear in q and k are followed: where the coefficients
// cancel, the value depends on the distance of q and k only.
// Tests: test/Unit/Analysis/DependenceSplitTest.cpp,
// test/Lowering/Formula/dependence-split.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/DependenceSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attnc {

/// Index arithmetic that costs no more than reading its result from a tile.
static bool isCheap(Operation *op) {
  if (matchPattern(op, m_Constant()))
    return true;
  auto integral = [](Type type) { return type.isIntOrIndex(); };
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::IndexCastOp, arith::SelectOp>(op) &&
         llvm::all_of(op->getResultTypes(), integral);
}

namespace {
/// Coefficients of q and k in a sum of multiples of them and other values.
struct Linear {
  int64_t query = 0, key = 0;
};

/// The integers of a block that are linear in q and k, modulo 2^64.
class LinearForms {
public:
  void set(Value value, Linear form) { forms[value] = form; }
  /// The form of an operand; nothing when it is no such sum. What depends on
  /// nothing is one with coefficients 0.
  std::optional<Linear> of(Value value, unsigned bits) const {
    auto found = forms.find(value);
    if (found != forms.end())
      return found->second;
    return bits == OnNothing ? std::optional(Linear()) : std::nullopt;
  }
  /// The form of an op's result.
  std::optional<Linear> of(Operation &op, const DependenceSplit &split) const;

private:
  llvm::DenseMap<Value, Linear> forms;
};
} // namespace

static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

std::optional<Linear> LinearForms::of(Operation &op,
                                      const DependenceSplit &split) const {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(
          op) ||
      !isWide(op.getResult(0).getType()))
    return std::nullopt;
  SmallVector<Linear, 2> forms;
  for (Value operand : op.getOperands()) {
    auto form = of(operand, split.dependence.lookup(operand));
    if (!form || !isWide(operand.getType()))
      return std::nullopt;
    forms.push_back(*form);
  }
  if (isa<arith::IndexCastOp>(op))
    return forms[0];
  if (isa<arith::AddIOp>(op))
    return Linear{forms[0].query + forms[1].query, forms[0].key + forms[1].key};
  if (isa<arith::SubIOp>(op))
    return Linear{forms[0].query - forms[1].query, forms[0].key - forms[1].key};
  APInt factor;
  constexpr int64_t limit = 1 << 20; // far from an overflow of coefficients
  if (!matchPattern(op.getOperand(1), m_ConstantInt(&factor)) ||
      factor.abs().uge(limit) || std::abs(forms[0].query) > limit ||
      std::abs(forms[0].key) > limit)
    return std::nullopt;
  return Linear{forms[0].query * factor.getSExtValue(),
                forms[0].key * factor.getSExtValue()};
}

/// Bits of what an op's results depend on.
static unsigned
dependenceOf(Operation &op, const llvm::DenseMap<Value, unsigned> &dependence) {
  unsigned bits = OnNothing;
  for (Value operand : op.getOperands())
    bits |= dependence.lookup(operand); // values from outside: OnNothing
  if ((bits & OnDistance) && bits != OnDistance)
    bits = (bits & ~OnDistance) | OnQuery | OnKey;
  // Executing a division earlier may divide by zero where the formula would
  // not be evaluated at all.
  if (!isSpeculatable(&op))
    bits = (bits & ~OnDistance) | OnPair;
  return bits;
}

static LinearForms formsOfArguments(Block &formula,
                                    ArrayRef<unsigned> arguments) {
  LinearForms forms;
  for (auto [argument, bits] : llvm::zip(formula.getArguments(), arguments))
    if (bits == OnQuery || bits == OnKey)
      forms.set(argument, Linear{bits == OnQuery, bits == OnKey});
  return forms;
}

DependenceSplit splitByDependence(Block &formula,
                                  ArrayRef<unsigned> arguments) {
  DependenceSplit split;
  for (auto [argument, bits] : llvm::zip(formula.getArguments(), arguments))
    split.dependence[argument] = bits;

  LinearForms forms = formsOfArguments(formula, arguments);
  llvm::DenseSet<Value> costly; // something more than index arithmetic
  for (Operation &op : formula.without_terminator()) {
    unsigned bits = dependenceOf(op, split.dependence);
    if (auto form = forms.of(op, split)) {
      forms.set(op.getResult(0), *form);
      if (form->query && form->query == -form->key)
        bits = OnDistance;
    }
    auto sameKind = [&](Value operand) {
      return costly.contains(operand) &&
             split.dependence.lookup(operand) == bits;
    };
    bool isCostly = !isCheap(&op) || llvm::any_of(op.getOperands(), sameKind);
    for (Value result : op.getResults()) {
      split.dependence[result] = bits;
      if (isCostly)
        costly.insert(result);
    }
  }

  for (Operation &op : formula.without_terminator())
    for (Value result : op.getResults()) {
      unsigned bits = split.dependence[result];
      auto usedElsewhere = [&](Operation *user) {
        return user == formula.getTerminator() ||
               split.dependence.lookup(user->getResult(0)) != bits;
      };
      if (llvm::none_of(result.getUsers(), usedElsewhere) ||
          matchPattern(&op, m_Constant()))
        continue;
      if (bits == OnNothing)
        split.uniform.push_back(result);
      else if (bits == OnQuery && costly.contains(result))
        split.onQuery.push_back(result);
      else if (bits == OnKey && costly.contains(result))
        split.onKey.push_back(result);
      else if (bits == OnDistance && costly.contains(result))
        split.onDistance.push_back(result);
    }
  return split;
}

} // namespace attnc
