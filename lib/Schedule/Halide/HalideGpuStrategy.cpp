//===- HalideGpuStrategy.cpp - Schedules of the Halide backend on devices -===//
//
// Form online: a group of threads computes a block of queries and visits the
// keys in blocks; form chunked does so from a state of the keys before a chunk.
// Candidates differ in the group's size, in the keys that a thread computes at
// once, and in what fits the shared memory.
// Tests: test/Codegen/Halide/devices.test
//
//===----------------------------------------------------------------------===//

#include "Halide/Chunks.h"
#include "Halide/HalideRequest.h"
#include "Halide/HalideStrategy.h"
#include "Halide/KeySplits.h"
#include "VisitedPairs.h"

#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/TargetAttr.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc::schedule::halide {
namespace {

using ::attnc::halide::GpuScheduleAttr;

struct HalideGpuStrategy final : Strategy {
  StringRef backend() const override { return "halide"; }
  bool serves(const Target &target) const override {
    return target.kind == TargetKind::Device;
  }
  SmallVector<attn::ScheduleAttr>
  makeCandidates(const KernelShape &shape, const Target &target,
                 StringRef request, std::string &error) const override;
  std::string findMismatch(const KernelShape &shape, const Target &target,
                           attn::ScheduleAttr schedule) const override;
  std::string findProblem(const KernelShape &shape, const Target &target,
                          attn::ScheduleAttr schedule) const override;
  std::string explain(const KernelShape &shape,
                      attn::ScheduleAttr schedule) const override {
    return explainWhole(shape, schedule.getQ(), schedule);
  }
  Cost predictCost(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule,
                   RegimeRanges &ranges) const override;
  attn::BlockAttr chooseBlock(Operation *op,
                              const Target &target) const override;
  std::string findProblem(Operation *op, attn::BlockAttr block,
                          const Target &target) const override;
};

} // namespace

static GpuScheduleAttr targetOf(attn::ScheduleAttr schedule) {
  return dyn_cast<GpuScheduleAttr>(schedule.getTarget());
}

/// Bytes of an array of GpuScheduleAttr::getArrays for blocks of q x k.
static int64_t bytesOf(StringRef array, const KernelShape &shape, int64_t q,
                       int64_t k, int64_t granule) {
  int64_t elements =
      array == "values" ? llvm::alignTo(shape.valueDim, granule)
      : array == "state"
          ? shape.valueDim + 2
          : k * (array == "scores" && shape.kernel.hasGate() ? 2 : 1);
  return q * elements * shape.accumulateBytes();
}

/// The maximum and the sum of a block, which are always shared.
static int64_t bytesOfRows(const KernelShape &shape, int64_t q) {
  return 2 * q * shape.accumulateBytes();
}

/// As many of the arrays as fit, the most used first.
static SmallVector<StringAttr> chooseShared(const KernelShape &shape,
                                            const Target &target, int64_t q,
                                            int64_t k, int64_t granule) {
  SmallVector<StringAttr> shared;
  int64_t bytes = bytesOfRows(shape, q);
  for (StringRef array : GpuScheduleAttr::getArrays()) {
    int64_t more = bytesOf(array, shape, q, k, granule);
    if (bytes + more > target.device.sharedBytes)
      continue;
    bytes += more;
    shared.push_back(StringAttr::get(shape.kernel->getContext(), array));
  }
  return shared;
}

