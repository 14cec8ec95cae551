//===- AttnAttrs.td - Attributes of the attn dialect ----------------------===//
//
// Tests: test/Dialect/Attn/attributes.mlir, attributes-invalid.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNATTRS_TD
#define ATTNC_DIALECT_ATTN_ATTNATTRS_TD

include "attnc/Dialect/Attn/AttnDialect.td"
include "attnc/Dialect/Attn/AttnEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class Attn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Attn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Attn_DimsAttr : Attn_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "named sizes of a tensor";
  let description = [{
    One size per axis: a number, the name of a size of the function's
    interface, or an integer expression of such names in quotes. It is the
    encoding of a ranked tensor.

    Constraints:
    - (dims_c1) a size is a number >= 0 or a nonempty string;
    - (dims_c2) there is one size per axis of the tensor;
    - (dims_c3) a number agrees with the static extent of its axis. (A static
      axis may have a name: upstream folds make axes static and keep the
      encoding.)

    Example:
    ```mlir
    func.func private @f(
        tensor<?x12x?x64xf32, #attn.dims<batch, 12, query_len, 64>>,
        tensor<?xi32, #attn.dims<"batch + 1">>)
    ```
  }];
  // StringAttr (a name or an expression) or IntegerAttr (i64).
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name or expression of an axis, or an empty string where the size is
    /// a number.
    ::llvm::StringRef getName(unsigned axis) const;
    /// The dims of a tensor type, or null.
    static DimsAttr of(::mlir::Type type);
  }];
}

