//===- IndexRange.h - Static bounds of integers -----------------*- C++ -*-===//
//
// How large an index of a scalar region can get, from what is known of
// positions, sizes and tables. Code has 32-bit integers where that is enough.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_COMMON_INDEXRANGE_H
#define ATTNC_CODEGEN_COMMON_INDEXRANGE_H

#include "mlir/Interfaces/InferIntRangeInterface.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace attnc::codegen {

struct IndexRange {
  int64_t low, high;

  /// Every value lies within +-2^bits.
  bool within(unsigned bits) const {
    return low >= -(int64_t(1) << bits) && high < (int64_t(1) << bits);
  }
};

/// Sums of some integers of less magnitude fit 32 bits.
inline constexpr int64_t kNear = int64_t(1) << 28;

class IndexRanges {
public:
  /// The value is the place of an element along a dim: 0 .. 2^31 - 1, as the
  /// entry has checked.
  void addPosition(mlir::Value value) { ranges[value] = {{0, 2147483647}}; }
  /// The value is the difference of two such places. (Others, past the ends of
  /// both dims, are computed but not used.)
  void addDistance(mlir::Value value) {
    ranges[value] = {{-2147483647, 2147483647}};
  }
  /// The value is closer to 0 than `kNear`, as code at run time has checked.
  void addNear(mlir::Value value) { ranges[value] = {{-kNear, kNear}}; }
  /// The value is an element of a tile of integers.
  void addElement(mlir::Value value, mlir::Value tile);
  /// The range of an index or integer, or nothing when it can be anything.
  std::optional<IndexRange> of(mlir::Value value);

private:
  std::optional<IndexRange> compute(mlir::Value value);
  std::optional<IndexRange> infer(mlir::InferIntRangeInterface op);

  llvm::DenseMap<mlir::Value, std::optional<IndexRange>> ranges;
};

} // namespace attnc::codegen

#endif // ATTNC_CODEGEN_COMMON_INDEXRANGE_H
