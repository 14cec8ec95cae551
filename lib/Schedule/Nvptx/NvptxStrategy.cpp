//===- NvptxStrategy.cpp - Schedules of the NVPTX backend -----------------===//
//
// Kernels run with an online softmax: warps own rows, and a tile of keys is as
// large as the registers and the shared memory allow. Where the target has
// wgmma, four warps multiply together. Other ops compute one element per
// thread. Tests: test/Schedule/Nvptx
//
//===----------------------------------------------------------------------===//

#include "Nvptx/NvptxStrategy.h"

#include "Nvptx/KeyStorage.h"
#include "Nvptx/NvptxRequest.h"
#include "Nvptx/Occupancy.h"
#include "Nvptx/Resources.h"
#include "Nvptx/SideBlocks.h"
#include "Nvptx/TensorCores.h"
#include "VisitedPairs.h"

#include "attnc/Target/GpuMachine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc::schedule::nvptx {
namespace {

struct NvptxStrategy final : Strategy {
  StringRef backend() const override { return "nvptx"; }
  bool serves(const Target &target) const override {
    return target.kind == TargetKind::Gpu;
  }
  std::optional<attn::RowAxes> findRowAxes(const Target &target,
                                           StringRef text) const override {
    std::string error; // makeCandidates() reports it
    std::optional<NvptxRequest> request =
        NvptxRequest::parse(text, target.name, error);
    return request ? request->rowAxes : std::nullopt;
  }
  SmallVector<attn::ScheduleAttr>
  makeCandidates(const KernelShape &shape, const Target &target,
                 StringRef request, std::string &error) const override;
  std::string findMismatch(const KernelShape &shape, const Target &target,
                           attn::ScheduleAttr schedule) const override;
  std::string findProblem(const KernelShape &shape, const Target &target,
                          attn::ScheduleAttr schedule) const override;
  std::string explain(const KernelShape &shape,
                      attn::ScheduleAttr schedule) const override;
  Cost predictCost(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule,
                   RegimeRanges &ranges) const override;
  attn::BlockAttr chooseBlock(Operation *op,
                              const Target &target) const override;
  SmallVector<attn::CaseAttr> chooseCases(Operation *op, attn::BlockAttr block,
                                          const Target &target) const override {
    return nvptx::chooseCases(op, block, target);
  }
  bool obeysCases() const override { return true; }
  std::string findProblem(Operation *op, attn::BlockAttr block,
                          const Target &target) const override;
};

} // namespace

/// Rows that an instruction of the tensor cores makes: 64 for a warpgroup.
static constexpr int64_t kWarpgroupRows = 64, kWarpgroupWarps = 4;

/// What mma.m16n8k16 reaches of the peak of wgmma, and tf32 of that of f16.
static constexpr double kWarpShare = 0.6, kTf32Share = 0.5;

/// What multiplies the operands of tensor cores for warpgroups, or null.
static const Unit *findWarpgroupUnit(const KernelShape &shape,
                                     const Target &target) {
  if (!usesTensorCores(shape, /*tf32=*/false))
    return nullptr;
  const Unit *unit = target.findUnit(DType::F16, DType::F32);
  return unit && unit->rows == kWarpgroupRows ? unit : nullptr;
}

static DType operandOf(const KernelShape &shape, attn::ScheduleAttr schedule) {
  return usesTensorCores(shape, schedule) ? DType::F16 : shape.accumulateType();
}

static constexpr int64_t kMostConsumerWarps = 12;

/// The attributes that candidates have, the preferred ones first: warps, rows
/// and the rest of #tile.nvptx for a mapping, with what the request fixes.
namespace {
struct Tiling {
  tile::NvptxMapping mapping;
  int64_t warps, rows, k;
  bool sharedRows, overlap, producers;
};
} // namespace

