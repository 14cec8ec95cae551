//===- TensorBox.h - Tiles that a tensor map can describe -------*- C++ -*-===//
//
// The tensor memory accelerator of NVIDIA GPUs copies boxes of a tensor. One
// rule decides which tiles are such boxes, for Schedule, which chooses
// `loads = tma`, and for the code generator, which makes the maps.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_TENSORBOX_H
#define ATTNC_DIALECT_TILE_TENSORBOX_H

#include "llvm/Support/FormatVariadic.h"

#include <cstdint>
#include <string>

namespace attnc::tile {

/// A tile of a tensor with contiguous columns, as known before a call.
struct TensorBox {
  static constexpr int64_t kMostAxes = 5, kMostRows = 256;

  int64_t axes;            // of the tensor
  int64_t rows;            // of the tile
  int64_t columns, padded; // of the tile, without and with its padding
  bool hasPages;           // a table says where rows are
  /// The columns are a part of an axis, whose start only the call knows.
  bool isPartOfAxis;
};

/// Why the tile is not a box of the tensor, or an empty text.
inline std::string whyNoBox(const TensorBox &box) {
  if (box.hasPages)
    return "the rows of a tile are in several pages";
  if (box.axes > TensorBox::kMostAxes)
    return llvm::formatv("a tensor has {0} axes, tensor maps have up to {1}",
                         box.axes, TensorBox::kMostAxes);
  if (box.rows > TensorBox::kMostRows)
    return llvm::formatv("a tile has {0} rows, boxes have up to {1}", box.rows,
                         TensorBox::kMostRows);
  // What is beyond the end of an axis is filled with zeros, as padding has to
  // be; other columns of the axis are not.
  if (box.columns != box.padded && box.isPartOfAxis)
    return llvm::formatv("rows of {0} features are padded to {1}, but heads "
                         "share the axis of the features",
                         box.columns, box.padded);
  return {};
}

} // namespace attnc::tile

#endif // ATTNC_DIALECT_TILE_TENSORBOX_H
