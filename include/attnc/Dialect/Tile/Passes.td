//===- Passes.td - Passes of the tile dialect itself -------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_PASSES_TD
#define ATTNC_DIALECT_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyProgram : Pass<"tile-verify-program", "::mlir::ModuleOp"> {
  let summary = "Check that a module is a complete stage `tile`";
  let description = [{
    What the code generators rely on beyond the verifiers of single ops:

    - (verify_program_c1) the module holds tile programs only;
    - (verify_program_c2) there is one program per function of
      `attnc.interface`, of the same name, in the same order (when the module
      has that attribute), and its arguments are the tensors (rank and element
      type) and then the sizes of that function;
    - (verify_program_c3) a program's body holds grids and scalar ops; grids do
      not nest;
    - (verify_program_c4) only ops of tile, arith, math and scf occur, of scf
      only `scf.if`, `scf.for` and `scf.yield`, and tiles are computed inside grids;
    - (verify_program_c5) what is stored to an optional output stands under
      `scf.if` of its `tile.present`;
    - (verify_program_c6) a load or store at the first index of a `tile.for`
      covers at least one step along that axis, so no key is skipped;
    - (verify_program_c7) a load or store without a valid extent ends within an
      axis whose size the interface fixes.
  }];
}

#endif // ATTNC_DIALECT_TILE_PASSES_TD
