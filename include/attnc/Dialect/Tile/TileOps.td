//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//
//
// The examples are parsed and verified by tools/dev/check_docs.py.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILEOPS_TD
#define ATTNC_DIALECT_TILE_TILEOPS_TD

include "attnc/Dialect/Tile/TileAttrInterfaces.td"
include "attnc/Dialect/Tile/TileBufferOps.td"
include "attnc/Dialect/Tile/TileTableOps.td"
include "attnc/Dialect/Tile/TileValueOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

//===----------------------------------------------------------------------===//
// Structure: program, grid, for, phase
//===----------------------------------------------------------------------===//

def Tile_ProgramOp : Tile_Op<"program", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A compiled function: a sequence of grids";
  let description = [{
    Arguments are all tensors of the interface in its order (inputs and
    outputs), then all its sizes in its order. Grids run in order, with a
    barrier in between; `tile.workspace`, `tile.rename` and arithmetic on sizes
    may occur between them. `target` is copied from the schedule and contains
    every decision of the code generator.

    Constraints:
    - (program_c1) arguments are buffers, then indices;
    - (program_c2) `target` implements `TargetAttrInterface` and accepts the
      program.

    Example:
    ```mlir
    tile.program @copy(%x: !tile.buf<q, d : f32>, %y: !tile.buf<q, d : f32>, %query_len: index) target #tile.cpu<isa = avx512, mapping = rows, lanes = 16, score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16, lane_skip = true, pack = auto> {
      tile.grid (%i) to (%query_len) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %row = tile.load %x[%i, %c0] valid(q = %c1) : !tile.buf<q, d : f32> -> !tile.tile<q:1, d:4, f32>
        tile.store %row, %y[%i, %c0] valid(q = %c1) : !tile.tile<q:1, d:4, f32>, !tile.buf<q, d : f32>
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Tile_TargetAttr:$target,
                       OptionalAttr<StrArrayAttr>:$arg_names);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::attnc::tile::TargetAttrInterface":$target,
                   "::mlir::TypeRange":$types,
                   "::llvm::ArrayRef<::llvm::StringRef>":$names)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_GridOp : Tile_Op<"grid", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Run independent instances over an index space";
  let description = [{
    Runs the body once for each tuple of indices below the extents (not at all
    when an extent is 0 or negative). Instances do not communicate and run in
    any order, on any threads. `order(desc 2)` is a hint: instances with a
    large index on that axis take longest and should start first. `target`
    overrides the program's for grids that were scheduled separately.

    Constraints:
    - (grid_c1) there is one index argument per extent, and at least one;
    - (grid_c2) `order` names an axis of the grid;
    - (grid_c3) `target` implements `TargetAttrInterface`, belongs to the backend
      of the program, and accepts the grid.

    Example:
    ```mlir
    func.func @rows(%batch: index, %n: index) {
      tile.grid (%b, %i) to (%batch, %n) order(desc 1) {
        %0 = arith.addi %b, %i : index
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents,
                       OptionalAttr<I64Attr>:$descending,
                       OptionalAttr<Tile_TargetAttr>:$target,
                       OptionalAttr<StrArrayAttr>:$arg_names);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$extents,
                   "::llvm::ArrayRef<::llvm::StringRef>":$names)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ForOp : Tile_Op<"for", Tile_RegionIsEffect # [
    AttrSizedOperandSegments, SingleBlock,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
        ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
         "getLoopResults"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Iterate over the key segments tile by tile";
  let description = [{
    Each segment `(any_lo, all_lo, all_hi, any_hi)` has keys [any_lo, any_hi),
    of which [all_lo, all_hi) need no mask. With
    `all_lo' = clamp(all_lo, any_lo, any_hi)` and
    `all_hi' = clamp(all_hi, all_lo', any_hi)` a segment with any_lo < any_hi
    is visited in this order:

    1. head tiles over [any_lo, all_lo') with `partial` true, each of
       `partial_step` keys, the last one of the remainder;
    2. n = floor((all_hi' - all_lo') / step) full tiles of exactly `step` keys
       from all_lo', with `partial` false;
    3. tail tiles over [all_lo' + n * step, any_hi) with `partial` true, each of
       `partial_step` keys, the last one of the remainder.

    When n is 0, one run of partial tiles covers [any_lo, any_hi).
    Nothing is rounded to multiples of a step, so disjoint segments
    stay disjoint. A segment with any_lo >= any_hi is empty.

    `classify(k0, k1)` computes for the keys [k0, k1) whether the mask admits none
    of them (0), some (1) or all (2). With it, head and tail are split into pieces
    of `step` keys; the last piece may be shorter. Pieces of class 0 are skipped;
    a piece of class 2 with `step` keys is one tile with `partial` false; other
    pieces are visited as above, in tiles of `partial_step` keys, skipping those
    of class 0. Removing `classify` never changes a result.

    The body gets the first key of the tile, its number of keys, `partial`, and
    the carried values; it yields the next ones.

    With `within (lo, hi, ...)`, two bounds per segment, the keys of [lo, hi) can
    be loaded, and the body masks out those outside the segment if `partial` is
    true: its head and tail may be visited in tiles of exactly `step` keys of
    [lo, hi), in any order.

    Constraints:
    - (for_c1) there are four bounds per segment;
    - (for_c2) `step` >= `partial_step` >= 1;
    - (for_c3) the body's arguments are index, index, i1 and the carried types;
    - (for_c4) the body yields the carried types, which are the result types;
    - (for_c5) `classify` has two index arguments, scalar ops, and yields an
      index;
    - (for_c6) `within` has two bounds per segment, without `classify`.

    Example:
    ```mlir
    func.func @count(%lo: index, %hi: index, %zero: index) -> index {
      %n = tile.for (%k0, %nk, %partial) in [(%lo, %lo, %hi, %hi)] step 64 partial_step 16 iter(%acc = %zero) -> (index) {
        %next = arith.addi %acc, %nk : index
        tile.yield %next : index
      }
      return %n : index
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$bounds, Variadic<Index>:$within,
                       Variadic<AnyType>:$init_values,
                       I64Attr:$step, I64Attr:$partial_step);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$classify);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$bounds, "::mlir::ValueRange":$initValues,
                   "int64_t":$step, "int64_t":$partialStep)>];
  let extraClassDeclaration = [{
    bool hasClassify() { return !getClassify().empty(); }
    unsigned getNumSegments() { return getBounds().size() / 4; }
    /// The four bounds of one segment.
    ::mlir::ValueRange getSegment(unsigned i) {
      return getBounds().slice(4 * i, 4);
    }
    ::mlir::Value getKeyStart() { return getBody().getArgument(0); }
    ::mlir::Value getKeyCount() { return getBody().getArgument(1); }
    ::mlir::Value getPartial() { return getBody().getArgument(2); }
    static constexpr unsigned kNumLoopArgs = 3;
  }];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_PhaseOp : Tile_Op<"phase", Tile_RegionIsEffect # [SingleBlock]> {
  let summary = "A named group of ops in a loop body";
  let description = [{
    The unit of software pipelining, overlap and profiling. Computes what its
    body computes.

    Constraints:
    - (phase_c1) the name is not empty;
    - (phase_c2) the body has no arguments and yields the result types.

    Example:
    ```mlir
    func.func @twice(%x: !tile.tile<q:4, f32>) -> !tile.tile<q:4, f32> {
      %0 = tile.phase "prob" -> (!tile.tile<q:4, f32>) {
        %1 = tile.rescale %x by %x : !tile.tile<q:4, f32>, !tile.tile<q:4, f32>
        tile.yield %1 : !tile.tile<q:4, f32>
      }
      return %0 : !tile.tile<q:4, f32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "PhaseBuilder":$body)>];
  let assemblyFormat = [{
    $name (`->` `(` type($results)^ `)`)? $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator,
    ParentOneOf<["DotOp", "ForOp", "PhaseOp", "MapOp", "SelectMaskedOp"]>]> {
  let summary = "Terminate a region with its results";
  let description = [{
    The scalar of a `tile.map` or `tile.select_masked`, the next carried values
    of a `tile.for`, the results of a `tile.phase`.

    Example:
    ```mlir
    func.func @positions(%q0: index) -> !tile.tile<q:8, index> {
      %0 = tile.map () at(q = %q0) : () -> !tile.tile<q:8, index> {
      ^bb0(%q: index):
        tile.yield %q : index
      }
      return %0 : !tile.tile<q:8, index>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "Load a block of a buffer";
  let description = [{
    One index per axis. A dim of the tile is the axis of the same name, from its
    index on. Along a dim with a valid extent only elements below it are read,
    the others are 0; without one, the whole dim is in range. Nothing outside is
    ever read.

    With `through(%table[%b] step n)` keys are paged: the buffer's axis p
    counts pages and its axis k has the n rows of one. Element k of the tile is
    the key number `index of k + k`, which is row `key mod n` of page
    `index of p + table[b, key floordiv n]`; the table is read as by
    `tile.read`. A key whose page the buffer lacks is 0.

    Constraints:
    - (load_c1) there is one index per axis;
    - (load_c2) each dim of the tile is an axis of the buffer;
    - (load_c3) the element types are equal, or rows of 8-bit integers (two dims)
      become floats, which are exact;
    - (load_c4) each valid extent names another dim of the tile;
    - (load_c5) with a table, n is at least 1, the tile has a dim k and none p,
      the buffer has both axes, and the table, of integers, has one index less
      than axes.

    Example:
    ```mlir
    func.func @keys(%K: !tile.buf<b, h, k, d : bf16>, %b: index, %h: index, %k0: index, %nk: index) -> !tile.tile<k:64, d:128, bf16> {
      %c0 = arith.constant 0 : index
      %0 = tile.load %K[%b, %h, %k0, %c0] valid(k = %nk) : !tile.buf<b, h, k, d : bf16> -> !tile.tile<k:64, d:128, bf16>
      return %0 : !tile.tile<k:64, d:128, bf16>
    }
    func.func @paged_keys(%K: !tile.buf<p, h, k, d : f32>, %table: !tile.buf<a0, a1 : i32>, %b: index, %h: index, %k0: index, %nk: index) -> !tile.tile<k:64, d:128, f32> {
      %c0 = arith.constant 0 : index
      %0 = tile.load %K[%c0, %h, %k0, %c0] valid(k = %nk) through(%table[%b] step 16 : !tile.buf<a0, a1 : i32>) : !tile.buf<p, h, k, d : f32> -> !tile.tile<k:64, d:128, f32>
      return %0 : !tile.tile<k:64, d:128, f32>
    }
    ```
  }];
  let arguments = (ins Arg<Tile_BufType, "", [MemRead]>:$buf,
                       Variadic<Index>:$indices, Variadic<Index>:$valid,
                       Arg<Optional<Tile_BufType>, "", [MemRead]>:$table,
                       Variadic<Index>:$table_indices,
                       StrArrayAttr:$valid_dims,
                       OptionalAttr<I64Attr>:$page_rows);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $buf `[` $indices `]` `` custom<Valid>($valid_dims, $valid)
    (`through` `(` $table^ `[` $table_indices `]` `step` $page_rows `:` type($table) `)`)?
    attr-dict `:` type($buf) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "TileType":$type, "::mlir::Value":$buf,
                   "::mlir::ValueRange":$indices, "NamedValues":$valid)>,
    OpBuilder<(ins "TileType":$type, "::mlir::Value":$buf,
                   "::mlir::ValueRange":$indices, "NamedValues":$valid,
                   "::mlir::Value":$table, "::mlir::ValueRange":$tableIndices,
                   "int64_t":$pageRows)>];
  let extraClassDeclaration = [{
    /// The valid extent along a dim, or null: all of it.
    ::mlir::Value getValidOf(::llvm::StringRef dim);
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "Store a block to a buffer";
  let description = [{
    The counterpart of `tile.load`: elements outside the valid extents are not
    written.

    Constraints:
    - (store_c1) there is one index per axis;
    - (store_c2) each dim of the tile is an axis of the buffer;
    - (store_c3) the element types are equal, or index and an integer that holds
      its values;
    - (store_c4) each valid extent names another dim of the tile.

    Example:
    ```mlir
    func.func @rows(%o: !tile.tile<q:64, e:64, f32>, %O: !tile.buf<b, q, e : f32>, %b: index, %q0: index, %nr: index) {
      %c0 = arith.constant 0 : index
      tile.store %o, %O[%b, %q0, %c0] valid(q = %nr) : !tile.tile<q:64, e:64, f32>, !tile.buf<b, q, e : f32>
      return
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$value,
                       Arg<Tile_BufType, "", [MemWrite]>:$buf,
                       Variadic<Index>:$indices, Variadic<Index>:$valid,
                       StrArrayAttr:$valid_dims);
  let assemblyFormat = [{
    $value `,` $buf `[` $indices `]` `` custom<Valid>($valid_dims, $valid)
    attr-dict `:` type($value) `,` type($buf)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$buf,
                   "::mlir::ValueRange":$indices, "NamedValues":$valid)>];
  let extraClassDeclaration = [{
    ::mlir::Value getValidOf(::llvm::StringRef dim);
  }];
  let hasVerifier = 1;
}

def Tile_ReadOp : Tile_Op<"read", [AlwaysSpeculatable]> {
  let summary = "Read an element of a table";
  let description = [{
    An index out of range is clamped to its axis; an empty axis reads 0.
    Integers become `index` (`ui8` zero-extended, the others sign-extended),
    booleans `i1`, floats `f32` or `f64` (converted).

    Constraints:
    - (read_c1) there is one index per axis;
    - (read_c2) the result is index for integers, i1 for booleans, f32 or
      f64 for floats.

    Example:
    ```mlir
    func.func @bias(%table: !tile.buf<h, n : bf16>, %h: index, %n: index) -> f32 {
      %0 = tile.read %table[%h, %n] : !tile.buf<h, n : bf16> -> f32
      return %0 : f32
    }
    ```
  }];
  let arguments = (ins Arg<Tile_BufType, "", [MemRead]>:$buf,
                       Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[Index, I1, F32, F64]>:$result);
  let assemblyFormat = [{
    $buf `[` $indices `]` attr-dict `:` type($buf) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PresentOp : Tile_Op<"present", [Pure]> {
  let summary = "Test whether the caller passed an optional output";
  let description = [{
    True unless the caller passed NULL. Stores to an optional buffer must be
    inside an `scf.if` of this.

    Example:
    ```mlir
    func.func @given(%lse: !tile.buf<b, h, q : f32>) -> i1 {
      %0 = tile.present %lse : !tile.buf<b, h, q : f32>
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Tile_BufType:$buf);
  let results = (outs I1:$result);
  let assemblyFormat = "$buf attr-dict `:` type($buf)";
}

#endif // ATTNC_DIALECT_TILE_TILEOPS_TD
