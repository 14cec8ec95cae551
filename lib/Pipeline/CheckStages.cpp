//===- CheckStages.cpp - Which pass changes the meaning -------------------===//

#include "attnc/Pipeline/CheckStages.h"

#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Pipeline/Stages.h"
#include "attnc/Reference/Compare.h"
#include "attnc/Reference/Interpreter.h"
#include "attnc/Reference/NamedTensors.h"
#include "attnc/Reference/RandomInputs.h"
#include "attnc/Reference/SpecCall.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstdio>

using namespace mlir;

namespace attnc {
namespace {

constexpr uint64_t inputSeed = 1;

struct Instrumentation : PassInstrumentation {
  explicit Instrumentation(StageChecker &checker) : checker(checker) {}
  static ModuleOp moduleOf(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module ? module : op->getParentOfType<ModuleOp>();
  }
  void runBeforePass(Pass *, Operation *op) override {
    checker.before(moduleOf(op));
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    checker.after(pass, moduleOf(op));
  }
  StageChecker &checker;
};

} // namespace

StageChecker::StageChecker(PipelineOptions &options, llvm::raw_ostream &os)
    : os(os) {
  options.instrument = [this](PassManager &manager) {
    manager.addInstrumentation(std::make_unique<Instrumentation>(*this));
  };
  options.beginPart = [this](llvm::StringRef name, ModuleOp module) {
    beginPart(name, module);
  };
}

/// All sizes of a function: given ones, and small odd ones such that every
/// precondition holds.
static std::optional<std::vector<int64_t>>
chooseSizes(const Interface &function, const llvm::StringMap<int64_t> &given) {
  static constexpr int64_t candidates[][3] = {
      {2, 21, 37}, {2, 37, 37}, {2, 37, 21}, {2, 16, 16}, {1, 1, 1}};
  for (auto [batch, queryLen, kvLen] : candidates) {
    std::vector<int64_t> runtime;
    for (const std::string &name : function.runtimeSizes()) {
      auto it = given.find(name);
      runtime.push_back(it != given.end() ? it->second
                        : name == "batch" ? batch
                        : name == "query_len" || name == "query_tokens"
                            ? queryLen
                        : name == "kv_len" || name == "kv_tokens" ? kvLen
                                                                  : 5);
    }
    auto sizes = function.evaluateSizes(runtime);
    if (!sizes)
      continue;
    auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
      auto index = function.sizeIndex(name);
      return index ? std::optional<int64_t>((*sizes)[*index]) : std::nullopt;
    };
    bool holds = true;
    for (const InterfacePrecondition &precondition : function.preconditions) {
      auto lhs = precondition.lhs.evaluate(value);
      auto rhs = precondition.rhs.evaluate(value);
      holds &= lhs && rhs && *lhs <= *rhs;
    }
    if (holds)
      return sizes;
  }
  return std::nullopt;
}

static bool isExtended(const Interface &function) {
  return llvm::any_of(function.tensors, [](const InterfaceTensor &tensor) {
    return tensor.dtype == DType::F64;
  });
}

static reference::Sizes nameSizes(const Interface &function,
                                  ArrayRef<int64_t> sizes) {
  reference::Sizes named;
  for (auto [size, value] : llvm::zip_equal(function.sizes, sizes))
    named[size.name] = value;
  return named;
}

/// What one function of the IR writes, in whichever stage the module is;
/// nothing if it is past the interpreted stages or an op fails.
static std::optional<std::vector<reference::Tensor>>
interpretBody(ModuleOp module, const Interface &function, StringRef body,
              ArrayRef<int64_t> sizes, std::vector<reference::Tensor> inputs) {
  auto precision = isExtended(function) ? reference::Precision::Extended
                                        : reference::Precision::Exact;
  if (auto func = module.lookupSymbol<func::FuncOp>(body);
      func && !func.isExternal()) {
    auto outputs =
        reference::interpret(func, inputs, nameSizes(function, sizes),
                             precision, 0, reference::Comparisons::Typed);
    if (failed(outputs))
      return std::nullopt;
    return std::move(*outputs);
  }
  auto program = module.lookupSymbol<tile::ProgramOp>(body);
  if (!program)
    return std::nullopt;
  size_t count = inputs.size();
  auto outputs = reference::emptyOutputs(function, sizes, module.getContext());
  llvm::append_range(inputs, outputs);
  if (failed(reference::interpret(program, inputs, {}, sizes, precision,
                                  reference::Comparisons::Typed)))
    return std::nullopt;
  std::vector<reference::Tensor> results(inputs.begin() + count, inputs.end());
  size_t input = 0;
  for (const InterfaceTensor &tensor : function.tensors) {
    if (tensor.inout)
      results.push_back(inputs[input]);
    input += !tensor.isOutput();
  }
  return results;
}

