//===- AttnOps.td - Ops of the attn dialect -------------------------------===//
//
// The numbers of constraints are those of the verifiers (AttnVerify.cpp) and of
// the tests (test/Dialect/Attn/invalid.mlir).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNOPS_TD
#define ATTNC_DIALECT_ATTN_ATTNOPS_TD

include "attnc/Dialect/Attn/AttnAttrs.td"
include "attnc/Dialect/Attn/AttnDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_Real : AnyTypeOf<[F32, F64], "an accumulate type (f32 or f64)">;
def Attn_Scalar : AnyTypeOf<[F32, F64, Index, I1], "a scalar of a region (f32, f64, index or i1)">;
def Attn_RealTensor : RankedTensorOf<[F32, F64, F16, BF16]>;
def Attn_MaskTensor : RankedTensorOf<[I1]>;
def Attn_AnyTensor : RankedTensorOf<[F32, F64, F16, BF16, I64, I32, I8, UI8, I1]>;

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, !listconcat([Pure], traits)>;

// An op whose regions are formulas.
class Attn_FormulaOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<mnemonic, !listconcat([SingleBlock,
        DeclareOpInterfaceMethods<OpAsmOpInterface,
                                  ["getAsmBlockArgumentNames"]>], traits)> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Layout and products
//===----------------------------------------------------------------------===//

def Attn_ViewOp : Attn_Op<"view"> {
  let summary = "Split, merge and permute axes";
  let description = [{
    The same elements under other axes. Letters in brackets share one axis, the
    first of them varying slowest: `b(hg)qd->bhgqd` splits query heads into
    key/value heads and groups. Nothing is computed or moved.

    Constraints:
    - (view_c1) both sides hold the same letters, each once;
    - (view_c2) there is one group of letters per axis, on both sides;
    - (view_c3) element types are equal;
    - (view_c4) a letter that stands alone on both sides has one size;
    - (view_c5) where a group stands on one side only, the product of its
      letters' sizes, if all are known, is the size of the merged axis.

    Example:
    ```mlir
    func.func @view(%Q: tensor<?x16x?x64xf32, #attn.dims<batch, 16, query_len, 64>>)
        -> tensor<?x8x2x?x64xf32, #attn.dims<batch, 8, 2, query_len, 64>> {
      %q = attn.view "b(hg)qd->bhgqd" %Q : tensor<?x16x?x64xf32, #attn.dims<batch, 16, query_len, 64>> -> tensor<?x8x2x?x64xf32, #attn.dims<batch, 8, 2, query_len, 64>>
      return %q : tensor<?x8x2x?x64xf32, #attn.dims<batch, 8, 2, query_len, 64>>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Attn_AnyTensor:$source);
  let results = (outs Attn_AnyTensor:$result);
  let assemblyFormat = [{
    $labels $source attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The verified labels.
    ViewLabels getViewLabels();
  }];
}

def Attn_ContractOp : Attn_Op<"contract"> {
  let summary = "Sum of products over shared axes";
  let description = [{
    `result[o...] = sum over the letters that the result lacks of
    lhs[...] * rhs[...]`: every matrix product. Accumulates in the accumulate
    type, rounds once to the result's element type. An empty sum is 0. With
    `where`, products at places where the mask is false are left out, so a NaN
    there never arrives (0 * NaN does not happen).

    Constraints:
    - (contract_c1) labels are two lists and a result, `bhgqd,bhkd->bhgqk`;
    - (contract_c2) there is one letter per axis;
    - (contract_c3) a letter of the result is a letter of an operand;
    - (contract_c4) a letter has one size in all operands and the result;
    - (contract_c5) `where` has labels and a mask, or neither, and its letters
      are letters of an operand.

    Example:
    ```mlir
    func.func @contract(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>, %m: tensor<4x5xi1>) -> tensor<2x4x5xf32> {
      %s = attn.contract "hqd,hkd->hqk" (%q, %k) where "qk" (%m) : (tensor<2x4x8xf32>, tensor<2x5x8xf32>, tensor<4x5xi1>) -> tensor<2x4x5xf32>
      return %s : tensor<2x4x5xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Attn_RealTensor:$lhs,
                       Attn_RealTensor:$rhs, OptionalAttr<StrAttr>:$maskLabels,
                       Optional<Attn_MaskTensor>:$mask);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $labels `(` $lhs `,` $rhs `)` (`where` $maskLabels^ `(` $mask `)`)?
    attr-dict `:` `(` type($lhs) `,` type($rhs) (`,` type($mask)^)? `)`
    `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::llvm::StringRef":$labels,
                                 "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, result, labels, lhs, rhs,
          /*maskLabels=*/::mlir::StringAttr(), /*mask=*/::mlir::Value());
  }]>];
  let extraClassDeclaration = [{
    /// The verified labels of lhs, rhs and result.
    Labels getAxisLabels();
  }];
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

def Attn_MapOp : Attn_FormulaOp<"map"> {
  let summary = "One formula for each element";
  let description = [{
    `result[o...] = body(input[...]..., o...)`. The block gets one scalar per
    input, converted as by `attn.read`, then one index per letter of the
    result; what it yields is rounded once to the result's element type. An
    input that lacks letters of the result is broadcast.

    Constraints:
    - (map_c1) labels name every input and the result, `bhgqk,bhq->bhgqk`;
    - (map_c2) there is one letter per axis;
    - (map_c3) a letter of an input is a letter of the result;
    - (map_c4) a letter has one size in all inputs and the result;
    - (map_c5) block arguments are the inputs' scalars, then one index per
      letter of the result;
    - (map_c6) the block ends with `attn.yield` of one scalar of the result's
      kind: the accumulate type or `i1`;
    - (map_c7) the region is a formula (see the dialect);
    - (map_c8) the result is real or `i1`, and dynamic axes that no input has
      are named.

    Example:
    ```mlir
    func.func @map(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
      %t = attn.map "qk->qk" (%s) : (tensor<4x5xf32>) -> tensor<4x5xf32> {
      ^bb0(%x: f32, %q: index, %k: index):
        %y = math.tanh %x : f32
        attn.yield %y : f32
      }
      return %t : tensor<4x5xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Variadic<Attn_AnyTensor>:$inputs);
  let results = (outs RankedTensorOf<[F32, F64, F16, BF16, I1]>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $labels `(` $inputs `)` `:` functional-type($inputs, $result)
    attr-dict-with-keyword $body
  }];
  let hasFolder = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::llvm::StringRef":$labels,
                                 "::mlir::ValueRange":$inputs,
                                 "RegionBuilder":$body)>];
  let extraClassDeclaration = [{
    /// The verified labels of the inputs and the result.
    Labels getAxisLabels();
    /// f64 if any tensor of the op is f64, else f32.
    ::mlir::Type getAccumulateType();
  }];
}

