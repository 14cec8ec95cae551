//===- RunReport.cpp - What attnc-run prints ------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>

namespace attnc {

/// A number for JSON, which has neither infinity nor NaN.
static llvm::json::Value number(double value) {
  return std::isfinite(value) ? llvm::json::Value(value)
                              : llvm::json::Value(nullptr);
}

namespace {
struct UnitNames {
  llvm::StringRef field; // as in schedules
  llvm::StringRef peak;
};
} // namespace

static UnitNames namesOf(UnitKind unit) {
  switch (unit) {
  case UnitKind::Fma:
    return {"fma", "FMA"};
  case UnitKind::DotProduct:
    return {"dot", "bf16 dot-product"};
  case UnitKind::Matrix:
    return {"matrix", "bf16 matrix-unit"};
  }
  llvm_unreachable("all kinds are named");
}

static void reportJson(const RunCase &run, const RunOptions &options,
                       const Target &target,
                       const std::optional<CheckResult> &check,
                       const std::optional<BenchResult> &bench) {
  llvm::json::Object sizes;
  for (auto [size, value] : llvm::zip_equal(run.function.sizes, run.sizes))
    if (size.isRuntime())
      sizes[size.name] = value;
  llvm::json::Object line{{"name", run.function.name},
                          {"sizes", std::move(sizes)},
                          {"cpu", target.name},
                          {"threads", options.threads}};
  if (check) {
    line["right"] = check->isRight();
    line["exact"] = check->isExact();
    line["max_error"] = number(check->worst().error);
    line["limit"] = number(check->worst().limit());
    auto sum = [&](int64_t OutputCheck::*count) {
      int64_t total = 0;
      for (const OutputCheck &output : check->outputs)
        total += output.*count;
      return total;
    };
    line["not_numbers"] = sum(&OutputCheck::notNumbers);
    line["not_compared"] = sum(&OutputCheck::lost);
    double compared = 1;
    for (const OutputCheck &output : check->outputs)
      compared = std::min(compared, output.compared());
    line["compared"] = number(compared);
    line["excused"] = sum(&OutputCheck::excused);
    if (check->rounding > 0)
      line["rounded_scores"] = number(check->rounding);
  }
  if (bench) {
    line["time_ms"] = number(bench->median);
    line["rate_time"] = bench->isCpuTime ? "cpu" : "wall";
    line["call_ms"] = number(bench->round.call);
    line["gflops_needed"] = number(bench->round.needed);
    line["tensor_bytes"] = bench->bytes;
    if (!bench->copy.empty())
      line["copy"] = bench->copy;
    if (bench->round.peak > 0) {
      line["peak_gflops"] = number(bench->round.peak);
      line["peak_unit"] = namesOf(bench->unit).field;
      line["percent_of_peak"] = number(bench->round.percentOfPeak());
    }
  }
  llvm::outs() << llvm::formatv("{0}\n", llvm::json::Value(std::move(line)));
}

static std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// " (in 13 draws of the inputs)" where a check counts more values than the
/// tensor has.
static std::string drawsText(const RunCase &run, const InterfaceTensor &tensor,
                             int64_t values) {
  auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto index = run.function.sizeIndex(name);
    return index ? std::optional<int64_t>(run.sizes[*index]) : std::nullopt;
  };
  int64_t elements = 1;
  for (const SizeExpr &axis : tensor.axes)
    elements *= axis.evaluate(value).value_or(0);
  if (elements <= 0 || values <= elements)
    return "";
  return llvm::formatv(" in {0} sets of random inputs", values / elements);
}

/// What the figures of a check do not cover; one line per output.
static void reportGaps(const RunCase &run, const CheckResult &check) {
  for (auto [i, index] : llvm::enumerate(run.function.results())) {
    const InterfaceTensor &tensor = run.function.tensors[index];
    const OutputCheck &output = check.outputs[i];
    auto tell = [&](int64_t count, llvm::StringRef what) {
      if (count)
        llvm::outs() << llvm::formatv(
            "  note    {0} of {1} values of {2}{3} {4}\n", count, output.values,
            tensor.name, drawsText(run, tensor, output.values), what);
    };
    if (output.nobodys)
      llvm::outs() << llvm::formatv(
          "  note    {0} values of {1} belong to no sequence and "
          "are unmodified\n",
          output.nobodys, tensor.name);
    tell(output.notNumbers, "are NaN in the reference");
    tell(output.lost, "are not compared: the reference or its evaluation in "
                      "this type overflows");
    tell(output.excused,
         "exceed the limit, but not the error of plain evaluation "
         "in another summation order");
  }
}

/// The type that the function computes: inputs may be of integers.
static llvm::StringRef typeName(const Interface &function) {
  auto output = llvm::find_if(
      function.tensors, [](const auto &tensor) { return tensor.isOutput(); });
  return dtypeName(output->dtype);
}

/// "18% of O compared", of the output of which least is; empty if all is.
static std::string shareText(const RunCase &run, const CheckResult &check) {
  std::string text;
  double least = 1;
  for (auto [i, index] : llvm::enumerate(run.function.results())) {
    double share = check.outputs[i].compared();
    if (share >= least)
      continue;
    least = share;
    text = (share < 0.01 ? "under 1"
                         : std::to_string(static_cast<int>(share * 100))) +
           "% of " + run.function.tensors[index].name + " compared";
  }
  return text;
}

