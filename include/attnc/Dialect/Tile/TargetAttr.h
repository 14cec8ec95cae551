//===- TargetAttr.h - The target of a program -------------------*- C++ -*-===//
//
// What any backend's target attribute answers. A header of its own, so that the
// attn dialect does not depend on the ops of tile.
// Tests: test/Dialect/Tile/target-invalid.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TARGETATTR_H
#define ATTNC_DIALECT_TILE_TARGETATTR_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"

#include "attnc/Dialect/Tile/TileAttrInterfaces.h.inc"

namespace attnc::tile {

/// Any attribute that implements the interface. The error names what was found
/// instead.
mlir::ParseResult parseTarget(mlir::AsmParser &parser,
                              TargetAttrInterface &target);
void printTarget(mlir::AsmPrinter &printer, TargetAttrInterface target);

} // namespace attnc::tile

#endif // ATTNC_DIALECT_TILE_TARGETATTR_H
