//===- SpecEvaluator.h - The meaning of a spec, pair by pair ----*- C++ -*-===//
//
// Evaluates the checked formulas of a spec straight from their syntax trees:
// for each query row the mask, the score, the weight and the value of one key
// after the other, as docs/spec-reference.md defines them. It is the oracle of
// attnc-run. It shares no code with the importer and knows no IR, so a graph
// that the importer builds incorrectly differs from it.
//
// Arithmetic is that of long double (at least f64) throughout. Tensors between
// the formulas are not rounded to their element types: by how much a kernel may
// differ on that account is decided by the rule of Compare.h. Only constants
// are rounded to the type of reals, f32 or f64, since they are part of the
// formula that a kernel computes.
//
// Tests: test/Unit/Reference/Spec*Test.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_SPECEVALUATOR_H
#define ATTNC_REFERENCE_SPECEVALUATOR_H

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <vector>

namespace attnc::formula {

using Number = long double;

/// A dense tensor in row-major order; the elements are either reals or
/// integers (truth values are 0 and 1), and the other vector is empty.
struct Array {
  llvm::SmallVector<int64_t> shape;
  bool isReal = true;
  std::vector<Number> reals;
  std::vector<int64_t> integers;

  int64_t size() const;
  Number real(int64_t place) const {
    return isReal ? reals[place] : Number(integers[place]);
  }
  int64_t integer(int64_t place) const {
    return isReal ? int64_t(reals[place]) : integers[place];
  }
};

/// An array of zeros.
Array makeArray(llvm::ArrayRef<int64_t> shape, bool isReal = true);

using Arrays = llvm::StringMap<Array>;

/// What a call of the function writes, by name: O or Y, the further outputs,
/// and the new values of caches. `given` are the tensors of the call by name;
/// `sizes` has the run-time sizes. Rows of ragged outputs that no sequence has
/// are NaN.
Arrays evaluateSpec(const spec::AttentionSpec &spec, Arrays given,
                    const llvm::StringMap<int64_t> &sizes);

} // namespace attnc::formula

#endif // ATTNC_REFERENCE_SPECEVALUATOR_H
