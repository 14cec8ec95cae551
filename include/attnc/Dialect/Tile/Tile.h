//===- Tile.h - The dialect of stage `tile` ---------------------*- C++ -*-===//
//
// Block programs on values with named dims; TileOps.td is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TILE_H
#define ATTNC_DIALECT_TILE_TILE_H

#include "attnc/Dialect/Tile/TargetAttr.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <utility>

namespace attnc::tile {

/// Dims with a value each: `at(q = %q0, k = %k0)`, `valid(k = %nk)`.
using NamedValues = llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>>;

/// The dim of what is known by the distance of a query and a key only. A target
/// that has queries along its lanes has these there, too.
inline constexpr llvm::StringLiteral kDistanceDim = "r";

/// Builds the ops of a scalar region from its arguments and returns what the
/// region yields.
using BodyBuilder = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Builds the ops of a phase and returns what it yields.
using PhaseBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location)>;

} // namespace attnc::tile

#include "attnc/Dialect/Tile/TileDialect.h.inc"

#include "attnc/Dialect/Tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "attnc/Dialect/Tile/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Tile/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "attnc/Dialect/Tile/TileOps.h.inc"

namespace attnc::tile {

/// Whether a tile element of this type can hold the constant (splat_c1).
bool canHold(mlir::Type element, double value);

/// The attribute of the constant in this type; null unless canHold.
mlir::TypedAttr constantOf(mlir::Type element, double value);

} // namespace attnc::tile

#endif // ATTNC_DIALECT_TILE_TILE_H
