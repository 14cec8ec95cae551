//===- Interpreter.h - The meaning of IR, slow and obvious ------*- C++ -*-===//
//
// Runs a function at stage graph, fused or scheduled, or a program at stage
// tile, on small tensors. It is the oracle of passes (--check-stages) and of
// kernels (attnc-run): nothing here is shared with the code generators.
// Tests: test/Unit/Reference, test/Pipeline/check-stages.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_INTERPRETER_H
#define ATTNC_REFERENCE_INTERPRETER_H

#include "attnc/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace attnc::attn {
class MaskOp;
} // namespace attnc::attn
namespace attnc::tile {
class ProgramOp;
} // namespace attnc::tile

namespace attnc::reference {

/// In which arithmetic a run is done.
enum class Precision {
  Exact,    // double without rounding to narrower types: the formula
  Extended, // the same in long double, for functions with f64 tensors
  Rounded,  // every op rounded to its type, sums in key order: plain unfused
            // code
};

/// What a comparison of reals sees: the numbers at hand, or those numbers in
/// the type that the IR says. The latter is for the check of stages: a tile
/// program finds a rank by the bits of its type, which are the same for scores
/// that lie nearer than that type tells apart.
enum class Comparisons { Exact, Typed };

/// Values of attn.size by name.
using Sizes = llvm::StringMap<int64_t>;

/// Runs a function of attn ops. `inputs` are its arguments in order; gives its
/// results in order. Emits an error at the op that it cannot run. Sums go in
/// the order of features and keys, or for another `order` in a shuffle of it.
mlir::FailureOr<std::vector<Tensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
          const Sizes &sizes, Precision precision, unsigned order = 0,
          Comparisons comparisons = Comparisons::Exact);

/// By how much plain evaluation rounds what normalisers take exponentials of,
/// at most: weights are off by the same part. For a function at stage graph.
mlir::FailureOr<double> exponentRounding(mlir::func::FuncOp function,
                                         llvm::ArrayRef<Tensor> inputs,
                                         const Sizes &sizes);

/// How many (batch, head, query, key) the masks of a function's kernels allow,
/// and the multiply-adds on them count 2 FLOP each, as do those of products
/// beside the kernels without a mask. For a function at stage fused or later.
mlir::FailureOr<double> neededFlop(mlir::func::FuncOp function,
                                   llvm::ArrayRef<Tensor> inputs,
                                   const Sizes &sizes);

/// How many places of its result a mask allows. `inputs` are the arguments of
/// its function; those that it does not read may be empty. Fails without an
/// error where there are too many places to look at.
mlir::FailureOr<double> countAllowed(attn::MaskOp mask,
                                     llvm::ArrayRef<Tensor> inputs,
                                     const Sizes &sizes);

/// Runs a tile program. `tensors` are its buffers in order and hold the outputs
/// afterwards (an element that was not stored keeps its value; an empty
/// `present` entry means all are present); `sizes` are its index arguments.
mlir::LogicalResult
interpret(tile::ProgramOp program, llvm::MutableArrayRef<Tensor> tensors,
          llvm::ArrayRef<bool> present, llvm::ArrayRef<int64_t> sizes,
          Precision precision, Comparisons comparisons = Comparisons::Exact);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_INTERPRETER_H
