//===- ViewIndices.h - Places of a kernel's letters in memory ---*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_VIEWINDICES_H
#define ATTNC_LIB_LOWERING_VIEWINDICES_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"

#include <vector>

namespace attnc::lowering {

/// One letter of the kernel and its size (as attn::axisSize gives it).
struct Digit {
  char letter;
  mlir::Attribute size;
};

/// An axis of an argument or result: a number in mixed radix, whose digits are
/// letters of the kernel, the slowest first. "b(hg)qd" is b, (h g), q, d.
using AxisDigits = llvm::SmallVector<Digit, 2>;

/// A tensor of the function as the kernel sees it: one entry per axis.
using TensorDigits = std::vector<AxisDigits>;

/// The digits of the function's argument that a chain of views turns into an
/// operand of the kernel (`letters`); emits an error when the operand is not an
/// argument or when a view cuts an axis into pieces that no letter is.
mlir::FailureOr<TensorDigits> digitsOfOperand(attn::KernelOp kernel,
                                              mlir::Value operand,
                                              llvm::StringRef letters,
                                              mlir::BlockArgument &argument);

/// The same for a result of the function that is a chain of views of the
/// kernel's result `letters`.
mlir::FailureOr<TensorDigits> digitsOfResult(attn::KernelOp kernel,
                                             mlir::Value returned,
                                             llvm::StringRef letters);

/// The value from which a chain of views starts.
mlir::Value sourceOfViews(mlir::Value value);

/// A letter that is no axis of a tile and has one value only.
bool isAlwaysZero(const Digit &digit);

/// The buffer with these axes; a tiled letter (q, k, d, e) names its axis and
/// must be the fastest digit of it
/// that varies. Emits an error at `loc` otherwise.
mlir::FailureOr<tile::BufType>
bufferOf(mlir::Location loc, const TensorDigits &digits, mlir::Type element);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_VIEWINDICES_H
