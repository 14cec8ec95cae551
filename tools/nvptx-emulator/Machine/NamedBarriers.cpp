//===- NamedBarriers.cpp - barrier.cta and barrier.cluster ----------------===//

#include "Machine.h"

#include <map>

using namespace attnc::nvptx;

/// The threads of a warp must wait at the same call of an aligned barrier.
static void checkConvergence(Machine &machine,
                             const std::vector<unsigned> &waiting) {
  std::map<unsigned, uint32_t> sites; // of each warp
  for (unsigned number : waiting) {
    const Call &call = machine.threads[number].call;
    if (!call.operation->isAligned)
      continue;
    auto [site, isNew] = sites.emplace(number / warpSize, call.site);
    if (site->second != call.site)
      machine.fail("the warp diverged: its threads are at two calls of " +
                       call.name(),
                   number);
  }
}

void NamedBarriers::arrive(Machine &machine, uint32_t id, uint32_t count,
                           bool isSync, const Call &call) {
  Barrier &barrier = barriers[id];
  if (barrier.arrived == 0)
    barrier.expected = count;
  if (barrier.expected != count)
    machine.fail("threads use barrier " + std::to_string(id) +
                 " with different counts: " + std::to_string(barrier.expected) +
                 " and " + std::to_string(count));
  Thread &thread = machine.currentThread();
  barrier.order.join(thread.order);
  machine.advance(machine.current);
  machine.noteEvent();
  if (isSync) {
    thread.call = call;
    barrier.waiting.push_back(machine.current);
  }
  if (++barrier.arrived == count)
    complete(machine, barrier);
  else if (isSync)
    machine.wait(State::atBarrier, call);
}

void NamedBarriers::complete(Machine &machine, Barrier &barrier) {
  checkConvergence(machine, barrier.waiting);
  for (unsigned number : barrier.waiting) {
    Thread &thread = machine.threads[number];
    thread.order.join(barrier.order);
    thread.state = State::ready;
  }
  barrier.completed = barrier.order;
  barrier.order = {};
  barrier.waiting.clear();
  barrier.arrived = 0;
  ++barrier.phase;
}

void NamedBarriers::waitForCluster(Machine &machine, const Call &call) {
  Barrier &barrier = barriers[clusterId];
  Thread &thread = machine.currentThread();
  if (!thread.clusterPhase)
    machine.fail("a thread waits at the barrier of the cluster, but did not "
                 "arrive there");
  uint32_t phase = *thread.clusterPhase;
  thread.clusterPhase.reset();
  if (barrier.phase == phase) {
    barrier.waiting.push_back(machine.current);
    machine.wait(State::atBarrier, call);
    return;
  }
  thread.order.join(barrier.completed);
}

void attnc::nvptx::executeBarrier(Machine &machine, const Call &call) {
  bool hasCount = call.name().ends_with(".count");
  uint32_t id = call.arg32(0);
  uint32_t count = hasCount ? call.arg32(1) : machine.threads.size();
  if (id >= NamedBarriers::clusterId)
    machine.fail("there are 16 barriers; this is number " + std::to_string(id));
  if (hasCount && (count == 0 || count % warpSize != 0))
    machine.fail("the number of threads of a barrier must be a multiple of 32");
  bool isSync = call.name().starts_with("barrier.cta.sync.");
  machine.barriers.arrive(machine, id, count, isSync, call);
}

/// barrier.cluster.arrive and .wait of a cluster of one block.
void attnc::nvptx::executeClusterBarrier(Machine &machine, const Call &call) {
  NamedBarriers &barriers = machine.barriers;
  if (call.name().find(".wait") != std::string::npos)
    return barriers.waitForCluster(machine, call);
  std::optional<uint32_t> &phase = machine.currentThread().clusterPhase;
  if (phase)
    machine.fail("a thread arrives at the barrier of the cluster again without "
                 "a wait");
  phase = barriers.phaseOf(NamedBarriers::clusterId);
  barriers.arrive(machine, NamedBarriers::clusterId, machine.threads.size(),
                  false, call);
}