static SmallVector<Tiling> listWarpgroupTilings() {
  SmallVector<Tiling> shapes;
  for (int64_t warps : {8, 4, 12})
    for (int64_t k : {128, 64, 192, 176, 96, 80, 32, 16})
      for (bool sharedRows : {false, true})
        for (auto [overlap, producers] :
             {std::pair(true, true), {true, false}, {false, false}})
          shapes.push_back({tile::NvptxMapping::Warpgroup, warps, 16, k,
                            sharedRows, overlap, producers});
  return shapes;
}

static SmallVector<Tiling> listFragmentTilings(bool isFew, bool tf32,
                                               bool sharedRows) {
  SmallVector<std::pair<int64_t, int64_t>> blocks{
      {4, 16}, {4, 32}, {8, 16}, {2, 16}, {1, 16}};
  if (isFew)
    blocks = {{1, 16}, {2, 16}, {4, 16}};
  SmallVector<int64_t> keys{64, 32, 128, 16};
  if (tf32) // between 64, which masks exceed the registers with, and 32
    keys.push_back(48);
  SmallVector<Tiling> shapes;
  for (auto [warps, rows] : blocks)
    for (int64_t k : keys)
      shapes.push_back({tile::NvptxMapping::Fragment, warps, rows, k,
                        sharedRows, /*overlap=*/false, /*producers=*/false});
  return shapes;
}

/// Makes the schedules of a request.
namespace {
struct CandidateList {
  CandidateList(const KernelShape &shape, const Target &target,
                const NvptxRequest &request);

  void addAll(ArrayRef<Tiling> tilings);
  /// Whether products are on tensor cores.
  bool isFast() const { return usesTensorCores(shape, tf32); }

  const KernelShape &shape;
  const Target &target;
  const NvptxRequest &request;
  tile::NvptxArch arch;
  bool tf32, isFew, canMap;
  SmallVector<attn::ScheduleAttr> found;
  std::string error; // of fields that do not go together

private:
  SmallVector<int64_t> listStages(const Tiling &made) const;
  tile::NvptxAttr makeTarget(const Tiling &made, int64_t stages);
  void add(const Tiling &made, tile::NvptxAttr nvptx);
};
} // namespace

CandidateList::CandidateList(const KernelShape &shape, const Target &target,
                             const NvptxRequest &request)
    : shape(shape), target(target), request(request),
      arch(*tile::symbolizeNvptxArch(target.name)), isFew(isForParts(shape)),
      canMap(whyNoTensorMaps(shape.kernel).empty()) {
  tf32 = request.tf32.value_or(mayRoundToTf32(shape) &&
                               findLeastProblem(shape, target, arch,
                                                /*tf32=*/true)
                                   .empty());
}

static bool canProduce(const Tiling &made, int64_t warps) {
  return made.producers && warps <= kMostConsumerWarps;
}

/// Blocks of few rows wait for memory: more of it may be under way.
SmallVector<int64_t> CandidateList::listStages(const Tiling &made) const {
  if (request.stages)
    return {*request.stages};
  if (!isFast())
    return {1};
  SmallVector<int64_t> stages{2};
  int64_t warps = request.warps.value_or(made.warps);
  if (isFew)
    stages = made.overlap ? SmallVector<int64_t>{2, 3, 4}
                          : SmallVector<int64_t>{3, 4, 2};
  else if (request.producers.value_or(canProduce(made, warps)))
    stages = {3, 2};
  // Wide rows may leave shared memory for one.
  if (made.sharedRows && made.mapping == tile::NvptxMapping::Fragment)
    stages.push_back(1);
  return stages;
}

