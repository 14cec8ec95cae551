//===- Resources.cpp - Registers and shared memory of a block -------------===//
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/Resources.h"

#include "Nvptx/KeyStorage.h"
#include "Nvptx/TensorCores.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc::schedule::nvptx {

/// Registers of a thread of a warpgroup besides its tiles, and those more of
/// products that overlap (measured with ptxas 13.0).
static constexpr int64_t kWarpgroupOthers = 79, kOverlapOthers = 16;

/// The same of consumers, whose tiles other warps copy; and for a mask those
/// more that the 240 registers with `loads = tma` need, not the 224 without.
/// Wide values are those that two warpgroups take no turns with.
static constexpr int64_t kConsumerOthers = 32, kMaskOthers = 16;
static constexpr int64_t kWideMaskOthers = 24;

/// Registers of a tile that must spill, at most, relative to those of a thread:
/// spilled sums are loaded and stored for each tile of keys (not measured).
static constexpr int64_t kSpillFactor = 2;

/// Bytes of mbarriers, and what panels after them are aligned to.
static constexpr int64_t kBarrierBytes = 1024;

bool usesTensorCores(const KernelShape &shape, attn::ScheduleAttr schedule) {
  return usesTensorCores(shape, targetOf(schedule).getTf32());
}

/// Registers of a consumer for positions and places in tables, of formulas and
/// of storage (measured with ptxas 13.0).
static int64_t countTableRegisters(const KernelShape &shape) {
  constexpr int64_t forTables = 16;
  bool readsTables = readsThroughTable(shape.kernel.getK());
  for (Region *formula : {&shape.kernel.getScore(), &shape.kernel.getMask()})
    formula->walk([&](attn::ReadOp) { readsTables = true; });
  return readsTables ? forTables : 0;
}

/// Registers of a thread for the scores of a tile, the sums of the values, and
/// the rows as operands. Addresses and positions of masks take up to 112 more
/// in tiles of 32 and 64 keys, and 40 in the smallest ones (measured with ptxas
/// 13.0: 233 in all for 64 keys, causal, with 64 features). A warpgroup has no
/// fragments of keys and values in registers.
int64_t countRegisters(const KernelShape &shape, attn::ScheduleAttr schedule) {
  constexpr int64_t lanes = 32;
  int64_t others = isWarpgroup(schedule)         ? kWarpgroupOthers
                   : schedule.getK() > kFragment ? 112
                                                 : 40;
  if (targetOf(schedule).getOverlap())
    others += kOverlapOthers;
  if (targetOf(schedule).getProducers())
    others = kConsumerOthers + countTableRegisters(shape);
  if (targetOf(schedule).getLoads() == tile::NvptxLoads::Tma && hasMask(shape))
    others +=
        shape.valueDim > kMostFeaturesOfTurns ? kWideMaskOthers : kMaskOthers;
  int64_t rows = targetOf(schedule).getRows();
  int64_t words = shape.accumulateBits / 32;
  int64_t accumulators =
      rows * (schedule.getK() + padded(shape.valueDim)) / lanes * words;
  if (!usesTensorCores(shape, schedule))
    return accumulators + others;
  bool tf32 = targetOf(schedule).getTf32();
  int64_t ofRows = rows * padded(shape.headDim) / lanes / (tf32 ? 1 : 2);
  if (targetOf(schedule).getSharedRows()) {
    // Their fragments are short-lived, as those of keys are; ptxas loads pairs
    // of tf32 far ahead where a tile has many, for which there are registers
    // with 64 keys (measured with ptxas 13.0).
    constexpr int64_t pairsAhead = 32, mostKeys = 48;
    bool isAhead = tf32 && hasMask(shape) && schedule.getK() > kFragment &&
                   schedule.getK() <= mostKeys;
    ofRows = isAhead ? pairsAhead : 0;
  }
  if (tf32) // weights are rounded where they are
    return accumulators + ofRows + countTf32Others(shape, schedule.getK());
  return accumulators + ofRows + rows * schedule.getK() / lanes / 2 + others;
}

int64_t registerLimit(attn::ScheduleAttr schedule, const Target &target) {
  return std::min<int64_t>(
      target.gpu.threadRegisters,
      targetOf(schedule).getThreadRegisters(target.gpu.registers));
}

