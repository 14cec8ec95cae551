//===- Machine.cpp - The threads of a block and their schedule ------------===//

#include "Machine.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

using namespace attnc::nvptx;

/// makecontext() passes no pointers.
static Machine *running = nullptr;

Machine::Machine(Dim3 grid, Dim3 block, unsigned seed)
    : grid(grid), block(block), seed(seed), random(seed) {
  threads.resize(block[0] * block[1] * block[2]);
  for (size_t i = 0; i < threads.size(); ++i)
    stacks.push_back(std::make_unique<Stack>());
  shared.setAgentName([this](uint32_t agent) { return nameOf(agent); });
  global.setAgentName([this](uint32_t agent) { return nameOf(agent); });
}

/// A frame that does not fit its stack ends like every other error; other
/// faults are left to the handler before.
void Machine::onFault(int signal, siginfo_t *info, void *) {
  static const char text[] =
      "nvptx-emulator: error: the stack of a thread overflows\n";
  if (running->stacks[running->current]->isGuard(info->si_addr)) {
    [[maybe_unused]] ssize_t written =
        write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
  }
  std::signal(signal, SIG_DFL);
}

/// Fibers have no room for a handler when their stacks overflow.
static void handleFaults(void (*handler)(int, siginfo_t *, void *)) {
  static char room[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = room;
  alternative.ss_size = sizeof room;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

void Machine::fail(const std::string &text, unsigned thread) {
  llvm::outs().flush();
  llvm::errs() << "nvptx-emulator: error: " << text << " (block "
               << blockIndex[0] << "," << blockIndex[1] << "," << blockIndex[2]
               << ", thread " << thread << ", at "
               << places[threads[thread].place] << ")\n";
  std::exit(1);
}

void Machine::run(std::function<void()> body) {
  kernel = std::move(body);
  running = this;
  handleFaults(onFault);
  for (blockIndex[2] = 0; blockIndex[2] < grid[2]; ++blockIndex[2])
    for (blockIndex[1] = 0; blockIndex[1] < grid[1]; ++blockIndex[1])
      for (blockIndex[0] = 0; blockIndex[0] < grid[0]; ++blockIndex[0])
        runBlock();
}

void Machine::enterFiber() {
  running->kernel();
  running->checkExit();
  Thread &thread = running->threads[running->current];
  thread.state = State::done;
  running->noteEvent();
  swapcontext(&thread.context, &running->scheduler);
}

/// What a thread must not leave behind.
void Machine::checkExit() {
  checkSuspect();
  bulkCopies.checkExit(*this, current);
  products.checkExit(*this, current);
}

void Machine::startThreads() {
  shared.reset(sharedBytes);
  global.beginBlock();
  barriers.reset();
  mbarriers.reset();
  bulkCopies.reset();
  copyArrivals.clear();
  products.reset();
  agentNames.clear();
  uint32_t perThread = registersPerBlock / threads.size() / 8 * 8;
  registers.assign((threads.size() + warpgroupSize - 1) / warpgroupSize,
                   std::min(perThread, 256u));
  launchedRegisters = registersInUse();
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread = Thread();
    thread.order.seen.assign(threads.size(), 0);
    advance(i);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stacks[i]->begin();
    thread.context.uc_stack.ss_size = Stack::size;
    thread.context.uc_link = &scheduler;
    makecontext(&thread.context, enterFiber, 0);
  }
}

void Machine::runBlock() {
  startThreads();
  auto isDone = [](const Thread &t) { return t.state == State::done; };
  while (!std::all_of(threads.begin(), threads.end(), isDone)) {
    bool progress = runReadyThreads();
    progress |= runWarps();
    progress |= runWarpgroups();
    products.progress(*this);
    progress |= bulkCopies.progress(*this, !progress);
    progress |= progressCopyArrivals(*this, !progress);
    if (progress)
      continue;
    progress = resumeAtomics();
    if (!expireWaits() && !progress)
      failDeadlock();
  }
  bulkCopies.checkLoads(*this);
  bulkCopies.finish(*this);
}

/// Runs each ready thread to its next wait, in a random order.
bool Machine::runReadyThreads() {
  std::vector<unsigned> order;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state == State::ready)
      order.push_back(i);
  std::shuffle(order.begin(), order.end(), random);
  for (unsigned i : order) {
    current = i;
    swapcontext(&scheduler, &threads[i].context);
  }
  return !order.empty();
}

