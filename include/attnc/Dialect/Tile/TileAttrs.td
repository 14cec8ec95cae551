//===- TileAttrs.td - Attributes of the tile dialect -------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_TILEATTRS_TD
#define ATTNC_DIALECT_TILE_TILEATTRS_TD

include "attnc/Dialect/Tile/TileAttrInterfaces.td"
include "attnc/Dialect/Tile/TileEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TileDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_ReduceKindAttr : EnumAttr<TileDialect, Tile_ReduceKind, "reduce"> {
  let description = "How `tile.reduce` combines elements: `max` or `add`, both with an `init`.";
  let assemblyFormat = "`<` $value `>`";
}

def Tile_NoTargetAttr : Tile_Attr<"NoTarget", "none", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>]> {
  let summary = "Target of programs that are not compiled";
  let description = [{
    For programs that are interpreted only, and for schedules whose target does
    not matter. No backend compiles them.

    Example:
    ```mlir
    tile.program @nothing(%n: index) target #tile.none {
    }
    ```
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "none"; }
    int64_t $cppClass::getGranule() const { return 1; }
    int64_t $cppClass::getPartialStep(int64_t step) const { return step; }
  }];
}

def Tile_CpuUnitParameter : EnumParameter<Tile_CpuUnit> {
  let defaultValue = "::attnc::tile::CpuUnit::Fma";
}

def Tile_CpuAttr : Tile_Attr<"Cpu", "cpu", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface,
        ["verifyHolder", "getTransposesValues", "getPacksKeys",
         "getOperandTerms"]>]> {
  let summary = "Schedule fields of the CPU code generator";
  let description = [{
    Set by Schedule from Target data; the code generator follows every field.

    | field | meaning |
    |---|---|
    | `isa` | vector instructions: `sse2`, `avx2`, ... as in the enum `CpuIsa` |
    | `mapping` | what the lanes of a product represent: `rows`: queries; `features`: in blocks (and tails) of one vector of queries the features of a row of K or V, so that few queries use whole vectors; everything else has queries in its lanes |
    | `lanes` | queries per vector (16 for f32 with `avx512`) |
    | `score_granule` | register tile of Q K^T: [rows of keys, vectors of queries] |
    | `value_granule` | register tile of P V: [value features, vectors of queries] |
    | `unroll` | steps of the summed dim per iteration of the inner loop |
    | `tail` | a last block of at most this many queries has a separate body; 0: none |
    | `lane_skip` | partial tiles have as many keys as full ones, and each vector of queries visits the pieces of at most `partial_step` keys from the first to the last that it sees |
    | `pack` | copy rows of K and V: `auto` decides by their strides at run time; a grid before the kernel's stores an operand in a workspace, as the matrix unit reads it (`unit = matrix` only): `transposed`: V, transposed; `keys`: K, its rows padded with zeros to a multiple of 32 features; `both`: both |
    | `partial` | keys of a tile that needs a mask, at most (default 16); Lowering makes it the `partial_step` of the loop |
    | `feature_rows` | of `mapping = features`: queries that a register tile multiplies with each loaded vector of K or V (default 0: none) |
    | `unit` | what computes products of two bf16 tiles, and of two tiles that are loaded as 8-bit integers: `fma`: operands are widened to f32; `dot`: the dot-product unit, on pairs (of integers also quadruples) of features and pairs of keys; `matrix`: the matrix unit, on tiles of 16 keys or value features by 16 queries. Other products are unaffected (default `fma`) |
    | `bf16_terms` | of `unit = matrix`: the number of bf16 tiles whose sum is an operand of f16 or f32, so that the unit computes products of these, too; 1: it does not (default 1) |

    Constraints:
    - (cpu_c1) `lanes` is a power of two, at most 64;
    - (cpu_c2) both granules have two entries of 1 to 32;
    - (cpu_c3) `unroll` is 1 to 64;
    - (cpu_c4) `tail` is 0 or a multiple of `lanes`;
    - (cpu_c5) `partial` is at least 1;
    - (cpu_c6) a grid has the `isa` of its program;
    - (cpu_c7) `feature_rows` is a power of two of at most `lanes` and 8 with
      `mapping = features`, otherwise 0;
    - (cpu_c8) `unit = dot` requires `isa = avx512` or `avx2`, `unit = matrix`
      `isa = avx512`;
    - (cpu_c9) `unit = matrix` requires 16 `lanes`;
    - (cpu_c10) `bf16_terms` is 1, or 2 with `unit = matrix`.

    Example: `#tile.cpu<isa = avx512, mapping = rows, lanes = 16,
    score_granule = [4, 4], value_granule = [4, 4], unroll = 4, tail = 16,
    lane_skip = true, pack = auto>`
  }];
  let parameters = (ins
    EnumParameter<Tile_CpuIsa>:$isa,
    EnumParameter<Tile_CpuMapping>:$mapping,
    "int64_t":$lanes,
    ArrayRefParameter<"int64_t">:$score_granule,
    ArrayRefParameter<"int64_t">:$value_granule,
    "int64_t":$unroll,
    "int64_t":$tail,
    "bool":$lane_skip,
    EnumParameter<Tile_CpuPack>:$pack,
    DefaultValuedParameter<"int64_t", "16">:$partial,
    DefaultValuedParameter<"int64_t", "0">:$feature_rows,
    Tile_CpuUnitParameter:$unit,
    DefaultValuedParameter<"int64_t", "1">:$bf16_terms);
  let builders = [
    AttrBuilder<(ins "CpuIsa":$isa, "CpuMapping":$mapping, "int64_t":$lanes,
                     "::llvm::ArrayRef<int64_t>":$scoreGranule,
                     "::llvm::ArrayRef<int64_t>":$valueGranule,
                     "int64_t":$unroll, "int64_t":$tail, "bool":$laneSkip,
                     "CpuPack":$pack), [{
      return $_get($_ctxt, isa, mapping, lanes, scoreGranule, valueGranule,
                   unroll, tail, laneSkip, pack, /*partial=*/16,
                   /*feature_rows=*/0, CpuUnit::Fma, /*bf16_terms=*/1);
    }]>];
  let assemblyFormat = [{
    `<` struct($isa, $mapping, $lanes, custom<Integers>($score_granule),
               custom<Integers>($value_granule), $unroll, $tail, $lane_skip,
               $pack, $partial, $feature_rows, $unit, $bf16_terms) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "llvm"; }
    int64_t $cppClass::getGranule() const { return getLanes(); }
    int64_t $cppClass::getPartialStep(int64_t step) const {
      return ::std::min(getPartial(), step);
    }
    bool $cppClass::getTransposesValues() const {
      return getPack() == CpuPack::Transposed || getPack() == CpuPack::Both;
    }
    bool $cppClass::getPacksKeys() const {
      return getPack() == CpuPack::Keys || getPack() == CpuPack::Both;
    }
    int64_t $cppClass::getOperandTerms() const { return getBf16Terms(); }
  }];
}

