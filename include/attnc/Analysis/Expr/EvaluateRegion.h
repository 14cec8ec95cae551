//===- EvaluateRegion.h - Evaluate scalar regions at given sizes ----------===//
//
// Runs a region of index, i1 and real arithmetic, such as the mask or the
// ranges of a kernel, on numbers: for the cost model, for --explain, and for
// tests. Tests: test/Unit/Fusion/MaskRangesPassTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_EVALUATEREGION_H
#define ATTNC_ANALYSIS_EXPR_EVALUATEREGION_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace attnc {

/// The value of an op that computes nothing, attn.size or one that looks at a
/// table, from its integer operands; nothing: it is not known.
using LeafValue = llvm::function_ref<std::optional<int64_t>(
    mlir::Operation *, llvm::ArrayRef<int64_t>)>;

/// Whether an op computes nothing: attn.size, or one that looks at a table.
bool isLeaf(mlir::Operation *op);

/// The value of any other op, a real as the bits of a double; nothing where it
/// is not known.
std::optional<int64_t> evaluateOp(mlir::Operation *op,
                                  llvm::ArrayRef<int64_t> operands);

/// The operands of the terminator of `block` for these arguments, or nothing
/// where an op is not known, a leaf is not known, or a divisor is
/// zero. Arithmetic wraps around, as in a kernel.
std::optional<llvm::SmallVector<int64_t>>
evaluateRegion(mlir::Block &block, llvm::ArrayRef<int64_t> arguments,
               LeafValue leaf);

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_EVALUATEREGION_H
