//===- AccountingFigures.cpp - The figures of an account ------------------===//
//
// FLOPs are dense, as if no mask were there, and needed: a mask is counted at
// every place, with tables as the cost model takes them. Where that
// depends on values of rows or of what an op computes, or there are too many
// places, needed is null.
//
//===----------------------------------------------------------------------===//

#include "AccountingFigures.h"

#include "AllowedShare.h"
#include "PassTable.h"

#include "attnc/Analysis/Regime/Regimes.h"

#include <cmath>

using namespace mlir;

namespace attnc {

/// In doubles: figures of large models exceed 64 bits.
static double evaluate(const SizeExpr &expr, const NamedSizes &sizes) {
  SmallVector<double> stack;
  for (const SizeExpr::Step &step : expr.postfix()) {
    if (step.op == SizeExpr::Op::Constant) {
      stack.push_back(double(step.value));
      continue;
    }
    if (step.op == SizeExpr::Op::Size) {
      stack.push_back(double(sizes.lookup(step.name)));
      continue;
    }
    double rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    switch (step.op) {
    case SizeExpr::Op::Add:
      stack.push_back(lhs + rhs);
      break;
    case SizeExpr::Op::Sub:
      stack.push_back(lhs - rhs);
      break;
    case SizeExpr::Op::Mul:
      stack.push_back(lhs * rhs);
      break;
    case SizeExpr::Op::FloorDiv:
      stack.push_back(rhs == 0 ? 0 : std::floor(lhs / rhs));
      break;
    case SizeExpr::Op::Mod:
      stack.push_back(rhs == 0 ? 0 : lhs - rhs * std::floor(lhs / rhs));
      break;
    case SizeExpr::Op::Min:
      stack.push_back(std::min(lhs, rhs));
      break;
    default:
      stack.push_back(std::max(lhs, rhs));
      break;
    }
  }
  return stack.back();
}

double Accounted::valueOf(const SizeExpr &expr) const {
  return evaluate(expr, at.front().sizes);
}

double Accounted::parameters(bool isMatrix) const {
  double sum = 0;
  for (const WeightAccount &weight : account.weights)
    if (weight.isMatrix() == isMatrix)
      sum += valueOf(weight.elements);
  return sum;
}

double Accounted::parameterBytes() const {
  return evaluate(account.weightBytes, at.front().sizes);
}

/// The sizes of each regime; with `given` ones those of the first.
static std::vector<NamedSizes> regimeSizes(func::FuncOp function,
                                           const Interface &interface,
                                           const NamedSizes &given) {
  std::vector<NamedSizes> lists;
  for (const Regime &regime : getRegimes(function, &interface))
    lists.push_back(regime.sizes);
  if (given.empty())
    return lists;
  lists.resize(1);
  for (const auto &size : given)
    lists.front()[size.first()] = size.second;
  return lists;
}

/// Values of all sizes from those of run-time sizes.
static LogicalResult fillSizes(func::FuncOp function,
                               const Interface &interface,
                               const NamedSizes &listed, Figures &figures) {
  std::vector<int64_t> runtime;
  for (const std::string &name : interface.runtimeSizes()) {
    auto found = listed.find(name);
    runtime.push_back(found != listed.end() ? found->second : 1);
    figures.runtimeSizes.emplace_back(name, runtime.back());
  }
  auto all = interface.evaluateSizes(runtime);
  if (!all)
    return function.emitError(
        "the sizes are inconsistent with the derived sizes");
  for (auto [size, value] : llvm::zip_equal(interface.sizes, *all))
    figures.sizes[size.name] = value;
  return success();
}

/// The share of its places that a mask allows.
static std::optional<double> shareOf(const ProductAccount &product,
                                     const Interface &interface,
                                     const Figures &figures) {
  attn::MaskOp mask = product.mask;
  if (!mask || mask.getConstant() == true)
    return 1;
  double places = evaluate(product.places, figures.sizes);
  if (places == 0)
    return 1;
  auto allowed = countAllowedPlaces(mask, interface, figures.sizes);
  return allowed ? std::optional(*allowed / places) : std::nullopt;
}

static ProductList productsOf(const Account &account,
                              const Interface &interface,
                              const Figures &figures) {
  ProductList products;
  llvm::DenseMap<Operation *, std::optional<double>> shares;
  for (const ProductAccount &product : account.products) {
    attn::MaskOp mask = product.mask;
    auto [share, isNew] = shares.try_emplace(mask.getOperation());
    if (isNew)
      share->second = shareOf(product, interface, figures);
    double dense = evaluate(product.flops, figures.sizes);
    std::optional<double> needed = share->second;
    if (needed)
      *needed *= dense;
    products.list.push_back(
        {product.labels, product.flops.str(), dense, needed});
  }
  return products;
}

/// Which products a call of these sizes takes, and the bytes that it has to
/// move.
static void addProducts(const Accounted &accounted, Figures &figures) {
  const Interface &interface = *accounted.interface;
  const Account &account = accounted.account;
  std::vector<int64_t> values;
  for (const InterfaceSize &size : interface.sizes)
    values.push_back(figures.sizes.lookup(size.name));
  std::string body = interface.bodyAt(values);
  figures.taken = productsOf(accounted.bodies.at(body), interface, figures);
  figures.written = productsOf(account, interface, figures);
  if (!interface.cases.empty()) {
    figures.body = body;
    figures.when = "otherwise";
    for (auto [name, entry] : llvm::zip(interface.bodies(), interface.cases))
      if (name == body)
        figures.when = "if " + entry.str();
  }
  figures.weightBytes =
      evaluate(accounted.bodies.at(body).weightBytes, figures.sizes);
  figures.inputBytes = evaluate(account.inputBytes, figures.sizes);
  figures.outputBytes = evaluate(account.outputBytes, figures.sizes);
}

static FailureOr<Account> accountOf(ModuleOp module, StringRef name,
                                    const Interface &interface) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (auto account = accountFor(function, interface))
    return std::move(*account);
  return function.emitError(
      "has an axis without a size, so it cannot be accounted for");
}

