//===- TileValueOps.td - Ops that compute on tiles ---------*- tablegen -*-===//
//
// Structure and memory: TileOps.td, which includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILEVALUEOPS_TD
#define ATTNC_DIALECT_TILE_TILEVALUEOPS_TD

include "attnc/Dialect/Tile/TileAttrs.td"
include "attnc/Dialect/Tile/TileTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []>
    : Op<TileDialect, opMnemonic, traits>;

defvar Tile_RegionIsEffect = [RecursiveMemoryEffects, RecursivelySpeculatable];

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile filled with a constant";
  let description = [{
    The constant is written as an f64 (`-inf`, `inf` and `nan` are words) and is
    converted to the element type.

    Constraints:
    - (splat_c1) the element type can hold the constant: i1 holds 0 and 1,
      index holds integers, floats round to nearest.

    Example:
    ```mlir
    func.func @nothing_seen() -> !tile.tile<q:64, f32> {
      %m = tile.splat -inf : !tile.tile<q:64, f32>
      return %m : !tile.tile<q:64, f32>
    }
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = "custom<Real>($value) attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "TileType":$type, "double":$value)>];
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
                              ["getAsmBlockArgumentNames"]>]> {
  let summary = "Contract two tiles over a named dim";
  let description = [{
    `result[i, j] = acc[i, j] + sum over n of lhs[i, n] * rhs[j, n]`, where n is
    the dim named by `sum`. A dim that both operands have besides is shared (no
    sum).

    Operands have the types in which their elements are stored, and these may
    differ. The result's element type is the *accumulate type*: elements are
    extended to it, and products and sums are computed in it, so products of f16
    and bf16 are exact in f32. A target that cannot multiply the stored types
    converts them in its code generator. The order of the sum belongs to the
    target.

    `where` skips masked products: a NaN or an infinity in a masked operand does
    not reach the result.

    With a region `term` the sum is not of products but of what the region yields
    for the two elements, converted, and one index per `at` dim. A term may take
    elements of more tiles, listed after `and`.

    Constraints:
    - (dot_c1) both operands have the dim `sum`, with one size, and the result
      has not;
    - (dot_c2) the result has all other dims of the operands and no more, with
      their sizes;
    - (dot_c3) elements are f64, f32, f16 or bf16; the accumulate type is f32 or
      f64, and at least as wide as the operands';
    - (dot_c4) `acc` has the result's type;
    - (dot_c5) the mask is an i1 tile whose dims are dims of the result or `sum`;
    - (dot_c6) a term has an argument of the result's element type for each
      operand, those after `and` last, and an
      index per `at` dim, which are dims of the result or `sum`; it yields one
      such element by ops of arith and math and `tile.read`, and uses no tile
      from outside. Without a term there is no `at` and no `and`;
    - (dot_c7) tiles after `and` have the dims of one of the two operands.

    Example:
    ```mlir
    func.func @scores(%q: !tile.tile<q:64, d:32, f32>, %k: !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:64, k:16, f32> {
      %0 = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:32, f32>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:64, k:16, f32>
      return %0 : !tile.tile<q:64, k:16, f32>
    }
    func.func @stored(%q: !tile.tile<q:64, d:32, bf16>, %k: !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:64, k:16, f32> {
      %0 = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:32, bf16>, !tile.tile<k:16, d:32, bf16>) -> !tile.tile<q:64, k:16, f32>
      return %0 : !tile.tile<q:64, k:16, f32>
    }
    func.func @masked_values(%p: !tile.tile<q:64, k:16, f32>, %v: !tile.tile<k:16, e:32, f32>, %o: !tile.tile<q:64, e:32, f32>, %m: !tile.tile<q:64, k:16, i1>) -> !tile.tile<q:64, e:32, f32> {
      %0 = tile.dot (%p, %v) sum(k) acc(%o) where(%m : !tile.tile<q:64, k:16, i1>) : (!tile.tile<q:64, k:16, f32>, !tile.tile<k:16, e:32, f32>) -> !tile.tile<q:64, e:32, f32>
      return %0 : !tile.tile<q:64, e:32, f32>
    }
    func.func @additive(%q: !tile.tile<q:64, d:32, f32>, %k: !tile.tile<k:16, d:32, f32>) -> !tile.tile<q:64, k:16, f32> {
      %0 = tile.dot (%q, %k) sum(d) : (!tile.tile<q:64, d:32, f32>, !tile.tile<k:16, d:32, f32>) -> !tile.tile<q:64, k:16, f32> term {
      ^bb0(%x: f32, %y: f32):
        %1 = arith.addf %x, %y : f32
        %2 = math.tanh %1 : f32
        tile.yield %2 : f32
      }
      return %0 : !tile.tile<q:64, k:16, f32>
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$lhs, Tile_TileType:$rhs, StrAttr:$sum,
                       Optional<Tile_TileType>:$acc,
                       Optional<Tile_TileType>:$mask,
                       Variadic<Tile_TileType>:$others,
                       Variadic<Index>:$at, StrArrayAttr:$at_dims);
  let results = (outs Tile_TileType:$result);
  let regions = (region MaxSizedRegion<1>:$term);
  let assemblyFormat = [{
    `(` $lhs `,` $rhs `)` (`and` `(` $others^ `:` type($others) `)`)? `sum` `(` custom<Dim>($sum) `)`
    (`acc` `(` $acc^ `)`)? (`where` `(` $mask^ `:` type($mask) `)`)?
    `` custom<At>($at_dims, $at) attr-dict
    `:` custom<DotTypes>(ref($acc), type($lhs), type($rhs), type($acc),
                         type($result)) (`term` $term^)?
  }];
  let skipDefaultBuilders = 1;
  // Of products, or of terms; `acc` and `mask` may be null.
  let builders = [
    OpBuilder<(ins "TileType":$type, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                   "::llvm::StringRef":$sum, "::mlir::Value":$acc,
                   "::mlir::Value":$mask, CArg<"NamedValues", "{}">:$at,
                   CArg<"BodyBuilder", "nullptr">:$term,
                   CArg<"::mlir::ValueRange", "{}">:$others)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool hasTerm() { return !getTerm().empty(); }
    /// The tiles that elements are taken of: lhs, rhs and what a term takes
    /// besides.
    ::llvm::SmallVector<::mlir::TypedValue<TileType>> getTiles();
  }];
}

class Tile_RegionOp<string opMnemonic, list<Trait> traits = []>
    : Tile_Op<opMnemonic, Tile_RegionIsEffect # [
        SingleBlock, AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<OpAsmOpInterface,
                                  ["getAsmBlockArgumentNames"]>] # traits> {
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1; // blocks have a terminator by then
}

