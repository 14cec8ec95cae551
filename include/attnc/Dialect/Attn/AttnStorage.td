//===- AttnStorage.td - Ragged and paged storage --------------------------===//
//
// Numbers of constraints as in AttnOps.td; tests in
// test/Dialect/Attn/storage-invalid.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNSTORAGE_TD
#define ATTNC_DIALECT_ATTN_ATTNSTORAGE_TD

include "attnc/Dialect/Attn/AttnOpBase.td"

def Attn_TableTensor : RankedTensorOf<[I64, I32]>;

def Attn_UnpackOp : Attn_Op<"unpack"> {
  let summary = "View ragged rows as a batch of sequences";
  let description = [{
    Ragged storage: `result[b, i, ...] = source[start[b] + i, ...]` where
    `0 <= i < start[b + 1] - start[b]` and the source has that row, else 0.
    Nothing is moved: a kernel reads the stored rows. The valid length of a
    sequence is its own number of rows; users of the result mask the others.

    Constraints:
    - (unpack_c1) the result has one axis more than the source, of one element
      type;
    - (unpack_c2) `start` has one axis;
    - (unpack_c3) axes 1 and later of the result have the sizes of the source's.

    Example:
    ```mlir
    func.func @rows(%Q: tensor<?x2x8xf32, #attn.dims<query_tokens, 2, 8>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x?x2x8xf32, #attn.dims<batch, query_tokens, 2, 8>> {
      %q = attn.unpack %Q by %start : tensor<?x2x8xf32, #attn.dims<query_tokens, 2, 8>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x?x2x8xf32, #attn.dims<batch, query_tokens, 2, 8>>
      return %q : tensor<?x?x2x8xf32, #attn.dims<batch, query_tokens, 2, 8>>
    }
    ```
  }];
  let arguments = (ins Attn_AnyTensor:$source, Attn_TableTensor:$start);
  let results = (outs Attn_AnyTensor:$result);
  let assemblyFormat = [{
    $source `by` $start attr-dict `:` type($source) `,` type($start) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Attn_PackOp : Attn_Op<"pack"> {
  let summary = "Store a batch of sequences as ragged rows";
  let description = [{
    The inverse of `attn.unpack`: `result[start[b] + i, ...] =
    source[b, i, ...]` for `0 <= i < start[b + 1] - start[b]`. A row that
    belongs to no sequence is not written, and interpreters return NaN for it;
    with `fill` it has that value, and ops may read the result.

    Constraints:
    - (pack_c1) the source has one axis more than the result, of one element
      type;
    - (pack_c2) `start` has one axis;
    - (pack_c3) axes 1 and later of the source have the sizes of the result's.

    Example:
    ```mlir
    func.func @rows(%o: tensor<?x?x2x8xf32, #attn.dims<batch, query_tokens, 2, 8>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x2x8xf32, #attn.dims<query_tokens, 2, 8>> {
      %O = attn.pack %o by %start : tensor<?x?x2x8xf32, #attn.dims<batch, query_tokens, 2, 8>>, tensor<?xi32, #attn.dims<"batch + 1">> -> tensor<?x2x8xf32, #attn.dims<query_tokens, 2, 8>>
      return %O : tensor<?x2x8xf32, #attn.dims<query_tokens, 2, 8>>
    }
    ```
  }];
  let arguments = (ins Attn_RealTensor:$source, Attn_TableTensor:$start,
                   OptionalAttr<F64Attr>:$fill);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $source `by` $start (`fill` $fill^)? attr-dict `:` type($source) `,` type($start) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Attn_PlaceOp : Attn_Op<"place", [AllTypesMatch<["source", "result"]>]> {
  let summary = "Store per-sequence keys as ragged keys";
  let description = [{
    Moves per-key values of each sequence, along the last axis, to the keys of all
    sequences: `result[b, ..., t] = source[b, ..., t - start[b]]` where
    `start[b] <= t < start[b + 1]`, else `fill`. No copy is made: a kernel
    stores its tiles of pairs there, and `fill` around them.

    Constraints:
    - (place_c1) the source has at least two axes;
    - (place_c2) `start` has one axis.

    Example:
    ```mlir
    func.func @keys(%p: tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_tokens>>, %start: tensor<?xi32, #attn.dims<"batch + 1">>) -> tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_tokens>> {
      %P = attn.place %p by %start fill 0.000000e+00 : tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_tokens>>, tensor<?xi32, #attn.dims<"batch + 1">>
      return %P : tensor<?x2x3x?xf32, #attn.dims<batch, 2, 3, kv_tokens>>
    }
    ```
  }];
  let arguments = (ins Attn_RealTensor:$source, Attn_TableTensor:$start,
                   F64Attr:$fill);
  let results = (outs Attn_RealTensor:$result);
  let assemblyFormat = [{
    $source `by` $start `fill` $fill attr-dict `:` type($source) `,`
    type($start)
  }];
  let hasVerifier = 1;
}

def Attn_PagesOp : Attn_Op<"pages"> {
  let summary = "View rows in pages as rows of sequences";
  let description = [{
    Paged storage, with n the size of the source's axis 1:
    `result[b, k, ...] = source[table[b, k floordiv n], k mod n, ...]`, 0 where
    the source has no such page. The table is read as by `attn.read`. Nothing is
    moved.

    Constraints:
    - (pages_c1) the result has as many axes as the source, at least two, of one
      element type;
    - (pages_c2) the table has two axes, and the source's axis 1 is fixed and
      not 0;
    - (pages_c3) axes 2 and later of the result have the sizes of the source's.

    Example:
    ```mlir
    func.func @keys(%K: tensor<?x16x8xf32, #attn.dims<pages, 16, 8>>, %table: tensor<?x?xi32, #attn.dims<batch, width>>) -> tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>> {
      %k = attn.pages %K by %table : tensor<?x16x8xf32, #attn.dims<pages, 16, 8>>, tensor<?x?xi32, #attn.dims<batch, width>> -> tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>>
      return %k : tensor<?x?x8xf32, #attn.dims<batch, "width * 16", 8>>
    }
    ```
  }];
  let arguments = (ins Attn_AnyTensor:$source, Attn_TableTensor:$table);
  let results = (outs Attn_AnyTensor:$result);
  let assemblyFormat = [{
    $source `by` $table attr-dict `:` type($source) `,` type($table) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // ATTNC_DIALECT_ATTN_ATTNSTORAGE_TD
