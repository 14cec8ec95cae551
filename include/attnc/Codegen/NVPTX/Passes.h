//===- Passes.h - Passes of the NVPTX code generator ------------*- C++ -*-===//
//
// The pass itself is described in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_NVPTX_PASSES_H
#define ATTNC_CODEGEN_NVPTX_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::ptx {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Codegen/NVPTX/Passes.h.inc"
} // namespace attnc::ptx

#endif // ATTNC_CODEGEN_NVPTX_PASSES_H
