//===- Column.h - Many scalars evaluated at once ----------------*- C++ -*-===//
//
// A region of a kernel is evaluated for a whole row of keys at a time: every
// SSA value is a column with one number per key, or a single number when it is
// the same for all. `Real` is double, or long double for the check of f64
// kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_SCALAR_COLUMN_H
#define ATTNC_LIB_REFERENCE_SCALAR_COLUMN_H

#include <cstdint>
#include <vector>

namespace attnc::reference {

/// Integers and truth values are in `integers`, floats in `reals`; the other
/// vector is empty. One element means: the same for every lane.
template <typename Real> struct Column {
  std::vector<Real> reals;
  std::vector<int64_t> integers;

  static Column real(Real value) { return {{value}, {}}; }
  static Column integer(int64_t value) { return {{}, {value}}; }

  size_t size() const { return reals.size() + integers.size(); }
  bool isUniform() const { return size() == 1; }
  bool isReal() const { return !reals.empty(); }
  Real realAt(size_t lane) const { return reals[reals.size() == 1 ? 0 : lane]; }
  int64_t integerAt(size_t lane) const {
    return integers[integers.size() == 1 ? 0 : lane];
  }
};

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_SCALAR_COLUMN_H
