//===- StoreRows.h - Store results as their nest makes them -----*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_MEMORY_STOREROWS_H
#define ATTNC_LIB_CODEGEN_CPU_MEMORY_STOREROWS_H

#include "Plan/Block2D.h"

namespace attnc::cpu {

/// Writes the code of a store of `plan.direct`.
class RowStorer {
public:
  RowStorer(Emitter &emitter, tile::StoreOp store)
      : emitter(emitter), ops(emitter.ops), store(store),
        block(emitter.blockOf(cast<tile::TileType>(store.getValue().getType()),
                              store.getBuf(), store.getIndices(),
                              store.getValidDims(), store.getValid())) {}

  /// Whether the nest stores the tile: the lanes of the whole block are valid
  /// and contiguous in memory.
  Value isDirect();
  /// Stores the rows of a granule that are valid.
  void storeRows(Granule &granule);
  /// The first lane of a window in a row of the tile.
  Value addressOf(Value row, Window window);

private:
  void storeRow(Granule &granule, int64_t row, Value to);

  Emitter &emitter;
  Ops &ops;
  tile::StoreOp store;
  Emitter::Block2D block;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_MEMORY_STOREROWS_H
