//===- Passes.td - From scheduled kernels to tile programs -*- tablegen -*-===//

#ifndef ATTNC_LOWERING_PASSES_TD
#define ATTNC_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAttnToTile : Pass<"convert-attn-to-tile", "::mlir::ModuleOp"> {
  let summary = "Lower scheduled kernels to tile programs";
  let description = [{
    Lowers a function to a `tile.program` of the same name, following the
    `#attn.schedule` of each kernel and the `#attn.block` of each other op:

    - the arguments are the tensors and the sizes of the function in
      `attnc.interface`; without that attribute, the function's arguments and
      results, and the sizes named in its types and `attn.size` ops;
    - views become index arithmetic of loads and stores;
    - each op becomes a grid; results that later ops read are stored in a
      `tile.workspace`;
    - a kernel's grid has one instance per batch, KV head, group member and
      block of queries;
    - form `online` iterates over the segments of the kernel's ranges with a
      running maximum; form `rows` processes all keys at once;
    - formulas are split by dependencies
      (attnc/Analysis/Expr/DependenceSplit.h).

    Other input is an error that names the op and the reason.
  }];
  let dependentDialects = ["::attnc::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // ATTNC_LOWERING_PASSES_TD
