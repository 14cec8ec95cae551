//===- Order.cpp - Happens-before of memory accesses ----------------------===//

#include "Order.h"

#include <algorithm>

using namespace attnc::nvptx;

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

void Order::see(Epoch epoch) {
  if (seen.size() <= epoch.agent)
    seen.resize(epoch.agent + 1);
  seen[epoch.agent] = std::max(seen[epoch.agent], epoch.time);
}

void Order::join(const Order &other) {
  joinClock(seen, other.seen);
  joinClock(fenced, other.fenced);
}

void Order::meet(const Order &other) {
  meetClock(seen, other.seen);
  meetClock(fenced, other.fenced);
}
