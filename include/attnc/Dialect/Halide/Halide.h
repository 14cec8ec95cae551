//===- Halide.h - Decisions of the Halide backend ---------------*- C++ -*-===//

#ifndef ATTNC_DIALECT_HALIDE_HALIDE_H
#define ATTNC_DIALECT_HALIDE_HALIDE_H

#include "attnc/Dialect/Tile/TargetAttr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "attnc/Dialect/Halide/HalideDialect.h.inc"
#include "attnc/Dialect/Halide/HalideEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Halide/HalideAttrs.h.inc"

#endif // ATTNC_DIALECT_HALIDE_HALIDE_H
