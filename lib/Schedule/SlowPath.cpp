//===- SlowPath.cpp - Warnings about what will be slow --------------------===//
//
// A kernel that takes the plain way gives the right result, and nobody would
// notice that another one exists. The driver shows, hides or forbids these
// warnings by their id (-Wno-slow-path, -Werror).
// Tests: test/Schedule/slow-path.mlir
//
//===----------------------------------------------------------------------===//

#include "SlowPath.h"

#include "attnc/Dialect/Attn/Attn.h"

using namespace mlir;
using namespace attnc;

/// 16-bit kernels are computed like f32 ones.
static void warnAboutConversions(attn::KernelOp kernel) {
  Type accumulate = kernel.getAccumulateType();
  for (Value operand : kernel->getOperands()) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (element == accumulate)
      continue;
    kernel.emitWarning() << element << " is converted to " << accumulate
                         << " tile by tile and computed in it, without the "
                            "matrix units for "
                         << element << " [slow-path]";
    return;
  }
}

/// What stands outside of a kernel writes its result to memory.
static void warnAboutUnfused(Operation *op) {
  if (isa<attn::ContractOp, attn::MapOp, attn::MaskOp, attn::NormalizeOp>(op))
    op->emitWarning() << "'" << op->getName()
                      << "' is not part of a fused kernel, so its result goes "
                         "through memory [slow-path]";
}

void schedule::warnAboutSlowPaths(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (auto kernel = dyn_cast<attn::KernelOp>(op))
      warnAboutConversions(kernel);
    else
      warnAboutUnfused(op);
  });
}
