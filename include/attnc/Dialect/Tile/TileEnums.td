//===- TileEnums.td - Enumerations of the tile dialect -----*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_TILEENUMS_TD
#define ATTNC_DIALECT_TILE_TILEENUMS_TD

include "attnc/Dialect/Tile/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::attnc::tile";
  let genSpecializedAttr = 0;
}

def Tile_ReduceKind : Tile_Enum<"ReduceKind", "how elements are combined", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"Add", 1, "add">
]>;

def Tile_CpuIsa : Tile_Enum<"CpuIsa", "the vector instructions", [
  I32EnumAttrCase<"Sse2", 0, "sse2">,
  I32EnumAttrCase<"Avx2", 1, "avx2">,
  I32EnumAttrCase<"Avx512", 2, "avx512">,
  I32EnumAttrCase<"Neon", 3, "neon">,
  I32EnumAttrCase<"Sve2", 4, "sve2">,
  I32EnumAttrCase<"Rvv", 5, "rvv">,
  I32EnumAttrCase<"Simd128", 6, "simd128">
]>;

def Tile_CpuMapping : Tile_Enum<"CpuMapping", "what the lanes represent", [
  I32EnumAttrCase<"Rows", 0, "rows">,
  I32EnumAttrCase<"Features", 1, "features">
]>;

def Tile_CpuPack : Tile_Enum<"CpuPack", "when rows of K and V are copied", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Always", 1, "always">,
  I32EnumAttrCase<"Never", 2, "never">,
  I32EnumAttrCase<"Transposed", 3, "transposed">,
  I32EnumAttrCase<"Keys", 4, "keys">,
  I32EnumAttrCase<"Both", 5, "both">
]>;

def Tile_CpuUnit : Tile_Enum<"CpuUnit", "what multiplies and adds", [
  I32EnumAttrCase<"Fma", 0, "fma">,
  I32EnumAttrCase<"Dot", 1, "dot">,
  I32EnumAttrCase<"Matrix", 2, "matrix">
]>;

def Tile_NvptxArch : Tile_Enum<"NvptxArch", "the architecture of the GPU", [
  I32EnumAttrCase<"Sm80", 0, "sm_80">,
  I32EnumAttrCase<"Sm90a", 1, "sm_90a">
]>;

def Tile_NvptxMapping : Tile_Enum<"NvptxMapping", "how tiles are distributed", [
  I32EnumAttrCase<"Fragment", 0, "fragment">,
  I32EnumAttrCase<"Thread", 1, "thread">,
  I32EnumAttrCase<"Warpgroup", 2, "warpgroup">
]>;

def Tile_NvptxLoads : Tile_Enum<"NvptxLoads", "how producers load tiles", [
  I32EnumAttrCase<"Async", 0, "async">,
  I32EnumAttrCase<"Tma", 1, "tma">
]>;

#endif // ATTNC_DIALECT_TILE_TILEENUMS_TD
