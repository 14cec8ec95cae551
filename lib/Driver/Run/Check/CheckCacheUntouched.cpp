//===- CheckCacheUntouched.cpp - Rows of a cache that no call has stored --===//
//
// They are NaN before a call, which shows whoever reads them, and have to be as
// they were behind it.
//
// What a call does not store is not rounded either, so no limit of errors is
// allowed: where the reference leaves a value as it was, a kernel has to.
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Reference/PoisonUnstored.h"

#include <cmath>

namespace attnc {

static bool isSame(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void RunCase::forgetUnstoredRows(mlir::func::FuncOp graph,
                                 const TensorFiles &files) {
  auto isFromFile = [&](unsigned argument) {
    size_t input = 0;
    for (auto [i, declared] : llvm::enumerate(function.tensors))
      if (!declared.isOutput() && input++ == argument)
        return files.gives(i);
    return false;
  };
  reference::forgetUnstoredRows(graph, inputs, namedSizes(), isFromFile);
  size_t input = 0;
  for (auto [declared, tensor] : llvm::zip_equal(function.tensors, memory)) {
    if (declared.isOutput())
      continue;
    if (declared.isWritten())
      tensor->store(inputs[input]);
    ++input;
  }
}

void RunCase::checkKeptRows(llvm::ArrayRef<reference::Tensor> exact,
                            CheckResult &result) const {
  size_t output = results.size();
  forEachInOut([&](size_t, size_t) { --output; });
  forEachInOut([&](size_t input, size_t index) {
    const reference::Tensor &before = inputs[input], &after = results[output];
    OutputCheck &check = result.outputs[output];
    int64_t notNumbers = llvm::count_if(
        before.real, [](double value) { return std::isnan(value); });
    check.values -= notNumbers; // they are nobody's
    check.notNumbers -= notNumbers;
    for (size_t i = 0; i < before.real.size(); ++i) {
      double kept = before.real[i], got = after.real[i];
      if (!isSame(exact[output].real[i], kept) || isSame(got, kept))
        continue;
      double error = std::fabs(got - kept);
      if (std::isfinite(error) && error <= check.stray)
        continue;
      check.stray = std::isfinite(error) ? error : HUGE_VAL;
      check.strayRule = "its old value: no row is stored there";
      check.strayPlace =
          placeText(function.tensors[index].name, before.shape, int64_t(i));
    }
    ++output;
  });
}

} // namespace attnc
