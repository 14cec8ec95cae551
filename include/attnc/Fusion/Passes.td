//===- Passes.td - The passes of Fusion --------------------*- tablegen -*-===//

#ifndef ATTNC_FUSION_PASSES_TD
#define ATTNC_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeValues
    : Pass<"attn-distribute-values", "::mlir::func::FuncOp"> {
  let summary = "Split values that are linear in rows of the key";
  let description = [{
    Values that are linear in rows of the key, with conditions and scalars that
    are equal for all features, become a multiple of the row, or a sum of
    products with each row, where a mask selects the pairs that use it. The pass
    skips rows of the query or of a table, and scalars added to the rows.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FactorValues : Pass<"attn-factor-values", "::mlir::func::FuncOp"> {
  let summary = "Factor query-side and per-pair terms out of values";
  let description = [{
    If values are a product, factors without a key axis multiply the result, and
    per-pair factors multiply the weights; rows of keys remain. Factors of the
    weights without a key axis multiply the result, too. Weights that are
    factors times those of a normalizer need no separate pass over the scores:
    the kernel gets a region `gate`. Sums and rounded intermediate values are
    skipped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseRows : Pass<"attn-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "Create kernels for per-row scalars and per-pair outputs";
  let description = [{
    Values that depend on all keys of a row and are needed before the weights
    become a separate kernel that computes the scores again: `attn.reduce`, and
    the denominator of an `attn.normalize` inside a formula, whose weights
    become an `attn.map` of scores and denominator. Later formulas read the row.
    A per-pair result of the function becomes a kernel that stores pairs.

    The pass matches the form that import produces: pairs named bhgqk, from one
    product "bhgqd,bhkd->bhgqk". It skips other forms and reports the reason in
    a remark.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ReorderProducts : Pass<"attn-reorder-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply keys by values first in linear attention";
  let description = [{
    Matches linear attention without a mask: the weights are the scores (`weight
    = identity`), and the scores are products of features, so the sums can be
    reordered. The pass compares the cost of both orders at the sizes of
    `attnc.expect` and prints it in a remark. Masked attention is skipped, and
    so are scores that are not a product of a query-side and a key-side part.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseKernel : Pass<"attn-fuse-kernel", "::mlir::func::FuncOp"> {
  let summary = "Fuse products, score, mask and softmax into attn.kernel";
  let description = [{
    Fuses each attention of the graph into one op: the product of queries and
    keys, the score formula, the mask, the softmax with its sink, and the
    product with the values. The semantics are unchanged. A remark gives the
    reason for every `attn.contract` and `attn.normalize` that could not be
    fused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldScale : Pass<"attn-fold-scale"> {
  let summary = "Fold constant factors of Q @ K into the kernel's scale";
  let description = [{
    A constant factor that a score formula applies directly to the product, such
    as 1 / sqrt(head_dim) or the 1 / c of softcap, is folded into `scale`: one
    multiplication per query instead of one per score.
  }];
}

def BaseTwo : Pass<"attn-base-two"> {
  let summary = "Rewrite the exp of 1 + exp(y) to exp2";
  let description = [{
    In 1 + exp(y) of a score or a gate, as in a sigmoid, exp(y) becomes exp2(y
    log2 e), which is cheaper. The factor is combined with signs and constant
    factors of y, but not with the terms of a sum, which may be exact and
    cancel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MaskRanges : Pass<"attn-mask-ranges"> {
  let summary = "Compute the key ranges visible to a block of queries";
  let description = [{
    Derives a region `ranges` from the mask of each `attn.kernel` that has none.
    Tiles outside the ranges are never visited, tiles inside "all" run no mask
    code, both for any block size.

    The ranges are exact for masks that compare sums of the row, the key and
    terms that depend on neither: causal, window, band, first, chunk (divisions
    by a constant or a symbol) and their conjunctions; for unions whose parts
    have a provable order; for tables that the interface declares nondecreasing
    (ordered document ids, whose ends are found by binary search); and for table
    entries of the row. Conditions that cannot be analyzed do not bound the
    keys. A remark reports the number of segments and the conditions that could
    not be analyzed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ClassifyTiles : Pass<"attn-classify-tiles"> {
  let summary = "Classify tiles as empty, full or partial";
  let description = [{
    Derives a region `classify` for each `attn.kernel` whose `ranges` are too
    weak for its mask: unordered document ids, strides longer than a tile,
    neighborhoods on a grid, block tables, holes. The region is evaluated for
    each tile that the segments leave open.

    The region uses the minimum and maximum of the table entries of a tile, so a
    tile may use at most 256 entries of a table. A remark reports masks for
    which no tile could be classified.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyFused : Pass<"attn-verify-fused", "::mlir::ModuleOp"> {
  let summary = "Verify the invariants of stage fused";
  let description = [{
    Verifies what Schedule and Lowering rely on (docs/stages/3-fused.md):
    functions match their interface and consist of kernels, views and the other
    ops of the stage, named sizes exist, and regions read arguments of the
    function.
  }];
}

#endif // ATTNC_FUSION_PASSES_TD
