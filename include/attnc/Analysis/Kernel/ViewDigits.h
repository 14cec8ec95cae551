//===- ViewDigits.h - Map letters of an op to axes in memory ----*- C++ -*-===//
//
// Views between the tensors of a function and an op that walks over them in
// blocks move, merge and split axes. Whether the walk can be told as indices of
// the memory behind them is asked here; Lowering then writes the indices.
//
// Tests: test/Lowering/Formula/view-indices.mlir,
// test/Schedule/store-views.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_KERNEL_VIEWDIGITS_H
#define ATTNC_ANALYSIS_KERNEL_VIEWDIGITS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <vector>

namespace attnc {

/// One letter of the kernel and its size (as attn::axisSize gives it). With a
/// table, an argument of the function: rows q or k of a ragged tensor, which
/// begin at table[b]; or p, the page table[b, k // n] of key k. With `fill`,
/// the keys k of a result begin at table[b] among those of all sequences, and
/// that is what stands at the keys of the others.
struct Digit {
  char letter;
  mlir::Attribute size;
  mlir::Value table = {};
  /// Of a slice: what the letter is moved by, and how many places there are
  /// (null: `size`).
  int64_t offset = 0;
  mlir::Attribute places = {};
  mlir::FloatAttr fill = {};
};

/// An axis of an argument or result: a number in mixed radix, whose digits are
/// letters of the kernel, the slowest first. "b(hg)qd" is b, (h g), q, d.
using AxisDigits = llvm::SmallVector<Digit, 2>;

/// A tensor of the function as the kernel sees it: one entry per axis.
using TensorDigits = std::vector<AxisDigits>;

/// The digits of the tensor from which a chain of views makes `operand`, whose
/// axes are `letters`; `root` becomes that tensor. Emits an error when a view
/// cuts an axis into pieces that no letter is, unless `report` is false.
mlir::FailureOr<TensorDigits> digitsOfOperand(mlir::Value operand,
                                              llvm::StringRef letters,
                                              mlir::Value &root,
                                              bool report = true);

/// The same for a tensor that a chain of views makes from an op's result with
/// the axes `letters`; without `report` an error is not told.
mlir::FailureOr<TensorDigits> digitsOfResult(mlir::Value returned,
                                             llvm::StringRef letters,
                                             bool report = true);

/// Whether `map` does nothing but repeat its input along axes that the input
/// lacks, and that for kernels only, along axes of their grids: these read the
/// input itself, with digits in which the letters of such axes do not occur.
/// The same holds of conversions on load.
bool isRepeatForKernels(attn::MapOp map);

/// The attribute of a map whose users, kernels and products, read its input and
/// convert the elements as they load them: integers of 8 bits to floats, which
/// are exact. Schedule sets it for backends that can (lib/Schedule/Quantized).
inline constexpr llvm::StringLiteral kConvertOnLoad = "attn.convert_on_load";

/// Whether `map` has the attribute and is what it says: a conversion of 8-bit
/// integers to a float type that holds them, without other users than kernels
/// and products.
bool isConversionOnLoad(attn::MapOp map);

/// The letter of a number, which has no axes.
inline constexpr char kNoLetter = '.';

/// The letter of an axis of size 1 that nobody walks over.
inline constexpr char kUnit = '1';

/// A tensor's own digits: one letter per axis.
TensorDigits startOf(mlir::Value value, llvm::StringRef letters);

/// The value from which a chain of views starts.
mlir::Value sourceOfViews(mlir::Value value);

/// The digit with this letter and a table, or null.
const Digit *findTable(const TensorDigits &digits, char letter);

/// Whether rows are found through a table: only kernels walk over such tensors.
bool hasTable(const TensorDigits &digits);

/// Whether blocks go along the letter.
bool isTiled(const Digit &digit);

/// A letter that is no axis of a tile and has one value only.
bool isAlwaysZero(const Digit &digit);

/// A letter along which blocks cannot go, since `letter` varies faster along
/// the axis: a tiled letter (q, k, d, e) must be the fastest one.
struct BlockedDigit {
  char front, letter;
};
std::optional<BlockedDigit> findBlocked(const TensorDigits &digits);

} // namespace attnc

#endif // ATTNC_ANALYSIS_KERNEL_VIEWDIGITS_H
