//===- SplitOperands.h - Operands as sums of bf16 tiles ---------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_SPLITOPERANDS_H
#define ATTNC_LIB_LOWERING_KERNEL_SPLITOPERANDS_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::lowering {

class KernelBlock;

/// The number of bf16 tiles of which an operand of a kernel is the sum: what
/// the kernel's target says of f16 and f32, 1 of other types.
int64_t countTerms(mlir::Type element, tile::TargetAttrInterface target);

/// The same of weights of f32 that multiply values of bf16.
int64_t countWeightTerms(KernelBlock &block);

/// Tiles of bf16 whose sum is `tile`, the largest first. Two are exact for f16.
/// Of a wider type the last one is rounded.
llvm::SmallVector<mlir::Value> emitTerms(mlir::OpBuilder &builder,
                                         mlir::Location loc, mlir::Value tile,
                                         int64_t count);

/// Which products of terms are computed.
enum class TermProducts {
  All,     // the sum is that of exact products
  Leading, // without those that are smaller than the rounding of the last term
};

/// `acc` plus the product of two operands, given by their terms. `acc` may be
/// null.
mlir::Value emitTermProducts(mlir::OpBuilder &builder, mlir::Location loc,
                             tile::TileType result,
                             llvm::ArrayRef<mlir::Value> queries,
                             llvm::ArrayRef<mlir::Value> rows,
                             llvm::StringRef sum, mlir::Value acc,
                             TermProducts which);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_SPLITOPERANDS_H
