//===- AttnTableOps.td - Reads of tables ------------------------------------===//
//
// One element, and what the regions `ranges` and `classify` of a kernel ask about
// the table that a mask reads: they decide for many pairs at once.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNTABLEOPS_TD
#define ATTNC_DIALECT_ATTN_ATTNTABLEOPS_TD

include "attnc/Dialect/Attn/AttnOpBase.td"

def Attn_ReadOp : Attn_Op<"read"> {
  let summary = "Read an element of a tensor";
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

def Attn_Table : RankedTensorOf<[I64, I32, I8, UI8, I1]>;

class Attn_TableEndOp<string mnemonic> : Attn_Op<mnemonic, [
    SameVariadicOperandSize]> {
  let arguments = (ins Attn_Table:$source, Variadic<Index>:$first,
                       Variadic<Index>:$last);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $source `[` $first `]` `to` `[` $last `]` attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Attn_TableMinOp : Attn_TableEndOp<"table_min"> {
  let summary = "Minimum of a slice of a table";
  let description = [{
    Over the indices from `first` to `last`, inclusive, along each axis. They are
    clamped to the axis as in `attn.read`; if `last` is below `first`, only
    `first` counts. So the result is the minimum of an `attn.read` at all indices
    in the range. Booleans count as 0 and 1; for a tensor with an empty axis the
    result is 0.

    Constraints:
    - (table_min_c1) there is one `first` and one `last` per axis.

    Example:
    ```mlir
    func.func @oldest(%doc: tensor<2x?xi32>, %b: index, %q0: index, %q1: index) -> index {
      %x = attn.table_min %doc[%b, %q0] to [%b, %q1] : tensor<2x?xi32>
      return %x : index
    }
    ```
  }];
}

def Attn_TableMaxOp : Attn_TableEndOp<"table_max"> {
  let summary = "Maximum of a slice of a table";
  let description = [{
    The counterpart of `attn.table_min`.

    Constraints:
    - (table_max_c1) there is one `first` and one `last` per axis.

    Example:
    ```mlir
    func.func @newest(%doc: tensor<2x?xi32>, %b: index, %q0: index, %q1: index) -> index {
      %x = attn.table_max %doc[%b, %q0] to [%b, %q1] : tensor<2x?xi32>
      return %x : index
    }
    ```
  }];
}

def Attn_LowerBoundOp : Attn_Op<"lower_bound"> {
  let summary = "Lower bound of a value in a nondecreasing row";
  let description = [{
    The first index along the last axis whose element is at least `value`, or
    the extent of that axis; `indices` say which row (clamped as those of
    `attn.read`). The row never decreases: the caller has promised it
    (`nondecreasing`) and the call checks it. In a row that does decrease the
    result is some index.

    Constraints:
    - (lower_bound_c1) there is one index per axis but the last, and an axis.

    Example:
    ```mlir
    func.func @start(%doc: tensor<2x?xi32>, %b: index, %x: index) -> index {
      %k = attn.lower_bound %doc[%b], %x : tensor<2x?xi32>
      return %k : index
    }
    ```
  }];
  let arguments = (ins Attn_Table:$source, Variadic<Index>:$indices,
                       Index:$value);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `,` $value attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

#endif // ATTNC_DIALECT_ATTN_ATTNTABLEOPS_TD
