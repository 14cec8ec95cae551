//===- Warp.cpp - Collectives of a warp or warpgroup ----------------------===//
//
// All threads of the mask have called the same operation.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace attnc::nvptx;

/// PTX ISA, `shfl.sync`: argument 3 has the clamp in bits 0 to 4 and the mask
/// of segments in bits 8 to 12. Shuffles give no order of memory accesses, so
/// the clocks stay as they are.
void attnc::nvptx::executeShuffle(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  unsigned first = lanes[0] / warpSize * warpSize;
  for (unsigned thread : lanes) {
    int shift = machine.arg(thread, 2) & 31, clamp = machine.arg(thread, 3);
    int segments = clamp >> 8 & 31, own = thread - first;
    clamp &= 31;
    int least = own & segments, most = least | (clamp & ~segments);
    int source = least | (shift & ~segments);
    if (name.starts_with("shfl.sync.bfly."))
      source = own ^ shift;
    else if (name.starts_with("shfl.sync.down."))
      source = own + shift;
    else if (name.starts_with("shfl.sync.up."))
      source = own - shift;
    bool isInRange =
        name.starts_with("shfl.sync.up.") ? source >= most : source <= most;
    unsigned from = first + (isInRange ? source : own);
    if (!std::binary_search(lanes.begin(), lanes.end(), from))
      machine.fail("shfl.sync reads thread " + std::to_string(from) +
                       ", which is not in the mask",
                   thread);
    machine.result(thread, 0) = machine.arg(from, 1);
    if (name.ends_with("p"))
      machine.result(thread, 1) = isInRange;
  }
  machine.count("shfl");
}

void attnc::nvptx::executeVote(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  uint32_t ballot = 0, mask = 0;
  for (unsigned thread : lanes) {
    mask |= 1u << thread % warpSize;
    ballot |= static_cast<uint32_t>(machine.arg(thread, 1) & 1)
              << thread % warpSize;
  }
  uint64_t value = ballot;
  if (name.starts_with("vote.any."))
    value = ballot != 0;
  else if (name.starts_with("vote.all."))
    value = ballot == mask;
  for (unsigned thread : lanes)
    machine.result(thread, 0) = value;
}

/// Any thread of the mask may be elected, but always the same one.
void attnc::nvptx::executeElect(Machine &machine, const Lanes &lanes) {
  unsigned leader = lanes[machine.seed % lanes.size()];
  for (unsigned thread : lanes) {
    machine.result(thread, 0) = leader % warpSize;
    machine.result(thread, 1) = thread == leader;
  }
}

/// redux.sync.OPERATION of integers
void attnc::nvptx::executeReduction(Machine &machine, const Lanes &lanes) {
  std::string name = machine.threads[lanes[0]].call.name();
  std::string operation = name.substr(std::string("redux.sync.").size());
  auto combine = [&](uint32_t a, uint32_t b) -> uint32_t {
    int32_t x = a, y = b;
    if (operation == "add")
      return a + b;
    if (operation == "min")
      return std::min(x, y);
    if (operation == "max")
      return std::max(x, y);
    if (operation == "umin")
      return std::min(a, b);
    if (operation == "umax")
      return std::max(a, b);
    if (operation == "and")
      return a & b;
    if (operation == "or")
      return a | b;
    return a ^ b;
  };
  uint32_t value = machine.arg(lanes[0], 0);
  for (size_t i = 1; i < lanes.size(); ++i)
    value = combine(value, machine.arg(lanes[i], 0));
  for (unsigned thread : lanes)
    machine.result(thread, 0) = value;
}

void attnc::nvptx::executeWarpBarrier(Machine &machine, const Lanes &lanes) {
  Order order;
  for (unsigned thread : lanes)
    order.join(machine.threads[thread].order);
  for (unsigned thread : lanes) {
    machine.threads[thread].order = order;
    machine.advance(thread);
  }
}

/// setmaxnreg: a block is launched with the same number of registers for each
/// thread; an increase waits until others have released enough of these.
bool attnc::nvptx::executeSetMaxRegisters(Machine &machine,
                                          const Lanes &lanes) {
  const Call &call = machine.threads[lanes[0]].call;
  uint32_t wanted = call.arg32(0);
  uint32_t &owned = machine.registersOf(lanes[0] / warpgroupSize);
  bool isIncrease = call.name().starts_with("setmaxnreg.inc.");
  if (wanted < 24 || wanted > 256 || wanted % 8)
    machine.fail("setmaxnreg takes multiples of 8 from 24 to 256, not " +
                     std::to_string(wanted),
                 lanes[0]);
  if (isIncrease ? wanted < owned : wanted > owned)
    machine.fail(call.name() + " from " + std::to_string(owned) + " to " +
                     std::to_string(wanted) + " registers",
                 lanes[0]);
  uint32_t before = owned;
  owned = wanted;
  if (machine.registersInUse() <= machine.launchedRegisters)
    return true;
  owned = before;
  return false;
}