/// Its sizes are all fixed.
static FailureOr<PackedFigures> packedFiguresOf(ModuleOp ordered,
                                                const Interface &packing) {
  auto account = accountOf(ordered, packing.name, packing);
  if (failed(account))
    return failure();
  PackedFigures packed;
  packed.function = packing.name;
  for (const ProductAccount &product : account->products)
    packed.flops += evaluate(product.flops, {});
  for (const InterfaceTensor &tensor : packing.tensors) {
    if (!tensor.isOutput())
      continue;
    WeightAccount &weight = packed.tensors.emplace_back();
    weight.name = tensor.name;
    weight.axes = tensor.axes;
    weight.elements = SizeExpr::constant(1);
    for (const SizeExpr &axis : tensor.axes)
      weight.elements = weight.elements * axis;
    weight.bytesPerElement = dtypeBytes(tensor.dtype);
  }
  packed.bytes = evaluate(account->outputBytes, {});
  return packed;
}

/// The regimes of a function, with the values of all sizes.
static LogicalResult addRegimes(func::FuncOp function, const NamedSizes &given,
                                Accounted &one) {
  for (const NamedSizes &listed : regimeSizes(function, *one.interface, given))
    if (failed(
            fillSizes(function, *one.interface, listed, one.at.emplace_back())))
      return failure();
  return success();
}

/// What one function is asked: `ordered` is its module with the products as
/// they are taken, and its interface has the cases.
static LogicalResult addFigures(ModuleOp ordered, Accounted &one) {
  for (const std::string &body : one.interface->bodies()) {
    auto account = accountOf(ordered, body, *one.interface);
    if (failed(account))
      return failure();
    one.bodies[body] = std::move(*account);
  }
  for (Figures &figures : one.at)
    addProducts(one, figures);
  return success();
}

/// Runs the passes up to stage fused over a copy of the module, and gives that
/// copy as it is when products have their order.
static FailureOr<OwningOpRef<ModuleOp>>
runPasses(ModuleOp graph, const PipelineOptions &options,
          std::vector<Accounted> &functions) {
  OwningOpRef<ModuleOp> running = graph.clone();
  SavingsWatch watch(*running, *options.target);
  SmallVector<std::pair<size_t, Figures *>> places;
  for (Accounted &one : functions)
    for (Figures &figures : one.at)
      places.emplace_back(watch.add(one.interface->name, figures.sizes),
                          &figures);
  auto run = [&](const std::string &passes) {
    return runQuietly(*running, passes,
                      [&](PassManager &manager) { watch.watch(manager); });
  };
  if (failed(run(orderingPasses(options))))
    return failure();
  OwningOpRef<ModuleOp> ordered = running->clone();
  if (failed(run(fusingPasses(options))))
    return failure();
  for (auto [place, figures] : places)
    figures->savings = watch.get(place);
  return ordered;
}

FailureOr<AllAccounted>
accountAll(ModuleOp graph, ArrayRef<Interface> functions,
           const PipelineOptions &options, const NamedSizes &given,
           function_ref<bool(const Account &)> isWanted) {
  AllAccounted all;
  for (const Interface &interface : functions) {
    Accounted &one = all.functions.emplace_back();
    one.interface = &interface;
    auto account = accountOf(graph, interface.name, interface);
    if (failed(account))
      return failure();
    one.account = std::move(*account);
    if (failed(addRegimes(graph.lookupSymbol<func::FuncOp>(interface.name),
                          given, one)))
      return failure();
  }
  auto ordered = runPasses(graph, options, all.functions);
  if (failed(ordered))
    return failure();
  all.ordered = std::move(*ordered);
  auto withCases = getInterfaces(*all.ordered);
  if (failed(withCases))
    return failure();
  all.interfaces = std::move(*withCases);
  // Functions that pack weights stand behind the others.
  for (auto [interface, one] : llvm::zip(all.interfaces, all.functions)) {
    one.interface = &interface;
    const Interface *packing =
        findInterface(all.interfaces, interface.packing());
    if (packing) {
      auto packed = packedFiguresOf(*all.ordered, *packing);
      if (failed(packed))
        return failure();
      one.packed = std::move(*packed);
    }
    one.isWanted = isWanted(one.account);
    if (one.isWanted && failed(addFigures(*all.ordered, one)))
      return failure();
  }
  return all;
}

} // namespace attnc
