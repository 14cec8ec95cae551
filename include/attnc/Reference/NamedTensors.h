//===- NamedTensors.h - Tensors of a call by their names --------*- C++ -*-===//
//
// A pass may change which tensors a function takes: what is made of weights
// once becomes an input. The same call is then found by names.
//
// Tests: test/Pipeline/pack-weights.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_NAMEDTENSORS_H
#define ATTNC_REFERENCE_NAMEDTENSORS_H

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Tensor.h"

#include "llvm/ADT/StringMap.h"

namespace attnc::reference {

using NamedTensors = llvm::StringMap<Tensor>;

/// The inputs of `function`, given in order.
NamedTensors nameInputs(const Interface &function,
                        llvm::ArrayRef<Tensor> inputs);

/// Adds what a call of `function` writes, in the order of results().
void nameResults(const Interface &function, llvm::ArrayRef<Tensor> results,
                 NamedTensors &named);

/// The inputs of `function` in order; all of them are in `named`.
std::vector<Tensor> inputsOf(const Interface &function,
                             const NamedTensors &named);

/// Whether `function` takes what another function packs, and `named` lacks it.
bool needsPacking(const Interface &function, const NamedTensors &named);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_NAMEDTENSORS_H
