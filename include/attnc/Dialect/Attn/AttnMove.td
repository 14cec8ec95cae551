//===- AttnMove.td - Pieces of tensors, rows added to them, running sums --===//
//
// Numbers of constraints as in AttnOps.td; tests in
// test/Dialect/Attn/move-invalid.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNMOVE_TD
#define ATTNC_DIALECT_ATTN_ATTNMOVE_TD

include "attnc/Dialect/Attn/AttnOpBase.td"

def Attn_SliceOp : Attn_Op<"slice"> {
  let summary = "Take a slice of one axis";
  let description = [{
    `result[..., i, ...] = source[..., offset + i, ...]` along one axis, for
    `0 <= i < size`. Nothing is computed or moved: whoever reads the result
    reads the source.

    Constraints:
    - (slice_c1) labels are distinct letters, one per axis of source and result;
    - (slice_c2) `along` is one of them;
    - (slice_c3) element types are equal, and so are the sizes of all other axes;
    - (slice_c4) the axis has a fixed size in source and result, the result's is
      `size`, at least 1;
    - (slice_c5) `offset` to `offset + size` is within the source's axis.

    Example:
    ```mlir
    func.func @second_half(%x: tensor<2x5x8xf32>) -> tensor<2x5x4xf32> {
      %y = attn.slice "bsd" %x along "d" [4, 4] : tensor<2x5x8xf32> -> tensor<2x5x4xf32>
      return %y : tensor<2x5x4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Attn_AnyTensor:$source, StrAttr:$along,
                       I64Attr:$offset, I64Attr:$size);
  let results = (outs Attn_AnyTensor:$result);
  let assemblyFormat = [{
    $labels $source `along` $along `[` $offset `,` $size `]` attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of the sliced axis.
    unsigned getAxis() { return *axisOf(getLabels(), getAlong().front()); }
  }];
}

def Attn_ConcatOp : Attn_Op<"concat"> {
  let summary = "Concatenate tensors along one axis";
  let description = [{
    Along the axis `along` the result is all of the first part, then all of the
    second, and so on. A part that lacks another letter of the result is
    broadcast: a part without an axis of heads is appended to each head.

    Constraints:
    - (concat_c1) labels name every part and the result, `bshd,bsd->bshd`, and
      there is a part;
    - (concat_c2) there is one letter per axis;
    - (concat_c3) a letter of a part is a letter of the result;
    - (concat_c4) `along` is one letter, of each part and of the result;
    - (concat_c5) other letters have one size in all parts and the result;
    - (concat_c6) along the axis sizes are fixed or named; if those of all parts
      are fixed, the result's is their sum, else it is named (see stage_c10);
    - (concat_c7) element types are equal;
    - (concat_c8) dynamic axes that no part has are named.

    Example:
    ```mlir
    func.func @shared_feature(%x: tensor<2x5x3x8xf32>, %y: tensor<2x5x4xf32>) -> tensor<2x5x3x12xf32> {
      %z = attn.concat "bshd,bsd->bshd" along "d" (%x, %y) : (tensor<2x5x3x8xf32>, tensor<2x5x4xf32>) -> tensor<2x5x3x12xf32>
      return %z : tensor<2x5x3x12xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, StrAttr:$along,
                       Variadic<Attn_RealTensor>:$parts);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $labels `along` $along `(` $parts `)` attr-dict `:`
    functional-type($parts, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The verified labels of the parts and the result.
    Labels getAxisLabels();
    /// The size of a part along the axis; dynamic if it is not fixed.
    int64_t getPartSize(unsigned part);
    /// The same, fixed or as an expression of names.
    ::mlir::Attribute getNamedPartSize(unsigned part);
    /// Whether all sizes along the axis are fixed.
    bool isFixed();
  }];
}

def Attn_AppendOp : Attn_Op<"append"> {
  let summary = "Append rows to a KV cache";
  let description = [{
    The cache with `rows` stored from index `at` on along the axis `along`:
    `result[..., at + i, ...] = rows[..., i, ...]`, with `at` of the other
    letters, and `result = cache` elsewhere. Rows outside of the axis are not
    written.

    The cache is an argument that the interface declares `inout`, and the
    function returns its new value after its outputs. So nothing is copied: rows
    are written in place, and no op may use the old value after this one (see
    stage_c7 to stage_c9).

    Constraints:
    - (append_c1) labels are distinct letters, one per axis of cache, rows and
      result;
    - (append_c2) `along` is one of them, and the letters of `at` are others;
    - (append_c3) element types of cache, rows and result are equal;
    - (append_c4) a letter has one size everywhere, except `along` in `rows`;
    - (append_c5) there is one letter per axis of `at`.

    Example:
    ```mlir
    func.func @store_keys(%cache: tensor<2x16x8xf32>, %k: tensor<2x3x8xf32>, %past: tensor<2xi32>) -> tensor<2x16x8xf32> {
      %c = attn.append "bsd" %cache, %k along "s" at "b" (%past) : tensor<2x16x8xf32>, tensor<2x3x8xf32>, tensor<2xi32> -> tensor<2x16x8xf32>
      return %c : tensor<2x16x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Attn_RealTensor:$cache,
                       Attn_RealTensor:$rows, StrAttr:$along, StrAttr:$atLabels,
                       RankedTensorOf<[I64, I32]>:$at);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $labels $cache `,` $rows `along` $along `at` $atLabels `(` $at `)` attr-dict
    `:` type($cache) `,` type($rows) `,` type($at) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of the axis along which rows are added.
    unsigned getAxis() { return *axisOf(getLabels(), getAlong().front()); }
  }];
}

def Attn_ScanOp : Attn_Op<"scan"> {
  let summary = "Compute prefix sums along one axis";
  let description = [{
    `result[..., i, ...]` is the sum of `source[..., 0, ...]` to
    `source[..., i, ...]` along the axis `along`, computed in the accumulate
    type, each sum rounded once: the logarithm of what is left of a gate's past
    after each row.

    Constraints:
    - (scan_c1) labels are distinct letters, one per axis of source and result;
    - (scan_c2) `along` is one of them;
    - (scan_c3) a letter has one size in source and result.

    Example:
    ```mlir
    func.func @log_decay(%g: tensor<2x4x9xf32>) -> tensor<2x4x9xf32> {
      %s = attn.scan "bhs" %g along "s" : tensor<2x4x9xf32> -> tensor<2x4x9xf32>
      return %s : tensor<2x4x9xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$labels, Attn_RealTensor:$source,
                       StrAttr:$along);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $labels $source `along` $along attr-dict `:` type($source) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The letters of the axes beside the one that the sums go along.
    std::string getOtherLabels();
  }];
}

#endif // ATTNC_DIALECT_ATTN_ATTNMOVE_TD
