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
  /// Step `step` of so many beside the last product of the block: brings the
  /// queries of the next block into L1.
  void fetchQueries(Value step, int64_t steps);

private:
  /// Units of adjacent lines of a tensor: rows, or blocks of rows.
  struct Stream {
    Value pointer, stride; // in elements, from one unit to the next
    Type element;
    int64_t rows, lines; // of a unit
    int64_t heads = 2;   // in the cache at the same time
    Value first = {};    // line of this block
  };
  std::optional<Stream> streamOf(tile::LoadOp load);
  std::optional<Stream> sourceOf(tile::LoadOp load, ValueRange indices);
  void addSources(tile::GridOp packing, tile::GridOp reader);
  void shareLines(tile::GridOp grid, Value keys);

  Emitter &emitter;
  Ops &ops;
  SmallVector<Stream, 2> streams;
  Value most; // lines of this block, of the stream that has most
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_FETCHHEAD_H
