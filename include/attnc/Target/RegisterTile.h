//===- RegisterTile.h - Registers that a product needs ----------*- C++ -*-===//
//-*-===//
//
// Schedule chooses such blocks, the code generator checks those of a dump.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_REGISTERTILE_H
#define ATTNC_TARGET_REGISTERTILE_H

#include "attnc/Target/Target.h"

namespace attnc {

/// A register tile: rows (keys or value features) times vectors of queries.
struct RegisterTile {
  int64_t rows = 1, vectors = 1;
  int64_t accumulators() const { return rows * vectors; }
  bool operator==(const RegisterTile &) const = default;
};

/// Registers that a tile needs: its accumulators, a vector of each group of
/// queries, the broadcast row element, and the product where there is no fma.
inline int64_t registersOf(RegisterTile tile, const Target &target) {
  return tile.accumulators() + tile.vectors + 1 + (target.cpu.hasFma ? 0 : 1);
}

} // namespace attnc

#endif // ATTNC_TARGET_REGISTERTILE_H
