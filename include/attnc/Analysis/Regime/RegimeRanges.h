//===- RegimeRanges.h - Keys visited by blocks at given sizes ---*- C++ -*-===//
//
// The regions `ranges` and `classify` of a kernel, evaluated at the sizes of a
// regime: for the cost model, and for the account of what passes saved.
// Tests: test/Schedule/explain.mlir, test/Tools/accounting-saved.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_REGIME_REGIMERANGES_H
#define ATTNC_ANALYSIS_REGIME_REGIMERANGES_H

#include "attnc/Analysis/Mask/AssumedTables.h"
#include "attnc/Dialect/Attn/Attn.h"

#include <array>
#include <map>

namespace attnc {

/// Keys of one segment that a group of rows visits; see tile.for.
struct KeySpan {
  int64_t anyLo, allLo, allHi, anyHi;
};

/// The i-th of so many places in [0, whole): one in each of `samples` equal
/// parts, not always the same place of it, so that what repeats along the way
/// is met where it falls. All places if there are no more than samples.
int64_t sampleAt(int64_t i, int64_t samples, int64_t whole);

class RegimeRanges {
public:
  /// `interface` may be null; it and the regime must outlive this.
  RegimeRanges(attn::KernelOp kernel, const Interface *interface,
               const Regime &regime);

  int64_t getQueries() const { return queries; }
  int64_t getKeys() const { return keys; }
  /// Heads that the kernel has queries of, those of all sequences together.
  int64_t getHeads() const;
  /// The spans of rows [first, end).
  const llvm::SmallVector<KeySpan, 2> &get(int64_t first, int64_t end);
  bool hasClasses() const { return kernel.hasClassify(); }
  /// What `classify` says of a tile: 0 empty, 1 partial, 2 full; 1 without it.
  int64_t classOf(int64_t firstRow, int64_t endRow, int64_t firstKey,
                  int64_t endKey);
  /// Pairs of a row and a key that the mask allows, about.
  double getNeededPairs();
  /// The part of the keys from the first to the last that any row visits.
  double getVisitedShare();
  const AssumedTables &getTables() const { return tables; }

private:
  llvm::SmallVector<KeySpan, 2> evaluate(int64_t first, int64_t end) const;
  std::optional<llvm::SmallVector<ValueBounds>>
  run(mlir::Region &region, llvm::ArrayRef<int64_t> arguments) const;
  double allowedPart(int64_t row, const KeySpan &span) const;
  double countPairs();
  void forget();

  mutable attn::KernelOp kernel;
  const Regime &regime;
  AssumedTables tables;
  int64_t queries, keys;
  std::optional<double> neededPairs;
  std::map<std::pair<int64_t, int64_t>, llvm::SmallVector<KeySpan, 2>> memo;
  std::map<std::array<int64_t, 4>, int64_t> classes;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_REGIME_REGIMERANGES_H