/// Bytes of shared memory: tiles of keys and of values, and for sums by fma the
/// rows and the weights. Where a row of V has a NaN, the values are summed once
/// more by fma, with the mask of each pair.
int64_t countSharedBytes(const KernelShape &shape,
                         attn::ScheduleAttr schedule) {
  bool hasPanels = isWarpgroup(schedule);
  bool tf32 = targetOf(schedule).getTf32();
  auto tile = [&](int64_t rows, int64_t columns, int64_t bytes) {
    return hasPanels ? llvm::alignTo(rows * padded(columns) * bytes, 1024)
                     : rows * (padded(columns) * bytes + (tf32 ? 32 : 16));
  };
  bool isFast = usesTensorCores(shape, schedule);
  int64_t bytes = isFast && !tf32 ? 2 : shape.accumulateBytes();
  int64_t q = schedule.getQ(), k = schedule.getK();
  int64_t keys = tile(k, shape.headDim, bytes) + tile(k, shape.valueDim, bytes);
  bool hasRows = targetOf(schedule).getSharedRows();
  int64_t rows = hasRows || !isFast ? tile(q, shape.headDim, bytes) : 0;
  for (int64_t features : shape.productDims) {
    keys += tile(k, features, bytes);
    if (hasRows || !hasPanels)
      rows += tile(q, features, bytes);
  }
  int64_t weights = tile(q, k, bytes), mask = tile(q, k, 1);
  int64_t first =
      keys * targetOf(schedule).getStages() + rows + (isFast ? 0 : weights);
  int64_t distances =
      (shape.costs.scoreDistance > 0 ? shape.accumulateBytes() : 0) +
      (shape.costs.maskDistance > 0 ? 1 : 0);
  return std::max(first, keys + rows + weights + mask) +
         padded(q + k) * distances +
         (targetOf(schedule).getProducers() ? kBarrierBytes : 0);
}

/// The tile that needs least.
static attn::ScheduleAttr makeLeast(MLIRContext *context, tile::NvptxArch arch,
                                    bool tf32, bool sharedRows) {
  return attn::ScheduleAttr::get(
      context, attn::ScheduleForm::Online, kFragment, kFragment, /*chunk=*/0,
      /*rescaleThreshold=*/0.0, attn::RescalePlace::Value, /*weights=*/Type(),
      tile::NvptxAttr::get(context, arch, tile::NvptxMapping::Fragment,
                           /*warps=*/1, /*rows=*/kFragment, /*stages=*/1,
                           /*fastExp=*/true, sharedRows, /*overlap=*/false,
                           /*producers=*/false, /*pingPong=*/false, tf32,
                           tile::NvptxLoads::Async));
}

bool mustSpill(const KernelShape &shape, const Target &target,
               tile::NvptxArch arch) {
  attn::ScheduleAttr least = makeLeast(shape.kernel->getContext(), arch,
                                       /*tf32=*/false, /*sharedRows=*/true);
  return usesTensorCores(shape, least) &&
         countRegisters(shape, least) > target.gpu.threadRegisters;
}

int64_t mostRegisters(const KernelShape &shape, const Target &target,
                      attn::ScheduleAttr schedule) {
  tile::NvptxAttr nvptx = targetOf(schedule);
  int64_t limit = registerLimit(schedule, target);
  bool isNarrow = nvptx.getMapping() == tile::NvptxMapping::Fragment &&
                  nvptx.getRows() == kFragment && nvptx.getSharedRows() &&
                  !nvptx.getTf32();
  return isNarrow && mustSpill(shape, target, nvptx.getArch())
             ? kSpillFactor * limit
             : limit;
}

std::string findLeastProblem(const KernelShape &shape, const Target &target,
                             tile::NvptxArch arch, bool tf32) {
  MLIRContext *context = shape.kernel->getContext();
  std::string need;
  for (bool sharedRows : {false, true}) {
    attn::ScheduleAttr least = makeLeast(context, arch, tf32, sharedRows);
    bool isFast = usesTensorCores(shape, least);
    int64_t registers = countRegisters(shape, least);
    int64_t bytes = countSharedBytes(shape, least);
    bool isTooWide = isFast && registers > mostRegisters(shape, target, least);
    if (!isTooWide && bytes <= target.gpu.blockSharedBytes)
      return {};
    if (isTooWide)
      need = llvm::formatv("about {0} registers per thread, {1} has {2}{3}",
                           registers, target.name, target.gpu.threadRegisters,
                           tf32 ? "" : " and spills at most as many");
    else
      need = llvm::formatv("{0} bytes of shared memory, {1} has {2}", bytes,
                           target.name, target.gpu.blockSharedBytes);
    if (!isFast || !isTooWide) // rows in shared memory need only more of it
      break;
  }
  return llvm::formatv(
      "queries, keys and values of {0} features in all are "
      "too wide for {1}: the least tile, q = {2} and k = {2}, needs {3}",
      shape.allDims(), target.name, kFragment, need);
}

} // namespace attnc::schedule::nvptx
