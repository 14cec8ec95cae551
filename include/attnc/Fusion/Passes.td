//===- Passes.td - The passes of Fusion --------------------*- tablegen -*-===//

#ifndef ATTNC_FUSION_PASSES_TD
#define ATTNC_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def MaskRanges : Pass<"attn-mask-ranges"> {
  let summary = "Write down which keys a block of rows may see";
  let description = [{
    Gives each `attn.kernel` without a `ranges` region one, made from its mask.
    Tiles outside of the ranges are never visited, tiles inside of "all" carry
    no mask code, and both for any size of a block.

    Exact for masks that compare sums of the row, the key and anything that
    depends on neither: causal, window, band, first, chunk (divisions by a
    constant or a symbol) and their conjunctions; for unions where the order of
    the parts is provable. What is not understood stays right: it bounds
    nothing. A remark tells how many segments there are and which condition was
    not understood.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // ATTNC_FUSION_PASSES_TD
