//===- LeastRows.h - Rows that pay for states -------------------*- C++ -*-===//
//
// Linear attention by the Halide backend: the schedule's prediction and the
// code's choice at run time, which must agree.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_LEASTROWS_H
#define ATTNC_ANALYSIS_KERNEL_LEASTROWS_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>

namespace attnc {

/// The fewest rows, queries times the heads that share a state, with which
/// states of `features` by `columns` (values and sum) before each `chunk` keys
/// take less time than all pairs. A key costs a state features x columns
/// products, and each row features + columns; docs/stages/halide.md has the
/// measured weights. `isOfFormulas`: features of pairs are formulas.
inline int64_t leastRowsOfStates(int64_t features, int64_t columns,
                                 int64_t chunk, bool isOfFormulas) {
  constexpr int64_t perStateProduct = 8, perFormula = 24;
  int64_t ofState = perStateProduct * features * columns;
  int64_t ofRow = (isOfFormulas ? perFormula : 1) * features + columns;
  return std::max(llvm::divideCeil(chunk, 2), llvm::divideCeil(ofState, ofRow));
}

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_LEASTROWS_H
