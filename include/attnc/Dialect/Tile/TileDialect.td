//===- TileDialect.td - The dialect of stage `tile` --------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_TILEDIALECT_TD
#define ATTNC_DIALECT_TILE_TILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::attnc::tile";
  let summary = "Block programs on values with named dims";
  let description = [{
    A program is a list of grids of independent instances. An instance loads
    tiles, computes on them as values, and stores tiles. Dims have names and
    static sizes; their order has no meaning, so orientation, lanes and fragments
    belong to the target. Incomplete blocks have a run-time *valid* extent, and
    the flag `partial` of the loop over keys guards masks.

    Scalars are `arith`, `math`, `scf.if` and `scf.for` on builtin types. Regions of
    `tile.map` and `tile.select_masked` may use scalars and buffers from
    outside, never tiles: a tile comes in as an operand.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // ATTNC_DIALECT_TILE_TILEDIALECT_TD
