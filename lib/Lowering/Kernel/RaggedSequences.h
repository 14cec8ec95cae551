//===- RaggedSequences.h - Blocks of rows of ragged tensors -----*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_RAGGEDSEQUENCES_H
#define ATTNC_LIB_LOWERING_KERNEL_RAGGEDSEQUENCES_H

#include "mlir/IR/Builders.h"

namespace attnc::lowering {

/// The rows of one sequence in a ragged tensor.
struct Sequence {
  mlir::Value begin, length;
};

/// Reads where sequence `number` begins and how long it is.
Sequence emitSequence(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value start, mlir::Value number);

/// How many blocks of `step` rows a grid needs, as tile.locate numbers them: at
/// most one more for each of `batch` sequences than `rows` of all have, and
/// none without sequences.
mlir::Value countBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value batch, mlir::Value rows, mlir::Value step);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_RAGGEDSEQUENCES_H
