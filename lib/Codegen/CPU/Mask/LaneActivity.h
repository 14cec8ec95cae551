//===- LaneActivity.h - Find queries that see keys of a partial tile ------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_MASK_LANEACTIVITY_H
#define ATTNC_LIB_CODEGEN_CPU_MASK_LANEACTIVITY_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

class LaneActivity {
public:
  explicit LaneActivity(Emitter &emitter)
      : emitter(emitter), ops(emitter.ops) {}

  /// An i1, false only if the region of `op` is false for the given keys of the
  /// tile, at most `most`, and the queries of the first vector of a window.
  Value anyKept(tile::SelectMaskedOp op, Window window, KeyRange keys,
                int64_t most);

private:
  struct Bounds {
    Value low, high;
  };
  struct Truth {
    Value may, must;
  };

  Truth unknown();
  Truth compare(mlir::arith::CmpIPredicate predicate, Bounds a, Bounds b);
  std::optional<Bounds> integer(Operation *op);
  std::optional<Bounds> boundsOf(Value value);
  Value integersOfKeys(const Slot &slot, tile::TileType type, KeyRange keys,
                       int64_t most);
  std::optional<Bounds> boundsOfTile(tile::SelectMaskedOp op, Value tile,
                                     Window window, KeyRange keys,
                                     int64_t most);
  Truth truthOf(Value value);

  Emitter &emitter;
  Ops &ops;
  llvm::DenseMap<Value, std::optional<Bounds>> bounds;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_MASK_LANEACTIVITY_H
