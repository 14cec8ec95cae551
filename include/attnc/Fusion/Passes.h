//===- Passes.h - The passes of Fusion --------------------------*- C++ -*-===//

#ifndef ATTNC_FUSION_PASSES_H
#define ATTNC_FUSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace attnc::fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Fusion/Passes.h.inc"

} // namespace attnc::fusion

#endif // ATTNC_FUSION_PASSES_H
