//===- TileTableOps.td - Questions about parts of tables ---*- tablegen -*-===//
//
// The examples are parsed and verified by tools/dev/check_docs.py.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILETABLEOPS_TD
#define ATTNC_DIALECT_TILE_TILETABLEOPS_TD

include "attnc/Dialect/Tile/TileValueOps.td"

class Tile_TableEndOp<string mnemonic> : Tile_Op<mnemonic, [
    AlwaysSpeculatable, SameVariadicOperandSize]> {
  let arguments = (ins Arg<Tile_BufType, "", [MemRead]>:$buf,
                       Variadic<Index>:$first, Variadic<Index>:$last);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $buf `[` $first `]` `to` `[` $last `]` attr-dict `:` type($buf)
  }];
  let hasVerifier = 1;
}

def Tile_TableMinOp : Tile_TableEndOp<"table_min"> {
  let summary = "Minimum of a slice of a table";
  let description = [{
    Over the indices from `first` to `last`, inclusive, along each axis, both
    clamped to it; if `last` is below `first`, only `first` counts. Booleans count
    as 0 and 1; for an empty table the result is 0.

    Constraints:
    - (table_min_c1) there is one `first` and one `last` per axis;
    - (table_min_c2) the elements are integers or booleans.

    Example:
    ```mlir
    func.func @oldest(%doc: !tile.buf<b, n : i32>, %b: index, %q0: index, %q1: index) -> index {
      %x = tile.table_min %doc[%b, %q0] to [%b, %q1] : !tile.buf<b, n : i32>
      return %x : index
    }
    ```
  }];
}

def Tile_TableMaxOp : Tile_TableEndOp<"table_max"> {
  let summary = "Maximum of a slice of a table";
  let description = [{
    The counterpart of `tile.table_min`.

    Constraints:
    - (table_max_c1) there is one `first` and one `last` per axis;
    - (table_max_c2) the elements are integers or booleans.

    Example:
    ```mlir
    func.func @newest(%doc: !tile.buf<b, n : i32>, %b: index, %q0: index, %q1: index) -> index {
      %x = tile.table_max %doc[%b, %q0] to [%b, %q1] : !tile.buf<b, n : i32>
      return %x : index
    }
    ```
  }];
}

def Tile_LowerBoundOp : Tile_Op<"lower_bound", [AlwaysSpeculatable]> {
  let summary = "Lower bound of a value in a nondecreasing row";
  let description = [{
    The first index along the last axis whose element is at least `value`, or
    the extent of that axis; `indices` select the row, clamped. In a row that
    decreases somewhere the result is some index from 0 to the extent.

    Constraints:
    - (lower_bound_c1) there is one index per axis but the last, and an axis;
    - (lower_bound_c2) the elements are integers or booleans.

    Example:
    ```mlir
    func.func @start(%doc: !tile.buf<b, n : i32>, %b: index, %x: index) -> index {
      %k = tile.lower_bound %doc[%b], %x : !tile.buf<b, n : i32>
      return %k : index
    }
    ```
  }];
  let arguments = (ins Arg<Tile_BufType, "", [MemRead]>:$buf,
                       Variadic<Index>:$indices, Index:$value);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $buf `[` $indices `]` `,` $value attr-dict `:` type($buf)
  }];
  let hasVerifier = 1;
}

#endif // ATTNC_DIALECT_TILE_TILETABLEOPS_TD
