//===- SpecCall.h - The spec evaluator on the tensors of a call -*- C++ -*-===//

#ifndef ATTNC_REFERENCE_SPECCALL_H
#define ATTNC_REFERENCE_SPECCALL_H

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Interpreter.h"
#include "attnc/Spec/Spec.h"

namespace attnc::reference {

/// What the formulas of the spec make of `inputs`, those of its function in
/// order; in the order of Interface::results().
std::vector<Tensor> evaluateCall(const spec::AttentionSpec &spec,
                                 const Interface &function,
                                 llvm::ArrayRef<Tensor> inputs,
                                 const Sizes &sizes,
                                 mlir::MLIRContext *context);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_SPECCALL_H
