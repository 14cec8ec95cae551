//===- HalideAttrs.td - The target of Halide schedules -----*- tablegen -*-===//

#ifndef ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD
#define ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD

include "attnc/Dialect/Halide/HalideEnums.td"
include "attnc/Dialect/Tile/TileAttrInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Halide_MappingParameter : EnumParameter<Halide_Mapping> {
  let defaultValue = "::attnc::halide::Mapping::Rows";
}

def Halide_ScheduleAttr : AttrDef<HalideDialect, "Schedule", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>]> {
  let mnemonic = "schedule";
  let summary = "Schedule fields of the Halide backend";
  let description = [{
    Set by Schedule from Target data; the Halide code generator follows every
    field.

    | field | meaning |
    |---|---|
    | `lanes` | elements per vector (16 for f32 with AVX-512) |
    | `score_tile` | accumulators of Q K^T: [keys, vectors of queries], or, if lanes are features, [keys, queries] |
    | `value_tile` | accumulators of P V: [value features, vectors of queries], or, if lanes are features, [vectors of value features, queries] |
    | `mapping` | what the lanes of products are: `rows` (queries; not printed) or `features` |

    Constraints:
    - (halide_schedule_c1) `lanes` is a power of two, at most 64;
    - (halide_schedule_c2) both tiles have two entries of 1 to 32;
    - (halide_schedule_c3) with `mapping = features`, the keys of `score_tile`
      are a power of two.

    Example:
    ```mlir
    "test.op"() {t = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>} : () -> ()
    "test.op"() {t = #halide.schedule<lanes = 16, score_tile = [4, 4], value_tile = [4, 4], mapping = features>} : () -> ()
    ```
  }];
  let parameters = (ins "int64_t":$lanes,
                        ArrayRefParameter<"int64_t">:$score_tile,
                        ArrayRefParameter<"int64_t">:$value_tile,
                        Halide_MappingParameter:$mapping);
  let assemblyFormat = [{
    `<` struct($lanes, custom<Tile>($score_tile), custom<Tile>($value_tile),
               $mapping) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasFeatureLanes() const {
      return getMapping() == ::attnc::halide::Mapping::Features;
    }
    /// The lanes that divide a row of `features`, where lanes are features.
    int64_t getLanesOf(int64_t features) const;
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "halide"; }
    int64_t $cppClass::getGranule() const { return getLanes(); }
    int64_t $cppClass::getPartialStep(int64_t step) const {
      return ::std::min(step, 64 / getScoreTile()[0] * getScoreTile()[0]);
    }
    int64_t $cppClass::getLanesOf(int64_t features) const {
      return ::std::max<int64_t>(
          1, ::std::min(getLanes(), features & -features));
    }
  }];
}

def Halide_GpuScheduleAttr : AttrDef<HalideDialect, "GpuSchedule", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface,
                                ["getMostInstances"]>]> {
  let mnemonic = "gpu_schedule";
  let summary = "Schedule fields of the Halide backend on devices";
  let description = [{
    Set by Schedule from Target data; the Halide code generator follows every
    field. A group computes a block of queries, one query per thread along x.

    | field | meaning |
    |---|---|
    | `group` | threads of a group: [queries, threads per query] |
    | `keys` | scores that a thread computes at once: consecutive keys |
    | `features` | accumulators of P V in a thread: consecutive features |
    | `shared` | what of a block of keys is in shared memory, else in global memory: `scores`, `weights`, `values` (of the block), `state` (of all blocks) |

    Constraints:
    - (halide_gpu_c1) `group` has two entries of at least 1, with a product of
      at most 1024;
    - (halide_gpu_c2) `keys` and `features` are from 1 to 32;
    - (halide_gpu_c3) `shared` names each array once at most.

    Example:
    ```mlir
    "test.op"() {t = #halide.gpu_schedule<group = [16, 8], keys = 4, features = 4, shared = [scores, weights]>} : () -> ()
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$group,
                        "int64_t":$keys, "int64_t":$features,
                        ArrayRefParameter<"::mlir::StringAttr">:$shared);
  let assemblyFormat = [{
    `<` struct(custom<Tile>($group), $keys, $features, custom<Names>($shared)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The names that `shared` may have.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getArrays();
    bool hasShared(::llvm::StringRef array) const;
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "halide"; }
    int64_t $cppClass::getGranule() const { return 1; }
    int64_t $cppClass::getMostInstances() const { return 1024; }
    int64_t $cppClass::getPartialStep(int64_t step) const { return step; }
  }];
}

#endif // ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD
