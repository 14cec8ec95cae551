//===- TileBufferOps.td - Buffers of a program -------------*- tablegen -*-===//
//
// The examples are parsed and verified by tools/dev/check_docs.py.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILEBUFFEROPS_TD
#define ATTNC_DIALECT_TILE_TILEBUFFEROPS_TD

include "attnc/Dialect/Tile/TileValueOps.td"

def Tile_WorkspaceOp : Tile_Op<"workspace", [HasParent<"ProgramOp">]> {
  let summary = "Memory of one call, between grids";
  let description = [{
    A buffer that no caller sees: a grid fills it, later grids read it. Elements
    are dense and row-major; a negative size counts as 0. What was not written
    is undefined. All workspaces of a program lie in the block that
    `NAME_workspace` asks for, so sizes are arithmetic on the program's sizes.

    Constraints:
    - (workspace_c1) there is one size per axis;
    - (workspace_c2) it stands in the body of a `tile.program`.

    Example:
    ```mlir
    tile.program @twice(%x: !tile.buf<q : f32>, %y: !tile.buf<q : f32>, %n: index) target "none" {
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
  let summary = "The same memory under other names of axes";
  let description = [{
    Dims of tiles are found by the names of the buffer's axes. Where two grids
    walk over one tensor in different ways (its rows as keys here, as queries
    there), each gets the names that it needs.

    Constraints:
    - (rename_c1) both types have one element type and number of axes;
    - (rename_c2) it stands in the body of a `tile.program`.

    Example:
    ```mlir
    tile.program @keys_as_queries(%K: !tile.buf<k, d : f32>, %y: !tile.buf<q, d : f32>, %n: index) target "none" {
      %rows = tile.rename %K : !tile.buf<k, d : f32> -> !tile.buf<q, d : f32>
      tile.grid (%i) to (%n) {
        %c0 = arith.constant 0 : index
        %0 = tile.load %rows[%i, %c0] : !tile.buf<q, d : f32> -> !tile.tile<q:1, d:4, f32>
        tile.store %0, %y[%i, %c0] : !tile.tile<q:1, d:4, f32>, !tile.buf<q, d : f32>
      }
    }
    ```
  }];
  let arguments = (ins Tile_BufType:$buf);
  let results = (outs Tile_BufType:$result);
  let assemblyFormat = "$buf attr-dict `:` type($buf) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LocateOp : Tile_Op<"locate", [AlwaysSpeculatable]> {
  let summary = "Which sequence a block of rows belongs to";
  let description = [{
    Blocks of n rows (`step n`) are numbered through the sequences of a ragged
    tensor, whose sequence s has the rows start[s] .. start[s + 1] - 1: it has
    the numbers from `(start[s] - start[0]) floordiv n + s` up to those of the
    next one, at least as many as it has blocks. The result is the last sequence
    whose numbers begin at `%j` or before (0 if none does), and the number of
    the block within it. Some blocks begin behind the last row of their
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
