//===- TileTypes.td - Tiles and buffers --------------------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_TILETYPES_TD
#define ATTNC_DIALECT_TILE_TILETYPES_TD

include "attnc/Dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic>
    : TypeDef<TileDialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_TileType : Tile_Type<"Tile", "tile"> {
  let summary = "A block of elements with named dims";
  let description = [{
    A value. Dims are static; valid extents are given where the tile is loaded,
    reduced under a mask, or stored. The order of the dims is kept for printing
    and has no meaning.

    Constraints:
    - (tile_c1) there is at least one dim, and the names differ;
    - (tile_c2) each size is at least 1, and there are at most 2^24 elements;
    - (tile_c3) the element type is f32, f64, f16, bf16, i1 or index.

    Example: `!tile.tile<q:64, k:64, f32>`
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$names,
    ArrayRefParameter<"int64_t">:$sizes,
    "::mlir::Type":$elementType);
  let extraClassDeclaration = [{
    /// One dim: name and size.
    using Dim = std::pair<::mlir::StringAttr, int64_t>;
    static TileType get(::llvm::ArrayRef<Dim> dims, ::mlir::Type element);
    static TileType get(::mlir::MLIRContext *context,
                        ::llvm::ArrayRef<std::pair<::llvm::StringRef, int64_t>>
                            dims,
                        ::mlir::Type element);

    static constexpr int64_t kMaxElements = int64_t(1) << 24;
    /// Whether a tile of these sizes is legal (tile_c2).
    static bool fits(::llvm::ArrayRef<int64_t> sizes);

    unsigned getRank() const { return getNames().size(); }
    ::llvm::SmallVector<Dim> getDims() const;
    bool hasDim(::llvm::StringRef name) const;
    /// Place of the dim in the printed order.
    std::optional<unsigned> getDimIndex(::llvm::StringRef name) const;
    /// Size of a dim; nothing when the tile has no such dim.
    std::optional<int64_t> getDimSize(::llvm::StringRef name) const;
    int64_t getNumElements() const;
    /// The same dims with another element type.
    TileType withElementType(::mlir::Type element) const;
    /// Every dim of this tile is a dim of `other`, with the same size.
    bool isSubsetOf(TileType other) const;
    /// Same names, sizes and element type, in any order.
    bool isSameUpToOrder(TileType other) const;
  }];
}

def Tile_BufType : Tile_Type<"Buf", "buf"> {
  let summary = "A tensor in memory, with named axes";
  let description = [{
    An argument of the program. Axes have the tensor's order; extents and
    strides are known at run time only. Element types are those of tensors;
    unsigned bytes are `ui8`, booleans are `i1` (a byte each).

    Constraints:
    - (buf_c1) the axes' names differ;
    - (buf_c2) the element type is f64, f32, f16, bf16, i64, i32, i8, ui8 or i1.

    Examples: `!tile.buf<b, h, k, d : bf16>`; a scalar is `!tile.buf<f32>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$names,
    "::mlir::Type":$elementType);
  let extraClassDeclaration = [{
    /// Whether a buffer may hold such elements (buf_c2).
    static bool isElement(::mlir::Type type);

    unsigned getRank() const { return getNames().size(); }
    bool hasAxis(::llvm::StringRef name) const;
    std::optional<unsigned> getAxisIndex(::llvm::StringRef name) const;
  }];
}

#endif // ATTNC_DIALECT_TILE_TILETYPES_TD
