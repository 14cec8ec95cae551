//===- ImportStorage.h - Ragged and paged tensors in the graph --*- C++ -*-===//

#ifndef ATTNC_LIB_IMPORT_STORAGE_IMPORTSTORAGE_H
#define ATTNC_LIB_IMPORT_STORAGE_IMPORTSTORAGE_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Spec/Spec.h"

namespace attnc::import {

/// A tensor of rows as [batch, heads, rows, features], with these sizes.
/// `inputs` are the tensors of the spec's inputs.
mlir::Value denseRows(mlir::OpBuilder &b, mlir::Location loc,
                      const spec::Storage &storage, mlir::ValueRange inputs,
                      mlir::Value tensor,
                      llvm::ArrayRef<mlir::Attribute> sizes);

/// A tensor [batch, heads, rows, keys] with the keys of each sequence among
/// those of all, if they are stored so: `outside` stands at the others.
mlir::Value placedKeys(mlir::OpBuilder &b, mlir::Location loc,
                       const spec::Storage &storage, mlir::ValueRange inputs,
                       mlir::Value tensor, double outside);

/// A tensor [batch, heads, rows] or [batch, heads, rows, features] as it is
/// stored, a result of the function.
mlir::Value storedRows(mlir::OpBuilder &b, mlir::Location loc,
                       const spec::Storage &storage, mlir::ValueRange inputs,
                       mlir::Value tensor, mlir::RankedTensorType result);

/// A tensor of rows of the call as formulas of tensors have it: of a ragged one
/// [heads, rows of all, features].
mlir::Value rowsOfTensors(mlir::OpBuilder &b, mlir::Location loc,
                          const spec::Storage &storage, mlir::Value tensor);

/// What formulas of tensors make for a row, [heads, rows, features] or [rows,
/// features]: of a ragged side as [batch, heads, rows, features] or [batch,
/// rows, features].
mlir::Value unpackedRows(mlir::OpBuilder &b, mlir::Location loc,
                         const spec::Storage &storage, mlir::ValueRange inputs,
                         mlir::Attribute batch, mlir::Value tensor);

/// The way back, of [batch, heads, rows, features]; rows that no sequence has
/// are 0.
mlir::Value packedRows(mlir::OpBuilder &b, mlir::Location loc,
                       const spec::Storage &storage, mlir::ValueRange inputs,
                       mlir::Value tensor);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_STORAGE_IMPORTSTORAGE_H
