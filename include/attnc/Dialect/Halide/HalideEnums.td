//===- HalideEnums.td - Enumerations of the halide dialect -*- tablegen -*-===//

#ifndef ATTNC_DIALECT_HALIDE_HALIDEENUMS_TD
#define ATTNC_DIALECT_HALIDE_HALIDEENUMS_TD

include "attnc/Dialect/Halide/HalideDialect.td"
include "mlir/IR/EnumAttr.td"

def Halide_Mapping : I32EnumAttr<"Mapping", "what the lanes represent", [
  I32EnumAttrCase<"Rows", 0, "rows">,
  I32EnumAttrCase<"Features", 1, "features">
]> {
  let cppNamespace = "::attnc::halide";
  let genSpecializedAttr = 0;
}

#endif // ATTNC_DIALECT_HALIDE_HALIDEENUMS_TD