bool Machine::runWarps() {
  bool progress = false;
  for (unsigned first = 0; first < threads.size(); first += warpSize)
    progress |= runWarp(first);
  return progress;
}

/// Runs the collectives whose threads have all arrived. The threads of a mask
/// must agree on it.
bool Machine::runWarp(unsigned first) {
  bool progress = false;
  unsigned end = std::min<unsigned>(first + warpSize, threads.size());
  for (unsigned i = first; i < end; ++i) {
    if (threads[i].state != State::atWarp)
      continue;
    const Operation &operation = *threads[i].call.operation;
    uint32_t mask = operation.mask < 0
                        ? 0xffffffffu
                        : static_cast<uint32_t>(arg(i, operation.mask));
    if (!(mask >> (i - first) & 1))
      fail("the mask of " + operation.name + " does not contain the thread", i);
    Lanes lanes;
    bool isComplete = true;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1) {
        lanes.push_back(first + lane);
        isComplete &=
            first + lane < end && threads[first + lane].state == State::atWarp;
      }
    if (!isComplete)
      continue;
    for (unsigned other : lanes) {
      const Call &call = threads[other].call;
      if (call.name() != operation.name)
        fail("the warp diverged: " + operation.name + " and " + call.name(),
             other);
      if (operation.mask >= 0 &&
          static_cast<uint32_t>(arg(other, operation.mask)) != mask)
        fail("the threads of " + operation.name + " have different masks",
             other);
      if (operation.isAligned && call.site != threads[i].call.site)
        fail("the warp diverged: its threads are at two calls of " +
                 operation.name,
             other);
    }
    current = i;
    operation.executeWarp(*this, lanes);
    for (unsigned other : lanes)
      threads[other].state = State::ready;
    noteEvent();
    progress = true;
  }
  return progress;
}

/// All threads of a warpgroup must be at the same instruction.
bool Machine::runWarpgroups() {
  bool progress = false;
  for (unsigned first = 0; first + warpgroupSize <= threads.size();
       first += warpgroupSize) {
    Lanes lanes;
    for (unsigned i = first; i < first + warpgroupSize; ++i)
      if (threads[i].state == State::atWarpgroup)
        lanes.push_back(i);
    if (lanes.size() != warpgroupSize)
      continue;
    const Call &call = threads[first].call;
    for (unsigned i : lanes)
      if (threads[i].call.site != call.site)
        fail("the warpgroup diverged: its threads are at two calls of " +
                 call.name(),
             i);
    current = first;
    if (!call.operation->executeWarpgroup(*this, lanes))
      continue;
    for (unsigned i : lanes)
      threads[i].state = State::ready;
    noteEvent();
    progress = true;
  }
  return progress;
}

/// Nothing else can happen: mbarrier.try_wait and test_wait return false. If
/// that happens again and again without any event, there is a deadlock.
bool Machine::expireWaits() {
  constexpr unsigned maxExpiries = 16;
  expiries = events == eventsAtExpiry ? expiries + 1 : 0;
  eventsAtExpiry = events;
  bool progress = false;
  for (Thread &thread : threads)
    if (expiries < maxExpiries && thread.state == State::atMbarrier) {
      thread.state = State::ready;
      progress = true;
    }
  return progress;
}

/// A loop may read what another thread is still to write.
void Machine::yield() {
  threads[current].state = State::atAtomic;
  swapcontext(&threads[current].context, &scheduler);
}

/// Threads at atomic operations continue when nothing else can happen. If that
/// happens very often without any event or ordinary store, there is a deadlock.
bool Machine::resumeAtomics() {
  constexpr uint64_t maxYields = 1 << 20;
  if (events + stores != eventsAtYield)
    yields = 0;
  eventsAtYield = events + stores;
  bool progress = false;
  for (Thread &thread : threads)
    if (yields < maxYields && thread.state == State::atAtomic) {
      thread.state = State::ready;
      ++yields;
      progress = true;
    }
  return progress;
}