/// Null if the fields do not go together.
tile::NvptxAttr CandidateList::makeTarget(const Tiling &made, int64_t stages) {
  MLIRContext *context = shape.kernel->getContext();
  // A problem of the attribute is the user's.
  ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  int64_t warps = request.warps.value_or(made.warps);
  bool isNarrow =
      std::max(shape.headDim, shape.valueDim) <= kMostFeaturesOfTurns;
  bool overlap = request.overlap.value_or(made.overlap && stages > 1);
  bool producers =
      request.producers.value_or(canProduce(made, warps) && stages > 1);
  bool pingPong = request.pingPong.value_or(producers && overlap && isNarrow &&
                                            warps > kWarpgroupWarps);
  auto loads = request.loads.value_or(
      canMap && producers ? tile::NvptxLoads::Tma : tile::NvptxLoads::Async);
  return tile::NvptxAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, arch,
      made.mapping, warps, request.rows.value_or(made.rows), stages,
      request.fastExp.value_or(isFast()),
      request.sharedRows.value_or(made.sharedRows), overlap, producers,
      pingPong, tf32, loads);
}

void CandidateList::add(const Tiling &made, tile::NvptxAttr nvptx) {
  int64_t k = request.k.value_or(made.k);
  SmallVector<int64_t> splits{0};
  if (request.split)
    splits = {*request.split};
  else if (isFew)
    splits = listSplits(shape, k);
  for (int64_t split : splits) {
    auto candidate = attn::ScheduleAttr::get(
        nvptx.getContext(), attn::ScheduleForm::Online,
        request.q.value_or(nvptx.getBlockRows()), k, /*chunk=*/0,
        /*rescaleThreshold=*/0.0, attn::RescalePlace::Value,
        /*weights=*/Type(), nvptx, split);
    if (!llvm::is_contained(found, candidate))
      found.push_back(candidate);
  }
}

void CandidateList::addAll(ArrayRef<Tiling> tilings) {
  // Tiles of more rows than there are only compute more.
  constexpr int64_t kMostFewRows = 64;
  bool isWished = request.q || request.warps || request.rows;
  for (const Tiling &made : tilings) {
    if (request.mapping && *request.mapping != made.mapping)
      continue;
    if (isFew && !isWished && made.warps * made.rows > kMostFewRows)
      continue;
    for (int64_t stages : listStages(made))
      if (tile::NvptxAttr nvptx = makeTarget(made, stages))
        add(made, nvptx);
  }
}

SmallVector<attn::ScheduleAttr>
NvptxStrategy::makeCandidates(const KernelShape &shape, const Target &target,
                              StringRef text, std::string &error) const {
  std::optional<NvptxRequest> request =
      NvptxRequest::parse(text, target.name, error);
  if (!request)
    return {};
  CandidateList list(shape, target, *request);
  // Wider values are multiplied by each warp, with fragments that take the
  // registers of several warpgroups.
  constexpr int64_t kMostWgmmaColumns = 256;
  bool isWished = request->mapping == tile::NvptxMapping::Warpgroup;
  if (findWarpgroupUnit(shape, target) &&
      (isWished || padded(shape.valueDim) <= kMostWgmmaColumns))
    list.addAll(listWarpgroupTilings());
  list.addAll(listFragmentTilings(list.isFew, list.tf32, /*sharedRows=*/false));
  // Rows in shared memory are read once more for each tile of keys.
  auto isLegal = [&](attn::ScheduleAttr tried) {
    return findProblem(shape, target, tried).empty();
  };
  if (list.isFast() && (mustSpill(shape, target, list.arch) ||
                        llvm::none_of(list.found, isLegal)))
    list.addAll(
        listFragmentTilings(list.isFew, list.tf32, /*sharedRows=*/true));
  if (list.found.empty())
    error = !list.error.empty()
                ? list.error
                : "mapping = warpgroup needs products of f16 or bf16 on "
                  "sm_90a; legal is fragment";
  return list.found;
}

std::string NvptxStrategy::findMismatch(const KernelShape &,
                                        const Target &target,
                                        attn::ScheduleAttr schedule) const {
  tile::NvptxAttr nvptx = targetOf(schedule);
  if (!nvptx) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "has a schedule for " << schedule.getTarget()
        << ", expected #tile.nvptx<...>";
    return text;
  }
  StringRef arch = tile::stringifyNvptxArch(nvptx.getArch());
  if (arch != target.name)
    return llvm::formatv("is scheduled for arch = {0}, but the target is {1}",
                         arch, target.name);
  return {};
}

