//===- FeatureLanes.cpp - Schedules with features in the lanes ------------===//
//
// A block has the expected rows, so that keys and values are loaded once for
// all of them. Tests: test/Schedule/Halide/features.test
//
//===----------------------------------------------------------------------===//

#include "Halide/FeatureLanes.h"

#include "attnc/Dialect/Halide/Halide.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::schedule::halide {

/// Rows that one register tile multiplies with a vector of K or V.
static constexpr int64_t kMostRowsOfTile = 8;

bool isForFeatures(const KernelShape &shape) {
  constexpr int64_t mostRows = 32;
  return shape.mostQueries > 0 && shape.mostQueries <= mostRows;
}

static ::attnc::halide::ScheduleAttr targetOf(attn::ScheduleAttr schedule) {
  return cast<::attnc::halide::ScheduleAttr>(schedule.getTarget());
}

/// At least `rows`, in whole tiles of nearly as many rows as they can have.
static int64_t chooseRows(int64_t rows) {
  int64_t best = rows;
  if (rows > kMostRowsOfTile) {
    best = llvm::alignTo(rows, kMostRowsOfTile);
    for (int64_t tile = kMostRowsOfTile / 2; tile < kMostRowsOfTile; ++tile)
      best = std::min(best, int64_t(llvm::alignTo(rows, tile)));
  }
  return best;
}

/// The greatest divisor of `number` up to `most`.
static int64_t divisorOf(int64_t number, int64_t most) {
  int64_t divisor = std::max<int64_t>(1, std::min(number, most));
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// The lanes that divide a row of so many features.
static int64_t lanesOf(int64_t features, int64_t lanes) {
  return std::max<int64_t>(1, std::min(lanes, features & -features));
}

FeatureTiles chooseFeatureTiles(const KernelShape &shape, const Target &target,
                                const HalideRequest &request) {
  int64_t lanes = shape.lanes(target), budget = availableRegisters(target) / 2;
  int64_t most = isForFeatures(shape) ? shape.mostQueries : kMostRowsOfTile;
  FeatureTiles tiles;
  tiles.q = request.q.value_or(chooseRows(most));
  int64_t rows = divisorOf(tiles.q, kMostRowsOfTile);
  int64_t perRow =
      std::max<int64_t>(1, std::min(budget / rows, kMostRowsOfTile));
  RegisterTile one;
  bool isOfFormulas = llvm::any_of(shape.kernel.getSums(),
                                   [](const auto &sum) { return sum.pair; });
  while (perRow > 1 &&
         registersOf({rows, perRow}, target) > availableRegisters(target))
    --perRow;
  RegisterTile score{int64_t(llvm::bit_floor(uint64_t(perRow))), rows};
  int64_t vectors = shape.valueDim / lanesOf(shape.valueDim, lanes);
  RegisterTile value{divisorOf(std::max<int64_t>(vectors, 1), perRow), rows};
  tiles.score = request.score.value_or(isOfFormulas ? one : score);
  tiles.value = request.value.value_or(shape.kernel.hasValue() ? one : value);
  return tiles;
}

std::string findFeatureProblem(const KernelShape &shape, const Target &target,
                               attn::ScheduleAttr schedule) {
  constexpr int64_t mostRows = 256;
  ::attnc::halide::ScheduleAttr halide = targetOf(schedule);
  int64_t q = schedule.getQ(), k = schedule.getK();
  if (schedule.getForm() != attn::ScheduleForm::Online)
    return llvm::formatv("mapping = features does not apply to form = {0}; use "
                         "form = online",
                         stringifyScheduleForm(schedule.getForm()));
  if (q > mostRows)
    return llvm::formatv("q = {0} is not within 1 .. {1}", q, mostRows);
  for (auto [name, tile] : {std::pair<StringRef, ArrayRef<int64_t>>(
                                "score_tile", halide.getScoreTile()),
                            {"value_tile", halide.getValueTile()}}) {
    if (q % tile[1] != 0)
      return llvm::formatv("{0} has {1} rows, which do not divide the {2} of a "
                           "block",
                           name, tile[1], q);
    int64_t needed = registersOf({tile[1], tile[0]}, target);
    if (needed > availableRegisters(target))
      return llvm::formatv("{0} = [{1}, {2}] needs {3} registers, {4} has {5}",
                           name, tile[0], tile[1], needed, target.name,
                           availableRegisters(target));
  }
  int64_t vectors = shape.valueDim / halide.getLanesOf(shape.valueDim);
  if (int64_t tile = halide.getValueTile()[0]; vectors % tile != 0)
    return llvm::formatv("value_tile has {0} vectors of features, which do not "
                         "divide the {1} of a value",
                         tile, vectors);
  int64_t step = std::max(halide.getLanes(), halide.getScoreTile()[0]);
  if (k % step != 0)
    return llvm::formatv("k = {0} is not a multiple of {1}; with mapping = "
                         "features, keys are in the lanes of scores",
                         k, step);
  return {};
}

double costOfFeatures(const KernelShape &shape, const Target &target,
                      attn::ScheduleAttr schedule, double pairs) {
  // Cycles to add the lanes of a sum: two shuffles for each vector, on one
  // port. Loads of vectors take the rest of the time.
  constexpr double perFold = 2, share = 0.7;
  ::attnc::halide::ScheduleAttr halide = targetOf(schedule);
  double peak = target.unitFor(shape.accumulateType()).flopsPerCycle;
  auto waiting = [&](ArrayRef<int64_t> tile) {
    return std::max(1.0, double(accumulatorsInFlight(target)) /
                             double(tile[0] * tile[1]));
  };
  auto product = [&](int64_t features, ArrayRef<int64_t> tile) {
    double idle =
        double(halide.getLanes()) / double(halide.getLanesOf(features));
    return 2 * double(features) * idle * waiting(tile) / (peak * share);
  };
  double perPair = product(shape.headDim, halide.getScoreTile()) + perFold +
                   product(shape.valueDim, halide.getValueTile());
  for (int64_t features : shape.productDims)
    perPair += product(features, halide.getScoreTile()) + perFold;
  return pairs * perPair;
}

double waitForKeys(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule, RegimeRanges &ranges,
                   double pairs, double busy) {
  constexpr double exposed = 0.1, shareOfL2 = 0.75;
  int64_t bits =
      shape.headDim * shape.keyBits + shape.valueDim * shape.valueBits;
  double bytesOfKey = double(bits) / 8;
  double all = double(ranges.getKeys()) * bytesOfKey;
  double perCycle = all <= shareOfL2 * double(target.l2Bytes())
                        ? target.memory[1].bytesPerCycle
                        : target.memory.back().bytesPerCycle;
  double cycles = pairs / double(schedule.getQ()) * bytesOfKey / perCycle;
  return std::max(exposed * cycles, cycles - busy);
}

} // namespace attnc::schedule::halide
