//===- RowCoefficients.h - Coefficients of rows in a formula ----*- C++ -*-===//
//
// A formula of a pair that is linear in rows of the key: sums, choices by a
// condition and multiples by a number that are the same for each feature.
//
//   where(c, V, -W) + f * W     of V: 1 where c; of W: where(c, f, f - 1)
//
// A row that a choice hides is not there: it is no multiple by 0, which of an
// infinity would be NaN. Tests: test/Fusion/distribute-values.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_VALUES_ROWCOEFFICIENTS_H
#define ATTNC_LIB_FUSION_VALUES_ROWCOEFFICIENTS_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace attnc::fusion {

class RowCoefficients {
public:
  /// In `letters` of the map's axes; a row has `over` and `feature`.
  RowCoefficients(attn::MapOp map, llvm::StringRef letters, char over,
                  char feature)
      : map(map), letters(letters), over(over), feature(feature) {}

  /// Whether the map is a sum or a choice by the pair of rows of the key.
  bool match();
  /// Values of the map's region, each another one.
  llvm::ArrayRef<mlir::Value> getRows() const { return rows; }

  /// Whether `value` is the same for all pairs of a key.
  bool isOfRows(mlir::Value value);

  /// What multiplies a row, null for 1, and where it is there, null for always:
  /// values of the map's region, where `b` stands behind all others.
  struct Share {
    mlir::Value factor, used;
  };
  Share shareOf(mlir::OpBuilder &b, unsigned row);

private:
  bool add(mlir::Value formula);
  void findRowLetters();
  bool addRow(mlir::Value row);
  bool isOfFeature(mlir::Value value);
  bool isLocal(mlir::Value value);
  llvm::SmallVector<unsigned, 2> linearOperands(mlir::Operation *op);
  std::optional<Share> build(mlir::OpBuilder &b, mlir::Value formula,
                             unsigned row);
  Share addShares(mlir::OpBuilder &b, mlir::Operation *op,
                  std::optional<Share> lhs, std::optional<Share> rhs);
  Share chooseShare(mlir::OpBuilder &b, mlir::Value condition,
                    std::optional<Share> lhs, std::optional<Share> rhs);

  attn::MapOp map;
  std::string letters, rowLetters;
  char over, feature;
  llvm::SmallVector<mlir::Value> rows;
  llvm::SmallDenseMap<mlir::Value, unsigned> leaves; // of the formula: rows
  bool combines = false;                             // sums or choices
};

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_VALUES_ROWCOEFFICIENTS_H
