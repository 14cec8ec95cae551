//===- HalideAttrs.td - The target of Halide schedules -----*- tablegen -*-===//

#ifndef ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD
#define ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD

include "attnc/Dialect/Halide/HalideDialect.td"
include "attnc/Dialect/Tile/TileAttrInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Halide_ScheduleAttr : AttrDef<HalideDialect, "Schedule", [
    DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>]> {
  let mnemonic = "schedule";
  let summary = "Schedule fields of the Halide backend";
  let description = [{
    Set by Schedule from Target data; the Halide code generator follows every
    field.

    | field | meaning |
    |---|---|
    | `lanes` | queries per vector (16 for f32 with AVX-512) |
    | `score_tile` | accumulators of Q K^T: [keys, vectors of queries] |
    | `value_tile` | accumulators of P V: [value features, vectors of queries] |

    Constraints:
    - (halide_schedule_c1) `lanes` is a power of two, at most 64;
    - (halide_schedule_c2) both tiles have two entries of 1 to 32.

    Example:
    ```mlir
    "test.op"() {t = #halide.schedule<lanes = 16, score_tile = [8, 2], value_tile = [8, 2]>} : () -> ()
    ```
  }];
  let parameters = (ins "int64_t":$lanes,
                        ArrayRefParameter<"int64_t">:$score_tile,
                        ArrayRefParameter<"int64_t">:$value_tile);
  let assemblyFormat = [{
    `<` struct($lanes, custom<Tile>($score_tile), custom<Tile>($value_tile)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getBackend() const { return "halide"; }
    int64_t $cppClass::getGranule() const { return getLanes(); }
    int64_t $cppClass::getPartialStep(int64_t step) const { return step; }
  }];
}

#endif // ATTNC_DIALECT_HALIDE_HALIDEATTRS_TD
