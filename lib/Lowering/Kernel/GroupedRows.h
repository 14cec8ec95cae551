//===- GroupedRows.h - Rows of a kernel that are heads ----------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_GROUPEDROWS_H
#define ATTNC_LIB_LOWERING_KERNEL_GROUPEDROWS_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"

#include <optional>

namespace attnc::lowering {

/// Whether a second grid merges the parts of the kernel's keys row by row
/// (KeyParts.h).
bool mergesRows(attn::KernelOp kernel);

/// Whether kernels read the rows that `map` moves where these lie, element by
/// element: it is not computed.
bool isReadByKernels(attn::MapOp map);

/// The heads that `map` makes of the rows of a kernel that merges parts row by
/// row, and stores them itself: row q * n + g is query q of head g. Nothing if
/// `map` is computed.
struct HeadsOfRows {
  mlir::Value rows; // the kernel's result
  int64_t group;    // n
};
std::optional<HeadsOfRows> findHeadsOfRows(attn::MapOp map);

/// The map of a kernel's result for which findHeadsOfRows() finds it, or null.
attn::MapOp findHeadsOf(mlir::Value rows);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_GROUPEDROWS_H
