//===- EqualPipelines.h - Pipelines that share code -------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_EQUALPIPELINES_H
#define ATTNC_LIB_CODEGEN_HALIDE_EQUALPIPELINES_H

#include "Step.h"

namespace attnc::halide {

/// Gives pipelines that differ in the names of their tensors and parameters
/// only the symbol of the first one of them.
void shareEqualPipelines(std::vector<std::vector<Step>> &steps);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_EQUALPIPELINES_H