std::string NvptxStrategy::findProblem(const KernelShape &shape,
                                       const Target &target,
                                       attn::ScheduleAttr schedule) const {
  constexpr int64_t mostKeys = 256;
  tile::NvptxAttr nvptx = targetOf(schedule);
  if (schedule.getForm() != attn::ScheduleForm::Online)
    return "the NVPTX backend supports form = online only";
  if (nvptx.getMapping() == tile::NvptxMapping::Thread)
    return "kernels need mapping = fragment or warpgroup";
  if (isWarpgroup(schedule) && !findWarpgroupUnit(shape, target))
    return "mapping = warpgroup needs products of f16 or bf16 on sm_90a; legal "
           "is fragment";
  if (nvptx.getTf32() && !mayRoundToTf32(shape))
    return "tf32 = true needs products of f32 and a spec with `precision: "
           "{tf32: true}`; legal is false";
  if (nvptx.getStages() != 1 && !usesTensorCores(shape, schedule))
    return "stages above 1 need products on tensor cores; legal "
           "is 1";
  if (nvptx.getSharedRows() && !usesTensorCores(shape, schedule))
    return "shared_rows = true needs products on tensor cores, others have "
           "their rows in shared memory in any case; legal is false";
  if (schedule.getQ() != nvptx.getBlockRows())
    return llvm::formatv("q = {0} is not warps * rows = {1}", schedule.getQ(),
                         nvptx.getBlockRows());
  if (nvptx.getBlockThreads() > int64_t(target.gpu.maxThreads))
    return llvm::formatv("{0} threads are more than a block of {1} has",
                         nvptx.getBlockThreads(), target.name);
  if (std::string why = whyNoTensorMaps(shape.kernel);
      nvptx.getLoads() == tile::NvptxLoads::Tma && !why.empty())
    return "loads = tma is not possible: " + why + "; legal is async";
  int64_t k = schedule.getK();
  if (k % kFragment || k > mostKeys)
    return llvm::formatv("k = {0} is not a multiple of {1} up to {2}", k,
                         kFragment, mostKeys);
  if (std::string problem =
          findLeastProblem(shape, target, nvptx.getArch(), nvptx.getTf32());
      !problem.empty())
    return problem;
  // Sums by fma may spill: they are slow anyway, and all widths should work.
  if (int64_t registers = countRegisters(shape, schedule);
      usesTensorCores(shape, schedule) &&
      registers > mostRegisters(shape, target, schedule))
    return llvm::formatv(
        "rows = {0} and k = {1} need about {2} registers per thread, {3} has "
        "{4} for each of {5} threads",
        nvptx.getRows(), k, registers, target.name,
        registerLimit(schedule, target), nvptx.getBlockThreads());
  if (int64_t bytes = countSharedBytes(shape, schedule);
      bytes > target.gpu.blockSharedBytes)
    return llvm::formatv(
        "q = {0} and k = {1} need {2} bytes of shared memory, {3} has {4}",
        schedule.getQ(), k, bytes, target.name, target.gpu.blockSharedBytes);
  return {};
}

std::string NvptxStrategy::explain(const KernelShape &shape,
                                   attn::ScheduleAttr schedule) const {
  constexpr int64_t most = 255; // of a thread, on every GPU
  if (int64_t registers = countRegisters(shape, schedule);
      usesTensorCores(shape, schedule) && registers > most)
    return llvm::formatv("the tile needs about {0} registers per thread; "
                         "ptxas spills what exceeds {1}",
                         registers, most);
  if (mayRoundToTf32(shape) && !targetOf(schedule).getTf32())
    return "tf32 is permitted, but not used: "
           "no tile of this width fits the registers, or the schedule has tf32 "
           "= false";
  if (!isWarpgroup(schedule) && targetOf(schedule).getSharedRows())
    return "rows of Q are read from shared memory for each tile of keys, not "
           "kept in registers (shared_rows)";
  if (!isWarpgroup(schedule) ||
      targetOf(schedule).getLoads() == tile::NvptxLoads::Tma)
    return {};
  std::string why = whyNoTensorMaps(shape.kernel);
  return why.empty() ? "" : "tiles are loaded by cp.async, not TMA: " + why;
}

