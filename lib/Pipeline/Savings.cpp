//===- Savings.cpp - What each pass saved ---------------------------------===//

#include "Savings.h"

#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace attnc {
namespace {

struct Instrumentation : PassInstrumentation {
  explicit Instrumentation(SavingsWatch &watch) : watch(watch) {}
  void runAfterPass(Pass *pass, Operation *) override {
    // A pass without a name only holds the passes of nested operations.
    if (!pass->getArgument().empty())
      watch.after(pass->getArgument());
  }
  SavingsWatch &watch;
};

} // namespace

/// The work of the body that a call of these sizes runs.
std::optional<Work> SavingsWatch::count(ArrayRef<Interface> functions,
                                        const Watched &one) const {
  const Interface *interface = findInterface(functions, one.function);
  if (!interface)
    return std::nullopt;
  std::vector<int64_t> values;
  for (const InterfaceSize &size : interface->sizes)
    values.push_back(one.regime.sizes.lookup(size.name));
  auto body = module.lookupSymbol<func::FuncOp>(interface->bodyAt(values));
  if (!body)
    return std::nullopt;
  return workOf(body, interface, one.regime, target);
}

size_t SavingsWatch::add(StringRef function,
                         const llvm::StringMap<int64_t> &sizes) {
  Watched &one = watched.emplace_back();
  one.function = function.str();
  one.regime.sizes = sizes;
  if (auto functions = getInterfaces(module); succeeded(functions))
    if (auto work = count(*functions, one))
      one.savings.written = one.savings.compiled = *work;
  return watched.size() - 1;
}

void SavingsWatch::watch(PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

void SavingsWatch::after(StringRef pass) {
  auto functions = getInterfaces(module);
  if (failed(functions))
    return;
  for (Watched &one : watched) {
    auto work = count(*functions, one);
    Savings &savings = one.savings;
    if (!work || *work == savings.compiled)
      continue;
    auto step = llvm::find_if(savings.steps, [&](const Savings::Step &step) {
      return step.pass == pass;
    });
    if (step == savings.steps.end())
      step = savings.steps.insert(step, {pass.str(), Work(), Work()});
    step->saved += savings.compiled - *work;
    step->left = savings.compiled = *work;
  }
}

} // namespace attnc
