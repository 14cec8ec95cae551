//===- KernelShape.h - What a schedule depends on in a kernel ---*- C++ -*-===//
//
// The numbers of an attn.kernel that candidates, checks and the cost model ask
// for, and the sizes at which its speed matters (regimes).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_KERNELSHAPE_H
#define ATTNC_LIB_SCHEDULE_KERNELSHAPE_H

#include "attnc/Analysis/ScoreFactors.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

#include "llvm/ADT/StringMap.h"

namespace attnc::schedule {

/// Vector operations per score, weighted: an addition counts one.
struct ElementCosts {
  double score = 0;  // the score formula
  double mask = 0;   // the mask, where it is evaluated
  double weight = 0; // exp2 or exp, with the subtraction and the sums
  /// The same per distance of a query and a key, once per tile.
  double scoreDistance = 0, maskDistance = 0;
  /// The same per key, for what formulas read and compute of the key alone.
  double scoreKey = 0, maskKey = 0;
  /// Per tile that is asked for its class: scalar operations, and scans of the
  /// entries that the tile's keys have in tables.
  double classify = 0, classifyScans = 0;
};

struct KernelShape {
  mutable attn::KernelOp kernel;
  /// Whether weights are relative to a running maximum.
  bool isSoftmax() const {
    return kernel.getNorm() && kernel.getNorm().isSoftmax();
  }
  /// Bits of an element of the sums, and of a stored element of K and V.
  unsigned accumulateBits, keyBits, valueBits;
  int64_t headDim, valueDim;
  /// The number of keys where it is fixed.
  std::optional<int64_t> fixedKeys;
  std::optional<int64_t> fixedQueries;
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

  KernelShape(attn::KernelOp kernel, const CpuTarget &target);

  /// The tensor of the interface that an argument of the function is, or null.
  const InterfaceTensor *findTensor(mlir::Value argument) const;

  int64_t lanes(const CpuTarget &target) const {
    return target.lanes(accumulateBits);
  }
  int64_t accumulateBytes() const { return accumulateBits / 8; }
};

/// Sizes at which a function is expected to run.
struct Regime {
  llvm::StringMap<int64_t> sizes;
  double weight = 1;
  /// "query_len = 1024, kv_len = 1024": the sizes that are known at run time.
  std::string text;

  /// The value of a size, an axis of a type, or a formula of sizes; 1 where it
  /// is not known.
  int64_t sizeOf(mlir::Attribute axis) const;
  int64_t sizeOf(llvm::StringRef name) const;
  /// The rows of one sequence along an axis of Q, K or V, as a call would allow
  /// it; of ragged rows those of all sequences in equal parts.
  int64_t rowsOf(mlir::Value tensor, unsigned axis) const;
};

/// The regimes of `function`: its attribute `attnc.expect`, or one of 1024
/// queries and keys. `interface` (or null) has fixed and derived sizes.
llvm::SmallVector<Regime> getRegimes(mlir::Operation *function,
                                     const Interface *interface);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_KERNELSHAPE_H
