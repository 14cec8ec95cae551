//===- TableBounds.h - Find tables that bound keys or queries ---*- C++ -*-===//
//
// How a mask compares positions with entries of tables: `start[b, q] <= k` is a
// lower bound of the key, `k <= q + ahead[b, q]` an upper one by its distance
// from the query, `q < end[b, k]` an upper one of the query.
// Tests: test/Schedule/assumed-bounds.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_ANALYSIS_MASK_TABLEBOUNDS_H
#define ATTNC_LIB_ANALYSIS_MASK_TABLEBOUNDS_H

#include "attnc/Analysis/Expr/DependenceSplit.h"
#include "attnc/Dialect/Attn/Attn.h"

#include <optional>

namespace attnc {

struct TableBound {
  mlir::Value table;
  std::optional<unsigned> axis; // which goes along queries (keys), if one does
  bool isLower = false;
  bool isStrict = false;   // the bound itself is left out
  bool isDistance = false; // from the query (key) of the entry
  bool isNegative = false; // the distance is added to reach a lower bound
};

/// The axis along which a read moves with the query (or the key) and with
/// nothing else; nothing: there is not one such axis.
std::optional<unsigned> findMovingAxis(attn::ReadOp read, unsigned bits,
                                       const DependenceSplit &split);

/// The bounds in a formula whose last two arguments are the query and the key,
/// in its order.
llvm::SmallVector<TableBound> findTableBounds(mlir::Block &formula,
                                              const DependenceSplit &split);

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_MASK_TABLEBOUNDS_H
