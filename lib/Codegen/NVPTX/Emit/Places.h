//===- Places.h - Tensors, tiles and their elements -------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_EMIT_PLACES_H
#define ATTNC_LIB_CODEGEN_NVPTX_EMIT_PLACES_H

#include "Layout.h"

namespace attnc::ptx {

/// A tensor or a workspace: global memory, strides in elements.
struct Buffer {
  mlir::Type element;
  mlir::Value data;
  llvm::SmallVector<mlir::Value> strides, extents;
};

/// The elements of a tile. Constant tiles are in registers or have only their
/// number. With `isOfWarp` a warp has each column once: register n of lane l is
/// column 32 n + l.
struct Tile {
  tile::TileType type;
  llvm::SmallVector<mlir::Value> registers = {}; // by row, then column
  std::optional<SharedTile> shared = {};
  std::optional<double> constant = {};
  bool isOfWarp = false;
  std::pair<int64_t, mlir::Value> last = {-1, {}}; // slot read of other lanes
};

/// Of a thread's columns in a fragment, from its first one.
inline int64_t columnOffset(int64_t slot) { return 8 * (slot / 2) + slot % 2; }

/// Where an element of a result is computed: a register, or an element of a
/// tile in shared memory at run-time positions.
struct Place {
  tile::TileType type;
  int64_t row = 0, column = 0;
  llvm::SmallVector<std::pair<mlir::StringAttr, mlir::Value>, 2> positions = {};

  bool isRegister() const { return positions.empty(); }
};

/// Gets an element and its address, or whether it is one of the tile.
using AtPlace = llvm::function_ref<void(const Place &, mlir::Value)>;

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_EMIT_PLACES_H
