//===- DependenceSplit.h - Split formulas by their dependencies -*- C++ -*-===//
//
// A score `x - slope(h) * (q - k) + bias[h, q]` is evaluated for each pair of a
// query and a key, but only `x` and two operations need the pair. The split
// finds the parts that depend on nothing (once per block of queries), on the
// query only (once per row, before the loop over keys), on the key only (once
// per key of a tile), and on their distance q - k only (once per diagonal of a
// tile), so that a variant costs per pair only what needs the pair.
//
// Tests: test/Unit/Analysis/DependenceSplitTest.cpp,
// test/Lowering/Formula/dependence-split.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_DEPENDENCESPLIT_H
#define ATTNC_ANALYSIS_EXPR_DEPENDENCESPLIT_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

/// What a value depends on, as bits.
enum Dependence : unsigned {
  OnNothing = 0,
  OnQuery = 1,
  OnKey = 2,
  OnPair = 4,     // the score itself
  OnDistance = 8, // q - k; never together with another bit
};

/// Values to compute outside of the element's region. An entry is the result of
/// an op of the formula that something of another kind uses; what it is
/// computed from has its kind or none, or, for a distance, is linear in q and
/// k: the value of an entry of `onDistance` at (q, k) is its value at
/// (q - k, 0), whatever wraps around. Each list is in the order of the block.
///
/// Left in place are constants, index arithmetic of one operation or so on q or
/// k (cheaper than a tile of 64-bit indices), and ops that may not be executed
/// where the formula would not execute them (a division by a run-time value).
struct DependenceSplit {
  llvm::SmallVector<mlir::Value> uniform;
  llvm::SmallVector<mlir::Value> onQuery;
  llvm::SmallVector<mlir::Value> onKey;
  llvm::SmallVector<mlir::Value> onDistance;
  /// Bits of Dependence of every value of the block.
  llvm::DenseMap<mlir::Value, unsigned> dependence;
};

/// Splits a block without inner regions; `arguments` has the bits of each of
/// its arguments.
DependenceSplit splitByDependence(mlir::Block &formula,
                                  llvm::ArrayRef<unsigned> arguments);

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_DEPENDENCESPLIT_H
