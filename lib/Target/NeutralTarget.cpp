//===- NeutralTarget.cpp - One machine for decisions before parts ---------===//

#include "attnc/Target/NeutralTarget.h"

#include <cassert>

using namespace attnc;

NeutralTarget::NeutralTarget(double ridge)
    : target(*lookupTarget("x86-64-v3")) {
  assert(ridge > 0);
  target.name = "neutral";
  target.description = "";
  memory = {target.memory[0], target.memory[1], target.memory[2]};
  MemoryLevel &last = memory.back();
  last.bytesPerCycle = target.unitFor(DType::F32).flopsPerCycle / ridge;
  memory[1].bytesPerCycle = 16.0 / 3 * last.bytesPerCycle;
  target.memory = memory;
}
