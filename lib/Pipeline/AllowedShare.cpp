//===- AllowedShare.cpp - The part of its places that a mask allows -------===//
//
// Counted place by place, with the tables that the schedule was chosen with:
// two tools that tell of one spec tell the same number of keys.
//
//===----------------------------------------------------------------------===//

#include "AllowedShare.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"
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

/// Places that may be allowed, whatever unknown tables hold: those of some
/// rows, as the cost model samples them, of the first batch and head.
static std::optional<double> countPossible(attn::MaskOp mask,
                                           const AssumedTables &assumed,
                                           const Regime &regime) {
  constexpr int64_t mostRows = 64;
  auto type = cast<RankedTensorType>(mask.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> extents;
  for (int64_t axis = 0; axis < rank; ++axis)
    extents.push_back(regime.sizeOf(attn::axisSize(type, axis)));
  int64_t keys = extents.pop_back_val(), rows = rank > 1 ? extents.back() : 1;
  int64_t samples = std::min(rows, mostRows), possible = 0;
  SmallVector<int64_t> place(rank, 0);
  auto leaf = [&](Operation *op, ArrayRef<ValueBounds> operands) {
    if (auto size = dyn_cast<attn::SizeOp>(op))
      return ValueBounds::of(regime.sizeOf(size.getName()));
    return assumed.boundsOf(op, operands);
  };
  for (int64_t i = 0; i < samples; ++i)
    for (place.back() = 0; place.back() < keys; ++place.back()) {
      if (rank > 1)
        place[rank - 2] = sampleAt(i, samples, rows);
      auto seen = boundRegion(mask.getBody().front(), place, leaf);
      if (!seen)
        return std::nullopt;
      possible += seen->front().hi != 0;
    }
  double share = samples ? double(possible) / double(samples) : 0;
  for (int64_t extent : extents)
    share *= double(extent);
  return share;
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
    allowed =
        assumed.hasUnknown() ? countPossible(mask, assumed, regime) : count();
    return allowed.value_or(1);
  };
  int64_t rank = cast<RankedTensorType>(mask.getType()).getRank();
  auto sizeOfAxis = [&](int64_t axis) {
    return axis < 0 ? 0 : regime.sizeOf(attn::axisSize(mask.getType(), axis));
  };
  assumed.choose(sizeOfAxis(rank - 2), sizeOfAxis(rank - 1), countPairs);
  return allowed ? allowed : count();
}
