//===- CheckFullyMasked.cpp - Rows without a key are exactly 0 ------------===//
//
// No limit of errors is allowed there: the greatest error of an output is that
// of another row, and what leaks into an empty one may well be smaller.
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Reference/Interpreter.h"

#include <cmath>

namespace attnc {
namespace {

/// Calls `visit(begin, end)` for each row along the last axis.
void forEachRow(const reference::Tensor &tensor,
                llvm::function_ref<void(size_t, size_t)> visit) {
  size_t length = tensor.shape.empty() ? 1 : tensor.shape.back();
  for (size_t begin = 0; length && begin < tensor.real.size(); begin += length)
    visit(begin, begin + length);
}

bool isZero(const reference::Tensor &tensor, size_t begin, size_t end) {
  return llvm::all_of(llvm::seq(begin, end),
                      [&](size_t i) { return tensor.real[i] == 0; });
}

} // namespace

mlir::LogicalResult
RunCase::checkEmptyRows(const ReferenceFunctions &functions,
                        llvm::ArrayRef<reference::Tensor> plain,
                        llvm::ArrayRef<reference::Tensor> exact,
                        CheckResult &result) const {
  // A row may be 0 by chance, too: all of relu's scores are negative, or what
  // is subtracted is equal. Only where no key is allowed it stays 0 whatever V
  // holds. This is asked only where a kernel's row is not 0.
  auto isSuspect = [&](size_t output, size_t begin, size_t end) {
    return isZero(exact[output], begin, end) &&
           isZero(plain[output], begin, end) &&
           !isZero(results[output], begin, end);
  };
  auto declared = [&](size_t output) -> const InterfaceTensor & {
    return function.tensors[function.results()[output]];
  };
  auto forEachSuspect =
      [&](llvm::function_ref<void(size_t, size_t, size_t)> visit) {
        for (size_t i = 0; i < exact.size(); ++i)
          if (declared(i).role == TensorRole::Output)
            forEachRow(exact[i], [&](size_t begin, size_t end) {
              if (isSuspect(i, begin, end))
                visit(i, begin, end);
            });
      };
  bool isAny = false;
  forEachSuspect([&](size_t, size_t, size_t) { isAny = true; });
  if (!isAny)
    return mlir::success();
  std::vector<reference::Tensor> poisoned = inputs;
  size_t input = 0;
  for (const InterfaceTensor &tensor : function.tensors) {
    if (tensor.role == TensorRole::Value)
      llvm::fill(poisoned[input].real, std::nan(""));
    input += !tensor.isOutput();
  }
  auto other = evaluateExactly(functions, poisoned);
  if (mlir::failed(other))
    return mlir::failure();
  forEachSuspect([&](size_t i, size_t begin, size_t end) {
    if (!isZero((*other)[i], begin, end))
      return;
    OutputCheck &check = result.outputs[i];
    for (size_t place = begin; place < end; ++place) {
      double value = results[i].real[place];
      double error = std::isfinite(value) ? std::fabs(value) : HUGE_VAL;
      if (error <= check.stray)
        continue;
      check.stray = error;
      check.strayRule = "0: its row is fully masked";
      check.strayPlace =
          placeText(declared(i).name, exact[i].shape, int64_t(place));
    }
  });
  return mlir::success();
}

} // namespace attnc
