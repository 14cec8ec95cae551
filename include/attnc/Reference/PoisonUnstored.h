//===- PoisonUnstored.h - Rows of a cache that no call has stored ---------===//
//
// Nobody may read them. As NaN they show in the result of whoever does.
//
// Tests: test/Unit/Reference/PoisonUnstoredTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_POISONUNSTORED_H
#define ATTNC_REFERENCE_POISONUNSTORED_H

#include "attnc/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace attnc::reference {

/// Makes NaN of the rows of each cache among `inputs`, the arguments of a
/// function of stage graph, that are neither stored before the call nor by it.
/// `isKept` names arguments to leave alone. `sizes` are those of the call.
void forgetUnstoredRows(mlir::func::FuncOp function,
                        llvm::MutableArrayRef<Tensor> inputs,
                        const llvm::StringMap<int64_t> &sizes,
                        llvm::function_ref<bool(unsigned)> isKept);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_POISONUNSTORED_H