/// The inputs of `function`, from those of the function that it was. What these
/// lack, the function that packs weights makes of them.
static std::optional<std::vector<reference::Tensor>>
inputsFor(ModuleOp module, ArrayRef<Interface> functions,
          const Interface &function, reference::NamedTensors &named) {
  const Interface *packing = findInterface(functions, function.packing());
  if (packing && reference::needsPacking(function, named)) {
    auto made = interpretBody(module, *packing, packing->name, {},
                              reference::inputsOf(*packing, named));
    if (!made)
      return std::nullopt;
    reference::nameResults(*packing, *made, named);
  }
  return reference::inputsOf(function, named);
}

/// Adds the runs of one function, with the inputs of what it was.
bool StageChecker::interpret(ModuleOp module, ArrayRef<Interface> functions,
                             const Interface &original,
                             std::vector<Run> &runs) {
  const Interface *function = findInterface(functions, original.name);
  auto values = chooseSizes(original, sizes);
  if (!function || !values)
    return false;
  for (auto kind :
       {reference::InputKind::Integer, reference::InputKind::Normal}) {
    bool isInteger = kind == reference::InputKind::Integer;
    Run &run = runs.emplace_back(Run{original.name, isInteger, {}});
    reference::NamedTensors named = reference::nameInputs(
        original, reference::randomInputs(original, *values, kind, inputSeed,
                                          module.getContext()));
    auto inputs = inputsFor(module, functions, *function, named);
    if (!inputs)
      return false;
    for (const std::string &body : function->bodies()) {
      auto outputs = interpretBody(module, *function, body, *values, *inputs);
      if (!outputs)
        return false;
      run.outputs.push_back(std::move(*outputs));
    }
  }
  return true;
}

std::optional<std::vector<StageChecker::Run>>
StageChecker::interpret(ModuleOp module) {
  auto functions = getInterfaces(module);
  if (mlir::failed(functions))
    return std::nullopt;
  std::vector<Run> runs;
  for (const Interface &original : originals)
    if (!interpret(module, *functions, original, runs))
      return std::nullopt;
  return runs;
}

/// Two values of the same output. Passes may reorder sums, and formulas may
/// become others that are equal in exact arithmetic, so float64 may differ in
/// its last digits.
static bool isSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::fabs(a - b) <= 1e-7 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

static std::string placeOf(const reference::Tensor &tensor, int64_t offset) {
  std::string text;
  for (size_t axis = tensor.shape.size(); axis-- > 0;) {
    text = std::to_string(offset % tensor.shape[axis]) +
           (text.empty() ? "" : ", ") + text;
    offset /= tensor.shape[axis];
  }
  return "[" + text + "]";
}

static std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// What differs most between two outputs, or an empty text.
static std::string differenceOf(const reference::Tensor &before,
                                const reference::Tensor &after) {
  if (before.shape != after.shape)
    return "another shape";
  int64_t worst = -1, count = 0;
  double worstError = -1;
  for (size_t i = 0; i < before.real.size(); ++i) {
    if (isSame(before.real[i], after.real[i]))
      continue;
    ++count;
    double error = std::fabs(before.real[i] - after.real[i]);
    error = std::isnan(error) ? HUGE_VAL : error;
    if (error > worstError)
      worstError = error, worst = static_cast<int64_t>(i);
  }
  if (count == 0)
    return "";
  return llvm::formatv(
      "max error {0} at {1} ({2} before, {3} after); {4} of {5} "
      "values",
      brief(worstError), placeOf(before, worst), brief(before.real[worst]),
      brief(after.real[worst]), count, before.real.size());
}

