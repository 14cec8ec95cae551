//===- TableBounds.cpp - Find tables that bound keys or queries -----------===//
//
// Both sides of a comparison are sums of multiples of the query, the key and
// entries; their difference says what bounds what, and from which side.
//
//===----------------------------------------------------------------------===//

#include "Mask/TableBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

std::optional<unsigned> attnc::findMovingAxis(attn::ReadOp read, unsigned bits,
                                              const DependenceSplit &split) {
  std::optional<unsigned> found;
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    unsigned depends = split.dependence.lookup(index);
    if (depends == OnNothing)
      continue;
    if (found || depends != bits)
      return std::nullopt;
    found = axis;
  }
  return found;
}

static bool dependsOnNothing(attn::ReadOp read, const DependenceSplit &split) {
  return llvm::all_of(read.getIndices(), [&](Value index) {
    return split.dependence.lookup(index) == OnNothing;
  });
}

namespace {
/// A sum of multiples; what depends on neither position is left out.
struct Sum {
  int64_t query = 0, key = 0;
  llvm::SmallMapVector<attn::ReadOp, int64_t, 2> reads;

  /// False where a factor overflows.
  bool add(const Sum &other, int64_t factor) {
    bool overflows = accumulate(query, other.query, factor) ||
                     accumulate(key, other.key, factor);
    for (auto [read, times] : other.reads)
      overflows |= accumulate(reads[read], times, factor);
    return !overflows;
  }

private:
  static bool accumulate(int64_t &sum, int64_t value, int64_t factor) {
    int64_t product;
    return llvm::MulOverflow(value, factor, product) ||
           llvm::AddOverflow(sum, product, sum);
  }
};

/// Sums of the values of a formula; a shared value is read once.
class SumReader {
public:
  explicit SumReader(const DependenceSplit &split) : split(split) {}
  Sum sumOf(Value value);

private:
  std::optional<Sum> read(Operation *op);

  const DependenceSplit &split;
  DenseMap<Value, Sum> known;
};
} // namespace

/// Of an op that is no sum: it is taken to rise with what it depends on, as the
/// query of a row of several heads does.
static Sum leafOf(Value value, const DependenceSplit &split) {
  unsigned bits = split.dependence.lookup(value);
  Sum sum;
  sum.query = bits == OnQuery;
  sum.key = bits == OnKey;
  return sum;
}

Sum SumReader::sumOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  std::optional<Sum> sum = op ? read(op) : std::nullopt;
  return known[value] = sum ? *sum : leafOf(value, split);
}

/// Nothing for an op that is no sum.
std::optional<Sum> SumReader::read(Operation *op) {
  Sum sum;
  APInt factor;
  bool fits = true;
  if (auto read = dyn_cast<attn::ReadOp>(op))
    sum.reads[read] = 1;
  else if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    sum = sumOf(op->getOperand(0));
    fits = sum.add(sumOf(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
  } else if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    sum = sumOf(op->getOperand(0));
  else if (isa<arith::MulIOp>(op) &&
           matchPattern(op->getOperand(1), m_ConstantInt(&factor)) &&
           factor.abs().ult(1 << 20))
    fits = sum.add(sumOf(op->getOperand(0)), factor.getSExtValue());
  else
    return std::nullopt;
  return fits ? std::optional(sum) : std::nullopt;
}

/// The comparison as `sum >= 0`, or `sum > 0` where it is strict.
static std::optional<Sum> atLeastZero(arith::CmpIOp compare, SumReader &sums,
                                      bool &isStrict) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
  if (!isLess && predicate != Predicate::sgt && predicate != Predicate::sge)
    return std::nullopt;
  Sum sum = sums.sumOf(isLess ? compare.getRhs() : compare.getLhs());
  bool fits =
      sum.add(sums.sumOf(isLess ? compare.getLhs() : compare.getRhs()), -1);
  return fits ? std::optional(sum) : std::nullopt;
}

static std::optional<TableBound> boundOf(attn::ReadOp read, int64_t times,
                                         const Sum &sum,
                                         const DependenceSplit &split) {
  TableBound bound;
  bound.table = read->getOperand(0);
  int64_t bounded = sum.key, from = sum.query;
  bound.axis = findMovingAxis(read, OnQuery, split);
  if (!bound.axis && !dependsOnNothing(read, split)) {
    bound.axis = findMovingAxis(read, OnKey, split);
    if (!bound.axis)
      return std::nullopt;
    std::swap(bounded, from);
  }
  if (bounded == 0 || std::abs(times) != std::abs(bounded) ||
      (from != 0 && from != -bounded))
    return std::nullopt;
  bound.isLower = bounded > 0;
  bound.isDistance = from != 0;
  bound.isNegative = bound.isLower && times == -bounded;
  // The greater entries are, the less a position bounds from above and the more
  // from below.
  if (times != -bounded && !(bound.isDistance && bound.isLower))
    return std::nullopt;
  return bound;
}

SmallVector<TableBound> attnc::findTableBounds(Block &formula,
                                               const DependenceSplit &split) {
  SmallVector<TableBound> bounds;
  SumReader sums(split);
  for (auto compare : formula.getOps<arith::CmpIOp>()) {
    bool isStrict = false;
    std::optional<Sum> sum = atLeastZero(compare, sums, isStrict);
    if (!sum)
      continue;
    for (auto [read, times] : sum->reads)
      if (auto bound = boundOf(read, times, *sum, split)) {
        bound->isStrict = isStrict;
        bounds.push_back(*bound);
      }
  }
  return bounds;
}
