//===- CopyAsync.cpp - cp.async -------------------------------------------===//
//
// A copy does nothing until its thread waits for it, except that it poisons its
// destination. Other threads see the data after a barrier that follows the
// wait, or when they wait at an mbarrier at which the copies arrive.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace attnc::nvptx;

/// The name ends with the number of bytes, and `.s` if the last argument is the
/// number of bytes to read.
static void beginCopy(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  std::string prefix = "cp.async.ca.shared.global.";
  Copy copy{machine.shared.resolve(call.args[0]), call.args[1], 0, 0};
  copy.bytes = std::atoi(name.c_str() + prefix.size());
  copy.valid = copy.bytes;
  if (name.ends_with(".s"))
    copy.valid = std::min(copy.bytes, call.arg32(2));
  if (copy.destination % copy.bytes || copy.source % copy.bytes)
    machine.fail("cp.async of " + std::to_string(copy.bytes) +
                 " bytes is misaligned");
  if (copy.valid)
    machine.readGlobal(copy.source, copy.valid, machine.current);
  machine.check(machine.shared.beginCopy(copy.destination, copy.bytes,
                                         machine.accessorOf(machine.current)),
                machine.current);
  machine.currentThread().copies.push_back(std::make_shared<Copy>(copy));
  machine.count("cp.async");
}

/// Writes the data, if that is still to be done.
static void finish(Machine &machine, Copy &copy) {
  if (copy.isDone)
    return;
  char data[16] = {};
  std::memcpy(data, reinterpret_cast<void *>(copy.source), copy.valid);
  machine.shared.finishCopy(copy.destination, data, copy.bytes, copy.epoch);
  copy.isDone = true;
}

static void waitForGroups(Machine &machine, size_t pending) {
  Thread &thread = machine.currentThread();
  while (thread.groups.size() > pending) {
    for (const std::shared_ptr<Copy> &copy : thread.groups.front()) {
      if (copy->epoch.time == 0)
        copy->epoch = machine.epochOf(machine.current);
      finish(machine, *copy);
      thread.order.see(copy->epoch);
    }
    thread.groups.pop_front();
  }
}

/// cp.async.mbarrier.arrive[.noinc]: all copies of the thread so far.
void attnc::nvptx::executeCopyArrive(Machine &machine, const Call &call) {
  Thread &thread = machine.currentThread();
  uint64_t address = machine.shared.resolve(call.args[0]);
  bool isCounted = call.name().find(".noinc") == std::string::npos;
  machine.mbarriers.beginArrival(machine, address, isCounted);
  CopyArrival arrival{address, machine.current, {}};
  for (const CopyGroup &group : thread.groups)
    arrival.copies.insert(arrival.copies.end(), group.begin(), group.end());
  arrival.copies.insert(arrival.copies.end(), thread.copies.begin(),
                        thread.copies.end());
  CopyArrivals &own = thread.copyArrivals;
  if (own.agent == 0)
    own.agent = machine.addAgent("cp.async of thread " +
                                 std::to_string(machine.current));
  for (const std::shared_ptr<Copy> &copy : arrival.copies)
    if (copy->epoch.time == 0)
      copy->epoch = {own.agent, ++own.count};
  machine.copyArrivals.push_back(std::move(arrival));
}

bool attnc::nvptx::progressCopyArrivals(Machine &machine, bool isForced) {
  std::vector<CopyArrival> &arrivals = machine.copyArrivals;
  std::shuffle(arrivals.begin(), arrivals.end(), machine.random);
  bool progress = false;
  while (!arrivals.empty() && (isForced || machine.random() % 2 == 0)) {
    CopyArrival arrival = std::move(arrivals.back());
    arrivals.pop_back();
    isForced = false;
    progress = true;
    Order before;
    for (const std::shared_ptr<Copy> &copy : arrival.copies) {
      finish(machine, *copy);
      before.see(copy->epoch);
    }
    machine.mbarriers.endArrival(machine, arrival.mbarrier, arrival.thread,
                                 before);
  }
  return progress;
}

void attnc::nvptx::executeCopyAsync(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  Thread &thread = machine.currentThread();
  if (name.find(".shared.global.") != std::string::npos)
    return beginCopy(machine, call);
  if (name == "cp.async.wait.group")
    return waitForGroups(machine, call.arg32(0));
  // cp.async.commit.group, cp.async.wait.all
  thread.groups.push_back(std::move(thread.copies));
  thread.copies.clear();
  if (name == "cp.async.wait.all")
    waitForGroups(machine, 0);
}
