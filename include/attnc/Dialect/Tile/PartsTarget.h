//===- PartsTarget.h - Parts and rows, as a target wants them ---*- C++ -*-===//
//
// What the lowering of kernels with few rows asks of a target.
// Tests: test/Lowering/split-keys.mlir,
// test/Lowering/grouped-rows.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_TILE_PARTSTARGET_H
#define ATTNC_DIALECT_TILE_PARTSTARGET_H

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::tile {

/// Instances of a grid that keep all of a machine busy. Keys have no more parts
/// than make so many: others only cost workspace and time to merge.
int64_t mostInstances(TargetAttrInterface target);

/// The target of a grid that merges the states of parts with one row per
/// instance, whose `features` lie along dim q. Null: blocks of rows, as in the
/// kernel's own grid.
TargetAttrInterface mergeTarget(TargetAttrInterface target, int64_t features);

/// Whether a kernel reads its rows as fast element by element, from where they
/// lie, as in blocks.
bool readsElements(TargetAttrInterface target);

} // namespace attnc::tile

#endif // ATTNC_DIALECT_TILE_PARTSTARGET_H
