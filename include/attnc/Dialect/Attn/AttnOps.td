//===- AttnOps.td - Ops of the attn dialect -------------------------------===//
//
// The numbers of constraints are those of the verifiers (AttnVerify.cpp) and of
// the tests (test/Dialect/Attn/invalid.mlir).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNOPS_TD
#define ATTNC_DIALECT_ATTN_ATTNOPS_TD

include "attnc/Dialect/Attn/AttnKernel.td"
include "attnc/Dialect/Attn/AttnOpBase.td"
include "attnc/Dialect/Attn/AttnStorage.td"
include "attnc/Dialect/Attn/AttnTableOps.td"

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
    - (view_c4) a letter that is an axis of its own on both sides has one size;
    - (view_c5) if a group is on one side only, the product of its letters'
      sizes, if all are known, is the size of the merged axis.

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
    /// The size of a letter, from the side where it is an axis alone, or null.
    ::mlir::Attribute sizeOf(char letter);
  }];
}

def Attn_ContractOp : Attn_Op<"contract"> {
  let summary = "Contract two tensors over shared axes";
  let description = [{
    `result[o...] = sum over the letters that the result lacks of
    lhs[...] * rhs[...]`: every matrix product. Accumulates in the accumulate
    type, rounds once to the result's element type. An empty sum is 0. With
    `where`, masked products are skipped, so a NaN there does not propagate (0 *
    NaN does not occur).

    Constraints:
    - (contract_c1) labels are two lists and a result, `bhgqd,bhkd->bhgqk`;
    - (contract_c2) there is one letter per axis;
    - (contract_c3) a letter of the result is a letter of an operand;
    - (contract_c4) a letter has one size in all operands and the result;
    - (contract_c5) `where` has labels and a mask, or neither, and its letters
      are letters of an operand;
    - (contract_c6) a letter that the result lacks is in both operands, or in
      one and in the mask: a sum over an axis of one operand alone is written
      as attn.reduce, so that a product cannot drop an axis by accident.

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
  let summary = "Compute each element by a scalar formula";
  let description = [{
    `result[o...] = body(input[...]..., o...)`. The block gets one scalar per
    input, converted as by `attn.read`, then one index per letter of the
    result; what it yields is rounded once to the result's element type. An
    input that lacks letters of the result is broadcast.

    Constraints:
    - (map_c1) labels name every input and the result, `bhgqk,bhq->bhgqk`;
      before `->h` there is no input, or one without axes;
    - (map_c2) there is one letter per axis;
    - (map_c3) a letter of an input is a letter of the result;
    - (map_c4) a letter has one size in all inputs and the result;
    - (map_c5) block arguments are the inputs' scalars, then one index per
      letter of the result;
    - (map_c6) the block ends with `attn.yield` of one scalar of the result's
      kind: the accumulate type or `i1`;
    - (map_c7) the region is a formula (see the dialect);
    - (map_c8) the result is a float or `i1`, and dynamic axes that no input has
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
    /// Before verification: nothing and a message in `error` if invalid.
    std::optional<Labels> parseAxisLabels(std::string &error);
    /// f64 if any tensor of the op is f64, else f32.
    ::mlir::Type getAccumulateType();
  }];
}

def Attn_MaskOp : Attn_FormulaOp<"mask"> {
  let summary = "Compute a boolean mask by a scalar formula";
  let description = [{
    `result[o...] = body(o...)`, a boolean per element. Separate from
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
    /// The boolean that the region yields at every index, or nothing.
    std::optional<bool> getConstant();
  }];
}

def Attn_NormalizeOp : Attn_FormulaOp<"normalize", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Normalize each row of scores (softmax, sigmoid, ...)";
  let description = [{
    For each row (all letters but `over`), over the keys where the mask is
    true, as defined by `#attn.norm`; for softmax `weight = exp(score - m) / sum`,
    m the maximum score. `init` is a score that takes part in m and in the sum,
    but has no key (the attention sink). Computed in the accumulate type;
    weights are rounded once to their element type. The weight of a masked key is
    exactly 0 for any score. A row with no visible key has weights 0. `lse` is,
    with `shift = max`, the natural log of the sum of exp of scores, init
    included: `-inf`, or the init, for a row with no visible key; without a
    shift it is the sum of weights, init included, itself. Without `where` every
    key is visible.

    Constraints:
    - (normalize_c1) labels are distinct letters, one per axis of the scores;
    - (normalize_c2) `over` is one of them;
    - (normalize_c3) mask and weights have the sizes of the scores;
    - (normalize_c4) `lse` has the accumulate type and the sizes of the scores
      without `over`;
    - (normalize_c5) block arguments of `init` are one index per letter but
      `over`;
    - (normalize_c6) `init` ends with `attn.yield` of one accumulate value;
    - (normalize_c7) `init` is a formula (see the dialect);
    - (normalize_c8) `init` occurs only with `divide = sum`.

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

def Attn_ReduceOp : Attn_Op<"reduce", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Reduce each row of scores";
  let description = [{
    For each row (all letters but `over`), over the elements where the mask is
    true, as defined by `#attn.row`; for a rank also its index along `over`.
    Computed in the accumulate type. Without `where` every element counts.

    Constraints:
    - (reduce_c1) labels are distinct letters, one per axis of the scores;
    - (reduce_c2) `over` is one of them;
    - (reduce_c3) the mask has the sizes of the scores;
    - (reduce_c4) results have the sizes of the scores without `over`; row is of
      the accumulate type, key (of a rank, and only there) is i32.

    Example:
    ```mlir
    func.func @rank(%s: tensor<4x5xf32>, %m: tensor<4x5xi1>) -> tensor<4xf32> {
      %sum = attn.reduce "qk" over "k" #attn.row<sum> (%s) : (tensor<4x5xf32>) -> (tensor<4xf32>)
      %row, %key = attn.reduce "qk" over "k" #attn.row<rank, n = 2> (%s) where (%m) : (tensor<4x5xf32>, tensor<4x5xi1>) -> (tensor<4xf32>, tensor<4xi32>)
      return %row : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, StrAttr:$over, Attn_RowAttr:$kind,
                       Attn_RealTensor:$scores,
                       Optional<Attn_MaskTensor>:$mask);
  let results = (outs RankedTensorOf<[F32, F64]>:$row,
                      Optional<RankedTensorOf<[I32]>>:$key);
  let assemblyFormat = [{
    $labels `over` $over qualified($kind) `(` $scores `)` (`where` `(` $mask^ `)`)?
    `:` `(` type($scores) (`,` type($mask)^)? `)`
    `->` `(` type($row) (`,` type($key)^)? `)` attr-dict
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
                                 "::llvm::StringRef":$labels,
                                 "::llvm::StringRef":$over, "RowAttr":$kind,
                                 "::mlir::Value":$scores,
                                 "::mlir::Value":$mask)>];
  let extraClassDeclaration = [{
    /// The letters without `over`.
    std::string getRowLabels();
  }];
}

//===----------------------------------------------------------------------===//
// In regions
//===----------------------------------------------------------------------===//

def Attn_SizeOp : Attn_Op<"size", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Read a size of the function's interface";
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

def Attn_YieldOp : Attn_Op<"yield", [
    Terminator,
    ParentOneOf<["MapOp", "MaskOp", "NormalizeOp", "KernelOp"]>]> {
  let summary = "Yield the value of a formula";
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

#endif // ATTNC_DIALECT_ATTN_ATTNOPS_TD
