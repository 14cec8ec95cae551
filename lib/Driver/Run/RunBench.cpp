//===- RunBench.cpp - Times a function against the machine's peak ---------===//
//
// Rounds of calls and of the peak of a unit take turns, because the clock of a
// shared machine moves; the rate and its share of the peak are those of one
// round, that of the median share. They go by CPU time on both sides, so that
// other processes do not count; with several threads by wall time, as `time`
// does. Kernels of a device also take wall time, and have no such peak: the
// calling thread waits for them, and others may compute.
//
//===----------------------------------------------------------------------===//

#include "Run/PeakFlops.h"
#include "Run/RunCase.h"

#include "attnc/Reference/Interpreter.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace attnc {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double quantile(std::vector<double> values, double share) {
  if (values.empty())
    return 0;
  size_t place = std::min(values.size() - 1,
                          static_cast<size_t>(share * double(values.size())));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[place];
}

/// The sum of the peaks of all workers, measured at once.
double peakOfWorkers(const attnc_runtime &runtime, const Target &target,
                     UnitKind unit, bool isDouble, double seconds) {
  if (!runtime.parallel_for || runtime.threads <= 1)
    return measurePeak(target, unit, isDouble, seconds);
  struct Context {
    const Target &target;
    UnitKind unit;
    bool isDouble;
    double seconds, sum = 0;
    std::mutex mutex;
  } context{target, unit, isDouble, seconds, 0, {}};
  runtime.parallel_for(
      runtime.user, runtime.threads,
      [](void *opaque, int64_t) {
        auto &context = *static_cast<Context *>(opaque);
        double peak = measurePeak(context.target, context.unit,
                                  context.isDouble, context.seconds);
        std::lock_guard<std::mutex> lock(context.mutex);
        context.sum += peak;
      },
      &context);
  return context.sum;
}

} // namespace

/// The bytes of the elements of all tensors.
static int64_t bytesOf(llvm::ArrayRef<attnc_tensor *> tensors) {
  int64_t bytes = 0;
  for (const attnc_tensor *tensor : tensors) {
    if (!tensor)
      continue;
    int64_t elements = 1;
    for (int32_t axis = 0; axis < tensor->ndim; ++axis)
      elements *= tensor->shape[axis];
    bytes += elements * ((tensor->dtype.bits + 7) / 8);
  }
  return bytes;
}

llvm::Expected<double> RunCase::time(const CallPlan &plan,
                                     const attnc_runtime &runtime,
                                     double seconds) {
  if (plan.packing)
    if (llvm::Error error = pack(plan, runtime))
      return std::move(error);
  if (llvm::Error error = callWith(*plan.function, plan.entry, runtime))
    return std::move(error);
  std::vector<attnc_tensor *> tensors = descriptorsOf(*plan.function);
  bool isCpuTime = runtime.threads <= 1;
  Clock::time_point begin = Clock::now();
  double cpuBegin = threadSeconds();
  auto spent = [&] {
    return isCpuTime ? threadSeconds() - cpuBegin : secondsSince(begin);
  };
  double calls = 0;
  do {
    plan.entry(tensors, &runtime);
    ++calls;
  } while (spent() < seconds);
  return spent() / calls;
}

mlir::FailureOr<BenchResult> RunCase::bench(const CallPlan &plan,
                                            const attnc_runtime &runtime,
                                            const ReferenceFunctions &functions,
                                            const Target &target,
                                            DType operand) {
  auto taken = inputsFor(functions.fused, inputs, reference::Precision::Exact);
  if (failed(taken))
    return mlir::failure();
  auto flop =
      reference::neededFlop(functions.fused.function, *taken, namedSizes());
  if (failed(flop))
    return mlir::failure();
  std::vector<attnc_tensor *> tensors = descriptorsOf(*plan.function);
  BenchResult result;
  result.bytes = bytesOf(tensors);
  bool isOfCpu = target.kind == TargetKind::Cpu;
  result.isCpuTime = isOfCpu && runtime.threads <= 1;
  if (isOfCpu)
    result.unit = unitOfPeak(target, operand);
  auto measure = [&] {
    return isOfCpu ? peakOfWorkers(runtime, target, result.unit, hasDoubles(),
                                   0.004)
                   : 0;
  };
  std::vector<double> times;
  std::vector<BenchRound> rounds;
  Clock::time_point begin = Clock::now();
  // At least three rounds, so that the first, which warms up, does not decide.
  while (secondsSince(begin) < *options.benchSeconds || rounds.size() < 3) {
    double peak = measure();
    std::vector<double> round;
    double cpuBegin = threadSeconds();
    Clock::time_point roundBegin = Clock::now();
    do {
      Clock::time_point callBegin = Clock::now();
      attnc_status status = plan.entry(tensors, &runtime);
      round.push_back(secondsSince(callBegin));
      if (status != ATTNC_OK)
        return mlir::failure();
    } while (secondsSince(roundBegin) < 0.02);
    // A call's part of the round, in the time that the peak is measured in.
    double perCall = result.isCpuTime
                         ? (threadSeconds() - cpuBegin) / double(round.size())
                         : quantile(round, 0.5);
    peak = (peak + measure()) / 2;
    rounds.push_back({perCall * 1e3, *flop * 1e-9 / perCall, peak});
    times.insert(times.end(), round.begin(), round.end());
  }
  result.calls = static_cast<int64_t>(times.size());
  result.median = quantile(times, 0.5) * 1e3;
  result.min = quantile(times, 0) * 1e3;
  result.p95 = quantile(times, 0.95) * 1e3;
  auto middle = rounds.begin() + static_cast<ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end(),
                   [](const BenchRound &a, const BenchRound &b) {
                     return a.peak > 0 && b.peak > 0
                                ? a.percentOfPeak() < b.percentOfPeak()
                                : a.needed < b.needed;
                   });
  result.round = *middle;
  return result;
}

} // namespace attnc
