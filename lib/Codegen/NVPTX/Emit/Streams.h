//===- Streams.h - Tiles copied ahead, and late products --------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_EMIT_STREAMS_H
#define ATTNC_LIB_CODEGEN_NVPTX_EMIT_STREAMS_H

#include "Layout.h"

#include "llvm/ADT/SetVector.h"

#include <functional>

namespace attnc::ptx {

/// A product that starts one iteration late, and what it needs there
/// (Overlap.cpp).
struct LateProduct {
  tile::DotOp score, product;
  tile::RescaleOp rescale; // of the sums before the product, or null
  tile::LoadOp columns;
  mlir::Value carried; // the sums, an argument of the body
  bool hasPrevious = false;
  llvm::SmallVector<mlir::Value> rows, inFlight;
  std::function<void()> copyNext;

  /// The first op that reads the sums.
  mlir::Operation *reader() {
    return rescale ? rescale.getOperation() : product.getOperation();
  }
};

/// A load whose tiles producers copy: its buffers, one per stage, and for each
/// of them an mbarrier that says that it is full, and one that it is empty
/// (Producers.cpp). Both sides count the tiles that they are done with.
struct Ring {
  tile::LoadOp load;
  mlir::Operation *lastReader;    // in the loop's body
  bool isReadByThreads;           // not by wgmma alone
  size_t role;                    // of the producers that copy it
  int64_t full, empty;            // offsets of the first mbarriers
  mlir::Value stage, phase;       // pointers to the next tile's
  SharedTile buffer = {};         // of stage 0
  std::optional<size_t> map = {}; // of the tensor, with loads = tma
};

/// The scalar ops of the loop's body that compute where a tile is, in order:
/// of its keys and of what is outside of the loop. Nothing if other ops do.
std::optional<llvm::SetVector<mlir::Operation *>> findPlace(tile::ForOp loop,
                                                            tile::LoadOp load);

/// Tiles of a segment of a tile.for, in order: `full` ones from the key `first`
/// on, then partial ones of the keys [low, high).
struct Part {
  mlir::Value first, full, low, high;
};

/// The loads of one loop.
struct Stream {
  llvm::SmallVector<Ring> rings;
  bool isReused = false; // its memory, by other code of consumers
};

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_EMIT_STREAMS_H
