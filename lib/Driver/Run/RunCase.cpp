//===- RunCase.cpp - One function at one set of sizes ---------------------===//

#include "Run/RunCase.h"

#include "attnc/Reference/RandomInputs.h"

namespace attnc {

RunCase::RunCase(const Interface &function, std::vector<int64_t> sizes,
                 const RunOptions &options, uint64_t seed,
                 mlir::MLIRContext *context)
    : function(function), sizes(std::move(sizes)), options(options), seed(seed),
      context(context) {
  using Init = RunOptions::Init;
  auto kind = options.init == Init::Normal    ? reference::InputKind::Normal
              : options.init == Init::Integer ? reference::InputKind::Integer
                                              : reference::InputKind::Zero;
  inputs = reference::randomInputs(function, this->sizes, kind, seed, context);
  results = reference::emptyOutputs(function, this->sizes, context);
  forEachInOut([&](size_t input, size_t) { results.push_back(inputs[input]); });
}

/// Calls `visit(input, tensor)` for each input that a call changes.
void RunCase::forEachInOut(
    llvm::function_ref<void(size_t, size_t)> visit) const {
  size_t input = 0;
  for (auto [i, declared] : llvm::enumerate(function.tensors)) {
    if (declared.inout)
      visit(input, i);
    input += !declared.isOutput();
  }
}

llvm::Error RunCase::prepare() {
  size_t input = 0, output = 0;
  for (auto [i, declared] : llvm::enumerate(function.tensors)) {
    reference::Tensor &values =
        declared.isOutput() ? results[output++] : inputs[input++];
    memory.push_back(std::make_unique<CallTensor>(
        declared, values.shape, options.strides, seed * 37 + i));
    if (!memory.back()->isValid())
      return llvm::createStringError("not enough memory for tensor '" +
                                     declared.name + "'");
    if (declared.isOutput())
      continue;
    memory.back()->store(values);
    memory.back()->load(values); // where elements are repeated, the last counts
  }
  return llvm::Error::success();
}

llvm::Error RunCase::callWith(const Interface &called, const Entry &entry,
                              const attnc_runtime &runtime) const {
  std::string sentence;
  attnc_runtime reporting = runtime;
  void *user = runtime.user;
  // The pool's user pointer belongs to parallel_for, so the sentence goes
  // through a variable of this thread.
  static thread_local std::string *sink = nullptr;
  sink = &sentence;
  reporting.user = user;
  reporting.report = [](void *, attnc_status, const char *text) {
    if (sink)
      *sink = text;
  };
  attnc_status status = entry(descriptorsOf(called), &reporting);
  sink = nullptr;
  if (status == ATTNC_OK)
    return llvm::Error::success();
  return llvm::createStringError(called.name + ": " +
                                 attnc_status_text(status) + ": " + sentence);
}

llvm::Error RunCase::call(const CallPlan &plan, const attnc_runtime &runtime) {
  // What a kernel forgets to write shows as NaN.
  for (auto [declared, tensor] : llvm::zip_equal(function.tensors, memory))
    if (declared.isOutput())
      tensor->poison();
  // A call that was made before has changed these.
  forEachInOut(
      [&](size_t input, size_t i) { memory[i]->store(inputs[input]); });
  if (llvm::Error error = callWith(*plan.function, plan.entry, runtime))
    return error;
  size_t output = 0;
  for (auto [declared, tensor] : llvm::zip_equal(function.tensors, memory))
    if (declared.isOutput())
      tensor->load(results[output++]);
  forEachInOut([&](size_t, size_t i) { memory[i]->load(results[output++]); });
  return llvm::Error::success();
}

std::string RunCase::describeSizes() const {
  std::string text;
  for (auto [size, value] : llvm::zip_equal(function.sizes, sizes))
    if (size.isRuntime())
      text +=
          (text.empty() ? "" : ", ") + size.name + " " + std::to_string(value);
  return text;
}

double RunCase::rows() const {
  if (function.sizeIndex("query_tokens")) // of all sequences
    return product({"heads", "query_len"});
  return product({"batch", "heads", "query_len"});
}

double RunCase::scores() const {
  return product({"batch", "heads", "query_len", "kv_len"});
}

/// Of ragged tensors the rows of all sequences stand for the length: no
/// sequence is longer.
double RunCase::product(llvm::ArrayRef<llvm::StringRef> names) const {
  double product = 1;
  for (llvm::StringRef name : names) {
    auto index = function.sizeIndex(name);
    if (!index)
      index = function.sizeIndex(name == "query_len" ? "query_tokens"
                                                     : "kv_tokens");
    if (index) // a dump may have no such size
      product *= static_cast<double>(sizes[*index]);
  }
  return product;
}

llvm::StringMap<int64_t> RunCase::namedSizes() const {
  llvm::StringMap<int64_t> named;
  for (auto [size, value] : llvm::zip_equal(function.sizes, sizes))
    named[size.name] = value;
  return named;
}

bool RunCase::hasDoubles() const {
  return llvm::any_of(function.tensors, [](const InterfaceTensor &tensor) {
    return tensor.dtype == DType::F64;
  });
}

DType RunCase::productType() const {
  for (const InterfaceTensor &tensor : function.tensors)
    if (!tensor.isOutput() && isFloat(tensor.dtype))
      return tensor.dtype;
  return DType::F32;
}

} // namespace attnc
