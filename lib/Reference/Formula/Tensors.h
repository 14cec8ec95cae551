//===- Tensors.h - Formulas of whole tensors --------------------*- C++ -*-===//
//
// Tests: test/Unit/Reference/SpecTensorTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_TENSORS_H
#define ATTNC_LIB_REFERENCE_FORMULA_TENSORS_H

#include "Attention.h"

namespace attnc::formula {

class Tensors {
public:
  /// `result` makes O, the first time that it is asked for.
  Tensors(Call &call, std::function<Array()> result)
      : call(call), result(std::move(result)) {}

  /// The tensor, computed once.
  const Array &evaluate(const spec::Tensor &tensor);
  /// What `let` says the row is, or the argument.
  RowTable rowTable(spec::Row row);

private:
  Array compute(const spec::Tensor &tensor);
  Array argument(spec::Row row);
  Array positions(const spec::Tensor &tensor);
  Array map(const spec::Tensor &tensor);
  Array contract(const spec::Tensor &tensor);
  Array append(const spec::Tensor &tensor);
  Array slice(const spec::Tensor &tensor);
  Array concat(const spec::Tensor &tensor);
  Array softmaxAlong(const spec::Tensor &tensor);
  Array attend(const spec::Tensor &tensor);
  Array reduce(const spec::Tensor &tensor);
  Array scan(const spec::Tensor &tensor);
  Array view(const spec::Tensor &tensor);

  Call &call;
  std::function<Array()> result;
  llvm::DenseMap<const spec::Tensor *, std::unique_ptr<Array>> known;
};

/// Whether a formula of these tensors is computed in f64.
bool hasDoubles(const spec::Tensor &tensor);

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_TENSORS_H
