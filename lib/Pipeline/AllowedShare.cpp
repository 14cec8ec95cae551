//===- AllowedShare.cpp - The part of its places that a mask allows -------===//
//
// Counted place by place, with the tables that the schedule was chosen with:
// two tools that tell of one spec tell the same number of keys.
//
//===----------------------------------------------------------------------===//

#include "AllowedShare.h"

#include "attnc/Analysis/AssumedTables.h"
#include "attnc/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace attnc;

/// The tensors that the formula reads; nothing if an op computes one of them.
static std::optional<llvm::SmallDenseSet<Value>> tablesOf(attn::MaskOp mask) {
  llvm::SmallDenseSet<Value> read;
  bool isKnown = true;
  mask.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        isKnown &= isa<BlockArgument>(operand);
        read.insert(operand);
      }
  });
  return isKnown ? std::optional(std::move(read)) : std::nullopt;
}

/// A table with the entries that it is taken to hold.
static reference::Tensor makeTable(Value table, const AssumedTables &assumed,
                                   const Regime &regime) {
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> shape;
  for (unsigned axis = 0; axis < type.getRank(); ++axis)
    shape.push_back(
        std::max<int64_t>(regime.sizeOf(attn::axisSize(type, axis)), 0));
  reference::Tensor tensor =
      reference::makeTensor(type.getElementType(), shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t &entry : tensor.integer) {
    entry = assumed.entryOf(table, index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  return tensor;
}

std::optional<double>
attnc::countAllowedPlaces(attn::MaskOp mask, const Interface &interface,
                          const llvm::StringMap<int64_t> &sizes) {
  auto read = tablesOf(mask);
  if (!read)
    return std::nullopt;
  Regime regime;
  regime.sizes = sizes;
  auto function = mask->getParentOfType<func::FuncOp>();
  AssumedTables assumed(mask.getBody(), {}, &interface, regime);
  auto count = [&]() -> std::optional<double> {
    std::vector<reference::Tensor> inputs;
    for (BlockArgument argument : function.getArguments()) {
      auto type = cast<RankedTensorType>(argument.getType());
      inputs.push_back(
          read->contains(argument)
              ? makeTable(argument, assumed, regime)
              : reference::makeTensor(type.getElementType(),
                                      SmallVector<int64_t>(type.getRank(), 0)));
    }
    auto allowed = reference::countAllowed(mask, inputs, sizes);
    return succeeded(allowed) ? std::optional<double>(*allowed) : std::nullopt;
  };
  std::optional<double> allowed;
  auto countPairs = [&] {
    allowed = count();
    return allowed.value_or(1);
  };
  int64_t rank = cast<RankedTensorType>(mask.getType()).getRank();
  auto sizeOfAxis = [&](int64_t axis) {
    return axis < 0 ? 0 : regime.sizeOf(attn::axisSize(mask.getType(), axis));
  };
  assumed.choose(sizeOfAxis(rank - 2), sizeOfAxis(rank - 1), countPairs);
  if (!assumed.areAllVisible())
    return allowed ? allowed : count();
  double places = 1;
  for (int64_t axis = 0; axis < rank; ++axis)
    places *= double(sizeOfAxis(axis));
  return places;
}