def Attn_NormAttr : Attn_Attr<"Norm", "norm"> {
  let summary = "normalizer of a row of scores";
  let description = [{
    Over the visible keys of a row: `shift` is subtracted from each score
    (`max`: the largest score, the row's init included), `weight` is applied
    (`exp2`: the scores are in the log2 domain; `identity`: a score is its
    weight), and the weights are divided (`sum`: by their sum, the init's weight
    included; where that is 0, weights are 0).

    Softmax is `<max, exp, sum>`, sigmoid attention `<none, identity, none>` of
    a sigmoid, `x / sum(x)` is `<none, identity, sum>`.

    Constraints:
    - (norm_c1) `shift = max` needs `weight = exp` or `exp2`, and
      `divide = sum`, which takes the shift out again.

    Example:
    ```mlir
    "test.op"() {n = #attn.norm<shift = max, weight = exp, divide = sum>} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_NormShift>:$shift,
                        EnumParameter<Attn_NormWeight>:$weight,
                        EnumParameter<Attn_NormDivide>:$divide);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Softmax: shift = max, divide = sum, with this weight.
    static NormAttr softmax(::mlir::MLIRContext *context,
                            NormWeight weight = NormWeight::Exp);
    /// Weights that are exponentials relative to the largest score.
    bool isSoftmax() const { return getShift() == NormShift::Max; }
  }];
}

def Attn_RowAttr : Attn_Attr<"Row", "row"> {
  let summary = "per-row scalar of the scores";
  let description = [{
    Over the visible keys of a row:
    - `sum`: the sum of the scores, 0 without a key;
    - `max`: the largest score that is no NaN, -inf without one;
    - `simplex`: the threshold t with `sum of max(score - t, 0) = 1` (sparsemax),
      0 where no score is above -inf, NaN where a score is NaN or +inf;
    - `rank, n = N`: the N-th score and its key in the order of falling scores,
      the lower key first among equals, a NaN before all numbers; with fewer than
      N visible keys, -inf and the last key.

    Constraints:
    - (row_c1) `n` is at least 1 with `rank`, and absent (0) otherwise.

    Example:
    ```mlir
    "test.op"() {r = #attn.row<rank, n = 8>, s = #attn.row<sum>} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_RowKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$n);
  let assemblyFormat = "`<` $kind (`,` `n` `=` $n^)? `>`";
  let genVerifyDecl = 1;
}

def Attn_DenseAttr : Attn_Attr<"Dense", "dense"> {
  let summary = "scores of all (query, key) pairs";
  let description = [{
    The scores themselves, `fill` for masked pairs.

    Constraints:
    - (dense_c1) `fill` is finite or -inf.

    Example:
    ```mlir
    "test.op"() {a = #attn.dense<fill = -inf>, b = #attn.dense<fill = 0.0>} : () -> ()
    ```
  }];
  let parameters = (ins APFloatParameter<"f64">:$fill);
  let builders = [AttrBuilder<(ins "double":$fill), [{
    return $_get($_ctxt, ::llvm::APFloat(fill));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Attn_ScheduleAttr : Attn_Attr<"Schedule", "schedule"> {
  let summary = "complete schedule of a kernel";
  let description = [{
    `form`: `online` iterates over tiles of keys with a running maximum; `rows`
    has all keys of a row in one tile, without one; `chunked` iterates over the
    keys since the last multiple of `chunk`, and represents earlier ones by one
    matrix of features by values (linear attention). `q`, `k`: rows and keys
    of a tile. `split`: the keys are divided into parts of at least this many
    keys, which run as grid instances of their own and are then merged (0: no
    parts). Parts are longer where a sequence would have more instances than
    the target needs (32 on CPUs, 1024 on NVIDIA GPUs). `row_axes`: `q`, the rows are the queries of
    one head; `gq`, of all heads of a group (GQA packing): row `q * n + g` is
    query q of head g of n, so that few queries fill a block and keys are read
    once per KV head. `rescale_threshold`: the running maximum is replaced only when
    the new one exceeds it by more than this (units of the score; 0: always).
    `rescale_in`: the phase in which the accumulator is rescaled. `weights`: the
    element type of the weights in the product with V, if it differs from the
    type to which the kernel rounds them. `target`:
    the backend's part, an attribute that
    implements `TargetAttrInterface` of the `tile` dialect.

    Constraints:
    - (schedule_c1) `q` and `k` are at least 1;
    - (schedule_c2) `rescale_threshold` is finite and not negative;
    - (schedule_c3) `chunk` is at least 1 with `form = chunked`, and absent (0)
      otherwise;
    - (schedule_c4) `target` implements `TargetAttrInterface`;
    - (schedule_c5) `weights` is f64, f32, f16 or bf16, or absent (null);
    - (schedule_c6) `split` is not negative, and absent (0) unless
      `form = online`;
    - (schedule_c7) `row_axes` is `gq`, or absent (`q`).

    `attn-verify-scheduled` checks that a schedule is legal for a kernel and a
    target.

    Example:
    ```mlir
    "test.op"() {s = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
    "test.op"() {s = #attn.schedule<form = chunked, q = 64, k = 64, chunk = 128, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
    "test.op"() {s = #attn.schedule<form = online, q = 64, k = 64, split = 1024, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
    "test.op"() {s = #attn.schedule<form = online, q = 64, k = 64, row_axes = gq, rescale_threshold = 0.0, rescale_in = value, target = #tile.none>} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_ScheduleForm>:$form,
                        "int64_t":$q, "int64_t":$k, "int64_t":$chunk,
                        "int64_t":$split,
                        EnumParameter<Attn_RowAxes>:$rowAxes,
                        APFloatParameter<"f64">:$rescaleThreshold,
                        EnumParameter<Attn_RescalePlace>:$rescaleIn,
                        "::mlir::Type":$weights,
                        "::attnc::tile::TargetAttrInterface":$target);
  let builders = [AttrBuilder<(ins "ScheduleForm":$form, "int64_t":$q,
                                   "int64_t":$k, "int64_t":$chunk,
                                   "double":$rescaleThreshold,
                                   "RescalePlace":$rescaleIn,
                                   "::mlir::Type":$weights,
                                   "::attnc::tile::TargetAttrInterface":$target,
                                   CArg<"int64_t", "0">:$split,
                                   CArg<"RowAxes", "RowAxes::Q">:$rowAxes), [{
    return $_get($_ctxt, form, q, k, chunk, split, rowAxes,
                 ::llvm::APFloat(rescaleThreshold), rescaleIn, weights, target);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same schedule for rows along other axes.
    ScheduleAttr withRowAxes(RowAxes axes) {
      return get(getContext(), getForm(), getQ(), getK(), getChunk(),
                 getRescaleThreshold().convertToDouble(), getRescaleIn(),
                 getWeights(), getTarget(), getSplit(), axes);
    }
  }];
}

def Attn_BlockAttr : Attn_Attr<"Block", "block"> {
  let summary = "complete schedule of an op outside kernels";
  let description = [{
    The attribute `attn.block` of ops outside kernels. `form`: `dot` multiplies
    blocks of two matrices; `element` reads single elements; `epilogue` is a map
    whose elements are computed in the blocks of the product that it reads,
    before they are stored. `lanes`: the letter of the result along which
    vectors run (none: the result is a scalar), in blocks of `q`; `rows`:
    another letter of the result, in blocks of `e` (none: each element of the
    other axes by itself). A sum that is not computed at once runs in steps of
    `k`. Blocks are visited in the order of the result's letters, then along
    `rows`, then along the letters `inner`, then along `lanes`, the last
    fastest. `target`: the backend's part, an attribute that
    implements `TargetAttrInterface` of the `tile` dialect.

    Some calls may use other sizes: see `#attn.case`.

    If only kernels read the result, `visited` may be the letter of the rows that
    are their keys: blocks of rows outside the `ranges` of all queries of these
    kernels are skipped.

    Constraints:
    - (block_c1) `lanes` and `rows` are one letter or none, and differ;
    - (block_c2) `q` and `k` are at least 1, and so is `e` if it is given; it is
      `k` if not;
    - (block_c3) `inner` holds neither `lanes` nor `rows`;
    - (block_c4) `visited` is one letter or none;
    - (block_c5) `target` implements `TargetAttrInterface`.

    Example:
    ```mlir
    "test.op"() {attn.block = #attn.block<form = dot, lanes = "e", rows = "q", q = 64, k = 384, e = 288, inner = "h", target = #tile.none>} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_BlockForm>:$form,
                        StringRefParameter<"a letter">:$lanes,
                        StringRefParameter<"a letter">:$rows,
                        "int64_t":$q, "int64_t":$k,
                        DefaultValuedParameter<"int64_t", "0">:$e,
                        StringRefParameter<"letters", [{""}]>:$inner,
                        StringRefParameter<"a letter", [{""}]>:$visited,
                        "::attnc::tile::TargetAttrInterface":$target);
  let builders = [AttrBuilder<(ins "BlockForm":$form,
                                   "::llvm::StringRef":$lanes,
                                   "::llvm::StringRef":$rows, "int64_t":$q,
                                   "int64_t":$k, "::attnc::tile::TargetAttrInterface":$target), [{
    return $_get($_ctxt, form, lanes, rows, q, k, /*e=*/0, /*inner=*/"",
                 /*visited=*/"", target);
  }]>];
  let assemblyFormat = [{
    `<` struct($form, $lanes, $rows, $q, $k, $e, $inner, $visited,
               custom<Target>($target)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The attribute of ops that holds a block.
    static constexpr ::llvm::StringLiteral kName = "attn.block";
    /// The block of an op, or null.
    static BlockAttr of(::mlir::Operation *op) {
      return op->getAttrOfType<BlockAttr>(kName);
    }
    /// The same block, of which those are left out that no kernel visits.
    BlockAttr withVisited(::llvm::StringRef letter) {
      return get(getContext(), getForm(), getLanes(), getRows(), getQ(), getK(),
                 getE(), getInner(), letter, getTarget());
    }
    /// Elements of a block along `rows`, at most.
    int64_t getRowsOfBlock() const { return getE() ? getE() : getK(); }
  }];
}

def Attn_CaseAttr : Attn_Attr<"Case", "case"> {
  let summary = "sizes of the blocks of an op outside kernels in some calls";
  let description = [{
    An element of `attn.cases`, a list of an op with an `attn.block`. A call with at
    most `most` elements along `axis`, a letter of the result, uses `block`. Of
    several cases the first that holds is used, and `attn.block` if none does.
    `block` differs from it in `q`, `k`, `e` and `target` only.

    Constraints:
    - (case_c1) `axis` is one letter;
    - (case_c2) `most` is at least 1;
    - (case_c3) `block` has another form than `epilogue`: an epilogue is computed
      in the blocks of its product, whichever these are.

    Example:
    ```mlir
    "test.op"() {attn.cases = [#attn.case<axis = "q", most = 8, block = <form = dot, lanes = "e", rows = "q", q = 768, k = 8, e = 4, target = #tile.none>>]} : () -> ()
    ```
  }];
  let parameters = (ins StringRefParameter<"a letter">:$axis, "int64_t":$most,
                        "::attnc::attn::BlockAttr":$block);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // ATTNC_DIALECT_ATTN_ATTNATTRS_TD
