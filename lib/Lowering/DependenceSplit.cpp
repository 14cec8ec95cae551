//===- DependenceSplit.cpp - What parts of a formula depend on ------------===//
//
// One pass over the block: a value depends on what its operands depend on.
// Tests: test/Unit/Lowering/DependenceSplitTest.cpp,
// test/Lowering/dependence-split.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Lowering/DependenceSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attnc::lowering {

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

/// Bits of what an op's results depend on.
static unsigned
dependenceOf(Operation &op, const llvm::DenseMap<Value, unsigned> &dependence) {
  unsigned bits = OnNothing;
  for (Value operand : op.getOperands())
    bits |= dependence.lookup(operand); // values from outside: OnNothing
  // Executing a division earlier may divide by zero where the formula would
  // not be evaluated at all.
  return isSpeculatable(&op) ? bits : bits | OnPair;
}

DependenceSplit splitByDependence(Block &formula,
                                  ArrayRef<unsigned> arguments) {
  DependenceSplit split;
  for (auto [argument, bits] : llvm::zip(formula.getArguments(), arguments))
    split.dependence[argument] = bits;

  llvm::DenseSet<Value> costly; // something more than index arithmetic
  for (Operation &op : formula.without_terminator()) {
    unsigned bits = dependenceOf(op, split.dependence);
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
    }
  return split;
}

} // namespace attnc::lowering
