//===- Mbarriers.cpp - mbarrier objects in shared memory ------------------===//

#include "Machine.h"

#include <cstdlib>

using namespace attnc::nvptx;

/// PTX ISA: the range of arrival counts and of the tx-count.
static constexpr int64_t maxCount = (1 << 20) - 1;

static std::string nameOf(const Machine &machine, uint64_t address) {
  return "the mbarrier at offset " +
         std::to_string(machine.shared.offsetOf(address));
}

void Mbarriers::initialize(Machine &machine, uint64_t address, uint32_t count) {
  address = machine.shared.resolve(address);
  if (address % 8)
    machine.fail("an mbarrier must be aligned to 8 bytes");
  if (count == 0 || count > maxCount)
    machine.fail("an mbarrier expects 1 to 1048575 arrivals, not " +
                 std::to_string(count));
  if (mbarriers.count(address))
    machine.fail(nameOf(machine, address) + " is initialized twice");
  machine.check(machine.shared.setMbarrier(address, true,
                                           machine.accessorOf(machine.current)),
                machine.current);
  Mbarrier &mbarrier = mbarriers[address];
  mbarrier.expected = mbarrier.pending = count;
  mbarrier.initializer = machine.current;
  mbarrier.agent =
      machine.addAgent("the copies of " + nameOf(machine, address));
}

void Mbarriers::invalidate(Machine &machine, uint64_t address) {
  address = machine.shared.resolve(address);
  find(machine, address);
  machine.check(machine.shared.setMbarrier(address, false,
                                           machine.accessorOf(machine.current)),
                machine.current);
  mbarriers.erase(address);
}

Mbarrier &Mbarriers::find(Machine &machine, uint64_t address) {
  address = machine.shared.resolve(address);
  auto found = mbarriers.find(address);
  if (found == mbarriers.end())
    machine.fail("there is no initialized mbarrier at offset " +
                 std::to_string(machine.shared.offsetOf(address)));
  machine.check(
      machine.shared.checkMbarrier(address, machine.currentThread().order),
      machine.current);
  return found->second;
}

uint32_t Mbarriers::arrive(Machine &machine, uint64_t address, uint32_t count,
                           int64_t expectedBytes, bool isDrop,
                           bool isNoComplete) {
  address = machine.shared.resolve(address);
  Mbarrier &mbarrier = find(machine, address);
  if (expectedBytes)
    expect(machine, address, expectedBytes);
  if (count == 0 || count > mbarrier.pending ||
      (isNoComplete && count == mbarrier.pending))
    machine.fail("more arrivals at " + nameOf(machine, address) +
                 " than its phase expects: " + std::to_string(count) +
                 ", but " + std::to_string(mbarrier.pending) + " of " +
                 std::to_string(mbarrier.expected) + " are pending");
  uint32_t phase = mbarrier.phase;
  if (isDrop)
    mbarrier.expected -= count;
  mbarrier.pending -= count;
  mbarrier.arriving.join(machine.currentThread().order);
  machine.advance(machine.current);
  machine.noteEvent();
  check(machine, address, mbarrier);
  return phase;
}

void Mbarriers::beginArrival(Machine &machine, uint64_t address,
                             bool isCounted) {
  Mbarrier &mbarrier = find(machine, address);
  if (isCounted && ++mbarrier.pending > maxCount)
    machine.fail("too many pending arrivals at " + nameOf(machine, address));
}

void Mbarriers::endArrival(Machine &machine, uint64_t address, unsigned thread,
                           const Order &copies) {
  auto found = mbarriers.find(address);
  if (found == mbarriers.end())
    machine.fail(nameOf(machine, address) +
                     " was invalidated before copies arrived at it",
                 thread);
  if (found->second.pending == 0)
    machine.fail("more arrivals of copies at " + nameOf(machine, address) +
                     " than its phase expects",
                 thread);
  found->second.arriving.join(copies);
  --found->second.pending;
  machine.noteEvent();
  check(machine, address, found->second);
}

void Mbarriers::expect(Machine &machine, uint64_t address, int64_t bytes) {
  Mbarrier &mbarrier = find(machine, address);
  mbarrier.transactions += bytes;
  if (std::abs(mbarrier.transactions) > maxCount)
    machine.fail("the tx-count of " +
                 nameOf(machine, machine.shared.resolve(address)) +
                 " is out of range: " + std::to_string(mbarrier.transactions));
}

void Mbarriers::complete(Machine &machine, uint64_t address, int64_t bytes) {
  address = machine.shared.resolve(address);
  auto found = mbarriers.find(address);
  if (found == mbarriers.end())
    machine.fail(nameOf(machine, address) +
                 " was invalidated before a copy completed on it");
  found->second.transactions -= bytes;
  machine.noteEvent();
  check(machine, address, found->second);
}

