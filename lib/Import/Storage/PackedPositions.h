//===- PackedPositions.h - Positions of rows of all sequences ---*- C++ -*-===//

#ifndef ATTNC_LIB_IMPORT_STORAGE_PACKEDPOSITIONS_H
#define ATTNC_LIB_IMPORT_STORAGE_PACKEDPOSITIONS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attnc::import {

/// Rows of sequences behind each other: how many sequences and rows there are,
/// and where each sequence begins.
struct PackedRows {
  mlir::Attribute sequences, rows;
  mlir::Value start;
};

/// A tensor of `type`, [rows], that says of each row its position in its
/// sequence, whose first row has the position `first(builder, loc, sequence)`,
/// an index. Of rows that no sequence has it says anything.
mlir::Value
packedPositions(mlir::ImplicitLocOpBuilder &b, const PackedRows &rows,
                mlir::Type type,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                               mlir::Location, mlir::Value)>
                    first);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_STORAGE_PACKEDPOSITIONS_H
