//===- TileAssembly.h - Directives of the assembly formats ------*- C++ -*-===//
//
// custom<X>(...) in TileOps.td and TileAttrs.td calls parseX and printX.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DIALECT_TILE_TILEASSEMBLY_H
#define ATTNC_LIB_DIALECT_TILE_TILEASSEMBLY_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::tile {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

/// `at(q = %q0, k = %k0)`; nothing when empty.
mlir::ParseResult parseAt(mlir::OpAsmParser &parser, mlir::ArrayAttr &dims,
                          Operands &values);
void printAt(mlir::OpAsmPrinter &printer, mlir::Operation *op,
             mlir::ArrayAttr dims, mlir::OperandRange values);

/// `valid(k = %nk)`; nothing when empty.
mlir::ParseResult parseValid(mlir::OpAsmParser &parser, mlir::ArrayAttr &dims,
                             Operands &values);
void printValid(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr dims, mlir::OperandRange values);

/// A bare name.
mlir::ParseResult parseDim(mlir::OpAsmParser &parser, mlir::StringAttr &dim);
void printDim(mlir::OpAsmPrinter &printer, mlir::Operation *op,
              mlir::StringAttr dim);

/// `max` or `add`.
mlir::ParseResult parseKind(mlir::OpAsmParser &parser, ReduceKindAttr &kind);
void printKind(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               ReduceKindAttr kind);

/// An f64 with the words inf, -inf and nan.
mlir::ParseResult parseReal(mlir::OpAsmParser &parser, mlir::FloatAttr &value);
void printReal(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::FloatAttr value);

/// One type for two values.
mlir::ParseResult parseSameType(mlir::OpAsmParser &parser, mlir::Type &first,
                                mlir::Type &second);
void printSameType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::Type first, mlir::Type second);

/// `(lhs, rhs) -> result`; acc, when there, has the result's type.
mlir::ParseResult
parseDotTypes(mlir::OpAsmParser &parser,
              std::optional<mlir::OpAsmParser::UnresolvedOperand> acc,
              mlir::Type &lhs, mlir::Type &rhs, mlir::Type &accType,
              mlir::Type &result);
void printDotTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::Value acc, mlir::Type lhs, mlir::Type rhs,
                   mlir::Type accType, mlir::Type result);

/// `[4, 4]`
mlir::ParseResult parseIntegers(mlir::AsmParser &parser,
                                llvm::SmallVector<int64_t> &values);
void printIntegers(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> values);

} // namespace attnc::tile

#endif // ATTNC_LIB_DIALECT_TILE_TILEASSEMBLY_H
