//===- KernelShape.cpp - Kernel properties that a schedule depends on -----===//
//
// Formulas are counted as they will run: what depends on the row alone or the
// key alone is hoisted and costs nothing here, what depends on their distance
// is counted per distance, and a load per pair.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"

#include "attnc/Analysis/Cost/OperationCost.h"
#include "attnc/Analysis/Expr/DependenceSplit.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"

#include <numeric>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

/// Whether a table has an entry per query and key.
static bool isByPair(attn::ReadOp read, const DependenceSplit &split) {
  return llvm::all_of(read.getIndices(), [&](Value index) {
    unsigned bits = split.dependence.lookup(index);
    return bits != OnDistance && llvm::popcount(bits) < 2;
  });
}

/// Operations of a read on a vector of `lanes` elements. A table of floats with
/// an entry per query and key is read in pieces, which are transposed, and
/// `lineCycles` adds its lines. Anything else is gathered: an address and a
/// load for each lane.
static double readCost(attn::ReadOp read, const DependenceSplit &split,
                       int64_t lanes) {
  if (!isByPair(read, split))
    return 6 * double(lanes);
  return (isa<FloatType>(read.getType()) ? 0.6 : 2.5) * double(lanes);
}

double KernelShape::lineCycles(int64_t keysAtOnce, const Target &target) const {
  // Rows of queries share few sets of L1, so each register tile loads its part
  // of a line from L2. Measured: 8 cycles on Zen 4, 5 on Sapphire Rapids.
  constexpr int64_t lineBytes = 64, waiting = 4;
  double lines = 0;
  for (int64_t bytes : costs.tables) {
    int64_t keys = lineBytes / bytes;
    int64_t crossing = keysAtOnce - std::gcd(keysAtOnce, keys);
    lines += (1 + double(crossing) / double(keys)) / double(keysAtOnce);
  }
  return double(lanes(target) * waiting * lineBytes) * lines /
         target.memory[1].bytesPerCycle;
}

/// Operations of an op on a vector of `lanes` elements.
static double vectorCost(Operation *op, const DependenceSplit &split,
                         const Target &target, int64_t lanes) {
  if (auto read = dyn_cast<attn::ReadOp>(op))
    return readCost(read, split, lanes);
  return operationCost(op, target);
}

namespace {
/// Costs of a formula where it depends on a pair, on a distance, and on a key.
struct FormulaCosts {
  double pair = 0, distance = 0, key = 0;
  SmallVector<int64_t, 2> tables; // by pair; bytes of an element of each
};
} // namespace

/// Operations that the `roots` need and that the lists of a split do not give,
/// of those that `counts` accepts.
static double costOf(Block &block, ValueRange roots,
                     llvm::function_ref<bool(Value)> given,
                     llvm::function_ref<double(Operation &)> cost) {
  llvm::DenseSet<Value> needed(roots.begin(), roots.end());
  double sum = 0;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    Value result = op.getResult(0);
    if (!needed.contains(result) || given(result))
      continue;
    needed.insert(op.operand_begin(), op.operand_end());
    sum += cost(op);
  }
  return sum;
}

/// Counts a formula as lowering splits it; `arguments` are what its arguments
/// depend on.
static FormulaCosts countOperations(Block &block, ArrayRef<unsigned> arguments,
                                    const Target &target, int64_t lanes) {
  DependenceSplit split = splitByDependence(block, arguments);
  auto hoisted = [&](Value value) {
    return llvm::is_contained(split.uniform, value) ||
           llvm::is_contained(split.onQuery, value) ||
           llvm::is_contained(split.onKey, value);
  };
  auto given = [&](Value value) {
    return hoisted(value) || llvm::is_contained(split.onDistance, value);
  };
  FormulaCosts costs;
  costs.pair = costOf(
      block, block.getTerminator()->getOperands(), given, [&](Operation &op) {
        // One row or one key alone is a scalar or leaves the
        // loop.
        unsigned bits = split.dependence[op.getResult(0)];
        bool alone =
            llvm::popcount(bits) < 2 && !(bits & (OnPair | OnDistance));
        if (auto read = dyn_cast<attn::ReadOp>(op);
            read && !alone && isa<FloatType>(read.getType()) &&
            isByPair(read, split))
          costs.tables.push_back(
              getElementTypeOrSelf(read.getSource()).getIntOrFloatBitWidth() /
              8);
        return alone ? 0 : vectorCost(&op, split, target, lanes);
      });
  costs.pair += double(split.onDistance.size()); // loads
  costs.distance = costOf(block, split.onDistance, hoisted, [&](Operation &op) {
    bool varies = split.dependence[op.getResult(0)] == OnDistance;
    return varies ? vectorCost(&op, split, target, lanes) : 0;
  });
  // Vectors lie along the queries, so what the key alone decides is a scalar:
  // an address and a load for an entry of a table, one for other ops.
  auto uniform = [&](Value value) {
    return llvm::is_contained(split.uniform, value);
  };
  costs.key = costOf(block, split.onKey, uniform, [&](Operation &op) {
    bool varies = split.dependence[op.getResult(0)] == OnKey;
    return !varies ? 0.0 : isa<attn::ReadOp>(op) ? 2.0 : 1.0;
  });
  return costs;
}