SmallVector<attn::ScheduleAttr>
HalideGpuStrategy::makeCandidates(const KernelShape &shape,
                                  const Target &target, StringRef text,
                                  std::string &error) const {
  std::optional<HalideRequest> request =
      HalideRequest::parse(text, target.kind, error);
  if (!request)
    return {};
  MLIRContext *context = shape.kernel->getContext();
  // A problem of the attribute is the user's.
  ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  bool isLinear = shape.factors.has_value();
  if (request->chunk && !request->form && !isLinear) {
    error = llvm::formatv("invalid schedule: chunk = {0} does not apply, "
                          "because {1}; remove it",
                          *request->chunk, shape.whyNoFactors);
    return {};
  }
  SmallVector<attn::ScheduleAttr> candidates;
  auto add = [&](attn::ScheduleForm form, int64_t q, int64_t k, int64_t chunk,
                 int64_t split, GpuScheduleAttr halide) {
    auto invalid = [&] { return emitError(UnknownLoc::get(context)); };
    attn::ScheduleAttr made;
    if (request->form.value_or(form) == form && error.empty())
      made = attn::ScheduleAttr::getChecked(
          invalid, context, form, q, k, chunk, split, attn::RowAxes::Q,
          llvm::APFloat(0.0), attn::RescalePlace::Value, /*weights=*/Type(),
          tile::TargetAttrInterface(halide));
    if (made && !llvm::is_contained(candidates, made))
      candidates.push_back(made);
  };
  bool mayBeOnline = request->form || !request->chunk;
  bool mayBeChunked = request->form || request->chunk ||
                      (isLinear && request->split.value_or(0) == 0);
  for (RegisterTile tile : {RegisterTile{16, 8}, {16, 16}, {32, 4}, {8, 16}}) {
    RegisterTile group = request->group.value_or(tile);
    for (int64_t keysOfThread : {4, 2}) {
      int64_t q = request->q.value_or(group.rows);
      int64_t keys = request->keys.value_or(keysOfThread);
      int64_t k = request->k.value_or(group.vectors * keys);
      // The code of a formula stands once for each accumulator.
      int64_t features =
          request->features.value_or(shape.kernel.hasValue() ? 1 : 4);
      int64_t granule = group.vectors * features;
      SmallVector<StringAttr> shared =
          chooseShared(shape, target, q, k, granule);
      if (request->shared) {
        shared.clear();
        for (StringRef name : *request->shared)
          shared.push_back(StringAttr::get(context, name));
      }
      auto invalid = [&] { return emitError(shape.kernel.getLoc()); };
      if (failed(GpuScheduleAttr::verify(invalid, {group.rows, group.vectors},
                                         keys, features, shared)))
        return {};
      auto halide = GpuScheduleAttr::get(context, {group.rows, group.vectors},
                                         keys, features, shared);
      for (int64_t split : listSplits(shape, q, k, request->split))
        if (mayBeOnline)
          add(attn::ScheduleForm::Online, q, k, request->chunk.value_or(0),
              split, halide);
      if (mayBeChunked)
        for (int64_t chunk : chunksOf(shape, request->chunk))
          add(attn::ScheduleForm::Chunked, q, k, chunk,
              request->split.value_or(0), halide);
    }
  }
  if (!error.empty())
    return {};
  return candidates;
}

std::string HalideGpuStrategy::findMismatch(const KernelShape &,
                                            const Target &target,
                                            attn::ScheduleAttr schedule) const {
  if (targetOf(schedule))
    return {};
  std::string text;
  llvm::raw_string_ostream(text)
      << "has a schedule for " << schedule.getTarget() << ", but "
      << target.name << " expects #halide.gpu_schedule<...>";
  return text;
}

std::string HalideGpuStrategy::findProblem(const KernelShape &shape,
                                           const Target &target,
                                           attn::ScheduleAttr schedule) const {
  GpuScheduleAttr halide = targetOf(schedule);
  int64_t q = schedule.getQ(), k = schedule.getK();
  int64_t x = halide.getGroup()[0], y = halide.getGroup()[1];
  if (schedule.getForm() == attn::ScheduleForm::Rows)
    return "the Halide backend supports form = online and form = chunked on "
           "devices";
  if (schedule.getForm() == attn::ScheduleForm::Chunked && !shape.factors)
    return "form = chunked does not apply, because " + shape.whyNoFactors +
           "; use form = online";
  if (schedule.getChunk() > kMostKeys)
    return llvm::formatv("chunk = {0} is not within 1 .. {1}",
                         schedule.getChunk(), kMostKeys);
  if (schedule.getChunk() % k != 0)
    return llvm::formatv("chunk = {0} is not a multiple of k = {1}",
                         schedule.getChunk(), k);
  if (schedule.getWeights())
    return "the Halide backend does not use 'weights'; remove it";
  if (x * y > target.device.groupThreads)
    return llvm::formatv("group = [{0}, {1}] has {2} threads, {3} has {4}", x,
                         y, x * y, target.name, target.device.groupThreads);
  if (q != x)
    return llvm::formatv("q = {0} is not the {1} queries of a group", q, x);
  if (k != y * halide.getKeys())
    return llvm::formatv(
        "k = {0} is not {1}, the keys of a thread times group[1]", k,
        y * halide.getKeys());
  int64_t bytes = bytesOfRows(shape, q);
  for (StringAttr array : halide.getShared())
    bytes += bytesOf(array, shape, q, k, y * halide.getFeatures());
  if (bytes > target.device.sharedBytes)
    return llvm::formatv("the arrays in shared need {0} bytes of shared "
                         "memory, {1} has {2}",
                         bytes, target.name, target.device.sharedBytes);
  return {};
}