/// Of the first output that differs; or an empty text.
static std::string differenceOf(ArrayRef<reference::Tensor> before,
                                ArrayRef<reference::Tensor> after) {
  for (auto [was, is] : llvm::zip(before, after))
    if (std::string difference = differenceOf(was, is); !difference.empty())
      return difference;
  return "";
}

/// Integer inputs are to show differences that are no roundings. Where they do
/// not stay exact in the types of the IR, a stage may round constants (a scale,
/// log2 e): the limit of attnc-run's verdict then, if it is kept.
std::optional<double>
StageChecker::inexactLimit(const Run &before,
                           ArrayRef<reference::Tensor> after) {
  const Interface &function = *findInterface(originals, before.function);
  std::string body = function.bodies().back();
  auto graph = first->lookupSymbol<func::FuncOp>(body);
  auto values = chooseSizes(function, sizes);
  if (!before.isInteger || !graph || graph.isExternal())
    return std::nullopt;
  std::vector<reference::Tensor> inputs =
      reference::randomInputs(function, *values, reference::InputKind::Integer,
                              inputSeed, first->getContext());
  reference::Sizes named = nameSizes(function, *values);
  auto plain =
      reference::interpret(graph, inputs, named, reference::Precision::Rounded);
  if (mlir::failed(plain))
    return std::nullopt;
  reference::CheckResult result;
  for (auto [index, is, ours, was] : llvm::zip_equal(
           function.results(), after, *plain, before.outputs.back())) {
    if (is.shape != was.shape)
      return std::nullopt;
    result.outputs.push_back(reference::compare(function.tensors[index], is,
                                                ours, was, /*isInteger=*/true));
  }
  if (!result.isWrong())
    return result.worst().limit();
  if (mlir::failed(reference::findRounding(graph, inputs, named, result)) ||
      result.rounding == 0)
    return std::nullopt;
  return result.worst().limit();
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text + "\n";
}

/// What is interpreted, so that a reader can repeat it.
void StageChecker::announce() {
  for (const Interface &function : originals) {
    os << function.name << ": ";
    auto values = chooseSizes(function, sizes);
    for (auto [size, value] : llvm::zip_equal(function.sizes, *values))
      if (size.isRuntime())
        os << size.name << ' ' << value << ", ";
    os << "integer and random inputs, "
       << (isExtended(function) ? "long double" : "float64") << '\n';
  }
}

std::string StageChecker::importDifference(ModuleOp module, const Run &run) {
  const auto *spec = llvm::find_if(
      specs, [&](const auto &one) { return one.name == run.function; });
  auto graph = module.lookupSymbol<func::FuncOp>(run.function);
  if (spec == specs.end() || !graph || graph.isExternal())
    return "";
  const Interface &function = *findInterface(originals, run.function);
  auto values = chooseSizes(function, sizes);
  auto kind = run.isInteger ? reference::InputKind::Integer
                            : reference::InputKind::Normal;
  std::vector<reference::Tensor> inputs = reference::randomInputs(
      function, *values, kind, inputSeed, module.getContext());
  reference::Sizes named = nameSizes(function, *values);
  auto exact =
      reference::interpret(graph, inputs, named,
                           isExtended(function) ? reference::Precision::Extended
                                                : reference::Precision::Exact);
  auto plain =
      reference::interpret(graph, inputs, named, reference::Precision::Rounded);
  if (mlir::failed(exact) || mlir::failed(plain))
    return "";
  auto wanted = reference::evaluateCall(*spec, function, inputs, named,
                                        module.getContext());
  for (auto [index, is, ours, was] :
       llvm::zip_equal(function.results(), *exact, *plain, wanted)) {
    auto check = reference::compareGraph(function.tensors[index], is, ours, was,
                                         run.isInteger);
    if (check.differs())
      return llvm::formatv("{0}, {1} inputs: max error {2} at {3}; limit {4}",
                           run.function, run.isInteger ? "integer" : "normal",
                           brief(check.error), check.place, brief(check.limit));
  }
  return "";
}

