//===- RegionIntegers.h - Integers of a region, in 32 bits ------*- C++ -*-===//
//
// A GPU has registers of 32 bits: an integer of 64 takes two of them, and a
// compare, a minimum or a product several instructions. So the integers of a
// region that are known to fit are computed in 32 bits, and each is kept as the
// sum of a value and a constant: what the places of a thread's columns differ
// by. A compare of a place with anything else becomes one of constants with a
// value that all columns share:
//
//   start + 9 <= row      becomes      9 <= row - start
//
// Tests: test/Codegen/NVPTX/region-integers.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_EMIT_REGIONINTEGERS_H
#define ATTNC_LIB_CODEGEN_NVPTX_EMIT_REGIONINTEGERS_H

#include "Builder.h"

#include "attnc/Codegen/Common/IndexRange.h"

#include "mlir/IR/IRMapping.h"

namespace attnc::ptx {

/// What is known of the integers in the region of a map or select_masked.
codegen::IndexRanges findRanges(mlir::Block &region);

/// One evaluation of a region.
class RegionIntegers {
public:
  using Value = mlir::Value;

  /// `scalars` has the arguments of the region and what is outside of it.
  RegionIntegers(Builder &b, mlir::IRMapping &scalars,
                 codegen::IndexRanges &ranges)
      : b(b), scalars(scalars), ranges(ranges) {}

  /// Emits an op on integers; false for others, whose operands `scalars` has
  /// then.
  bool emit(mlir::Operation *op);
  /// Values as i32 where they fit, else index.
  llvm::SmallVector<Value> narrow(mlir::ValueRange values);
  /// Adds a value to `scalars`, which has it then.
  void materialize(Value value);

private:
  /// base + offset; without a base a constant. The base has 32 bits if all of
  /// its range has.
  struct Integer {
    Value base;
    int64_t offset = 0;
    bool isPlace = false; // columns differ by the offset
    std::optional<codegen::IndexRange> range = {}; // of the base
  };
  Integer of(Value value);
  Value baseOf(const Integer &integer, mlir::Type type);
  Value whole(Value value, mlir::Type type);
  void emitSum(mlir::Operation *op);
  bool emitCompare(mlir::arith::CmpIOp compare);
  Value comparePlaces(mlir::arith::CmpIPredicate predicate, const Integer &left,
                      const Integer &right);
  bool emitNarrow(mlir::Operation *op);

  Builder &b;
  mlir::IRMapping &scalars;
  codegen::IndexRanges &ranges;
  llvm::DenseMap<Value, Integer> integers; // of ops, not in `scalars`
};

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_EMIT_REGIONINTEGERS_H
