//===- HalideDialect.td - Decisions of the Halide backend --*- tablegen -*-===//

#ifndef ATTNC_DIALECT_HALIDE_HALIDEDIALECT_TD
#define ATTNC_DIALECT_HALIDE_HALIDEDIALECT_TD

include "mlir/IR/DialectBase.td"

def HalideDialect : Dialect {
  let name = "halide";
  let cppNamespace = "::attnc::halide";
  let summary = "Decisions of the Halide backend";
  let description = [{
    One attribute, the target of schedules that the Halide backend follows. The
    dialect has no ops: the backend continues from stage `scheduled`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // ATTNC_DIALECT_HALIDE_HALIDEDIALECT_TD
