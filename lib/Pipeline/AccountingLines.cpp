//===- AccountingLines.cpp - What --explain tells of the account ----------===//

#include "attnc/Pipeline/Accounting.h"

#include "AccountingFigures.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace attnc {

/// "6.29 M" or "12" with a blank before a sign: "98.30 kB", "512 B". Of
/// parameters 10^9 is a billion.
static std::string brief(double value, StringRef sign, StringRef what = "",
                         const char *giga = " G") {
  const std::pair<double, const char *> kUnits[] = {
      {1e12, " T"}, {1e9, giga}, {1e6, " M"}, {1e3, " k"}};
  std::string text;
  for (auto [unit, name] : kUnits)
    if (text.empty() && value >= unit)
      text = llvm::formatv("{0:F2}{1}", value / unit, name);
  if (text.empty())
    text = std::to_string(int64_t(value)) + (sign.empty() ? "" : " ");
  text += sign;
  return what.empty() ? text : text + " " + what.str();
}

static std::string parametersLine(const Accounted &function) {
  auto count = [](double value, StringRef what) {
    return brief(value, "", what, " B");
  };
  double matrices = function.parameters(true);
  std::string text = count(matrices, "parameters in matrices");
  if (auto heads = function.size("heads"); heads && *heads > 0)
    text += ", " + count(matrices / *heads, "per head");
  if (auto layers = function.size("layers"))
    text += ", " + count(matrices * *layers, "for all layers");
  return text;
}

/// " at batch = 1, kv_len = 2048", or nothing without run-time sizes.
static std::string sizesText(const Figures &figures) {
  std::string text;
  for (const auto &[name, value] : figures.runtimeSizes)
    text +=
        (text.empty() ? " at " : ", ") + name + " = " + std::to_string(value);
  return text;
}

static std::string figuresLine(const Figures &figures) {
  std::string text = brief(figures.taken.dense(), "FLOP", "dense");
  if (auto needed = figures.taken.needed())
    text += ", " + brief(*needed, "FLOP", "needed");
  if (figures.written.dense() != figures.taken.dense())
    text +=
        " (" + brief(figures.written.dense(), "FLOP", "dense as written") + ")";
  text += ", " + brief(figures.bytes(), "B", "minimum traffic");
  text += llvm::formatv(": {0:F1} FLOP/byte", figures.intensity());
  text += sizesText(figures);
  if (!figures.body.empty())
    text += ", in " + figures.body + ", used " + figures.when;
  return text;
}

static void addAccount(const Accounted &function,
                       std::vector<AccountLine> &lines) {
  auto add = [&](std::string text) {
    lines.push_back({"account", std::move(text), /*isResult=*/false});
  };
  add(parametersLine(function));
  double cache = function.valueOf(function.account.cacheBytesPerToken);
  add(brief(cache, "B", "of K and V per token"));
  if (function.packed)
    add("once per set of weights, by " + function.packed->function + ": " +
        brief(function.packed->flops, "FLOP", "for") + " " +
        brief(function.packed->bytes, "B", "of packed weights"));
  for (const Figures &figures : function.at)
    add(figuresLine(figures));
}

/// Changes of less than this part of a figure are left to the JSON.
static constexpr double kLeastShare = 0.01;

/// "attn-fuse-kernel: 1.51 GFLOP (46.9%), ...; takes ... more", or nothing. A
/// share is of what there would be without the pass, other passes before it
/// having saved or added their part.
static std::string stepText(const Savings::Step &step, const Work &written) {
  std::string saved, more;
  for (const WorkFigure &figure : kWorkFigures) {
    double value = step.saved.*figure.value, whole = written.*figure.value;
    if (!figure.isTold() || value == 0 ||
        std::fabs(value) < kLeastShare * whole)
      continue;
    std::string &text = value > 0 ? saved : more;
    text += (text.empty() ? "" : ", ") +
            brief(std::fabs(value), figure.sign, figure.what);
    if (value > 0)
      text += llvm::formatv(" ({0:F1}%)",
                            100 * value / (value + step.left.*figure.value));
  }
  if (saved.empty() && more.empty())
    return "";
  return step.pass + ": " + saved +
         (saved.empty() || more.empty() ? "" : "; ") +
         (more.empty() ? "" : more + " more");
}

static std::string workText(const Work &work) {
  std::string text;
  for (const WorkFigure &figure : kWorkFigures)
    if (double value = work.*figure.value; value > 0 && figure.isTold())
      text +=
          (text.empty() ? "" : ", ") + brief(value, figure.sign, figure.what);
  return text;
}

/// A line with the sizes and what the formulas take op by op, one for each
/// pass that saved something of it, and one of what is left.
static void addSavings(const Figures &figures,
                       std::vector<AccountLine> &lines) {
  const Savings &savings = figures.savings;
  std::vector<std::string> steps;
  for (const Savings::Step &step : savings.steps)
    if (std::string text = stepText(step, savings.written); !text.empty())
      steps.push_back(std::move(text));
  if (steps.empty())
    return;
  std::string sizes = sizesText(figures);
  lines.push_back({"work",
                   "without fusion" + sizes + ": " + workText(savings.written),
                   /*isResult=*/true});
  for (std::string &step : steps)
    lines.push_back({"saved", "  by " + std::move(step), /*isResult=*/true});
  lines.push_back({"work", "as compiled: " + workText(savings.compiled),
                   /*isResult=*/true});
}

FailureOr<std::vector<AccountLines>>
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
  std::vector<AccountLines> lines;
  for (const Accounted &function : all->functions) {
    AccountLines &own = lines.emplace_back();
    if (function.isWanted)
      addAccount(function, own);
    for (const Figures &figures : function.at)
      addSavings(figures, own);
  }
  return lines;
}

} // namespace attnc
