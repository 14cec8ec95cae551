//===- TileBufferOps.td - Buffers of a program -------------*- tablegen -*-===//
//
// The examples are parsed and verified by tools/dev/check_docs.py.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILEBUFFEROPS_TD
#define ATTNC_DIALECT_TILE_TILEBUFFEROPS_TD

include "attnc/Dialect/Tile/TileValueOps.td"

def Tile_WorkspaceOp : Tile_Op<"workspace", [HasParent<"ProgramOp">]> {
  let summary = "Temporary memory that grids share during a call";
  let description = [{
    A buffer that is internal to a call: a grid fills it, later grids read it.
    Elements are row-major, and contiguous unless a backend pads rows; a negative
    size counts as 0. Elements that were not written are undefined. All
    workspaces of a program are in the block whose size `NAME_workspace` returns,
    so sizes are arithmetic on the program's sizes.

    Constraints:
    - (workspace_c1) there is one size per axis;
    - (workspace_c2) its parent is a `tile.program`.

    Example:
    ```mlir
    tile.program @twice(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %n: index) target #tile.none {
      %w = tile.workspace [%n] : !tile.buf<q : f32>
      tile.grid (%i) to (%n) {
        %0 = tile.load %x[%i] : !tile.buf<q : f32> -> !tile.tile<q:1, f32>
        tile.store %0, %w[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
      }
      tile.grid (%i) to (%n) {
        %0 = tile.load %w[%i] : !tile.buf<q : f32> -> !tile.tile<q:1, f32>
        tile.store %0, %y[%i] : !tile.tile<q:1, f32>, !tile.buf<q : f32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs Res<Tile_BufType, "", [MemAlloc]>:$result);
  let assemblyFormat = "`[` $sizes `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_RenameOp : Tile_Op<"rename", [Pure, HasParent<"ProgramOp">]> {
  let summary = "Rename the axes of a buffer, or merge two";
  let description = [{
    The names of the buffer's axes match them with dims of tiles. If two grids use
    one tensor in different ways (its rows as keys and as queries), each needs its
    own names.

    With `merge("q", "h" by n)` axis q of the result counts the rows of n heads:
    index r along q and i along h is index `r floordiv n` along q and
    `i + r mod n` along h. Without h, all heads have the same rows. No element
    is moved. Names that a rename of the result gives keep the merged axes.

    Constraints:
    - (rename_c1) both types have one element type and number of axes;
    - (rename_c2) its parent is a `tile.program`;
    - (rename_c3) merged axes are axes of the result and differ, n is at least
      2, and the buffer has no merged axes already;
    - (rename_c4) only `tile.load`, without a table of pages, `tile.store` and
      `tile.rename` access a buffer with merged axes.

    Example:
    ```mlir
    tile.program @keys_as_queries(%K: !tile.buf<k, d : f32>, %y: !tile.buf<q, d : f32>, %n: index) target #tile.none {
      %rows = tile.rename %K : !tile.buf<k, d : f32> -> !tile.buf<q, d : f32>
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %0 = tile.load %rows[%i, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:1, d:4, f32>
        tile.store %0, %y[%i, %c0] : !tile.tile<q:1, d:4, f32>, !tile.buf<q, d : f32>
      }
    }
    tile.program @rows_of_heads(%Q: !tile.buf<h, q, d : f32>, %y: !tile.buf<q, d : f32>, %n: index) target #tile.none {
      %rows = tile.rename %Q merge("q", "h" by 4) : !tile.buf<h, q, d : f32> -> !tile.buf<h, q, d : f32>
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %0 = tile.load %rows[%c0, %i, %c0] : !tile.buf<h, q, d : f32> -> !tile.tile<q:8, d:4, f32>
        tile.store %0, %y[%i, %c0] : !tile.tile<q:8, d:4, f32>, !tile.buf<q, d : f32>
      }
    }
    ```
  }];
  let arguments = (ins Tile_BufType:$buf, OptionalAttr<StrAttr>:$rows,
                       OptionalAttr<StrAttr>:$heads,
                       OptionalAttr<I64Attr>:$group);
  let results = (outs Tile_BufType:$result);
  let assemblyFormat = [{
    $buf (`merge` `(` $rows^ (`,` $heads^)? `by` $group `)`)? attr-dict
    `:` type($buf) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "BufType":$type, "::mlir::Value":$buf), [{
    build($_builder, $_state, type, buf, {}, {}, {});
  }]>];
  let extraClassDeclaration = [{
    /// The merged axes of `buf`, a result of renames: axis numbers (heads: -1
    /// without) and n. Nothing if none are.
    struct Merged {
      int64_t rows, heads, group;
    };
    static ::std::optional<Merged> findMerged(::mlir::Value buf);
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LocateOp : Tile_Op<"locate", [AlwaysSpeculatable]> {
  let summary = "Find the sequence that contains a block of rows";
  let description = [{
    Blocks of n rows (`step n`) are numbered through the sequences of a ragged
    tensor, whose sequence s has the rows start[s] .. start[s + 1] - 1: it has
    the numbers from `(start[s] - start[0]) floordiv n + s` up to those of the
    next one, at least as many as it has blocks. The result is the last sequence
    whose numbers begin at `%j` or before (0 if none does), and the number of
    the block within it. Some blocks start after the last row of their
    sequence: at most one per sequence, so that
    `rows of all floordiv n + sequences` numbers suffice.

    Constraints:
    - (locate_c1) the starts are integers along one axis;
    - (locate_c2) `step` is at least 1.

    Example:
    ```mlir
    func.func @find(%start: !tile.buf<a0 : i32>, %j: index) -> (index, index) {
      %b, %i = tile.locate %j in %start step 32 : !tile.buf<a0 : i32>
      return %b, %i : index, index
    }
    ```
  }];
  let arguments = (ins Index:$number, Arg<Tile_BufType, "", [MemRead]>:$start,
                       I64Attr:$step);
  let results = (outs Index:$sequence, Index:$block);
  let assemblyFormat = [{
    $number `in` $start `step` $step attr-dict `:` type($start)
  }];
  let hasVerifier = 1;
}

#endif // ATTNC_DIALECT_TILE_TILEBUFFEROPS_TD
