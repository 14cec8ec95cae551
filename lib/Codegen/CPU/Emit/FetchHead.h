//===- FetchHead.h - Prefetch what the next head reads ----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHHEAD_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHHEAD_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// The keys and values of the next head, for a loop over so many full tiles.
class FetchHead {
public:
  FetchHead(Emitter &emitter, tile::ForOp loop, Value tiles);

  /// Prefetches a line of each tensor for granule `number` of the block, and
  /// rows `number` of queries and results.
  void fetch(Value number);

private:
  /// Units of adjacent lines of a tensor: rows, or blocks of rows.
  struct Stream {
    Value pointer, stride; // in elements, from one unit to the next
    Type element;
    int64_t rows, lines; // of a unit
    /// Of this block: the first line, and how many there are.
    Value first = {}, count = {};
  };
  std::optional<Stream> streamOf(tile::LoadOp load);
  void shareLines(tile::GridOp grid, Value keys);

  Emitter &emitter;
  Ops &ops;
  SmallVector<Stream, 2> streams;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHHEAD_H
