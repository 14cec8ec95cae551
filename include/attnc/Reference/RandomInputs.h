//===- RandomInputs.h - Tensors to run an interface on ----------*- C++ -*-===//
//
// Tests: test/Unit/Reference/RandomInputsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_RANDOMINPUTS_H
#define ATTNC_REFERENCE_RANDOMINPUTS_H

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Tensor.h"

namespace attnc::reference {

enum class InputKind {
  /// Floats from a normal distribution; matrices of weights, inputs whose axes
  /// are all fixed, divided by the root of the greater of their last two axes.
  Normal,
  /// Floats for which plain attention is exact: V holds small integers, and the
  /// scores q . k of any two keys differ by a multiple of 2^11 (2^14 for f64),
  /// so that after the scaling by 1 / sqrt(head_dim) one key has all the
  /// weight.
  Integer,
  Zero,
};

/// The tensors of `function` that are inputs, in order, for the given values of
/// all its sizes (Interface::evaluateSizes). Floats are rounded to their dtype;
/// integers lie in their declared range, else those of 8 bits in that of their
/// type and others in 0 .. kv_len, and do not fall
/// where they are declared nondecreasing. Tables of ragged tensors share out
/// all rows, some sequences empty; tables of pages are shuffled. The same seed
/// gives the same tensors everywhere.
std::vector<Tensor> randomInputs(const Interface &function,
                                 llvm::ArrayRef<int64_t> sizes, InputKind kind,
                                 uint64_t seed, mlir::MLIRContext *context);

/// NaN in the shapes of the outputs of `function`.
std::vector<Tensor> emptyOutputs(const Interface &function,
                                 llvm::ArrayRef<int64_t> sizes,
                                 mlir::MLIRContext *context);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_RANDOMINPUTS_H