void Mbarriers::completeCopy(Machine &machine, const BulkCopy &copy) {
  auto found = mbarriers.find(copy.mbarrier);
  if (found != mbarriers.end()) {
    Epoch now = found->second.copyEpoch();
    if (now.agent != copy.epoch.agent || now.time != copy.epoch.time)
      machine.fail("phase " + std::to_string(copy.epoch.time - 1) + " of " +
                       nameOf(machine, copy.mbarrier) +
                       " completed before a copy of that phase: it did not "
                       "expect the bytes",
                   copy.thread);
  }
  complete(machine, copy.mbarrier, copy.bytes);
}

/// Completes the phase if nothing is pending, and wakes its waiters.
void Mbarriers::check(Machine &machine, uint64_t address, Mbarrier &mbarrier) {
  if (mbarrier.pending)
    return;
  if (mbarrier.transactions < 0)
    machine.fail("tx-count underflow: copies brought " +
                 std::to_string(-mbarrier.transactions) + " bytes more than " +
                 nameOf(machine, address) + " expects in phase " +
                 std::to_string(mbarrier.phase));
  if (mbarrier.transactions > 0)
    return;
  mbarrier.completed = std::move(mbarrier.arriving);
  mbarrier.arriving = {};
  ++mbarrier.phase;
  mbarrier.completed.see({mbarrier.agent, mbarrier.phase});
  mbarrier.pending = mbarrier.expected;
  for (Thread &thread : machine.threads)
    if (thread.state == State::atMbarrier &&
        thread.mbarrier.address == address &&
        isComplete(mbarrier, thread.mbarrier)) {
      thread.mbarrier.isDone = true;
      thread.order.join(mbarrier.completed);
      thread.state = State::ready;
    }
}

bool Mbarriers::isComplete(const Mbarrier &mbarrier,
                           const MbarrierWait &wait) const {
  return wait.isParity ? (mbarrier.phase & 1) != wait.value
                       : mbarrier.phase != wait.value;
}

bool Mbarriers::wait(Machine &machine, const Call &call, MbarrierWait wait) {
  wait.address = machine.shared.resolve(wait.address);
  Mbarrier &mbarrier = find(machine, wait.address);
  if (wait.isParity && wait.value > 1)
    machine.fail("the parity of a phase is 0 or 1, not " +
                 std::to_string(wait.value));
  Thread &thread = machine.currentThread();
  thread.mbarrier = wait;
  if (isComplete(mbarrier, wait)) {
    thread.order.join(mbarrier.completed);
    return true;
  }
  machine.wait(State::atMbarrier, call);
  return thread.mbarrier.isDone;
}

void Mbarriers::fence(Machine &machine) {
  for (auto &[address, mbarrier] : mbarriers)
    if (mbarrier.initializer == machine.current)
      mbarrier.isFenced = true;
}

std::string Mbarriers::describe(const Machine &machine,
                                const MbarrierWait &wait) const {
  auto found = mbarriers.find(wait.address);
  if (found == mbarriers.end())
    return "";
  const Mbarrier &mbarrier = found->second;
  std::string awaited = wait.isParity ? " (waits for parity " : " (waits for ";
  return " of " + nameOf(machine, wait.address) + awaited +
         std::to_string(wait.value) + " in phase " +
         std::to_string(mbarrier.phase) + ": " +
         std::to_string(mbarrier.pending) + " of " +
         std::to_string(mbarrier.expected) + " arrivals and " +
         std::to_string(mbarrier.transactions) + " bytes are pending)";
}

/// mbarrier.init, .inval, .expect.tx and .complete.tx
void attnc::nvptx::executeMbarrier(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  Mbarriers &mbarriers = machine.mbarriers;
  if (name.starts_with("mbarrier.init"))
    return mbarriers.initialize(machine, call.args[0], call.arg32(1));
  if (name.starts_with("mbarrier.inval"))
    return mbarriers.invalidate(machine, call.args[0]);
  if (name.starts_with("mbarrier.expect.tx."))
    return mbarriers.expect(machine, call.args[0], call.arg32(1));
  mbarriers.find(machine, call.args[0]);
  mbarriers.complete(machine, call.args[0], call.arg32(1));
}

/// mbarrier.arrive[.drop][.expect.tx|.noComplete]...: the state that they
/// return is the phase.
void attnc::nvptx::executeMbarrierArrive(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  auto has = [&](const char *part) {
    return name.find(part) != std::string::npos;
  };
  bool isExpecting = has(".expect.tx.");
  bool hasCount = !isExpecting && (has(".noComplete") || has(".scope."));
  uint32_t phase = machine.mbarriers.arrive(
      machine, call.args[0], hasCount ? call.arg32(1) : 1,
      isExpecting ? call.arg32(1) : 0, has(".drop"), has(".noComplete"));
  call.results[0] = phase;
}

/// mbarrier.{test,try}.wait[.parity][.tl]...
void attnc::nvptx::executeMbarrierWait(Machine &machine, const Call &call) {
  MbarrierWait wait;
  wait.address = call.args[0];
  wait.isParity = call.name().find(".parity") != std::string::npos;
  wait.value = call.arg32(1);
  call.results[0] = machine.mbarriers.wait(machine, call, wait);
}
