//===- KernelShape.h - Kernel properties that a schedule depends on -------===//
//
// The numbers of an attn.kernel that candidates, checks and the cost model ask
// for.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_KERNELSHAPE_H
#define ATTNC_LIB_SCHEDULE_KERNELSHAPE_H

#include "attnc/Analysis/Kernel/ScoreFactors.h"
#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

namespace attnc::schedule {

/// Vector operations per score, weighted: an addition counts one.
struct ElementCosts {
  double score = 0;  // the score formula, and the factor of the value
  double mask = 0;   // the mask, where it is evaluated
  double weight = 0; // exp2 or exp, with the subtraction and the sums
  /// The same per distance of a query and a key, once per tile.
  double scoreDistance = 0, maskDistance = 0;
  /// The same per key, for what formulas read and compute of the key alone.
  double scoreKey = 0, maskKey = 0;
  /// Bytes of an element of each table that the score formula reads at its
  /// query and key, whose lines `lineCycles` of the register tile adds.
  llvm::SmallVector<int64_t, 2> tables;
  /// Per tile that is asked for its class: scalar operations, and scans of the
  /// entries that the tile's keys have in tables.
  double classify = 0, classifyScans = 0;
};

/// Operations of a formula that a sum is of, where it is no product.
struct FeatureCosts {
  double vector = 0; // per query, key and feature, weighted as above
  double scalar = 0; // per key and feature: the key's own part
};

/// Whether a result of each row is found by a search, which visits the keys
/// several times (lib/Lowering/Softmax/Rank.cpp, Simplex.cpp).
bool isSearch(attn::KernelOp kernel);

struct KernelShape {
  mutable attn::KernelOp kernel;
  /// Whether weights are relative to a running maximum.
  bool isSoftmax() const {
    return kernel.getNorm() && kernel.getNorm().isSoftmax();
  }
  /// Bits of an element of the sums, and of a stored element of K and V.
  unsigned accumulateBits, keyBits, valueBits;
  int64_t headDim, valueDim;
  /// Features of further products of the score.
  llvm::SmallVector<int64_t> productDims;
  /// By number of the product, the kernel's own first: the formulas of those
  /// that are sums of formulas.
  llvm::SmallVector<std::optional<FeatureCosts>> sums;
  std::optional<FeatureCosts> value; // the same of the values
  /// The number of keys where it is fixed.
  std::optional<int64_t> fixedKeys;
  std::optional<int64_t> fixedQueries;
  /// The fewest and the most queries that a regime of `expect` has; 0: unknown.
  int64_t leastQueries = 0, mostQueries = 0;
  /// The most keys that the rows of a regime see together, and those that its
  /// last `kRowsOfBlock` rows see: of a window only the nearest.
  static constexpr int64_t kRowsOfBlock = 512;
  int64_t mostKeysSeen = 0, mostKeysOfBlock = 0;
  /// Which keys may be seen depends on the row.
  bool rangesMove;
  ElementCosts costs;
  /// For form chunked; or why there are none.
  std::optional<ScoreFactors> factors;
  std::string whyNoFactors;
  /// Query heads that share what keys contribute, where that is fixed.
  int64_t sharing = 1;

  /// What is promised of the function's arguments, or null.
  const Interface *interface = nullptr;

  KernelShape(attn::KernelOp kernel, const Target &target);

  /// Features of a row that meet features of a key or a value.
  int64_t allDims() const {
    int64_t sum = headDim + valueDim;
    for (int64_t features : productDims)
      sum += features;
    return sum;
  }
  /// Rows that an instruction of the target takes at once: lanes of a vector.
  int64_t lanes(const Target &target) const {
    return target.unitFor(accumulateType()).rows;
  }
  DType accumulateType() const {
    return accumulateBits == 64 ? DType::F64 : DType::F32;
  }
  int64_t accumulateBytes() const { return accumulateBits / 8; }
  /// Cycles to bring the lines of `costs.tables` into L1 for one key and vector
  /// of queries, if a register tile has so many keys.
  double lineCycles(int64_t keysAtOnce, const Target &target) const;

private:
  void countFeatures(const Target &target);
};

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_KERNELSHAPE_H
