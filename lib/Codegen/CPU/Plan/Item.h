//===- Item.h - Ops that one loop nest computes -----------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_ITEM_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_ITEM_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::cpu {

/// Keys of a granule where lanes of products are features: enough for the
/// latencies of elementwise ops on one vector. Products take them in parts.
inline constexpr int64_t kKeysOfFew = 8;

/// The dim along the lanes; in products with `mapping = features` only at their
/// edges.
inline constexpr llvm::StringLiteral kLaneDim = "q";

/// The places that a nest visits: one dim (or none) times the lanes (or not).
/// Along the lanes are the block's queries, or the distances of a tile.
struct Space {
  bool lanes = false;
  mlir::StringAttr dim; // null: none
  int64_t size = 1;     // of `dim`, or the number of distances
  bool distances = false;
  bool operator==(const Space &) const = default;
};

/// The space of a tile; nothing when it has two dims besides the lanes, or one
/// besides distances.
std::optional<Space> spaceOf(tile::TileType type);

enum class ItemKind {
  Scalar,   // cloned
  Nest,     // ops over one space
  Rows,     // tile.load without lanes and with two dims: rows of K or V
  LaneLoad, // tile.load transposed into lanes
  Tiles,    // tile.dot on the matrix unit, and those that add to its sums
  Store,    // tile.store
  AnyNan,   // tile.any_nan
  For,      // tile.for
  If,       // scf.if
  Passes,   // scf.for
};

struct Item {
  ItemKind kind;
  llvm::SmallVector<mlir::Operation *> ops;
  Space space; // of a nest
  /// Results that only this nest reads, though they have slots for others.
  llvm::SmallVector<mlir::Value> inside = {};

  /// Whether the item works on queries in lanes, so that it runs once per
  /// group of vectors.
  bool onLanes() const {
    return kind == ItemKind::LaneLoad || kind == ItemKind::Store ||
           kind == ItemKind::Tiles ||
           (kind == ItemKind::Nest && space.lanes && !space.distances);
  }
};

/// Whether a load reads operand B of the matrix unit in place: a panel of pairs
/// along the sum, all lanes of a block.
bool isPanel(tile::LoadOp load);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_ITEM_H
