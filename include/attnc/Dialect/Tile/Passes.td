//===- Passes.td - Passes of the tile dialect itself -------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_PASSES_TD
#define ATTNC_DIALECT_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyProgram : Pass<"tile-verify-program", "::mlir::ModuleOp"> {
  let summary = "Verify the invariants of stage tile";
  let description = [{
    Verifies what code generators rely on beyond the verifiers of single ops:

    - (verify_program_c1) the module contains tile programs only;
    - (verify_program_c2) there is one program per function of
      `attnc.interface`, with the same name and in the same order (if the module
      has that attribute), and its arguments are the tensors (rank and element
      type) and then the sizes of that function;
    - (verify_program_c3) a program's body contains grids and scalar ops; grids
      do not nest;
    - (verify_program_c4) only ops of tile, arith, math and scf occur, of scf
      only `scf.if`, `scf.for` and `scf.yield`, and tiles are computed in grids;
    - (verify_program_c5) stores to an optional output are inside an `scf.if` of
      its `tile.present`;
    - (verify_program_c6) a load or store at the first index of a `tile.for`
      covers at least one step along that axis, so no key is skipped;
    - (verify_program_c7) a load or store without a valid extent ends within an
      axis whose size the interface fixes.
  }];
}

#endif // ATTNC_DIALECT_TILE_PASSES_TD
