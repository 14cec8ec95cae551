//===- Passes.td - The passes of Graph ---------------------*- tablegen -*-===//

#ifndef ATTNC_GRAPH_PASSES_TD
#define ATTNC_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeProducts : Pass<"attn-distribute-products"> {
  let summary = "Distribute products over sums of rows and table reads";
  let description = [{
    A product with a map that is linear in rows with fewer axes (sums, selects
    by a condition, multiples by a scalar that is equal for all features)
    becomes the same formula of products with these rows. A product with a table
    row selected by an index becomes a product with the whole table, indexed
    afterwards: relative positions cost one product of the queries with the
    table. This is done unless that product has more than 8 elements per pair at
    the sizes of `attnc.expect`.

    The pass skips nonlinear maps, maps with a second user, operands that both
    differ from pair to pair, and intermediate roundings.
  }];
}

def FuseMaps : Pass<"attn-fuse-maps"> {
  let summary = "Merge elementwise maps into their single user";
  let description = [{
    An `attn.map` whose only user is another `attn.map` is merged into the
    region of its user: one pass over the elements instead of two. The pass
    skips maps whose result is rounded, since merging would change the result,
    and maps with a second user, since they would be computed twice.
  }];
}

def ViewPages : Pass<"attn-view-pages"> {
  let summary = "View rows that a page table finds as attn.pages";
  let description = [{
    A formula may read the rows of a paged cache itself: `cache[table[b, k //
    16], g, k % 16]`. The pass makes such reads inputs of the `attn.map`, through
    `attn.pages`, so that kernels load blocks of rows. It skips reads without the last axis of the map, axes that the formula reads
    in part, and tables whose entries may be no pages by the interface. A remark
    gives the reason.
  }];
}

def PackWeights : Pass<"attn-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Move products of weights to a separate packing function";
  let description = [{
    A value that depends only on `resident` inputs is the same for all calls. If
    it contains a product, it becomes an output of a new function
    `@NAME_pack_weights` and an input of `@NAME`; inputs of `@NAME` that are
    unused afterwards are removed. The interface names the packing function of
    each such input. All cases of a function share one packing function. Values
    that are returned unmodified are skipped, and so are values other than float
    tensors of at most 5 axes.
  }];
  let options = [
    Option<"weightProducts", "weight-products", "bool", "false",
           "Treat all inputs of fixed size as resident">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Reassociate : Pass<"attn-reassociate", "::mlir::func::FuncOp"> {
  let summary = "Reassociate matrix products to minimize cost";
  let description = [{
    A product whose operands are products, seen through views and constant
    factors, can be computed in any association order. The pass compares all
    orders of up to 8 tensors at the sizes of `attnc.expect` and chooses the
    cheapest one. The cost is the sum over its products of the maximum of FLOPs
    over peak and bytes over bandwidth. A tie keeps the order of the spec, and
    so does a size that would decide but is not in `attnc.expect`. Weights of a
    normalizer that one product reads, and scores that only a normalizer reads,
    count no bytes. A remark prints both costs.

    A bias between products, a summand that lacks an axis, would end a tree. If
    all products of the function cost less without it, the bias becomes separate
    products: for keys a per-query scalar, for values the bias times the sum of
    a row's weights, which the normalizer defines. This is not done with a sink,
    whose rows do not define that sum.

    Intermediate results have the widest type of the original intermediate
    values and the operands. A tree ends at values that are rounded to a
    narrower type, have other uses, or have a mask.
  }];
  let options = [
    Option<"ridge", "ridge", "double", "5.33",
           "FLOP in the time of reading one byte of memory">,
    Option<"weightProducts", "weight-products", "bool", "false",
           "Allow products of weights with weights">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitRegimes : Pass<"attn-split-regimes", "::mlir::ModuleOp"> {
  let summary = "Specialize functions whose best order depends on sizes";
  let description = [{
    If a single order of products for all regimes of `attnc.expect` takes more
    than 1.1 times the best at one of them, the function is specialized:
    `@f.case0` and `@f` get some of the regimes each, and `cases` of the
    module's interface gets a bound on one size that separates them. The bound
    minimizes the loss over a grid of sizes between the regimes. A call runs the
    first case that holds, otherwise `@f`. Functions without an entry in
    `attnc.interface` and functions that already have cases are skipped.
  }];
  let options = [
    Option<"ridge", "ridge", "double", "5.33",
           "FLOP in the time of reading one byte of memory">,
    Option<"weightProducts", "weight-products", "bool", "false",
           "Allow products of weights with weights">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitMergedSums : Pass<"attn-split-merged-sums"> {
  let summary = "Split sums over axes that a view merges";
  let description = [{
    If the summed axis of a product consists of several axes of one operand,
    merged by an `attn.view`, the product sums over these axes instead, and a
    view splits the other operand. So merged heads are multiplied by a matrix in
    their stored layout. The pass skips axes with a part of unknown size, and
    axes with a mask.
  }];
}

def VerifyGraph : Pass<"attn-verify-graph", "::mlir::ModuleOp"> {
  let summary = "Verify the invariants of stage graph";
  let description = [{
    Verifies what Fusion relies on (docs/stages/2-graph.md): functions match
    their interface, ops on tensors are not fused yet, named sizes exist, and
    regions read arguments of the function.
  }];
}

#endif // ATTNC_GRAPH_PASSES_TD
