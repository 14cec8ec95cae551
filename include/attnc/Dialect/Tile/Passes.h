//===- Passes.h - Passes of the tile dialect itself -------------*- C++ -*-===//

#ifndef ATTNC_DIALECT_TILE_PASSES_H
#define ATTNC_DIALECT_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Dialect/Tile/Passes.h.inc"

} // namespace attnc::tile

#endif // ATTNC_DIALECT_TILE_PASSES_H
