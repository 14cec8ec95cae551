//===- Scalarize.h - Read a tensor element as scalar ops --------*- C++ -*-===//
//
// A kernel's formulas are scalar. Whatever a graph computes element by element
// (maps, masks, views, reads of arguments) becomes ops of a region.
// Tests: test/Fusion/fuse-kernel.mlir, fuse-kernel-missed.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_SCALARIZE_H
#define ATTNC_LIB_FUSION_KERNEL_SCALARIZE_H

#include "Kernel/KernelMatch.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace attnc::fusion {

/// Whether the size of an axis is a number or the plain name of one.
bool isComputable(mlir::Attribute size);
/// That size as an index.
mlir::Value sizeValue(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Attribute size);

/// Success if Scalarizer can compute an element of `tensor` in a kernel of
/// accumulate type `real`, where the elements of `products` are given.
mlir::LogicalResult checkScalarizable(mlir::Value tensor,
                                      llvm::ArrayRef<PairProduct> products,
                                      mlir::Type real, Refusal &refusal);

class Scalarizer {
public:
  /// `products` are tensors and their elements; those of `always`, the kernel's
  /// mask, are true wherever a score matters.
  Scalarizer(mlir::OpBuilder &builder, mlir::Type real,
             llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> products,
             mlir::Value always = {})
      : b(builder), real(real), products(products), always(always) {}

  /// `element` is that of `tensor` at `indices`.
  void give(mlir::Value tensor, mlir::ValueRange indices, mlir::Value element);
  /// Maps other than such ones are read, not computed again.
  void compute(mlir::Value map) { computed.push_back(map); }

  /// The element of `tensor`, which is scalarizable, at `indices`, rounded as
  /// the tensor would hold it.
  mlir::Value at(mlir::Value tensor, mlir::ValueRange indices);
  /// The value that `block` yields for `arguments`.
  mlir::Value inlineBlock(mlir::Block &block, mlir::ValueRange arguments);

private:
  mlir::Value build(mlir::Value tensor, mlir::ValueRange indices);
  mlir::Value mapAt(attn::MapOp map, mlir::ValueRange indices);
  mlir::Value viewAt(attn::ViewOp view, mlir::ValueRange indices);
  mlir::Value sliceAt(attn::SliceOp slice, mlir::ValueRange indices);
  mlir::Value rounded(mlir::Location loc, mlir::Value x, mlir::Type element);

  mlir::OpBuilder &b;
  mlir::Type real;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> products;
  mlir::Value always;
  llvm::SmallVector<mlir::Value> computed;
  // A graph may share values; each is computed once per place.
  std::map<std::vector<const void *>, mlir::Value> built;
};

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_SCALARIZE_H