std::string Machine::placeOf(const Thread &thread) const {
  if (thread.state == State::done)
    return "exited";
  if (thread.state == State::atAtomic)
    return "at an atomic operation";
  std::string place = "at " + thread.call.name();
  if (thread.state == State::atMbarrier)
    place += mbarriers.describe(*this, thread.mbarrier);
  return place;
}

void Machine::failDeadlock() {
  std::map<std::string, unsigned> places;
  unsigned first = 0;
  for (unsigned i = threads.size(); i-- > 0;) {
    if (threads[i].state != State::done)
      first = i;
    ++places[placeOf(threads[i])];
  }
  std::string text = "deadlock:";
  const char *separator = " ";
  for (const auto &[place, count] : places) {
    text += separator + std::to_string(count) + " threads " + place;
    separator = ", ";
  }
  fail(text, first);
}

void Machine::wait(State state, const Call &call) {
  Thread &thread = threads[current];
  thread.call = call;
  thread.state = state;
  swapcontext(&thread.context, &scheduler);
}

void Machine::execute(const Call &call) {
  checkSuspect();
  if (call.operation->executeWarp)
    wait(State::atWarp, call);
  else if (call.operation->executeWarpgroup)
    wait(State::atWarpgroup, call);
  else
    call.operation->execute(*this, call);
}

Epoch Machine::epochOf(unsigned thread) const {
  return {thread, threads[thread].order.seen[thread]};
}

Accessor Machine::accessorOf(unsigned thread) const {
  return {epochOf(thread), threads[thread].order, false, false};
}

uint32_t Machine::addAgent(std::string name) {
  agentNames.push_back(std::move(name));
  return threads.size() + agentNames.size() - 1;
}

std::string Machine::nameOf(uint32_t agent) const {
  return agent < threads.size() ? "thread " + std::to_string(agent)
                                : agentNames[agent - threads.size()];
}

uint32_t Machine::registersInUse() const {
  uint32_t sum = 0;
  for (uint32_t perThread : registers)
    sum += perThread * warpgroupSize;
  return sum;
}

void Machine::check(const std::optional<std::string> &error, unsigned thread) {
  if (error)
    fail(*error, thread);
}

void Machine::readGlobal(uint64_t address, uint64_t bytes, unsigned thread) {
  check(global.access(address, bytes, accessorOf(thread), false), thread);
}

/// Threads may store the same value.
void Machine::writeGlobal(uint64_t address, uint64_t bytes,
                          const Accessor &accessor) {
  check(global.checkRange(address, bytes), current);
  GlobalMemory::Error race = global.access(address, bytes, accessor, true);
  if (!race)
    return;
  if (accessor.isAtomic)
    fail(*race);
  const char *data = reinterpret_cast<const char *>(address);
  suspect = Suspect{address, std::string(data, bytes), *race};
}

/// Called before the next instruction that is checked.
void Machine::checkSuspect() {
  if (!suspect)
    return;
  const char *data = reinterpret_cast<const char *>(suspect->address);
  if (std::string(data, suspect->before.size()) != suspect->before)
    fail(suspect->error);
  suspect.reset();
}

void Machine::access(uint64_t address, uint64_t bytes, AccessFlags flags) {
  checkSuspect();
  uint64_t stack = reinterpret_cast<uint64_t>(stacks[current]->begin());
  if (bytes == 0 ||
      (address >= stack && address + bytes <= stack + Stack::size))
    return;
  if (!(flags & accessIsUnaligned) && !(bytes & (bytes - 1)) &&
      address % std::min<uint64_t>(bytes, 16))
    fail("access of " + std::to_string(bytes) + " bytes is misaligned");
  if (flags & (accessIsAtomic | accessYields))
    yield();
  bool isWrite = flags & accessWrites;
  Accessor accessor = accessorOf(current);
  accessor.isAtomic = flags & accessIsAtomic;
  stores += isWrite && !accessor.isAtomic;
  if (!shared.isInWindow(address) && isWrite)
    writeGlobal(address, bytes, accessor);
  else if (!shared.isInWindow(address))
    check(global.access(address, bytes, accessor, false), current);
  else if (isWrite)
    check(shared.write(address, bytes, accessor), current);
  else
    check(shared.read(address, bytes, accessor), current);
}