/// Cycles for the keys and values of a head: each block of rows reads them from
/// L2, the first one from memory. A block takes `tileCycles` for a tile, and
/// waits for what of the memory's latency the tiles copied ahead do not hide.
static double transferCycles(const KernelShape &shape, const Target &target,
                             attn::ScheduleAttr schedule, RegimeRanges &ranges,
                             double tiles, double tileCycles,
                             const Occupancy &occupancy) {
  double k = double(schedule.getK());
  double keyBytes = double(shape.allDims()) *
                    (hasProductsOf(shape, 16) ? 2.0 : shape.accumulateBytes());
  // With `overlap` copies start in the middle of a tile, unless producers make
  // them.
  tile::NvptxAttr nvptx = targetOf(schedule);
  bool startsLate = nvptx.getOverlap() && !nvptx.getProducers();
  double ahead = double(nvptx.getStages()) - (startsLate ? 1.5 : 1.0);
  double latency = getGpuMachine(target).memoryLatency;
  double whole = std::max(std::ceil(ahead), 1.0);
  double cycles =
      std::max(tileCycles, (latency + (whole - ahead) * tileCycles) / whole);
  double speed = target.memory.back().bytesPerCycle;
  if (isForParts(shape)) // others have blocks enough
    speed = std::min(speed, occupancy.active * k * keyBytes / cycles);
  return std::max(double(ranges.getKeys()) * keyBytes / speed,
                  tiles * k * keyBytes / target.memory[1].bytesPerCycle) /
         occupancy.share;
}

/// Cycles of a warpgroup or warp for each tile besides its operations, while
/// others may run (measured on an H200 with 64 to 256 features).
static double cyclesOfTile(tile::NvptxAttr nvptx, bool isForParts) {
  if (nvptx.getStages() == 1)
    return 1500;
  bool hasWarpgroups = nvptx.getMapping() == tile::NvptxMapping::Warpgroup;
  if (isForParts) // a warp alone waits for its own results
    return nvptx.getProducers() ? 0 : hasWarpgroups ? 300 : 800;
  if (!hasWarpgroups)
    return 300;
  return nvptx.getProducers() ? 800 : nvptx.getOverlap() ? 3600 : 1700;
}

