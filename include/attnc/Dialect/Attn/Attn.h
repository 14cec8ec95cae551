//===- Attn.h - The attn dialect --------------------------------*- C++ -*-===//
//
// Ops, attributes and the type rules that every user of the dialect shares.
// The ops are described in AttnOps.td; labels in Labels.h.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTN_H
#define ATTNC_DIALECT_ATTN_ATTN_H

#include "attnc/Dialect/Attn/Labels.h"
#include "attnc/Dialect/Tile/TargetAttr.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attnc/Dialect/Attn/AttnDialect.h.inc"
#include "attnc/Dialect/Attn/AttnEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Attn/AttnAttrs.h.inc"

namespace attnc::attn {

/// Fills a region's block: gets the block's arguments and ends with attn.yield.
using RegionBuilder = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

/// f64 if an element type of `types` is f64, else f32: what products, scores
/// and normalisers are computed in.
mlir::Type accumulateType(mlir::TypeRange types);

/// The type that an element of `tensor` has as a scalar of a region:
/// `accumulate` for a float, index for an integer, i1 for a truth value.
mlir::Type scalarType(mlir::Type tensor, mlir::Type accumulate);

/// A ranked tensor type with one size per axis: a number is a static extent, a
/// name or an expression a dynamic one.
mlir::RankedTensorType tensorType(llvm::ArrayRef<mlir::Attribute> sizes,
                                  mlir::Type elementType);

/// The size of an axis as dims would hold it: an i64 IntegerAttr for a static
/// extent, else a StringAttr, or null for a dynamic extent without a name.
mlir::Attribute axisSize(mlir::Type tensor, unsigned axis);

} // namespace attnc::attn

#define GET_OP_CLASSES
#include "attnc/Dialect/Attn/AttnOps.h.inc"

#endif // ATTNC_DIALECT_ATTN_ATTN_H
