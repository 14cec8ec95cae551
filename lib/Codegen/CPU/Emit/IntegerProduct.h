//===- IntegerProduct.h - Products of 8-bit integers ------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_INTEGERPRODUCT_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_INTEGERPRODUCT_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Writes the code of products with one tile of queries on a dot-product unit.
class IntegerProduct {
public:
  IntegerProduct(Emitter &emitter, Value queries);

  /// Writes to the slot what the sums of products with unsigned rows start at.
  void storeStarts(Window window);
  /// `sums`, of floats, and the product of a granule with rows; of these
  /// `extent` exist (null: all).
  SmallVector<Value> addTo(SmallVector<Value> sums, const Granule &granule,
                           tile::DotOp dot, Value extent);

private:
  Value multiply(Value sum, Value row, Value query);
  Value queriesAt(Value step, Window window, int64_t vector);

  Emitter &emitter;
  Ops &ops;
  const Unit &unit;
  tile::TileType type;
  const Slot &slot;
  int64_t steps; // of the summed dim
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_INTEGERPRODUCT_H