Cost NvptxStrategy::predictCost(const KernelShape &shape, const Target &target,
                                attn::ScheduleAttr schedule,
                                RegimeRanges &ranges) const {
  // A tile waits for barriers, and for its copies if they are not ahead; a
  // block starts with a load and ends with a store. Resident blocks hide what
  // they can.
  tile::NvptxAttr nvptx = targetOf(schedule);
  constexpr double blockCycles = 3000;
  double tileCycles = cyclesOfTile(nvptx, isForParts(shape));
  int64_t q = schedule.getQ(), k = schedule.getK();
  VisitedTiles visited = countVisitedTiles(q, k, ranges);
  double tiles = visited.visited(), pairs = tiles * double(q * k);
  double blocks = std::ceil(std::max<double>(1, ranges.getQueries()) / q);
  const Unit *unit =
      target.findUnit(operandOf(shape, schedule), shape.accumulateType());
  double peak = unit->flopsPerCycle * (nvptx.getTf32() ? kTf32Share : 1.0);
  double flopsPerCycle = peak;
  if (unit->rows == kWarpgroupRows && !isWarpgroup(schedule))
    flopsPerCycle *= kWarpShare;
  const Unit *fma = target.findUnit(DType::F32, DType::F32);
  double perOperation = 2.0 / fma->flopsPerCycle;

  int64_t wanted = countRegisters(shape, schedule);
  int64_t registers =
      std::min<int64_t>(wanted, registerLimit(schedule, target));
  int64_t fitting = std::max<int64_t>(
      1, std::min(target.gpu.registers / (registers * nvptx.getBlockThreads()),
                  target.gpu.sharedBytes / countSharedBytes(shape, schedule)));
  if (nvptx.movesRegisters())
    fitting = 1; // a block has all of them
  double heads = double(std::max<int64_t>(ranges.getHeads(), 1));
  double parts = countParts(schedule.getSplit(), tiles * double(k) / blocks,
                            blocks, nvptx.getMostInstances());
  // Many rows are taken to fill the machine.
  Occupancy occupancy{.active = double(fitting)};
  if (isForParts(shape))
    occupancy =
        occupancyOf(heads * blocks * parts, nvptx.getWarps(), fitting, target);
  double resident = occupancy.active;
  // Warpgroups of a block wait for their products at different times.
  if (isWarpgroup(schedule))
    resident *= nvptx.getWarps() / kWarpgroupWarps;
  resident = std::min(resident, 8.0);
  Cost cost;
  cost.products = 2 * pairs * double(shape.allDims()) / flopsPerCycle;
  // Rows in shared memory take its bandwidth from the keys: those of a warp for
  // each tile of keys, which has keys and values (not measured).
  constexpr double sharedRowsFactor = 1.05;
  if (nvptx.getSharedRows())
    cost.products *= isWarpgroup(schedule)
                         ? sharedRowsFactor
                         : 1 + double(nvptx.getRows()) / double(2 * k);
  cost.weights = pairs * (1.0 / target.gpu.functionsPerCycle +
                          (shape.costs.score + 6 * shape.accumulateBits / 32) *
                              perOperation);
  // What the products hide of the weights: those of the values, all but the
  // last tile of a block.
  if (nvptx.getOverlap())
    cost.weights -= std::min(cost.weights, cost.products) *
                    (nvptx.getPingPong() ? 0.75 : 0.5);
  cost.overhead =
      (tiles * tileCycles + blocks * parts * blockCycles) / resident;
  cost.overhead += cost.products * double(wanted - registers) / registers;
  double busy = occupancy.share * occupancy.schedulers;
  cost.products *= occupancy.imbalance / busy;
  cost.weights *= occupancy.imbalance / busy;
  cost.overhead *= occupancy.imbalance / occupancy.share;
  // Of a block alone.
  double ofTile = tileCycles + (cost.products + cost.weights) *
                                   occupancy.share * occupancy.active /
                                   std::max(tiles, 1.0);
  double transfer =
      transferCycles(shape, target, schedule, ranges, tiles, ofTile, occupancy);
  cost.memory = std::max(0.0, transfer - cost.products - cost.weights);
  if (schedule.getSplit())
    cost.overhead +=
        mergeCycles(shape, parts, double(ranges.getQueries()), heads, target);
  double needed = 2 * ranges.getNeededPairs() * double(shape.allDims()) / peak;
  cost.peakFraction = cost.total() > 0 ? needed / cost.total() : 0;
  cost.visitedPairs = pairs;
  cost.skippedTiles = visited.skipped;
  cost.partialTiles = visited.partial;
  cost.fullTiles = visited.full;
  if (tiles > 0)
    cost.partial = (cost.products + cost.weights + cost.overhead) *
                   visited.partial / tiles;
  return cost;
}

attn::BlockAttr NvptxStrategy::chooseBlock(Operation *op,
                                           const Target &target) const {
  return nvptx::chooseBlock(op, target);
}

std::string NvptxStrategy::findProblem(Operation *op, attn::BlockAttr block,
                                       const Target &target) const {
  return nvptx::findProblem(op, block, target);
}

const Strategy &getStrategy() {
  static const NvptxStrategy strategy;
  return strategy;
}

} // namespace attnc::schedule::nvptx
