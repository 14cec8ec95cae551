//===- AccountingJson.cpp - --emit=accounting -----------------------------===//

#include "attnc/Pipeline/Accounting.h"

#include "AccountingFigures.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;

namespace attnc {

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

static llvm::json::Object workJson(const Work &work) {
  llvm::json::Object object;
  for (const WorkFigure &figure : kWorkFigures)
    object[figure.key] = number(work.*figure.value);
  return object;
}

static llvm::json::Object savingsJson(const Savings &savings) {
  llvm::json::Array passes;
  for (const Savings::Step &step : savings.steps) {
    llvm::json::Object object = workJson(step.saved);
    object["pass"] = step.pass;
    passes.push_back(std::move(object));
  }
  return llvm::json::Object{{"as_written", workJson(savings.written)},
                            {"by_pass", std::move(passes)},
                            {"as_compiled", workJson(savings.compiled)}};
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
      {"bytes",
       llvm::json::Object{{"weights", number(figures.weightBytes)},
                          {"inputs", number(figures.inputBytes)},
                          {"outputs", number(figures.outputBytes)},
                          {"least", number(figures.bytes())},
                          {"op_by_op", number(figures.savings.written.bytes)}}},
      {"intensity", number(figures.intensity())},
      {"saved", savingsJson(figures.savings)}};
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

} // namespace attnc
