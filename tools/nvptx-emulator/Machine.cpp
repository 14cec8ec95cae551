//===- Machine.cpp - Scheduling of a block's threads ----------------------===//

#include "Machine.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace attnc::nvptx;

/// makecontext() passes no pointers.
static Machine *running = nullptr;

Stack::Stack() {
  void *pages = mmap(nullptr, guardSize + size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, guardSize, PROT_NONE) != 0)
    llvm::report_bad_alloc_error("no memory for the stack of a thread");
  memory = static_cast<char *>(pages);
}

Stack::~Stack() { munmap(memory, guardSize + size); }

bool Stack::isGuard(const void *address) const {
  return address >= memory && address < memory + guardSize;
}

Machine::Machine(Dim3 grid, Dim3 block, uint64_t sharedBytes, unsigned seed)
    : grid(grid), block(block), sharedBytes(sharedBytes), random(seed) {
  threads.resize(block[0] * block[1] * block[2]);
  for (size_t i = 0; i < threads.size(); ++i)
    stacks.push_back(std::make_unique<Stack>());
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
static void installHandler(void (*handler)(int, siginfo_t *, void *)) {
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
               << ", thread " << thread << ")\n";
  std::exit(1);
}

void Machine::run(std::function<void()> body) {
  kernel = std::move(body);
  running = this;
  installHandler(onFault);
  for (blockIndex[2] = 0; blockIndex[2] < grid[2]; ++blockIndex[2])
    for (blockIndex[1] = 0; blockIndex[1] < grid[1]; ++blockIndex[1])
      for (blockIndex[0] = 0; blockIndex[0] < grid[0]; ++blockIndex[0])
        runBlock();
}

void Machine::enterFiber() {
  running->kernel();
  Thread &thread = running->threads[running->current];
  thread.state = State::done;
  swapcontext(&thread.context, &running->scheduler);
}

void Machine::runBlock() {
  shared.reset(sharedBytes);
  barriers.clear();
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread.state = State::ready;
    thread.copies.clear();
    thread.groups.clear();
    thread.clock.assign(threads.size(), 0);
    thread.clock[i] = 1;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stacks[i]->begin();
    thread.context.uc_stack.ss_size = Stack::size;
    thread.context.uc_link = &scheduler;
    makecontext(&thread.context, enterFiber, 0);
  }
  auto isDone = [](const Thread &t) { return t.state == State::done; };
  while (!std::all_of(threads.begin(), threads.end(), isDone)) {
    bool progress = runReadyThreads();
    progress |= runCollectives();
    progress |= releaseBarriers();
    if (!progress)
      failDeadlock();
  }
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

bool Machine::runCollectives() {
  bool progress = false;
  for (unsigned first = 0; first < threads.size(); first += warpSize) {
    bool complete = first + warpSize <= threads.size();
    for (unsigned i = first; complete && i < first + warpSize; ++i)
      complete = threads[i].state == State::atCollective;
    if (!complete)
      continue;
    current = first;
    runCollective(first);
    for (unsigned i = first; i < first + warpSize; ++i)
      threads[i].state = State::ready;
    progress = true;
  }
  return progress;
}

bool Machine::releaseBarriers() {
  bool progress = false;
  for (uint32_t id = 0; id < 16; ++id)
    progress |= releaseBarrier(id);
  return progress;
}

bool Machine::releaseBarrier(uint32_t id) {
  std::vector<Thread *> waiting;
  for (Thread &thread : threads)
    if (thread.state == State::atBarrier && thread.barrier == id)
      waiting.push_back(&thread);
  if (waiting.empty())
    return false;
  NamedBarrier &barrier = barriers[id];
  uint32_t needed = waiting.front()->barrierCount;
  for (Thread *thread : waiting)
    if (thread->barrierCount != needed)
      fail("threads wait at barrier " + std::to_string(id) +
               " with different counts",
           thread - threads.data());
  uint32_t arrived = waiting.size() + barrier.arrived;
  if (arrived > needed)
    fail("barrier " + std::to_string(id) + " expects " +
         std::to_string(needed) + " threads, but more arrived");
  if (arrived < needed)
    return false;
  checkConvergence(waiting);
  Clock clock = barrier.clock.empty() ? Clock(threads.size()) : barrier.clock;
  for (Thread *thread : waiting)
    join(clock, thread->clock);
  for (Thread *thread : waiting) {
    thread->clock = clock;
    ++thread->clock[thread - threads.data()];
    thread->state = State::ready;
  }
  barriers.erase(id);
  return true;
}

/// All threads of a warp execute the same `.aligned` barrier.
void Machine::checkConvergence(const std::vector<Thread *> &waiting) {
  std::map<unsigned, uint32_t> sites; // of each warp
  for (Thread *thread : waiting) {
    if (thread->call.name->find(".aligned") == std::string::npos)
      continue;
    unsigned number = thread - threads.data();
    auto [site, isNew] = sites.emplace(number / warpSize, thread->call.site);
    if (site->second != thread->call.site)
      fail("the warp diverged: its threads are at two calls of " +
               *thread->call.name,
           number);
  }
}

void Machine::failDeadlock() {
  std::map<std::string, unsigned> places;
  unsigned first = 0;
  for (unsigned i = threads.size(); i-- > 0;) {
    if (threads[i].state != State::done)
      first = i;
    ++places[threads[i].state == State::done ? "exited"
                                             : "at " + *threads[i].call.name];
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

void Machine::checkShared(const SharedMemory::Error &error, unsigned thread) {
  if (error)
    fail(*error, thread);
}

void Machine::checkGlobal(uint64_t address, unsigned bytes) {
  for (const Buffer &buffer : buffers)
    if (address >= buffer.address &&
        address + bytes <= buffer.address + buffer.bytes)
      return;
  fail("access out of bounds: " + std::to_string(bytes) +
       " bytes that belong to no buffer");
}

void Machine::access(uint64_t address, unsigned bytes, bool isWrite) {
  uint64_t stack = reinterpret_cast<uint64_t>(stacks[current]->begin());
  if (address >= stack && address + bytes <= stack + Stack::size)
    return;
  // Power-of-two accesses must be aligned to their size.
  if (bytes && !(bytes & (bytes - 1)) && address % std::min(bytes, 16u))
    fail("access of " + std::to_string(bytes) + " bytes is misaligned");
  if (!shared.isInWindow(address))
    return checkGlobal(address, bytes);
  const Clock &clock = threads[current].clock;
  checkShared(isWrite ? shared.write(address, bytes, current, clock)
                      : shared.read(address, bytes, current, clock),
              current);
}