def Attn_MaskOp : Attn_FormulaOp<"mask"> {
  let summary = "Which places are allowed";
  let description = [{
    `result[o...] = body(o...)`, a truth value per place. Separate from
    `attn.map` so that the analysis of masks sees one formula.

    Constraints:
    - (mask_c1) labels are distinct letters, one per axis of the result;
    - (mask_c2) dynamic axes of the result are named by `#attn.dims`;
    - (mask_c3) block arguments are one index per letter;
    - (mask_c4) the block ends with `attn.yield` of one `i1`;
    - (mask_c5) the region is a formula (see the dialect).

    Example:
    ```mlir
    func.func @causal() -> tensor<?x?xi1, #attn.dims<query_len, kv_len>> {
      %m = attn.mask "qk" : tensor<?x?xi1, #attn.dims<query_len, kv_len>> {
      ^bb0(%q: index, %k: index):
        %c = arith.cmpi sle, %k, %q : index
        attn.yield %c : i1
      }
      return %m : tensor<?x?xi1, #attn.dims<query_len, kv_len>>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels);
  let results = (outs Attn_MaskTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $labels `:` type($result) attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::llvm::StringRef":$labels,
                                 "RegionBuilder":$body)>];
  let extraClassDeclaration = [{
    /// The truth value that the region yields whatever the place, or nothing.
    std::optional<bool> getConstant();
  }];
}

def Attn_NormalizeOp : Attn_FormulaOp<"normalize", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Weights of the keys of each row";
  let description = [{
    For each row (all letters but `over`), over the keys where the mask is
    true: with `softmax`, `weight = exp(score - m) / sum`, m the largest score.
    `init` is a score that takes part in m and in the sum, but has no key (the
    attention sink). Computed in the accumulate type; weights are rounded once
    to their element type. A masked key weighs exactly 0, whatever its score. A
    row with no allowed key has weights 0. `lse` is the natural log of the sum
    of exp of scores, init included: `-inf`, or the init, for a row with no
    allowed key. Without `where` every key is allowed.

    Constraints:
    - (normalize_c1) labels are distinct letters, one per axis of the scores;
    - (normalize_c2) `over` is one of them;
    - (normalize_c3) mask and weights have the sizes of the scores;
    - (normalize_c4) `lse` has the accumulate type and the sizes of the scores
      without `over`;
    - (normalize_c5) block arguments of `init` are one index per letter but
      `over`;
    - (normalize_c6) `init` ends with `attn.yield` of one accumulate value;
    - (normalize_c7) `init` is a formula (see the dialect).

    Example:
    ```mlir
    func.func @softmax(%s: tensor<4x5xf32>, %m: tensor<4x5xi1>) -> (tensor<4x5xf32>, tensor<4xf32>) {
      %p, %lse = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (tensor<4x5xf32>, tensor<4x5xi1>) -> (tensor<4x5xf32>, tensor<4xf32>) init {
      ^bb0(%q: index):
        %sink = arith.constant 0.0 : f32
        attn.yield %sink : f32
      }
      return %p, %lse : tensor<4x5xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, StrAttr:$over, Attn_NormAttr:$norm,
                       Attn_RealTensor:$scores,
                       Optional<Attn_MaskTensor>:$mask);
  let results = (outs Attn_RealTensor:$weights, RankedTensorOf<[F32, F64]>:$lse);
  let regions = (region MaxSizedRegion<1>:$init);
  let assemblyFormat = [{
    $labels `over` $over qualified($norm) `(` $scores `)` (`where` `(` $mask^ `)`)?
    `:` `(` type($scores) (`,` type($mask)^)? `)`
    `->` `(` type($weights) `,` type($lse) `)`
    attr-dict-with-keyword (`init` $init^)?
  }];
  let hasCanonicalizeMethod = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$weights, "::mlir::Type":$lse,
                                 "::llvm::StringRef":$labels,
                                 "::llvm::StringRef":$over, "NormAttr":$norm,
                                 "::mlir::Value":$scores, "::mlir::Value":$mask,
                                 CArg<"RegionBuilder", "nullptr">:$init)>];
  let extraClassDeclaration = [{
    /// The letters without `over`.
    std::string getRowLabels();
    /// f64 if any tensor of the op is f64, else f32.
    ::mlir::Type getAccumulateType();
  }];
}

