//===- ProductCost.cpp - Predicted cycles of products ---------------------===//
//
// A product is cut into register tiles, or into the registers of a matrix unit.
// Tests: test/Schedule/select-schedule.mlir
//
//===----------------------------------------------------------------------===//

#include "Cpu/CostModel.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

/// Instructions of a unit that start in one cycle.
static double startsPerCycle(const Unit &unit) {
  return double(unit.flopsPerCycle) /
         double(2 * unit.rows * unit.columns * unit.depth);
}

double cpu::cyclesPerStep(RegisterTile tile, int64_t unroll,
                          const Target &target, const Unit *unit) {
  constexpr double issuePerCycle = 4;
  constexpr double slack = 1.1; // an instruction may find its unit taken
  double sums = double(tile.accumulators());
  double arithmetic = target.cpu.hasFma ? sums : 2 * sums;
  double loads = double(tile.vectors + tile.rows);
  double shuffles = target.cpu.hasBroadcastLoad ? 0 : double(tile.rows);
  double loop = 2.0 / double(unroll);
  // A dot product of bf16 takes as long as two fmas (Zen 4: 6 cycles, an fma 4;
  // Golden Cove: 8 and 4), VPDPBUSD 5 cycles (Golden Cove). A sum that VPMADDWD
  // does not take itself waits for an addition only.
  constexpr double integerLatency = 5;
  double latency = double(target.cpu.fmaLatency);
  if (unit && unit->operand == DType::I8)
    latency = unit->depth == 4 ? integerLatency : 1;
  else if (unit)
    latency *= 2;
  double perCycle =
      unit ? startsPerCycle(*unit) : double(target.cpu.fmaPerCycle);
  return std::max({arithmetic / perCycle, loads / target.cpu.loadsPerCycle,
                   (arithmetic + loads + shuffles + loop) / issuePerCycle,
                   slack * latency});
}

bool cpu::multipliesFeatures(const Unit *unit, unsigned bits) {
  constexpr unsigned bf16Bits = 16;
  return unit && unit->kind == UnitKind::DotProduct && bits == bf16Bits;
}

double cpu::cyclesOfFeatures(RegisterTile tile, const Target &target,
                             const Unit *unit, unsigned bits,
                             unsigned accumulateBits, bool zips) {
  constexpr int64_t unroll = 4;
  double vectors = double(tile.vectors);
  if (multipliesFeatures(unit, bits))
    return (cyclesPerStep(tile, unroll, target, unit) + (zips ? vectors : 0)) /
           double(unit->depth);
  // Two instructions for a vector.
  return cyclesPerStep(tile, unroll, target) +
         (bits < accumulateBits ? vectors : 0);
}

double cpu::productCycles(RegisterTile tile, double rows, double depth,
                          double vectors, int64_t unroll, const Target &target,
                          double waiting, const Unit *unit) {
  if (vectors < 1)
    return 0;
  // Fewer vectors than the tile has: as many more rows.
  if (int64_t(vectors) < tile.vectors)
    tile = {int64_t(llvm::bit_floor(uint64_t(tile.accumulators()) /
                                    uint64_t(vectors))),
            int64_t(vectors)};
  // Filling the pipeline, and loading, rescaling and storing the sums.
  double ends = target.cpu.fmaLatency + double(tile.accumulators());
  double steps = unit ? std::ceil(depth / double(unit->depth)) : depth;
  double cycles = steps * (cyclesPerStep(tile, unroll, target, unit) + waiting);
  // A tile at the end that lacks rows takes as long, or code of its own.
  return std::ceil(vectors / double(tile.vectors)) *
         std::ceil(rows / double(tile.rows)) * (cycles + ends);
}

double cpu::matrixCycles(double rows, double depth, double vectors,
                         int64_t products, const Unit &unit) {
  constexpr double loadAndStore = 24;
  return vectors * std::ceil(rows / unit.rows) *
         (double(products) * std::ceil(depth / unit.depth) /
              startsPerCycle(unit) +
          loadAndStore);
}

double cpu::cyclesAtPeak(const KernelShape &shape, const Target &target,
                         const CpuSchedule &schedule, bool isFew, double pairs,
                         double others) {
  DType type = shape.accumulateType();
  const Unit *fma = target.findUnit(type, type);
  auto cycles = [&](double multiplyAdds, const Unit *unit) {
    bool isUsed =
        isFew ? multipliesFeatures(unit, shape.keyBits) : unit != nullptr;
    return 2 * multiplyAdds / (isUsed ? unit : fma)->flopsPerCycle;
  };
  PairedProducts paired = findPairedProducts(shape, target, schedule);
  double sum = cycles(others, paired.states) +
               cycles(pairs * double(shape.valueDim), paired.value) *
                   double(paired.valueProducts);
  for (auto [number, unit] : llvm::enumerate(paired.scores))
    sum += cycles(pairs * double(number ? shape.productDims[number - 1]
                                        : shape.headDim),
                  unit) *
           double(number ? 1 : paired.scoreProducts);
  return sum;
}
