//===- Passes.td - Passes of the NVPTX code generator ---------------------===//

#ifndef ATTNC_CODEGEN_NVPTX_PASSES
#define ATTNC_CODEGEN_NVPTX_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToNvvm : Pass<"convert-tile-to-nvvm", "mlir::ModuleOp"> {
  let summary = "Lower tile programs to GPU kernels";
  let description = [{
    Replaces each `tile.program` whose target is `#tile.nvptx<...>` by a kernel
    per grid and by functions of the host: for a program `@f` with one grid
    `@f$grid0`, `@f.grid0.tasks`, `@f.scratch` and `@f.workspace`. Their bodies
    are `scf`, `arith`, `math` and memory accesses and intrinsics of the LLVM
    dialect; no op of the tile dialect remains.

    docs/stages/nvptx.md explains the kernels.

    Example:

    ```mlir
    tile.program @nothing(%n: index) target #tile.nvptx<arch = sm_80, mapping = fragment, warps = 4, rows = 16, stages = 1, fast_exp = true> {
      tile.grid (%i) to (%n) {
      }
    }
    ```
    has `@nothing.grid0.tasks`, which returns `n`.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_80\"",
           "The GPU, as -mcpu names it">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect"];
}

#endif // ATTNC_CODEGEN_NVPTX_PASSES
