//===- Passes.td - Passes of the CPU's code generator ---------------------===//

#ifndef ATTNC_CODEGEN_CPU_PASSES
#define ATTNC_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToLlvm : Pass<"convert-tile-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower tile programs to loops over vectors";
  let description = [{
    Replaces each `tile.program` whose target is `#tile.cpu<...>` by the
    functions that the entry of an object calls: for a program `@f` with one
    grid `@f.grid0.tasks`, `@f.grid0.body`, `@f.scratch` and `@f.workspace`.
    Their loops are `scf`, `arith`, `math`, `vector` (1-D) and loads and stores
    of the LLVM dialect; no op of the tile dialect remains.

    docs/stages/6-llvm.md explains the loops.

    Example:

    ```mlir
    tile.program @nothing(%n: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 1, tail = 16, lane_skip = true, pack = auto> {
      tile.grid (%i) to (%n) {
      }
    }
    ```
    has `@nothing.grid0.tasks`, which returns `n`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

#endif // ATTNC_CODEGEN_CPU_PASSES
