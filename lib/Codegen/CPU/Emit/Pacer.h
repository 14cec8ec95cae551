//===- Pacer.h - Products that run next to a nest ---------------*- C++ -*-===//
//
// A matrix unit takes many cycles per instruction, so the instructions of its
// products are spread over the granules of a nest that does not depend on them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_PACER_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_PACER_H

#include "mlir/IR/ValueRange.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc::cpu {

class FixedPointWeights;

/// What runs in a pause of a product: gets the number of the pause and carried
/// values, and returns the next ones.
using Pace = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Value pause, mlir::ValueRange carried)>;

/// The products that run next to a nest.
struct Pacer {
  const void *item;              // the nest
  FixedPointWeights *fixedPoint; // its weights, if they are of fixed point
  /// Pauses if there is one after so many instructions.
  llvm::function_ref<int64_t(int64_t every)> countPauses;
  /// Emits all instructions, with `pace` in each pause.
  llvm::function_ref<llvm::SmallVector<mlir::Value>(
      int64_t every, mlir::ValueRange carried, Pace pace)>
      run;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_PACER_H