/// The verdict and its figures. `right` is said only of what was compared.
static void reportVerdict(const RunCase &run, const CheckResult &check) {
  llvm::raw_ostream &os = llvm::outs() << "  check   ";
  const OutputCheck &worst = check.worst();
  if (check.graph.differs()) {
    os << llvm::formatv(
        "failed: the imported graph differs from the formula by "
        "{0} at {1} (limit {2}); this is a compiler bug, please "
        "report it\n",
        brief(check.graph.error), check.graph.place, brief(check.graph.limit));
    return;
  }
  for (const OutputCheck &output : check.outputs)
    if (output.stray > 0) {
      os << llvm::formatv("failed: {0} is off by {1}, expected exactly {2}\n",
                          output.strayPlace, brief(output.stray),
                          output.strayRule);
      return;
    }
  if (check.isWrong() && check.rounding > 0) {
    os << llvm::formatv(
        "not exact: error {0} at {1} (limit {2}), but plain {3} "
        "evaluation rounds the scores of these integer inputs by "
        "up to {4} before an exponential; to keep scores exact, "
        "scale them by a power of two: --set 'score=Q @ K * 64'\n",
        brief(worst.error), worst.place, brief(worst.limit()),
        typeName(run.function), brief(check.rounding));
    return;
  }
  if (check.isWrong()) {
    os << llvm::formatv("failed: error {0} at {1} (limit {2})\n",
                        brief(worst.error), worst.place, brief(worst.limit()));
    return;
  }
  for (auto [i, index] : llvm::enumerate(run.function.results()))
    if (check.outputs[i].isUnknown()) {
      os << llvm::formatv(
          "nothing compared: no value of {0} is finite in both "
          "evaluations; use other values (--input), another dtype "
          "(--set) or --no-check\n",
          run.function.tensors[index].name);
      return;
    }
  std::string share = shareText(run, check);
  bool isRight = check.isRight();
  if (!isRight)
    os << "mostly not compared: " << share << "; of the rest: ";
  else
    os << "passed: ";
  if (check.isExact())
    os << "identical to the reference";
  else
    os << llvm::formatv("max error {0} (plain {1}: {2}; limit {3})",
                        brief(worst.error), typeName(run.function),
                        brief(worst.plainError), brief(worst.limit()));
  os << (isRight && !share.empty() ? ", " + share : "") << '\n';
}

/// How fast a call that is bound by memory reads and writes its tensors.
static void reportMemory(llvm::raw_ostream &os, const BenchResult &bench) {
  os << llvm::formatv("  memory  {0:f1} MB of inputs and outputs; {1:f1} GB/s "
                      "if each element is accessed once\n",
                      double(bench.bytes) * 1e-6,
                      double(bench.bytes) * 1e-6 / bench.round.call);
}

/// How long a call takes by the clock on the wall, and the rate in the time
/// that the peak is measured in.
static void reportTimes(llvm::raw_ostream &os, const BenchResult &bench) {
  if (!bench.copy.empty())
    os << llvm::formatv("  copy    {0}, for calls with {1}\n", bench.copy,
                        bench.when);
  os << llvm::formatv(
      "  time    {0:f3} ms, median of {1} calls (min {2:f3}, p95 "
      "{3:f3})\n",
      bench.median, bench.calls, bench.min, bench.p95);
  const BenchRound &round = bench.round;
  if (round.peak == 0) { // of a device, which is not measured
    os << llvm::formatv(
        "  rate    {0:f1} GFLOP/s (needed FLOPs) in wall time\n", round.needed);
    return;
  }
  os << llvm::formatv(
      "  rate    {0:f1} GFLOP/s (needed FLOPs) = {1:f1}% of the {2} peak of "
      "{3:f1} GFLOP/s, both measured in {4} time in this run{5}\n",
      round.needed, round.percentOfPeak(), namesOf(bench.unit).peak, round.peak,
      bench.isCpuTime ? "CPU" : "wall",
      round.percentOfPeak() > 100
          ? "; units for integers are faster, and chunked forms do not compute "
            "all pairs that are counted"
          : "");
}

void reportCase(const RunCase &run, const RunOptions &options,
                const Target &target, const std::optional<CheckResult> &check,
                const std::optional<BenchResult> &bench) {
  if (options.json)
    return reportJson(run, options, target, check, bench);
  llvm::raw_ostream &os = llvm::outs();
  std::string sizes = run.describeSizes();
  os << llvm::formatv("{0}  {1}{2}{3}, {4}{5}, {6} thread{7}\n",
                      run.function.name, sizes, sizes.empty() ? "" : ", ",
                      typeName(run.function), target.name,
                      options.modelInstructions ? " (modeled)" : "",
                      options.threads, options.threads == 1 ? "" : "s");
  if (check) {
    reportVerdict(run, *check);
    reportGaps(run, *check);
  }
  if (bench) {
    reportTimes(os, *bench);
    reportMemory(os, *bench);
  }
  os.flush();
}

} // namespace attnc
