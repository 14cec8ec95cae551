//===- Order.h - Happens-before of memory accesses ------------------------===//
//
// Vector clocks. An agent is something that accesses memory: a thread, the
// bulk copies that complete on one mbarrier, the products of one warpgroup, or
// the bulk stores or cp.async of one thread. Threads have the first numbers.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_ORDER_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_ORDER_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace attnc::nvptx {

/// Entry a is the last time of agent a that happens before the owner's next
/// instruction; missing entries are 0.
using Clock = std::vector<uint32_t>;

/// A time of an agent. Time 0 is before everything.
struct Epoch {
  uint32_t agent = 0;
  uint32_t time = 0;
};

/// What happens before the next instruction of a thread, or before the threads
/// that wait at a barrier continue.
struct Order {
  Clock seen;
  /// The part of `seen` that a fence.proxy.async makes visible to the async
  /// proxy.
  Clock fenced;

  bool hasSeen(Epoch epoch) const { return contains(seen, epoch); }
  bool hasFenced(Epoch epoch) const { return contains(fenced, epoch); }
  /// Everything up to `epoch` happens before.
  void see(Epoch epoch) {
    if (seen.size() <= epoch.agent)
      seen.resize(epoch.agent + 1);
    seen[epoch.agent] = std::max(seen[epoch.agent], epoch.time);
  }
  /// Everything that happens before `other` happens before this.
  void join(const Order &other) {
    joinClock(seen, other.seen);
    joinClock(fenced, other.fenced);
  }
  /// Only what happens before `other`, too, happens before this.
  void meet(const Order &other) {
    meetClock(seen, other.seen);
    meetClock(fenced, other.fenced);
  }

private:
  static void joinClock(Clock &clock, const Clock &other) {
    if (clock.size() < other.size())
      clock.resize(other.size());
    for (size_t i = 0; i < other.size(); ++i)
      clock[i] = std::max(clock[i], other[i]);
  }
  static void meetClock(Clock &clock, const Clock &other) {
    clock.resize(std::min(clock.size(), other.size()));
    for (size_t i = 0; i < clock.size(); ++i)
      clock[i] = std::min(clock[i], other[i]);
  }
  static bool contains(const Clock &clock, Epoch epoch) {
    return epoch.time == 0 ||
           (epoch.agent < clock.size() && epoch.time <= clock[epoch.agent]);
  }
};

/// Who accesses memory, and what happens before the access.
struct Accessor {
  Epoch epoch;
  const Order &order;
  bool isAsync = false;  // by the async proxy
  bool isAtomic = false; // atomic accesses do not race with each other
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_ORDER_H
