//===- ComparedScores.cpp - Kernels that compare their scores -------------===//

#include "attnc/Analysis/Kernel/ComparedScores.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

bool attnc::comparesScores(attn::KernelOp kernel) {
  return kernel->getParentOfType<func::FuncOp>()
      .walk([](attn::KernelOp other) {
        return other.getRowKind() ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}
