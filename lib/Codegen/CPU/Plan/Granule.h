//===- Granule.h - Register tile of a loop nest -----------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_GRANULE_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_GRANULE_H

#include "Plan/Plan.h"

namespace attnc::cpu {

using mlir::SmallVector;
using mlir::Value;

/// The vectors of queries that a piece of code handles.
struct Window {
  Value first;         // queries before them in the block; a multiple of lanes
  int64_t vectors = 0; // how many
  int64_t local = 0;   // vectors before them in local slots
};

/// What a nest works on at once: `rows` elements of the nest's dim from `start`
/// on, times the vectors of the window. A tile's registers are numbered
/// row * vectors + vector, without the part that the tile lacks.
struct Granule {
  Granule(const Item &item, Window window, Value start, int64_t rows = 1)
      : item(item), window(window), start(start), rows(rows) {}

  const Item &item;
  Window window;
  Value start; // null when the nest has no dim
  int64_t rows;
  /// No row is past the run-time end of the nest's dim.
  bool inside = false;
  llvm::DenseMap<Value, SmallVector<Value>> registers;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_GRANULE_H
