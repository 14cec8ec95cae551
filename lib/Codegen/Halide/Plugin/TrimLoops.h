//===- TrimLoops.h - Loops over what a condition allows ---------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_TRIMLOOPS_H
#define ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_TRIMLOOPS_H

#include "Halide.h"

#include <vector>

namespace attnc::halide {

/// The condition low <= index < high of (index, low, high). Halide infers
/// nothing from it.
Halide::Expr makeWithin(const std::vector<Halide::Expr> &operands);

/// Makes such conditions bounds of the loops over their indices, else plain
/// comparisons, when the pipeline is lowered. A bound with a load in it is one
/// if `hasUniformLoads`.
void addTrimLoops(Halide::Pipeline &pipeline, bool hasUniformLoads);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_PLUGIN_TRIMLOOPS_H
