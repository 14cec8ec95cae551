//===- Accounting.cpp - Accounts of a module as text ----------------------===//
//
// FLOPs are dense, as if no mask were there, and needed: a mask is counted at
// every place, with tables as the cost model takes them. Where there are too
// many places, or the mask reads what an op computes, needed is null.
//
//===----------------------------------------------------------------------===//

#include "attnc/Pipeline/Accounting.h"

#include "AllowedShare.h"

#include "attnc/Analysis/Accounting.h"
#include "attnc/Analysis/Regimes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace attnc {
namespace {

using NamedSizes = llvm::StringMap<int64_t>;

struct ProductFigures {
  std::string labels, formula;
  double dense = 0;
  std::optional<double> needed;
};

/// The products of a function at one regime.
struct ProductList {
  std::vector<ProductFigures> list;

  double dense() const {
    double sum = 0;
    for (const ProductFigures &product : list)
      sum += product.dense;
    return sum;
  }
  std::optional<double> needed() const {
    double sum = 0;
    for (const ProductFigures &product : list) {
      if (!product.needed)
        return std::nullopt;
      sum += *product.needed;
    }
    return sum;
  }
};

/// The figures of a function at one regime.
struct Figures {
  std::vector<std::pair<std::string, int64_t>> runtimeSizes;
  NamedSizes sizes;
  /// The body that a call of these sizes runs, and for which sizes it does;
  /// empty where there is one for all.
  std::string body, when;
  ProductList taken, written;
  double weightBytes = 0, inputBytes = 0, outputBytes = 0, storedBytes = 0;

  double bytes() const { return weightBytes + inputBytes + outputBytes; }
  /// FLOPs for each byte that has to be moved.
  double intensity() const {
    return bytes() > 0 ? taken.needed().value_or(taken.dense()) / bytes() : 0;
  }
};

/// What a function makes of weights once, for another one.
struct PackedFigures {
  std::string function;
  std::vector<WeightAccount> tensors;
  double flops = 0, bytes = 0;
};

/// All about one function.
struct Accounted {
  const Interface *interface = nullptr;
  Account account;
  std::optional<PackedFigures> packed;
  /// Of each body, as its products are ordered.
  std::map<std::string, Account> bodies;
  std::vector<Figures> at; // none: nobody asks

  double valueOf(const SizeExpr &expr) const;
  /// Elements of weights that have (matrices) or lack two axes.
  double parameters(bool isMatrix) const;
  double parameterBytes() const;
  std::optional<double> size(StringRef name) const {
    auto found = at.front().sizes.find(name);
    if (found == at.front().sizes.end())
      return std::nullopt;
    return double(found->second);
  }
};

} // namespace

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
        "the sizes to account for do not fit those that it derives from them");
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

static FailureOr<Figures> figuresOf(func::FuncOp function,
                                    const Accounted &accounted,
                                    const NamedSizes &listed) {
  Figures figures;
  if (failed(fillSizes(function, *accounted.interface, listed, figures)))
    return failure();
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
  figures.storedBytes = evaluate(account.storedBytes, figures.sizes);
  return figures;
}

static FailureOr<Account> accountOf(ModuleOp module, StringRef name,
                                    const Interface &interface) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (auto account = accountFor(function, interface))
    return std::move(*account);
  return function.emitError("has an axis without a size, so nothing can be "
                            "accounted for");
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

/// What one function is asked: `ordered` is its module with the products as
/// they are taken, `interface` has the cases.
static LogicalResult figuresOf(ModuleOp graph, ModuleOp ordered,
                               const Interface &interface,
                               const NamedSizes &given, Accounted &one) {
  for (const std::string &body : interface.bodies()) {
    auto account = accountOf(ordered, body, interface);
    if (failed(account))
      return failure();
    one.bodies[body] = std::move(*account);
  }
  auto function = graph.lookupSymbol<func::FuncOp>(interface.name);
  for (const NamedSizes &listed : regimeSizes(function, interface, given)) {
    auto figures = figuresOf(function, one, listed);
    if (failed(figures))
      return failure();
    one.at.push_back(std::move(*figures));
  }
  return success();
}

namespace {
/// The accounts refer to interfaces and to masks.
struct AllAccounted {
  OwningOpRef<ModuleOp> ordered;
  std::vector<Interface> interfaces;
  std::vector<Accounted> functions;
};
} // namespace