def Tile_MapOp : Tile_RegionOp<"map"> {
  let summary = "Compute each element by a scalar region";
  let description = [{
    The region gets one scalar per operand, then one index per `at` dim: the
    index of the element along that dim plus the given start. Operands are
    broadcast along missing dims. Scalars and buffers from outside may be
    used; tiles may not.

    Constraints:
    - (map_c1) the dims of each operand are dims of the result, with its sizes;
    - (map_c2) each `at` names another dim of the result;
    - (map_c3) the region's arguments are the operands' elements, then indices;
    - (map_c4) the region yields one element of the result;
    - (map_c5) the region holds ops of arith and math and `tile.read`, and uses
      no tile from outside.

    Example:
    ```mlir
    func.func @alibi(%s: !tile.tile<q:64, k:64, f32>, %q0: index, %k0: index, %slope: f32) -> !tile.tile<q:64, k:64, f32> {
      %0 = tile.map (%s) at(q = %q0, k = %k0) : (!tile.tile<q:64, k:64, f32>) -> !tile.tile<q:64, k:64, f32> {
      ^bb0(%x: f32, %q: index, %k: index):
        %1 = arith.subi %q, %k : index
        %2 = arith.index_cast %1 : index to i64
        %3 = arith.sitofp %2 : i64 to f32
        %4 = arith.mulf %slope, %3 : f32
        %5 = arith.subf %x, %4 : f32
        tile.yield %5 : f32
      }
      return %0 : !tile.tile<q:64, k:64, f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_TileType>:$inputs, Variadic<Index>:$at,
                       StrArrayAttr:$at_dims);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    `(` $inputs `)` `` custom<At>($at_dims, $at) attr-dict `:`
    functional-type($inputs, $result) $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "TileType":$type, "::mlir::ValueRange":$inputs,
                   "NamedValues":$at, "BodyBuilder":$body)>];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Tile_SelectMaskedOp : Tile_RegionOp<"select_masked"> {
  let summary = "Replace masked elements of a partial tile";
  let description = [{
    With `partial` false the result is the operand itself, and the region is not
    evaluated. With `partial` true an element is kept if it is below the
    valid extents and the region yields true; otherwise it becomes `fill`. The
    region gets one scalar per operand of `with`, then one index per `at` dim.

    Constraints:
    - (select_masked_c1) the dims of each `with` operand are dims of the tile,
      with its sizes;
    - (select_masked_c2) each `at` and each valid extent names another dim of
      the tile;
    - (select_masked_c3) the region's arguments are the operands' elements, then
      indices;
    - (select_masked_c4) the region yields an i1;
    - (select_masked_c5) the region holds ops of arith and math and `tile.read`,
      and uses no tile from outside;
    - (select_masked_c6) the element type can hold `fill`.

    Example:
    ```mlir
    func.func @causal(%s: !tile.tile<q:64, k:64, f32>, %q0: index, %k0: index, %nk: index, %partial: i1) -> !tile.tile<q:64, k:64, f32> {
      %0 = tile.select_masked %s at(q = %q0, k = %k0) valid(k = %nk) when %partial fill -inf : !tile.tile<q:64, k:64, f32> {
      ^bb0(%q: index, %k: index):
        %1 = arith.cmpi sle, %k, %q : index
        tile.yield %1 : i1
      }
      return %0 : !tile.tile<q:64, k:64, f32>
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$value, Variadic<Tile_TileType>:$inputs,
                       Variadic<Index>:$at, Variadic<Index>:$valid, I1:$partial,
                       StrArrayAttr:$at_dims, StrArrayAttr:$valid_dims,
                       F64Attr:$fill);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $value (`with` `(` $inputs^ `:` type($inputs) `)`)?
    `` custom<At>($at_dims, $at) `` custom<Valid>($valid_dims, $valid) `when` $partial
    `fill` custom<Real>($fill) attr-dict `:`
    custom<SameType>(type($value), type($result)) $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::ValueRange":$inputs,
                   "NamedValues":$at, "NamedValues":$valid,
                   "::mlir::Value":$partial, "double":$fill,
                   "BodyBuilder":$body)>];
  let extraClassDeclaration = [{
    ::mlir::Value getValidOf(::llvm::StringRef dim);
  }];
  let hasFolder = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Reduce a tile along one dim";
  let description = [{
    `result = init combined with all elements along the dim`. `max` ignores
    NaN elements; `add` is a sum in the element type, in an
    order that belongs to the target.

    Constraints:
    - (reduce_c1) the tile has the dim `over`;
    - (reduce_c2) the result has all other dims of the tile and no more, with
      their sizes and the tile's element type, a float;
    - (reduce_c3) `init` has the result's type.

    Example:
    ```mlir
    func.func @row_max(%s: !tile.tile<q:64, k:64, f32>, %m: !tile.tile<q:64, f32>) -> !tile.tile<q:64, f32> {
      %0 = tile.reduce max (%s) over(k) init(%m) : (!tile.tile<q:64, k:64, f32>) -> !tile.tile<q:64, f32>
      return %0 : !tile.tile<q:64, f32>
    }
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_TileType:$input,
                       StrAttr:$over, Tile_TileType:$init);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    custom<Kind>($kind) `(` $input `)` `over` `(` custom<Dim>($over) `)` `init` `(` $init `)`
    attr-dict `:` `(` type($input) `)` `->`
    custom<SameType>(type($result), type($init))
  }];
  let hasVerifier = 1;
}

def Tile_RescaleOp : Tile_Op<"rescale", [Pure]> {
  let summary = "Multiply an accumulator by per-row factors";
  let description = [{
    `result = value * factor`, elementwise; the factor lacks the dims along
    which it is constant. A target may skip the product where every factor of a
    tile is exactly 1.

    Constraints:
    - (rescale_c1) the factor's dims are dims of the value, with its sizes;
    - (rescale_c2) both have one element type, a float.

    Example:
    ```mlir
    func.func @rows(%o: !tile.tile<q:64, e:64, f32>, %a: !tile.tile<q:64, f32>) -> !tile.tile<q:64, e:64, f32> {
      %0 = tile.rescale %o by %a : !tile.tile<q:64, e:64, f32>, !tile.tile<q:64, f32>
      return %0 : !tile.tile<q:64, e:64, f32>
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$value, Tile_TileType:$factor);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $value `by` $factor attr-dict `:`
    custom<SameType>(type($value), type($result)) `,` type($factor)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SkewOp : Tile_Op<"skew", [Pure]> {
  let summary = "Broadcast per-distance values to (query, key) pairs";
  let description = [{
    `result[i, j] = value[i - j + n - 1]`, where i is the index along `plus`, j
    along `minus`, and n the size of `minus`: all pairs of a diagonal have one
    value, and the first belongs to the first i and the last j. So a part of a
    formula that depends on q - k only is computed once per diagonal.

    Constraints:
    - (skew_c1) the result has the dims `plus` and `minus` and no other;
    - (skew_c2) the operand has one dim, which is neither of these, with one
      element per diagonal: the sum of their sizes minus 1;
    - (skew_c3) both have one element type.

    Example:
    ```mlir
    func.func @alibi(%q0: index, %k0: index, %slope: f32) -> !tile.tile<q:64, k:16, f32> {
      %c15 = arith.constant 15 : index
      %last = arith.addi %k0, %c15 : index
      %first = arith.subi %q0, %last : index
      %0 = tile.map () at(r = %first) : () -> !tile.tile<r:79, f32> {
      ^bb0(%distance: index):
        %2 = arith.index_cast %distance : index to i64
        %3 = arith.sitofp %2 : i64 to f32
        %4 = arith.mulf %slope, %3 : f32
        tile.yield %4 : f32
      }
      %1 = tile.skew %0 plus(q) minus(k) : !tile.tile<r:79, f32> -> !tile.tile<q:64, k:16, f32>
      return %1 : !tile.tile<q:64, k:16, f32>
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$value, StrAttr:$plus, StrAttr:$minus);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $value `plus` `(` custom<Dim>($plus) `)` `minus` `(` custom<Dim>($minus) `)`
    attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_AnyNanOp : Tile_Op<"any_nan", [Pure]> {
  let summary = "Test whether any element is NaN";
  let description = [{
    Tests elements below the valid extents only.

    Constraints:
    - (any_nan_c1) elements are floats;
    - (any_nan_c2) each valid extent names another dim of the tile.

    Example:
    ```mlir
    func.func @poisoned(%o: !tile.tile<q:64, e:64, f32>, %nr: index) -> i1 {
      %0 = tile.any_nan %o valid(q = %nr) : !tile.tile<q:64, e:64, f32>
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Tile_TileType:$value, Variadic<Index>:$valid,
                       StrArrayAttr:$valid_dims);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $value `` custom<Valid>($valid_dims, $valid) attr-dict `:` type($value)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$value, "NamedValues":$valid)>];
  let extraClassDeclaration = [{
    ::mlir::Value getValidOf(::llvm::StringRef dim);
  }];
  let hasVerifier = 1;
}

#endif // ATTNC_DIALECT_TILE_TILEVALUEOPS_TD
