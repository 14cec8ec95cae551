//===- NormalizeRow.h - What is computed of the scores of a row -*- C++ -*-===//
//
// The meaning of #attn.norm and #attn.row, for graph ops and kernels alike. A
// row is given by the scores of its allowed keys, in the order of the keys.
// Tests: test/Unit/Reference/NormalizeRowTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_ATTN_NORMALIZEROW_H
#define ATTNC_LIB_REFERENCE_ATTN_NORMALIZEROW_H

#include "Scalar/Scalar.h"

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::reference {

/// Weights of a row: a score per allowed key, and a further score without a
/// key, if there is one. `accumulate` is the type of the arithmetic.
template <typename Real> struct RowWeights {
  std::vector<Real> weights; // already divided; not rounded to a storage type
  Real lse = 0;
  Real max = 0; // of the scores and the one without a key, with a shift
  Real sum = 0; // of the weights before their division
};
template <typename Real>
RowWeights<Real> normalizeRow(attn::NormAttr norm, llvm::ArrayRef<Real> scores,
                              std::optional<Real> init, mlir::Type accumulate,
                              Arithmetic arithmetic);

/// The number of a row, and the place of its key among `scores` for a rank
/// (their count where there is none).
template <typename Real> struct RowNumber {
  Real value = 0;
  size_t place = 0;
};
template <typename Real>
RowNumber<Real> reduceRow(attn::RowAttr row, llvm::ArrayRef<Real> scores,
                          mlir::Type accumulate, Arithmetic arithmetic);

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_ATTN_NORMALIZEROW_H