def Attn_KernelOp : Attn_FormulaOp<"kernel", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Fused attention";
  let description = [{
    With letters b, h, g, q, k, d, e: operands q `[b h g q d]`, k `[b h k d]`,
    v `[b h k e]`; results o `[b h g q e]`, lse `[b h g q]`.
    ```
    x      = scale * (sum over d of q * k)           accumulate type
    s      = score(x, b, h, g, q, k)
    p, lse = normalize s over the k where mask(b, h, g, q, k), init(b, h, g, q)
    o      = sum over the same k of round(p, probabilities) * v
    ```
    It means exactly the unfused graph: masked keys have weight 0 whatever their
    score, k or v hold; a row with no allowed key gives 0. With `weight = exp2`
    scores and init are in the log2 domain; lse is in the natural log always.
    Without `init` the sum has no further term.

    `ranges(b, h, g, q0, q1)` tells for rows q0 <= q < q1 which keys can matter:
    segments (any_lo, all_lo, all_hi, any_hi), sorted and disjoint; keys outside
    [any_lo, any_hi) of all segments are masked for every row, keys in
    [all_lo, all_hi) for none; 0 <= any_lo and any_hi <= kv_len whenever
    any_lo < any_hi; lo >= hi is empty. Deleting it never changes a result.

    Constraints:
    - (kernel_c1) ranks are 5, 4, 4, 5 and 4;
    - (kernel_c2) a letter has one size in all operands and results;
    - (kernel_c3) `lse` and `probabilities` are of float type, `lse` of the
      accumulate type;
    - (kernel_c4) `scale` is finite;
    - (kernel_c5) block arguments: score (x, b, h, g, q, k), mask
      (b, h, g, q, k), init (b, h, g, q), ranges (b, h, g, q0, q1);
    - (kernel_c6) score and init yield one accumulate value, mask one `i1`,
      ranges ends with `attn.yield_ranges`;
    - (kernel_c7) the regions are formulas (see the dialect).

    Example:
    ```mlir
    func.func @causal(%q: tensor<1x2x1x?x64xf32, #attn.dims<1, 2, 1, query_len, 64>>,
                      %k: tensor<1x2x?x64xf32, #attn.dims<1, 2, kv_len, 64>>,
                      %v: tensor<1x2x?x32xf32, #attn.dims<1, 2, kv_len, 32>>)
        -> tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>> {
      %o, %lse = attn.kernel ins(%q, %k, %v : tensor<1x2x1x?x64xf32, #attn.dims<1, 2, 1, query_len, 64>>, tensor<1x2x?x64xf32, #attn.dims<1, 2, kv_len, 64>>, tensor<1x2x?x32xf32, #attn.dims<1, 2, kv_len, 32>>)
        -> (tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>>, tensor<1x2x1x?xf32, #attn.dims<1, 2, 1, query_len>>)
        normalize #attn.norm<shift = max, weight = exp, divide = sum>
        attributes {scale = 0.125 : f64, probabilities = f32}
      score {
      ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
        attn.yield %x : f32
      } mask {
      ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        attn.yield %c : i1
      } ranges {
      ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
        %n = attn.size "kv_len"
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %e = arith.addi %q0, %c1 : index
        %all = arith.minsi %e, %n : index
        %any = arith.minsi %q1, %n : index
        attn.yield_ranges [(%c0, %c0, %all, %any)]
      }
      return %o : tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>>
    }
    ```
  }];
  let arguments = (ins Attn_RealTensor:$q, Attn_RealTensor:$k,
                       Attn_RealTensor:$v, Attn_NormAttr:$norm,
                       F64Attr:$scale, TypeAttr:$probabilities,
                       OptionalAttr<Attn_ScheduleAttr>:$schedule);
  let results = (outs Attn_RealTensor:$o, RankedTensorOf<[F32, F64]>:$lse);
  let regions = (region SizedRegion<1>:$score, SizedRegion<1>:$mask,
                        MaxSizedRegion<1>:$init, MaxSizedRegion<1>:$ranges);
  let assemblyFormat = [{
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    `->` `(` type($o) `,` type($lse) `)` `normalize` qualified($norm)
    attr-dict-with-keyword `score` $score `mask` $mask (`init` $init^)?
    (`ranges` $ranges^)?
  }];
  let extraClassDeclaration = [{
    /// f64 if any tensor of the op is f64, else f32.
    ::mlir::Type getAccumulateType();
    bool hasInit() { return !getInit().empty(); }
    bool hasRanges() { return !getRanges().empty(); }
    /// Types of the block arguments of each region, in the order of the op's
    /// regions: score, mask, init, ranges.
    ::llvm::SmallVector<::mlir::Type, 6> getBlockTypes(unsigned region);
    /// Letters of q, k, v, o and lse.
    static constexpr ::llvm::StringLiteral kLabels[5] = {
        "bhgqd", "bhkd", "bhke", "bhgqe", "bhgq"};
  }];
}