/// Counts the formula of a feature, no part of which leaves the loop over them:
/// vectors lie along the queries, so what the key alone decides is a scalar.
static FeatureCosts countFeature(Block &block, ArrayRef<unsigned> arguments,
                                 const Target &target, int64_t lanes) {
  DependenceSplit split = splitByDependence(block, arguments);
  auto isOfQuery = [&](Operation &op) {
    return bool(split.dependence[op.getResult(0)] & ~OnKey);
  };
  auto none = [](Value) { return false; };
  FeatureCosts costs;
  costs.vector = costOf(
      block, block.getTerminator()->getOperands(), none, [&](Operation &op) {
        return isOfQuery(op) ? vectorCost(&op, split, target, lanes) : 0.0;
      });
  costs.scalar = costOf(
      block, block.getTerminator()->getOperands(), none, [&](Operation &op) {
        if (isOfQuery(op) || split.dependence[op.getResult(0)] == OnNothing)
          return 0.0;
        return isa<attn::ReadOp>(op) ? 2.0 : operationCost(&op, target);
      });
  return costs;
}

void KernelShape::countFeatures(const Target &target) {
  constexpr unsigned n = OnNothing, q = OnQuery, k = OnKey;
  for (attn::KernelOp::Sum &sum : kernel.getSums()) {
    std::optional<FeatureCosts> &costs = sums.emplace_back();
    if (!sum.pair)
      continue;
    SmallVector<unsigned> arguments;
    for (size_t i = 0; i < sum.rows.size(); ++i)
      arguments.append({q, k});
    arguments.append({n, n, n, n, q, k});
    costs = countFeature(sum.pair->front(), arguments, target, lanes(target));
  }
  if (kernel.hasValue())
    value = countFeature(kernel.getValue().front(), {k, n, n, n, n, q, k},
                         target, lanes(target));
}

/// Counts what deciding the class of a tile takes; what the block of queries
/// alone decides is computed before. Scans are of the keys' entries.
static void countClassify(Block &classify, ElementCosts &costs) {
  llvm::DenseSet<Value> moving(classify.args_begin() + 5, classify.args_end());
  for (Operation &op : classify.without_terminator()) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value v) { return moving.contains(v); }))
      continue;
    moving.insert(op.getResult(0));
    if (isa<attn::TableMinOp, attn::TableMaxOp>(op))
      ++costs.classifyScans;
    else
      ++costs.classify;
  }
}

static std::optional<int64_t> fixedSize(Type type, unsigned axis) {
  auto size = dyn_cast_if_present<IntegerAttr>(attn::axisSize(type, axis));
  return size ? std::optional(size.getInt()) : std::nullopt;
}

static int64_t lastSize(Type type) {
  return fixedSize(type, cast<RankedTensorType>(type).getRank() - 1)
      .value_or(1);
}

bool schedule::isSearch(attn::KernelOp kernel) {
  attn::RowAttr row = kernel.getRowKind();
  return row && (row.getKind() == attn::RowKind::Rank ||
                 row.getKind() == attn::RowKind::Simplex);
}

KernelShape::KernelShape(attn::KernelOp kernel, const Target &target)
    : kernel(kernel) {
  auto bitsOf = [](Value tensor) {
    auto map = tensor.getDefiningOp<attn::MapOp>();
    bool isConverted = map && isConversionOnLoad(map);
    Value stored = isConverted ? map.getInputs()[0] : tensor;
    return cast<RankedTensorType>(stored.getType()).getElementTypeBitWidth();
  };
  Type k = kernel.getK().getType();
  accumulateBits = kernel.getAccumulateType().getIntOrFloatBitWidth();
  keyBits = bitsOf(kernel.getK());
  valueBits = kernel.getV() ? bitsOf(kernel.getV()) : 0;
  headDim = lastSize(k);
  valueDim = kernel.getV() ? lastSize(kernel.getV().getType()) : 0;
  fixedKeys = fixedSize(k, kernel.getKeyAxis());
  fixedQueries = fixedSize(kernel.getQ().getType(), 3);
  rangesMove = false;
  if (kernel.hasRanges()) {
    Block &ranges = kernel.getRanges().front();
    rangesMove = !ranges.getArgument(3).use_empty() ||
                 !ranges.getArgument(4).use_empty();
  }
  for (unsigned i = 0; i < kernel.getProducts().size(); i += 2)
    productDims.push_back(
        fixedSize(kernel.getProducts()[i].getType(), 4).value_or(1));
  SmallVector<unsigned> arguments{OnPair,    OnNothing, OnNothing,
                                  OnNothing, OnQuery,   OnKey};
  arguments.append(kernel.getNumProducts(), OnPair);
  FormulaCosts score = countOperations(kernel.getScore().front(), arguments,
                                       target, lanes(target));
  if (kernel.hasGate()) {
    FormulaCosts gate = countOperations(kernel.getGate().front(), arguments,
                                        target, lanes(target));
    constexpr double stored = 3; // written, read and multiplied
    score.pair += gate.pair + stored;
    score.distance += gate.distance;
    score.key += gate.key;
    score.tables.append(gate.tables);
  }
  if (kernel.hasSelect()) {
    FormulaCosts select = countOperations(kernel.getSelect().front(), arguments,
                                          target, lanes(target));
    score.pair += select.pair + 1; // the choice
    score.distance += select.distance;
    score.key += select.key;
    score.tables.append(select.tables);
  }
  FormulaCosts mask = countOperations(
      kernel.getMask().front(),
      {OnNothing, OnNothing, OnNothing, OnQuery, OnKey}, target, lanes(target));
  costs.score = score.pair;
  costs.tables = score.tables;
  costs.mask = mask.pair;
  costs.scoreDistance = score.distance;
  costs.maskDistance = mask.distance;
  costs.scoreKey = score.key;
  costs.maskKey = mask.key;
  if (kernel.hasClassify())
    countClassify(kernel.getClassify().front(), costs);
  costs.weight = weightCost(kernel.getNorm(), target);
  countFeatures(target);
  factors = findScoreFactors(kernel, whyNoFactors);
  if (factors && !factors->differsInGroup)
    sharing = fixedSize(kernel.getQ().getType(), 2).value_or(1);
}
