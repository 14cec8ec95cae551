//===- StateOutput.h - The running state as ops -----------------*- C++ -*-===//

#ifndef ATTNC_LIB_IMPORT_TENSOR_STATEOUTPUT_H
#define ATTNC_LIB_IMPORT_TENSOR_STATEOUTPUT_H

#include "Tensor/RowFormulas.h"

#include "attnc/Spec/State.h"

namespace attnc::import {

/// What the state is made from. `keys` and `values` have letters bhkd and those
/// of the values with e for features; `allowed` is a mask over bhk or null.
struct StateParts {
  mlir::Value keys;
  LetteredTensor values;
  mlir::Value allowed;
  bool hasSum = false;
};

/// K' of a state as a tensor over bhkd.
mlir::Value stateKeys(RowFormulas &rows, const spec::AttentionSpec &spec,
                      const spec::StateFormula &state, mlir::Type real);

/// The output `state` of the given type.
mlir::Value buildState(mlir::ImplicitLocOpBuilder &b, const StateParts &parts,
                       mlir::RankedTensorType type);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_TENSOR_STATEOUTPUT_H
