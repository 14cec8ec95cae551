//===- QuantizedRows.h - An operand made of 8-bit integers ------*- C++ -*-===//
//
// What reads quantized rows can load the integers itself and multiply its sums
// by the scales, if no scale depends on an axis that it sums over:
//
//   sum over d of (integer[k, d] * scale[k]) * x[d]
//     = scale[k] * sum over d of integer[k, d] * x[d]
//
// ConvertOnLoad.cpp does so for kernels, ConvertWeights.cpp for products.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_QUANTIZED_QUANTIZEDROWS_H
#define ATTNC_LIB_SCHEDULE_QUANTIZED_QUANTIZEDROWS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::schedule {

/// An operand that a map makes of 8-bit integers, perhaps viewed.
class QuantizedRows {
public:
  /// `letters`: of the operand's axes; `summed`: those among them that the
  /// reader sums over, in the type `accumulate`.
  QuantizedRows(mlir::OpOperand &operand, llvm::StringRef letters,
                llvm::StringRef summed, mlir::Type accumulate);

  /// Whether a map of 8-bit integers makes the operand.
  bool isQuantized() const;
  bool isUnsigned() const;
  /// How an op reads its operand.
  struct Reading {
    /// What the reader calls the axes; those of its tiles are q, k, d and e.
    llvm::StringRef dims;
    bool findsTables = true; // rows by tables
  };
  /// Why the reader cannot load the integers, or an empty text. Finds the
  /// factors.
  llvm::StringRef whyNot(Reading reading);
  /// As kernels read them, whose letters are those of their tiles.
  llvm::StringRef whyNotInKernel() { return whyNot({letters}); }
  /// Replaces the operand by integers, as elements of type `element`.
  void readIntegers(mlir::Type element);
  bool hasFactors() const { return !factors.empty() || scale != 1; }
  /// Adds a constant factor.
  void scaleBy(double factor) { scale *= factor; }
  /// The product of the factors times `x`, for a region whose arguments
  /// `places` are the places along the axes `letters`. Without factors, `x`.
  /// `x` may be null.
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value x,
                       llvm::StringRef letters, mlir::ValueRange places);

private:
  bool split(mlir::Value value);
  bool isOfInteger(mlir::Value value) const;
  bool isOfRow(mlir::Value factor);
  bool findGroups();
  mlir::Value viewSource(mlir::OpBuilder &b);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::OpBuilder &b,
                                           llvm::StringRef placeLetters,
                                           mlir::ValueRange places);

  mlir::OpOperand *operand;
  std::string letters, summed;
  mlir::Type accumulate;
  mutable attn::MapOp map;
  /// What makes the operand of the map, the last first: views whose axes are
  /// permuted or merged, and rows of sequences.
  llvm::SmallVector<mlir::Operation *, 3> views;
  /// By axis of the map: the letters of the operand that its index depends on.
  llvm::SmallVector<std::string> groups;
  unsigned integers = 0;                     // which input they are
  llvm::SmallVector<mlir::Value, 2> factors; // values of the map's region
  double scale = 1;
};

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_QUANTIZED_QUANTIZEDROWS_H