/// The first comparison: the graph with the formulas that it is of.
void StageChecker::checkImport(ModuleOp module) {
  if (specs.empty())
    return;
  for (const Run &run : last) {
    std::string difference = importDifference(module, run);
    if (difference.empty())
      continue;
    hasFailed = true;
    os << llvm::formatv("  {0,-24} differs  {1}\n", "import", difference);
    os.flush();
    mlir::emitError(module.getLoc())
        << "the imported graph differs from the formulas of the spec "
           "[check-stages]";
    return;
  }
  os << llvm::formatv("  {0,-24} same\n", "import");
}

void StageChecker::before(ModuleOp module) {
  if (hasRun || hasFailed)
    return;
  hasRun = true;
  auto functions = getInterfaces(module);
  if (mlir::failed(functions))
    return;
  originals = std::move(*functions);
  if (auto runs = interpret(module)) {
    last = std::move(*runs);
    first = module.clone();
    announce();
    checkImport(module);
  }
  lastText = textOf(module);
}

void StageChecker::beginPart(llvm::StringRef name, ModuleOp module) {
  if (!hasRun || hasFailed)
    return;
  last.clear();
  auto runs = interpret(module);
  if (!runs)
    return;
  os << llvm::formatv("  {0}\n", name);
  last = std::move(*runs);
  lastText = textOf(module);
}

void StageChecker::after(Pass *pass, ModuleOp module) {
  // A pass without a name only holds the passes of nested operations.
  if (hasFailed || last.empty() || pass->getArgument().empty())
    return;
  std::string text = textOf(module);
  llvm::StringRef name = pass->getArgument();
  if (text == lastText) {
    os << llvm::formatv("  {0,-24} no change\n", name);
    return;
  }
  auto runs = interpret(module);
  if (!runs) {
    os << llvm::formatv("  {0,-24} not interpreted\n", name);
    last.clear();
    return;
  }
  std::string inexact;
  for (auto [was, is] : llvm::zip_equal(last, *runs))
    for (const auto &outputs : is.outputs) { // all bodies mean the same
      std::string difference = differenceOf(was.outputs.back(), outputs);
      if (difference.empty())
        continue;
      difference = was.function + ", " +
                   (was.isInteger ? "integer" : "normal") +
                   " inputs: " + difference;
      auto limit = inexactLimit(was, outputs);
      if (!limit)
        return report(name, difference, module);
      if (inexact.empty())
        inexact = difference + "; limit " + brief(*limit);
    }
  if (inexact.empty())
    os << llvm::formatv("  {0,-24} same\n", name);
  else
    os << llvm::formatv("  {0,-24} not exact  {1}\n", name, inexact);
  last = std::move(*runs);
  lastText = std::move(text);
}

static bool writeText(llvm::StringRef folder, llvm::StringRef file,
                      llvm::StringRef text) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  out << text;
  out.flush();
  bool isWritten = !code && !out.has_error();
  out.clear_error();
  return isWritten;
}

void StageChecker::report(llvm::StringRef pass, const std::string &difference,
                          ModuleOp module) {
  hasFailed = true;
  os << llvm::formatv("  {0,-24} differs  {1}\n", pass, difference);
  os.flush();
  InFlightDiagnostic error = mlir::emitError(module.getLoc())
                             << "'" << pass
                             << "' changes the result [check-stages]";
  if (dumpFolder.empty())
    return;
  if (llvm::sys::fs::create_directories(dumpFolder) ||
      !writeText(dumpFolder, "before.mlir", lastText) ||
      !writeText(dumpFolder, "after.mlir", textOf(module))) {
    error.attachNote() << "the IR before and after could not be written to '"
                       << dumpFolder << "'";
    return;
  }
  error.attachNote() << "before and after are in " << dumpFolder
                     << "/{before,after}.mlir; again: attnc-opt --" << pass
                     << " before.mlir";
}

} // namespace attnc