/// `isWanted` says which functions get figures.
static FailureOr<AllAccounted>
accountAll(ModuleOp graph, ArrayRef<Interface> functions,
           const PipelineOptions &options, const NamedSizes &given,
           function_ref<bool(const Account &)> isWanted) {
  AllAccounted all;
  all.interfaces = functions.vec();
  bool isAnyWanted = false;
  for (const Interface &interface : all.interfaces) {
    auto account = accountOf(graph, interface.name, interface);
    if (failed(account))
      return failure();
    Accounted &one = all.functions.emplace_back();
    one.account = std::move(*account);
    isAnyWanted |= isWanted(one.account);
  }
  if (isAnyWanted) {
    auto ordered = orderProducts(graph, options);
    if (failed(ordered))
      return failure();
    all.ordered = std::move(*ordered);
    auto withCases = getInterfaces(*all.ordered);
    if (failed(withCases))
      return failure();
    all.interfaces = std::move(*withCases);
  }
  // Functions that pack weights stand behind the others.
  for (auto [interface, one] : llvm::zip(all.interfaces, all.functions)) {
    one.interface = &interface;
    const Interface *packing =
        findInterface(all.interfaces, interface.packing());
    if (packing && all.ordered) {
      auto packed = packedFiguresOf(*all.ordered, *packing);
      if (failed(packed))
        return failure();
      one.packed = std::move(*packed);
    }
    if (isWanted(one.account) &&
        failed(figuresOf(graph, *all.ordered, interface, given, one)))
      return failure();
  }
  return all;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Whole numbers without a fraction or an exponent.
static llvm::json::Value number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 0x1p62)
    return int64_t(value);
  return value;
}

static llvm::json::Value number(std::optional<double> value) {
  return value ? number(*value) : llvm::json::Value(nullptr);
}

static llvm::json::Object weightJson(const Accounted &function,
                                     const WeightAccount &weight) {
  llvm::json::Array shape;
  for (const SizeExpr &axis : weight.axes)
    shape.push_back(number(function.valueOf(axis)));
  double elements = function.valueOf(weight.elements);
  llvm::json::Object object{
      {"name", weight.name},
      {"shape", std::move(shape)},
      {"parameters", number(elements)},
      {"bytes", number(elements * double(weight.bytesPerElement))}};
  if (weight.heads) {
    double heads = function.valueOf(*weight.heads);
    object["heads"] = number(heads);
    object["per_head"] = number(heads > 0 ? elements / heads : 0);
  }
  return object;
}

/// Matrices are what papers count; norms and biases are vectors.
static llvm::json::Object parametersJson(const Accounted &function) {
  double matrices = function.parameters(true);
  double vectors = function.parameters(false);
  llvm::json::Object object{{"matrices", number(matrices)},
                            {"vectors", number(vectors)},
                            {"total", number(matrices + vectors)},
                            {"bytes", number(function.parameterBytes())}};
  if (auto heads = function.size("heads"); heads && *heads > 0)
    object["per_head"] = number(matrices / *heads);
  if (auto layers = function.size("layers")) {
    object["layers"] = number(*layers);
    object["all_layers"] = number(matrices * *layers);
  }
  return object;
}

static llvm::json::Object packedJson(const Accounted &function) {
  llvm::json::Array tensors;
  for (const WeightAccount &tensor : function.packed->tensors)
    tensors.push_back(weightJson(function, tensor));
  return llvm::json::Object{{"function", function.packed->function},
                            {"tensors", std::move(tensors)},
                            {"flops_once", number(function.packed->flops)},
                            {"bytes", number(function.packed->bytes)}};
}

static llvm::json::Object flopsJson(const ProductList &products) {
  return llvm::json::Object{{"dense", number(products.dense())},
                            {"needed", number(products.needed())}};
}

static llvm::json::Object figuresJson(const Figures &figures) {
  llvm::json::Object sizes;
  for (const auto &[name, value] : figures.runtimeSizes)
    sizes[name] = value;
  llvm::json::Array products;
  for (const ProductFigures &product : figures.taken.list)
    products.push_back(llvm::json::Object{{"labels", product.labels},
                                          {"formula", product.formula},
                                          {"dense", number(product.dense)},
                                          {"needed", number(product.needed)}});
  llvm::json::Object object{
      {"sizes", std::move(sizes)},
      {"flops", flopsJson(figures.taken)},
      {"flops_as_written", flopsJson(figures.written)},
      {"products", std::move(products)},
      {"bytes", llvm::json::Object{{"weights", number(figures.weightBytes)},
                                   {"inputs", number(figures.inputBytes)},
                                   {"outputs", number(figures.outputBytes)},
                                   {"least", number(figures.bytes())},
                                   {"op_by_op", number(figures.storedBytes)}}},
      {"intensity", number(figures.intensity())}};
  if (!figures.body.empty())
    object["case"] =
        llvm::json::Object{{"function", figures.body}, {"taken", figures.when}};
  return object;
}

