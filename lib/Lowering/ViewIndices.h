//===- ViewIndices.h - Places of a kernel's letters in memory ---*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_VIEWINDICES_H
#define ATTNC_LIB_LOWERING_VIEWINDICES_H

#include "Scope.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Tile/Tile.h"

#include <vector>

namespace attnc::lowering {

/// One letter of the kernel and its size (as attn::axisSize gives it). With a
/// table, an argument of the function: rows q or k of a ragged tensor, which
/// begin at table[b]; or p, the page table[b, k // n] of key k.
struct Digit {
  char letter;
  mlir::Attribute size;
  mlir::Value table = {};
  /// Of a slice: what the letter is moved by, and how many places there are
  /// (null: `size`).
  int64_t offset = 0;
  mlir::Attribute places = {};
};

/// An axis of an argument or result: a number in mixed radix, whose digits are
/// letters of the kernel, the slowest first. "b(hg)qd" is b, (h g), q, d.
using AxisDigits = llvm::SmallVector<Digit, 2>;

/// A tensor of the function as the kernel sees it: one entry per axis.
using TensorDigits = std::vector<AxisDigits>;

/// The digits of the tensor from which a chain of views makes `operand`, whose
/// axes are `letters`; `root` becomes that tensor. Emits an error when a view
/// cuts an axis into pieces that no letter is.
mlir::FailureOr<TensorDigits> digitsOfOperand(mlir::Value operand,
                                              llvm::StringRef letters,
                                              mlir::Value &root);

/// The same for a tensor that a chain of views makes from an op's result with
/// the axes `letters`; without `report` an error is not told.
mlir::FailureOr<TensorDigits> digitsOfResult(mlir::Value returned,
                                             llvm::StringRef letters,
                                             bool report = true);

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

/// A letter that is no axis of a tile and has one value only.
bool isAlwaysZero(const Digit &digit);

/// The digits with other letters.
TensorDigits renamed(TensorDigits digits,
                     llvm::function_ref<char(char)> nameOf);

/// Indices of the element at the places that `valueOf` gives to the letters.
llvm::SmallVector<mlir::Value>
indicesOf(mlir::OpBuilder &builder, mlir::Location loc, const Scope &scope,
          const TensorDigits &digits,
          llvm::function_ref<mlir::Value(char)> valueOf);

/// The buffer with these axes; a tiled letter (q, k, d, e) names its axis and
/// must be the fastest digit of it
/// that varies. Emits an error at `loc` otherwise, unless `report` is false.
mlir::FailureOr<tile::BufType> bufferOf(mlir::Location loc,
                                        const TensorDigits &digits,
                                        mlir::Type element, bool report = true);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_VIEWINDICES_H