def Tile_NvptxLoadsParameter : EnumParameter<Tile_NvptxLoads> {
  let defaultValue = cppType # "::Async";
}

def Tile_NvptxAttr : Tile_Attr<"Nvptx", "nvptx", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface,
        ["verifyHolder", "getMostInstances", "getMergeTarget"]>]> {
  let summary = "Schedule fields of the NVPTX code generator";
  let description = [{
    Set by Schedule from Target data; the code generator follows every field. A
    thread block executes one instance of a grid.

    | field | meaning |
    |---|---|
    | `arch` | instructions: `sm_80`, ... as in the enum `NvptxArch` |
    | `mapping` | `fragment`: warps own rows of a tile, threads the elements of an accumulator of `mma.m16n8`; `warpgroup`: the same elements, but four warps multiply together with `wgmma`; `thread`: each thread owns one row (element along `q`) |
    | `warps` | warps per thread block |
    | `rows` | rows per warp: a multiple of 16 (`fragment`), 16 (`warpgroup`), 32 (`thread`) |
    | `stages` | buffers of each tile of keys and values: with 2 or more, asynchronous copies fill the next ones |
    | `fast_exp` | exp2 is the instruction `ex2.approx` (2 ulp, subnormal results are 0) |
    | `shared_rows` | Q is stored in shared memory, not in registers: `wgmma` reads it there, and `mma` by one `ldmatrix` per step of each tile of keys |
    | `overlap` | in loops over full tiles the product of the values starts one tile late, so that it runs while the softmax is computed; where the program allows it |
    | `producers` | four warps more, the producers, only copy tiles of keys and values to shared memory; the others, the consumers, do all else |
    | `ping_pong` | warpgroups of consumers take turns to start their products, so that one multiplies while another computes its softmax |
    | `tf32` | `mma.m16n8k8` multiplies f32 operands, rounded to tf32 (10 bits of mantissa, ties away from zero) |
    | `loads` | what producers copy with: `async`, all their threads with `cp.async`; `tma`, one thread with the tensor memory accelerator, where the tensors of a call have a layout that it reads |

    Constraints:
    - (nvptx_c1) `warps` is 1 to 32, and a multiple of 4 with
      `mapping = warpgroup`;
    - (nvptx_c2) `rows` is a multiple of 16 up to 128, 16 with
      `mapping = warpgroup` and 32 with `mapping = thread`;
    - (nvptx_c3) `stages` is 1 to 8;
    - (nvptx_c4) a grid has the `arch` of its program;
    - (nvptx_c5) `mapping = warpgroup` needs `arch = sm_90a`;
    - (nvptx_c6) `overlap` needs `mapping = warpgroup`, and `shared_rows` that or
      `mapping = fragment`;
    - (nvptx_c7) `overlap` needs `stages` of 2 or more;
    - (nvptx_c8) `producers` needs `mapping = warpgroup`, `stages` of 2 or more
      and at most 28 `warps`;
    - (nvptx_c9) `ping_pong` needs `producers`, `overlap` and at least 8 `warps`;
    - (nvptx_c10) `loads = tma` needs `producers`;
    - (nvptx_c11) `tf32` needs `mapping = fragment`.

    Example: `#tile.nvptx<arch = sm_80, mapping = fragment, warps = 4,
    rows = 16, stages = 1, fast_exp = true>`
  }];
  let parameters = (ins
    EnumParameter<Tile_NvptxArch>:$arch,
    EnumParameter<Tile_NvptxMapping>:$mapping,
    "int64_t":$warps,
    "int64_t":$rows,
    "int64_t":$stages,
    "bool":$fast_exp,
    DefaultValuedParameter<"bool", "false">:$shared_rows,
    DefaultValuedParameter<"bool", "false">:$overlap,
    DefaultValuedParameter<"bool", "false">:$producers,
    DefaultValuedParameter<"bool", "false">:$ping_pong,
    DefaultValuedParameter<"bool", "false">:$tf32,
    Tile_NvptxLoadsParameter:$loads);
  let assemblyFormat = [{
    `<` struct($arch, $mapping, $warps, $rows, $stages, $fast_exp,
               $shared_rows, $overlap, $producers, $ping_pong, $tf32, $loads) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of the warps that own rows.
    int64_t getThreads() const { return 32 * getWarps(); }
    static constexpr int64_t kProducerThreads = 128;
    /// With those of the producers.
    int64_t getBlockThreads() const {
      return getThreads() + (getProducers() ? kProducerThreads : 0);
    }
    /// Registers of a producer's thread with `loads`. Producers keep only what
    /// addresses take, and leave the rest to the consumers; a block with one
    /// warpgroup of these has enough for all. Three warpgroups leave more than
    /// addresses take, because consumers have a multiple of 8.
    int64_t getProducerRegisters() const {
      if (getLoads() == NvptxLoads::Async)
        return 56;
      return getWarps() > 8 ? kSearchRegisters : 24;
    }
    /// The least of a producer that also searches tables.
    static constexpr int64_t kSearchRegisters = 32;
    /// The same, but with other loads.
    NvptxAttr withLoads(NvptxLoads loads) const;
    bool movesRegisters() const { return getProducers() && getWarps() > 4; }
    /// Registers of a thread that owns rows, of the `registers` that a block
    /// can have. setmaxnreg moves registers of the block's launch, where all
    /// threads have the same number: more than these are waited for forever.
    int64_t getThreadRegisters(int64_t registers) const {
      return getThreadRegisters(registers, getProducerRegisters());
    }
    int64_t getThreadRegisters(int64_t registers,
                               int64_t ofProducer) const {
      constexpr int64_t granule = 8, most = 240;
      int64_t atLaunch = registers / getBlockThreads() / granule * granule;
      if (!movesRegisters())
        return atLaunch;
      int64_t left =
          atLaunch * getBlockThreads() - kProducerThreads * ofProducer;
      return std::min(most, left / getThreads() / granule * granule);
    }
    /// Rows of a thread block.
    int64_t getBlockRows() const { return getWarps() * getRows(); }
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "nvptx"; }
    int64_t $cppClass::getGranule() const { return getBlockRows(); }
    int64_t $cppClass::getPartialStep(int64_t step) const { return step; }
  }];
}

#endif // ATTNC_DIALECT_TILE_TILEATTRS_TD
