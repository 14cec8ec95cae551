//===- RegionEvaluator.cpp - Runs the scalar code of a region -------------===//

#include "Scalar/RegionEvaluator.h"

#include "mlir/IR/OpDefinition.h"

using namespace mlir;

namespace attnc::reference {

template <typename Real>
const Column<Real> *RegionEvaluator<Real>::find(Value value) const {
  auto it = values.find(value);
  return it != values.end() ? &it->second : outer(value);
}

template <typename Real>
FailureOr<Column<Real>> RegionEvaluator<Real>::evaluate(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return op->emitOpError("is not known to the reference interpreter");
  SmallVector<const Column<Real> *> operands;
  for (Value operand : op->getOperands()) {
    // Tensors and buffers have no column; ownOp looks them up itself.
    if (!operand.getType().isIntOrIndexOrFloat())
      continue;
    const Column<Real> *column = find(operand);
    if (!column)
      return op->emitError("operand has no value in the reference interpreter");
    operands.push_back(column);
  }
  StringRef dialect = op->getName().getDialectNamespace();
  bool isScalar = operands.size() == op->getNumOperands() &&
                  op->getResult(0).getType().isIntOrIndexOrFloat();
  if (isScalar && (dialect == "arith" || dialect == "math"))
    return evaluateScalarOp<Real>(op, operands, arithmetic);
  return ownOp(op, operands);
}

template <typename Real>
FailureOr<typename RegionEvaluator<Real>::Columns>
RegionEvaluator<Real>::run(Block &block, ArrayRef<Column<Real>> arguments) {
  values.clear();
  for (auto [argument, column] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = column;
  for (Operation &op : block.without_terminator()) {
    FailureOr<Column<Real>> result = evaluate(&op);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = std::move(*result);
  }
  Columns yielded;
  for (Value value : block.getTerminator()->getOperands()) {
    const Column<Real> *column = find(value);
    if (!column)
      return block.getTerminator()->emitError(
          "operand has no value in the reference interpreter");
    yielded.push_back(*column);
  }
  return yielded;
}

template class RegionEvaluator<double>;
template class RegionEvaluator<long double>;

} // namespace attnc::reference
