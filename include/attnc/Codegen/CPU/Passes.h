//===- Passes.h - Passes of the CPU's code generator ------------*- C++ -*-===//
//
// The pass itself is described in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_CPU_PASSES_H
#define ATTNC_CODEGEN_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::cpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Codegen/CPU/Passes.h.inc"
} // namespace attnc::cpu

#endif // ATTNC_CODEGEN_CPU_PASSES_H