FailureOr<std::string> accountingJson(ModuleOp graph,
                                      ArrayRef<Interface> functions,
                                      const PipelineOptions &options,
                                      const NamedSizes &given) {
  auto all = accountAll(graph, functions, options, given,
                        [](const Account &) { return true; });
  if (failed(all))
    return failure();
  llvm::json::Array list;
  for (const Accounted &function : all->functions) {
    llvm::json::Array weights, at;
    for (const WeightAccount &weight : function.account.weights)
      weights.push_back(weightJson(function, weight));
    for (const Figures &figures : function.at)
      at.push_back(figuresJson(figures));
    double cache = function.valueOf(function.account.cacheBytesPerToken);
    llvm::json::Object object{{"name", function.interface->name},
                              {"weights", std::move(weights)},
                              {"parameters", parametersJson(function)},
                              {"kv_cache_bytes_per_token", number(cache)},
                              {"at", std::move(at)}};
    if (function.packed)
      object["packed"] = packedJson(function);
    list.push_back(std::move(object));
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                      {"functions", std::move(list)}}))
      .str();
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// "6.29 M"; of parameters 10^9 is a billion.
static std::string brief(double value, const char *giga = " G") {
  const std::pair<double, const char *> kUnits[] = {
      {1e12, " T"}, {1e9, giga}, {1e6, " M"}, {1e3, " k"}};
  for (auto [unit, name] : kUnits)
    if (value >= unit)
      return llvm::formatv("{0:F2}{1}", value / unit, name);
  return llvm::formatv("{0}", int64_t(value));
}

static std::string parametersLine(const Accounted &function) {
  double matrices = function.parameters(true);
  std::string text = brief(matrices, " B") + " parameters in matrices";
  if (auto heads = function.size("heads"); heads && *heads > 0)
    text += ", " + brief(matrices / *heads, " B") + " a head";
  if (auto layers = function.size("layers"))
    text += ", " + brief(matrices * *layers, " B") + " in all layers";
  return text;
}

static std::string figuresLine(const Figures &figures) {
  std::string text = brief(figures.taken.dense()) + "FLOP dense";
  if (auto needed = figures.taken.needed())
    text += ", " + brief(*needed) + "FLOP needed";
  if (figures.written.dense() != figures.taken.dense())
    text += " (" + brief(figures.written.dense()) + "FLOP dense as written)";
  text += ", " + brief(figures.bytes()) + "B at least";
  text += llvm::formatv(": {0:F1} FLOP/byte", figures.intensity());
  for (const auto &[name, value] : figures.runtimeSizes)
    text += (&name == &figures.runtimeSizes.front().first ? " at " : ", ") +
            name + " = " + std::to_string(value);
  if (!figures.body.empty())
    text += ", in " + figures.body + ", taken " + figures.when;
  return text;
}

FailureOr<std::vector<std::vector<std::string>>>
accountingLines(ModuleOp graph, ArrayRef<Interface> functions,
                const PipelineOptions &options, const NamedSizes &given) {
  auto hasMatrices = [](const Account &account) {
    return llvm::any_of(account.weights, [](const WeightAccount &weight) {
      return weight.isMatrix();
    });
  };
  auto all = accountAll(graph, functions, options, given, hasMatrices);
  if (failed(all))
    return failure();
  std::vector<std::vector<std::string>> lines;
  for (const Accounted &function : all->functions) {
    std::vector<std::string> &own = lines.emplace_back();
    if (function.at.empty())
      continue;
    own.push_back(parametersLine(function));
    double cache = function.valueOf(function.account.cacheBytesPerToken);
    own.push_back(brief(cache) + "B of K and V per token");
    if (function.packed)
      own.push_back("once, by " + function.packed->function + ": " +
                    brief(function.packed->flops) + "FLOP for " +
                    brief(function.packed->bytes) + "B of packed weights");
    for (const Figures &figures : function.at)
      own.push_back(figuresLine(figures));
  }
  return lines;
}

} // namespace attnc