/// Cycles to make the states before chunks, and to start blocks from them;
/// `peak` are operations, and `bytes` those of memory, in a cycle.
static double costOfStates(const KernelShape &shape,
                           attn::ScheduleAttr schedule, RegimeRanges &ranges,
                           double peak, double bytes) {
  double elements = double(shape.headDim) * double(shape.valueDim + 1);
  double keys = double(ranges.getKeys()), queries = double(ranges.getQueries());
  double width = double(shape.accumulateBytes());
  // Features of keys are stored and read, a state twice and by each block.
  double made =
      2 * keys * elements / peak +
      2 * keys * double(shape.headDim) * width / bytes +
      3 * keys / double(schedule.getChunk()) * elements * width / bytes;
  double started = 2 * queries * elements / peak +
                   queries / double(schedule.getQ()) * elements * width / bytes;
  return made / double(shape.sharing) + started;
}

Cost HalideGpuStrategy::predictCost(const KernelShape &shape,
                                    const Target &target,
                                    attn::ScheduleAttr schedule,
                                    RegimeRanges &ranges) const {
  GpuScheduleAttr halide = targetOf(schedule);
  double q = double(schedule.getQ()), k = double(schedule.getK());
  bool isChunked = usesStates(shape, schedule, ranges);
  double pairs = countVisitedPairs(schedule.getQ(), schedule.getK(), ranges,
                                   isChunked ? schedule.getChunk() : 0);
  double blocks = pairs / (q * k);
  double peak = target.unitFor(shape.accumulateType()).flopsPerCycle;
  double threads = double(halide.getGroup()[0] * halide.getGroup()[1]);
  Cost cost;
  cost.products = 2 * pairs * double(shape.allDims()) / peak;
  // Maxima, sums and the state are computed by one thread per query, while the
  // others of the group wait.
  double steps = 2 * k + 4 * double(shape.valueDim + 2);
  cost.overhead = blocks * steps * threads / peak;
  for (StringRef array : GpuScheduleAttr::getArrays())
    if (!halide.hasShared(array))
      cost.memory += 2 * blocks *
                     double(bytesOf(array, shape, schedule.getQ(),
                                    schedule.getK(), halide.getFeatures())) /
                     target.memory[1].bytesPerCycle;
  // Each block reads its keys and values once for all of its queries.
  cost.memory += blocks * k * double(shape.allDims()) * double(shape.keyBits) /
                 8 / target.memory[1].bytesPerCycle;
  if (isChunked)
    cost.states = costOfStates(shape, schedule, ranges, peak,
                               double(target.memory[1].bytesPerCycle));
  double needed = ranges.getNeededPairs();
  cost.peakFraction = cost.total() > 0 ? 2 * needed * double(shape.allDims()) /
                                             peak / cost.total()
                                       : 1;
  cost.visitedPairs = pairs;
  VisitedTiles tiles =
      countVisitedTiles(schedule.getQ(), schedule.getK(), ranges);
  bool masksAll = tiles.skipped + tiles.partial > 0;
  cost.skippedTiles = tiles.skipped;
  cost.partialTiles = masksAll ? tiles.visited() : 0;
  cost.fullTiles = masksAll ? 0 : tiles.full;
  return cost;
}

attn::BlockAttr HalideGpuStrategy::chooseBlock(Operation *op,
                                               const Target &) const {
  MLIRContext *context = op->getContext();
  auto halide = GpuScheduleAttr::get(context, {8, 16}, 1, 1, {});
  return attn::BlockAttr::get(context, attn::BlockForm::Element, /*lanes=*/"",
                              /*rows=*/"", /*q=*/1, /*k=*/1, halide);
}

std::string HalideGpuStrategy::findProblem(Operation *, attn::BlockAttr block,
                                           const Target &) const {
  if (!isa<GpuScheduleAttr>(block.getTarget()))
    return "its target is not #halide.gpu_schedule";
  return {};
}

const Strategy &getGpuStrategy() {
  static const HalideGpuStrategy strategy;
  return strategy;
}

} // namespace attnc::schedule::halide
