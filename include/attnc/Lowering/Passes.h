//===- Passes.h - From scheduled kernels to tile programs -------*- C++ -*-===//

#ifndef ATTNC_LOWERING_PASSES_H
#define ATTNC_LOWERING_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::lowering {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Lowering/Passes.h.inc"

} // namespace attnc::lowering

#endif // ATTNC_LOWERING_PASSES_H
