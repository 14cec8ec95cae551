//===- Residency.cpp - Find values that all calls share -------------------===//

#include "attnc/Analysis/Cost/Residency.h"

#include "attnc/Analysis/Product/ProductTree.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace attnc;

SmallVector<Value> attnc::readBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  for (Region &region : op->getRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(region, captured);
    llvm::append_range(values, captured);
  }
  return values;
}

static Residency residencyOfArgument(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!function || !type || !type.hasStaticShape())
    return Residency::None;
  if (function.getArgAttr(argument.getArgNumber(), kResidentAttr))
    return Residency::Weights;
  DictionaryAttr fields = interfaceFieldsOf(argument);
  auto role = fields ? fields.getAs<StringAttr>("role") : StringAttr();
  if (!role || role.getValue() != roleName(TensorRole::Input) ||
      fields.get("inout"))
    return Residency::None;
  return fields.get("resident") ? Residency::Declared : Residency::Packable;
}

Residency attnc::residencyOf(Value value) {
  auto least = Residency::Declared;
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && least != Residency::None) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      least = std::min(least, residencyOfArgument(argument));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!seen.insert(op).second)
      continue;
    if (isa<attn::SizeOp>(op)) // known at the call
      return Residency::None;
    llvm::append_range(open, readBy(op));
  }
  return least;
}
