//===- PipelineCost.cpp - Predicted cycles of pipelined tiles -------------===//
//
// In full tiles the matrix unit multiplies next to the weights. Measured on
// Sapphire Rapids: TDPBF16PS takes 1.36 times as long with loads of its
// operands next to it as with registers only, and a tile about as long as these
// products and a part of its weights, which share a port with them.
// Test: test/Schedule/Cpu/pipeline-cost.test
//
//===----------------------------------------------------------------------===//

#include "Cpu/CostModel.h"

#include <cmath>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

double cpu::pipelinedCycles(double rows, double depth, double vectors,
                            int64_t products, double perSum, const Unit &unit) {
  // Blocks of 2 x 2 registers load each operand for two products; with one
  // vector of queries only one operand is shared.
  double loading = vectors < 2 ? 1.7 : 1.36;
  double perProduct = loading *
                      double(2 * unit.rows * unit.columns * unit.depth) /
                      double(unit.flopsPerCycle);
  return vectors * std::ceil(rows / unit.rows) *
         (double(products) * std::ceil(depth / unit.depth) * perProduct +
          perSum);
}

double cpu::pipelineBytes(const KernelShape &shape, double keys, double rows) {
  constexpr double bf16 = 2, copies = 3;
  double f32 = double(shape.accumulateBytes());
  double queries = double(shape.allDims() - shape.valueDim);
  return rows * (keys * (f32 + copies * bf16) + double(shape.valueDim) * f32 +
                 queries * bf16);
}

Pipeline cpu::findPipeline(const KernelShape &shape,
                           const CpuSchedule &schedule,
                           const PairedProducts &paired, int64_t lanes) {
  attn::KernelOp kernel = shape.kernel;
  Pipeline found;
  found.isPipelined = schedule.isPipelined(shape, lanes) && paired.value &&
                      paired.scores.front() && !kernel.hasClassify();
  auto isOfBf16 = [](Value tensor) {
    return tensor && getElementTypeOrSelf(tensor).isBF16();
  };
  // The maximum of earlier tiles, and no result that shows which one it was.
  bool returnsSums = kernel.getLse() && !kernel.getLse().use_empty();
  bool isSteady = found.isPipelined && schedule.rescaleThreshold > 0 &&
                  shape.isSoftmax() && isOfBf16(kernel.getO()) &&
                  !returnsSums && !schedule.split;
  found.hasFixedPoint = isSteady && !kernel.hasGate() &&
                        paired.valueProducts == 1 &&
                        kernel.getRoundedWeightType().isBF16();
  found.pairsValues = isSteady && schedule.transposesValues() &&
                      shape.valueDim % 64 == 0 && schedule.k % 32 == 0;
  return found;
}
