//===- TensorMap.h - How tensors are read by their maps ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_EMIT_TENSORMAP_H
#define ATTNC_LIB_CODEGEN_NVPTX_EMIT_TENSORMAP_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::ptx {

/// What the tensor memory accelerator knows of a tensor when it copies a box of
/// it: a panel of a tile, of `rows` rows and `swizzle` bytes. Elements outside
/// of the tensor are zeros. The host makes the map for each call, as strides
/// and extents are known then (Functions.cpp).
struct TensorMap {
  /// An argument or a workspace of the program.
  mlir::Value buffer;
  /// Of the buffer: the contiguous one, that of the rows, and all others.
  llvm::SmallVector<unsigned> axes;
  /// Where the contiguous axis ends for this map, in elements; nothing: where
  /// it ends in the buffer.
  std::optional<int64_t> columns;
  int64_t rows, swizzle;

  bool operator==(const TensorMap &other) const = default;
  mlir::Type element() const {
    return mlir::cast<tile::BufType>(buffer.getType()).getElementType();
  }
};

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_EMIT_TENSORMAP_H
