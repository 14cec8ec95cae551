//===- RunPreconditions.cpp - What holds at a call, for the reference -----===//
//
// An object refuses sizes and tables that the spec does not admit. The
// reference would read a table's nearest entry instead, so --interpret checks
// the same before it starts. Tests: test/Tools/Run/run-files.test
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "llvm/ADT/STLExtras.h"

namespace attnc {

using ValueOf = llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

/// ", got query_len = 7, kv_len = 5", as the object has it: the sizes in two
/// formulas.
static std::string tellSizes(const SizeExpr &lhs, const SizeExpr &rhs,
                             ValueOf value) {
  std::vector<std::string> names = lhs.sizeNames();
  for (const std::string &name : rhs.sizeNames())
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? ", got " : ", ") + name + " = " +
            std::to_string(value(name).value_or(0));
  return text;
}

/// The first entry of a table that its declaration does not admit.
static llvm::Error checkValues(const InterfaceTensor &declared,
                               const reference::Tensor &tensor,
                               ValueOf valueOf) {
  std::optional<int64_t> low, high;
  std::string got;
  if (declared.range) {
    const auto &[first, last] = *declared.range;
    low = first.evaluate(valueOf);
    high = last.evaluate(valueOf);
    if (low && high && *low > *high)
      got = ": this range is empty" + tellSizes(first, last, valueOf);
  }
  int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
  for (auto [i, value] : llvm::enumerate(tensor.integer)) {
    if (low && high && (value < *low || value > *high))
      return llvm::createStringError(
          declared.name + ": entry " + llvm::Twine(i) + " is " +
          llvm::Twine(value) + ", expected " + llvm::Twine(*low) + " .. " +
          llvm::Twine(*high) + got);
    if (declared.nondecreasing && int64_t(i) % row != 0 &&
        value < tensor.integer[i - 1])
      return llvm::createStringError(
          declared.name + ": entry " + llvm::Twine(i) + " is " +
          llvm::Twine(value) + ", expected nondecreasing values");
  }
  return llvm::Error::success();
}

llvm::Error RunCase::checkPreconditions() const {
  auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto index = function.sizeIndex(name);
    return index ? std::optional<int64_t>(sizes[*index]) : std::nullopt;
  };
  for (const InterfacePrecondition &condition : function.preconditions) {
    auto lhs = condition.lhs.evaluate(value),
         rhs = condition.rhs.evaluate(value);
    if (!lhs || !rhs || *lhs > *rhs)
      return llvm::createStringError(
          function.name + ": " + condition.sentence +
          tellSizes(condition.lhs, condition.rhs, value));
  }
  size_t input = 0;
  for (const InterfaceTensor &declared : function.tensors) {
    if (declared.isOutput())
      continue;
    if (llvm::Error error = checkValues(declared, inputs[input++], value))
      return error;
  }
  return llvm::Error::success();
}

} // namespace attnc
