//===- Passes.h - Passes that several code generators share -----*- C++ -*-===//
//
// The passes themselves are described in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_COMMON_PASSES_H
#define ATTNC_CODEGEN_COMMON_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Codegen/Common/Passes.h.inc"

/// Unit attribute of a math.exp whose argument is at most 0, up to rounding.
inline constexpr llvm::StringLiteral kAtMostOne = "attnc.at_most_one";
} // namespace attnc::codegen

#endif // ATTNC_CODEGEN_COMMON_PASSES_H
