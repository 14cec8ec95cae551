//===- ScoreFactors.h - Find separable factors of a score -------*- C++ -*-===//
//
// Linear attention: a score is the product of the features times factors that
// depend on the query, on the key, or on both through an exponent that is a sum
// of two sides, D(q, k) = exp(u(q) + w(k)). Then what all keys before a key r
// contribute to any later query is one matrix of features by values, and a
// query needs the keys since r only. Each feature may have factors of its own,
// as a gate per feature has: those of a row of that matrix. What is asked here
// is whether a kernel is of this kind, and what its factors are; a kernel whose
// `form` is `chunked` is lowered by them.
//
// Tests: test/Schedule/chunked.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_SCOREFACTORS_H
#define ATTNC_ANALYSIS_KERNEL_SCOREFACTORS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>

namespace attnc {

struct ScoreFactors {
  /// What a value of a region does to the product of those before it: multiply
  /// it, divide it, or make it 0 where a condition holds, or does not.
  enum class Use { Times, Over, ZeroWhere, ZeroUnless };
  struct Factor {
    mlir::Value value;
    Use use = Use::Times;
  };
  /// A factor of both sides. For an exponential `exponent` is what it is of; a
  /// power `base ** (u(q) + w(k))` has none.
  struct Decay {
    mlir::Value value;
    mlir::Value exponent;
    bool base2 = false;
    Use use = Use::Times; // or Over
  };
  /// What the value of a region is the product of.
  struct Product {
    llvm::SmallVector<Factor> ofQuery, ofKey;
    llvm::SmallVector<Decay> decays;
  };
  /// `low <= high`, or `low < high` if strict: the keys that a query may see.
  /// Linear in the query and the key; high - low has the factors 1 and -1.
  struct Causal {
    mlir::Value low, high;
    bool strict = false;
  };

  /// What the region `score` makes of the sum over features.
  Product score;
  /// What the sum is of where it has a region `pairs`; else of the features
  /// of the query times those of the key.
  std::optional<Product> feature;
  /// Values of the region `mask`, all of which must hold.
  llvm::SmallVector<mlir::Value> queryMask, keyMask;
  Causal causal;
  /// What keys contribute differs between the query heads of a group.
  bool differsInGroup = false;
};

/// The factors of a kernel, or nothing and, in `reason`, why it has none: words
/// that follow "because".
std::optional<ScoreFactors> findScoreFactors(attn::KernelOp kernel,
                                             std::string &reason);

/// Whether it makes sense to tell the reason: the weights are sums and
/// products of scores, and the mask keeps later keys out.
bool isLinearAttention(attn::KernelOp kernel);

/// Whether a value of a factor is an argument of its region or made of it.
bool readsArgument(mlir::Value value, mlir::BlockArgument argument);

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_SCOREFACTORS_H
