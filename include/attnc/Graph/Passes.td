//===- Passes.td - The passes of Graph ---------------------*- tablegen -*-===//

#ifndef ATTNC_GRAPH_PASSES_TD
#define ATTNC_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeProducts : Pass<"attn-distribute-products"> {
  let summary = "Multiply the rows of a linear formula, and tables before reading";
  let description = [{
    A product with a map that is linear in rows with fewer axes (sums, choices
    by a condition and multiples by a number that are the same for each feature)
    becomes that formula of products with the rows, and a product with a row of a
    table that an index chooses becomes a product with the table from which the
    index chooses: relative positions cost one product of the queries with the
    table, unless that has more than 8 numbers for each pair at `attnc.expect`.
    Not where the map is anything else, where it has a second user, where
    the other operand differs from pair to pair, too, nor where something is
    rounded in between.
  }];
}

def FuseMaps : Pass<"attn-fuse-maps"> {
  let summary = "Merge a formula into the formula that uses it";
  let description = [{
    An `attn.map` whose only user is another one becomes a part of its region:
    one pass over the elements instead of two. Not where the value between them
    is rounded, since that would change the result, nor where it has a second
    user, since it would be computed twice.
  }];
}

def PackWeights : Pass<"attn-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Make products of weights once, in a function of their own";
  let description = [{
    What a function makes of `resident` inputs alone is the same for all calls.
    Where a product is in it, it becomes an output of a new function
    `@NAME_pack_weights`, and an input of `@NAME`, which no longer takes inputs
    that nothing else reads. The interface says of each such input which function
    makes it. All cases of a function share one. Not what is returned as it is,
    nor what is no tensor of floats of at most 5 axes.
  }];
  let options = [
    Option<"weightProducts", "weight-products", "bool", "false",
           "Take all inputs of fixed sizes as resident">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Reassociate : Pass<"attn-reassociate", "::mlir::func::FuncOp"> {
  let summary = "Multiply in the cheapest order";
  let description = [{
    A product whose operands are products, seen through views and constant
    factors, may be taken in any order. Of all orders of up to 8 tensors the one
    is taken that costs least at the sizes of `attnc.expect`: the sum over its
    products of the greater of FLOPs by the peak and bytes by the bandwidth. A
    tie keeps the order as written, and so does a size that is not expected but
    would decide. Weights of a normaliser that one product reads, and scores that
    only a normaliser reads, count no bytes. A remark tells both costs.

    A bias between products, a term of a sum that lacks an axis, would end a
    tree. Where all products of the function cost less without it, it becomes
    products of its own: those of keys a number of each query, those of values
    the sum of a row's weights, which the normaliser knows, times the bias. Not
    beside a sink, whose row does not tell that sum.

    What is left in between has the wider type of what was in between and of the
    operands; what rounds to a narrower type, is needed elsewhere or has a mask
    ends a tree.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "The CPU level whose peak and bandwidth count">,
    Option<"weightProducts", "weight-products", "bool", "false",
           "Multiply weights with weights where that is cheaper">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitRegimes : Pass<"attn-split-regimes", "::mlir::ModuleOp"> {
  let summary = "Copy functions of which no order is good at all sizes";
  let description = [{
    Where one order of products for all regimes of `attnc.expect` takes more than
    1.1 times the best at one of them, the function is copied: `@f.case0` and
    `@f` get some of the regimes each, and `cases` of the module's interface a
    bound of one size that tells them apart. The bound loses least over a grid of
    sizes between the regimes. A call runs the first case that holds, else `@f`.
    Functions without an entry in `attnc.interface` stay as they are, and so do
    those that have cases.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "The CPU level whose peak and bandwidth count">,
    Option<"weightProducts", "weight-products", "bool", "false",
           "Multiply weights with weights where that is cheaper">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitMergedSums : Pass<"attn-split-merged-sums"> {
  let summary = "Sum over the parts of an axis that a view merges";
  let description = [{
    A product whose summed axis is several axes of one operand, merged by an
    `attn.view`, sums over these axes; the other operand is split by a view. So
    merged heads are multiplied by a matrix where they are. Not where a part has
    no known size, nor where a mask goes along the axis.
  }];
}

def VerifyGraph : Pass<"attn-verify-graph", "::mlir::ModuleOp"> {
  let summary = "Check the invariants of stage graph";
  let description = [{
    What docs/stages/2-graph.md promises to Fusion: functions as their interface
    says, ops on tensors that are not fused yet, names of sizes that exist,
    regions that read arguments of the function.
  }];
}

#endif // ATTNC_GRAPH_PASSES_TD
