//===- Passes.td - The passes of Fusion --------------------*- tablegen -*-===//

#ifndef ATTNC_FUSION_PASSES_TD
#define ATTNC_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeValues
    : Pass<"attn-distribute-values", "::mlir::func::FuncOp"> {
  let summary = "Take choices and sums by the pair out of what keys contribute";
  let description = [{
    Values that are linear in rows of the key, by conditions and numbers that are
    the same for each feature, become a multiple of the row, or a sum of products
    with each row, where a mask selects the pairs that see it. Not where a row is
    one of the query or of a table, nor where a number stands beside the rows.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FactorValues : Pass<"attn-factor-values", "::mlir::func::FuncOp"> {
  let summary = "Take factors of the query out of what keys contribute";
  let description = [{
    Of values that are a product, factors that no key has multiply the result,
    and numbers of the pair multiply the weights; what is left are rows of keys.
    Factors of the weights that no key has multiply the result, too, and weights
    that are factors times those of a normaliser need no pass over the scores of
    their own: the kernel has a region `gate`. Sums are left, and so is what is
    rounded in between.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseRows : Pass<"attn-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of numbers per row and of further outputs";
  let description = [{
    What looks at all keys of a row before the weights are known becomes a
    kernel of its own that computes the scores again: `attn.reduce`, and the
    denominator of an `attn.normalize` that is a part of a formula, whose weights
    become an `attn.map` of scores and denominator. Later formulas read the row.
    So does a result of the function that is one number per pair: a kernel that
    stores them.

    Takes what import writes: pairs named bhgqk, made of one product
    "bhgqd,bhkd->bhgqk". The rest is left, and a remark tells why.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ReorderProducts : Pass<"attn-reorder-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply keys with values first where weights are products";
  let description = [{
    Linear attention without a mask: weights that are the scores themselves
    (`weight = identity`), and scores that are products of features, so that the
    sums may be taken in another order. The cost of both orders is counted at
    the sizes of `attnc.expect`, and a remark tells it. What is masked, or what
    is no product of the query's and the key's part, is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseKernel : Pass<"attn-fuse-kernel", "::mlir::func::FuncOp"> {
  let summary = "Merge products, formulas, mask and softmax into attn.kernel";
  let description = [{
    Every attention of the graph becomes one op: the product of queries and
    keys, the formula of the score, the mask, the softmax with its sink and the
    product with the values. The meaning stays exactly the same. For every
    `attn.contract` and `attn.normalize` that is left a remark tells why.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitGroups : Pass<"attn-split-groups", "::mlir::ModuleOp"> {
  let summary = "Copy functions whose groups want other blocks at some sizes";
  let description = [{
    Where neither heads of a group as rows of one block (`attn-merge-groups`) nor
    heads one by one are within a tenth of the better at all regimes of
    `attnc.expect`, the function is copied as by `attn-split-regimes`. Products
    beside the kernels count. Functions without an entry in `attnc.interface` stay
    as they are, and so do those that have cases.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "The CPU level whose lanes and bandwidth count">
  ];
}

def MergeGroups : Pass<"attn-merge-groups", "::mlir::func::FuncOp"> {
  let summary = "Make rows of the query heads of a group where queries are few";
  let description = [{
    A kernel whose KV heads serve several query heads each gets these as rows:
    row `q * group + g` is query q of head g. So one query fills the lanes of
    vectors, and keys are read once for all heads of their group. Done where that
    saves a tenth at the sizes of `attnc.expect`. The query head in a score,
    a sink or a gate is the row's; in the mask, or in a formula of each feature,
    it is an obstacle, as numbers per pair are. A remark tells.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "The CPU level whose lanes and bandwidth count">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldScale : Pass<"attn-fold-scale"> {
  let summary = "Move constant factors of the product into the kernel's scale";
  let description = [{
    A factor that a score formula applies to the product first of all, such as
    1 / sqrt(head_dim) or the 1 / c of softcap, becomes a part of `scale`: one
    multiplication of the queries instead of one per score.
  }];
}

def BaseTwo : Pass<"attn-base-two"> {
  let summary = "Compute exp beside 1 by exp2";
  let description = [{
    In 1 + exp(y) of a score or a gate, as in a sigmoid, exp(y) becomes
    exp2(y log2 e), which is cheaper. The factor joins signs and constant factors
    of y, never the terms of a sum: these may be exact and cancel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MaskRanges : Pass<"attn-mask-ranges"> {
  let summary = "Write down which keys a block of rows may see";
  let description = [{
    Gives each `attn.kernel` without a `ranges` region one, made from its mask.
    Tiles outside of the ranges are never visited, tiles inside of "all" carry
    no mask code, and both for any size of a block.

    Exact for masks that compare sums of the row, the key and anything that
    depends on neither: causal, window, band, first, chunk (divisions by a
    constant or a symbol) and their conjunctions; for unions where the order of
    the parts is provable; for entries of tables that the interface calls
    nondecreasing (ids of documents in order: their ends are searched) and
    entries of the row's own place. What is not understood stays right: it bounds
    nothing. A remark tells how many segments there are and which condition was
    not understood.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ClassifyTiles : Pass<"attn-classify-tiles"> {
  let summary = "Write down which tiles are empty or full";
  let description = [{
    Gives each `attn.kernel` whose segments of `ranges` are too weak for its mask
    a region `classify`: ids of documents in any order, strides longer than a
    tile, neighbourhoods on a grid, tables of blocks, holes. It is evaluated for
    each tile that the segments leave open.

    A table is looked at from its least to its greatest entry of the tile, so
    only tables of which a tile uses at most 256 entries count. A remark tells
    where no tile would be decided.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyFused : Pass<"attn-verify-fused", "::mlir::ModuleOp"> {
  let summary = "Check the invariants of stage fused";
  let description = [{
    What docs/stages/3-fused.md promises to Schedule and Lowering: functions as
    their interface says, made of kernels and views, names of sizes that exist,
    regions that read arguments of the function.
  }];
}

#endif // ATTNC_FUSION_PASSES_TD