//===----------------------------------------------------------------------===//
// In regions
//===----------------------------------------------------------------------===//

def Attn_SizeOp : Attn_Op<"size", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A size of the function's interface";
  let description = [{
    The value of a size that the interface names: fixed, derived, or read from
    the tensors at run time. Legal anywhere.

    Constraints:
    - (size_c1) the name is not empty.

    Example:
    ```mlir
    func.func @size() -> index {
      %n = attn.size "kv_len"
      return %n : index
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Attn_ReadOp : Attn_Op<"read"> {
  let summary = "One element of a tensor";
  let description = [{
    An index out of range is clamped to the axis; an element of a tensor with an
    empty axis is 0. So nothing is ever read out of range, and reading has no
    effect. The result is `index` for integers (signed ones are sign-extended,
    `ui8` is zero-extended), `i1` for `i1`, and `f32` or `f64`, the accumulate
    type of the surroundings, for floats (converted).

    Constraints:
    - (read_c1) there is one index per axis;
    - (read_c2) the result has the kind of the elements.

    Example:
    ```mlir
    func.func @read(%bias: tensor<4x?xf16>, %i: index, %j: index) -> f32 {
      %x = attn.read %bias[%i, %j] : tensor<4x?xf16> -> f32
      return %x : f32
    }
    ```
  }];
  let arguments = (ins Attn_AnyTensor:$source, Variadic<Index>:$indices);
  let results = (outs Attn_Scalar:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Attn_YieldOp : Attn_Op<"yield", [
    Terminator,
    ParentOneOf<["MapOp", "MaskOp", "NormalizeOp", "KernelOp"]>]> {
  let summary = "The value of a formula";
  let description = [{
    Ends the region of a formula.

    Example:
    ```mlir
    func.func @all() -> tensor<4x5xi1> {
      %m = attn.mask "qk" : tensor<4x5xi1> {
      ^bb0(%q: index, %k: index):
        %c = arith.constant true
        attn.yield %c : i1
      }
      return %m : tensor<4x5xi1>
    }
    ```
  }];
  let arguments = (ins Attn_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Attn_YieldRangesOp : Attn_Op<"yield_ranges", [
    Terminator, HasParent<"KernelOp">]> {
  let summary = "The segments of keys that rows can see";
  let description = [{
    Ends the `ranges` region of a kernel: segments (any_lo, all_lo, all_hi,
    any_hi). See `attn.kernel`, which also holds an example.

    Constraints:
    - (yield_ranges_c1) there are four values per segment.
  }];
  let arguments = (ins Variadic<Index>:$bounds);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumSegments() { return getBounds().size() / 4; }
    /// any_lo, all_lo, all_hi, any_hi.
    ::mlir::OperandRange getSegment(unsigned i) {
      return getBounds().slice(4 * i, 4);
    }
  }];
}

#endif // ATTNC_DIALECT_ATTN_ATTNOPS_TD
