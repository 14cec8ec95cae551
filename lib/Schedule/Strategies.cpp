//===- Strategies.cpp - The strategies of all backends --------------------===//

#include "Strategy.h"

#include "Cpu/CpuStrategy.h"
#include "Halide/HalideStrategy.h"
#include "Nvptx/NvptxStrategy.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

SmallVector<const Strategy *> schedule::getStrategies(const Target &target) {
  SmallVector<const Strategy *> serving;
  for (const Strategy *strategy :
       {&cpu::getStrategy(), &halide::getStrategy(), &halide::getGpuStrategy(),
        &nvptx::getStrategy()})
    if (strategy->serves(target))
      serving.push_back(strategy);
  return serving;
}

SmallVector<const Strategy *> schedule::getStrategies(const Target &target,
                                                      StringRef backend) {
  SmallVector<const Strategy *> serving = getStrategies(target);
  llvm::erase_if(serving, [&](const Strategy *strategy) {
    return strategy->backend() != backend;
  });
  return serving;
}

const Target *schedule::findLevel(Location place, StringRef cpu,
                                  std::string &backend) {
  const Target *target = lookupTarget(cpu);
  if (!target)
    emitError(place) << describeUnknownCpu(cpu);
  else if (backend.empty())
    backend = getStrategies(*target).front()->backend().str();
  return target;
}

/// Why a kernel cannot have the split of a schedule, or an empty text.
static std::string findSplitProblem(attn::KernelOp kernel,
                                    attn::ScheduleAttr schedule) {
  int64_t split = schedule.getSplit(), k = schedule.getK();
  if (split == 0)
    return {};
  if (std::string why = whyNotSplit(kernel); !why.empty())
    return llvm::formatv("split = {0} does not apply, because {1}; remove it",
                         split, why);
  if (split < k)
    return llvm::formatv("split = {0} is less than the {1} keys of a tile; use "
                         "a multiple of {1}",
                         split, k);
  constexpr int64_t mostKeys = std::numeric_limits<int32_t>::max();
  if (split > mostKeys)
    return llvm::formatv("split = {0} is more than the {1} keys that a "
                         "sequence can have; remove it",
                         split, mostKeys);
  return {};
}

std::string schedule::findProblem(attn::KernelOp kernel,
                                  attn::ScheduleAttr schedule) {
  if (std::string problem = findSplitProblem(kernel, schedule);
      !problem.empty())
    return problem;
  auto nameOf = [](Type type) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  };
  Type weights = schedule.getWeights();
  if (!weights)
    return {};
  if (!kernel.getV()) // c14
    return "weights = " + nameOf(weights) +
           ", but the kernel has no product with V; remove it";
  Type rounded = kernel.getWeightType(), widest = kernel.getAccumulateType();
  unsigned bits = weights.getIntOrFloatBitWidth();
  // A weight times its gate may be rounded instead of the weight. Of bf16, as
  // f16 may lack the range.
  Type narrow = kernel.getRoundedWeightType();
  bool mayRoundGated = kernel.hasGate() && narrow.isBF16();
  if (weights == rounded || (mayRoundGated && weights == narrow) ||
      (bits > rounded.getIntOrFloatBitWidth() &&
       bits <= widest.getIntOrFloatBitWidth()))
    return {};
  std::string legal = mayRoundGated ? nameOf(narrow) + " or " : "";
  legal += nameOf(rounded);
  if (rounded != widest)
    legal += " or " + nameOf(widest);
  return llvm::formatv("weights = {0} cannot hold the weights of this kernel, "
                       "which are {1}; legal: {2}",
                       nameOf(weights), nameOf(rounded), legal);
}

/// What multiplies in place of fmas, after a comma.
static StringRef describeUnit(tile::CpuAttr cpu, bool ofIntegers) {
  if (cpu && cpu.getUnit() == tile::CpuUnit::Dot)
    return ofIntegers ? ", dot products of 8-bit integers"
                      : ", bf16 dot products";
  if (!cpu || cpu.getUnit() != tile::CpuUnit::Matrix)
    return "";
  return ofIntegers               ? ", 8-bit integers on the matrix unit"
         : cpu.getBf16Terms() > 1 ? ", sums of bf16 on the matrix unit"
                                  : ", bf16 on the matrix unit";
}

std::string schedule::summarize(attn::ScheduleAttr schedule, bool isSoftmax,
                                bool ofIntegers) {
  attn::ScheduleForm form = schedule.getForm();
  auto cpu = dyn_cast<tile::CpuAttr>(schedule.getTarget());
  if (form == attn::ScheduleForm::Chunked)
    return llvm::formatv("chunked scan, {0} queries x {1} keys in chunks of "
                         "{2}{3}",
                         schedule.getQ(), schedule.getK(), schedule.getChunk(),
                         describeUnit(cpu, ofIntegers));
  bool isWhole = form == attn::ScheduleForm::Rows;
  StringRef how = isSoftmax ? isWhole ? "whole-row softmax" : "online softmax"
                  : isWhole ? "whole rows"
                            : "tile by tile";
  std::string parts;
  if (int64_t split = schedule.getSplit())
    parts = llvm::formatv(" in parts of {0}", split);
  auto byHalide = dyn_cast<::attnc::halide::ScheduleAttr>(schedule.getTarget());
  if ((cpu && cpu.getMapping() == tile::CpuMapping::Features) ||
      (byHalide && byHalide.hasFeatureLanes()))
    parts += ", features in lanes for few queries";
  parts += describeUnit(cpu, ofIntegers);
  bool areRows = schedule.getRowAxes() == attn::RowAxes::GQ;
  StringRef one = areRows ? "row" : "query",
            many = areRows ? "rows" : "queries";
  return llvm::formatv("{0}, {1} {2} x {3} keys{4}", how, schedule.getQ(),
                       schedule.getQ() == 1 ? one : many, schedule.getK(),
                       parts);
}
