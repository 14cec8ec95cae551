//===- Space.h - Iterating over named axes ----------------------*- C++ -*-===//
//
// Every op of the dialects attn and tile works on axes with names: an operand
// is looked up by the names that it has, and is constant along the others.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_TENSOR_SPACE_H
#define ATTNC_LIB_REFERENCE_TENSOR_SPACE_H

#include "Scalar/Column.h"
#include "Scalar/RegionEvaluator.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace attnc::reference {

/// A value with several elements while the interpreter runs, in row-major
/// order. `data` holds all elements, never one for all.
template <typename Real> struct Array {
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> shape;
  bool isReal = true;
  Column<Real> data;

  int64_t size() const;
  void resize();
};

/// Named axes with extents, the last one varying fastest.
struct Space {
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> extents;

  int64_t size() const;
  /// Elements along the last axis; 1 without axes.
  int64_t rowLength() const { return extents.empty() ? 1 : extents.back(); }
  /// Place of an axis, or -1.
  int find(llvm::StringRef name) const;
};

/// Where the elements of an array lie, by the axes of a space: the step of each
/// axis, 0 along those that the array lacks.
template <typename Real>
llvm::SmallVector<int64_t> stepsIn(const Array<Real> &array,
                                   const Space &space);

/// Calls `row` for each index of all axes but the last (whose entry is 0).
mlir::LogicalResult forEachRow(
    const Space &space,
    llvm::function_ref<mlir::LogicalResult(llvm::ArrayRef<int64_t>)> row);

int64_t offsetOf(llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> index);

/// Lets `evaluator` run `block` over the whole space: arguments are the
/// elements of `inputs`, then the position along each axis named in `axes` (an
/// index of the space) plus its start. `store` gets the place of the row's
/// first element in row-major order of the space and the column of the block's
/// result.
template <typename Real>
mlir::LogicalResult
evaluateOver(const Space &space, mlir::Block &block,
             llvm::ArrayRef<const Array<Real> *> inputs,
             llvm::ArrayRef<unsigned> axes, llvm::ArrayRef<int64_t> starts,
             RegionEvaluator<Real> &evaluator,
             llvm::function_ref<void(int64_t, const Column<Real> &)> store);

/// Elements of `array` at the given positions (a column per axis): a position
/// out of range is clamped to its axis, an empty array reads 0. The type
/// decides whether a truth value is read and how a float is rounded.
template <typename Real>
Column<Real> readClamped(const Array<Real> &array,
                         llvm::ArrayRef<const Column<Real> *> positions,
                         mlir::Type type, Arithmetic arithmetic);

/// The least, or the greatest, element of `array` from the places `ends` (a
/// column per axis, first ones, then last ones) on; attn.table_min says how.
template <typename Real>
Column<Real> tableEnd(const Array<Real> &array,
                      llvm::ArrayRef<const Column<Real> *> ends, bool greatest);

/// The first index along the last axis whose element is not less than the last
/// of `operands`; the others say which row.
template <typename Real>
Column<Real> lowerBound(const Array<Real> &array,
                        llvm::ArrayRef<const Column<Real> *> operands);

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_TENSOR_SPACE_H
