//===- Machine.h - The threads of a block and their schedule --------------===//
//
// Each thread of a block is a fiber. It runs until it reaches an operation that
// needs other threads: a collective of its warp or warpgroup, a barrier or an
// mbarrier. Blocks run one after another.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MACHINE_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MACHINE_H

#include "BulkCopies.h"
#include "GlobalMemory.h"
#include "Mbarriers.h"
#include "NamedBarriers.h"
#include "Operation.h"
#include "Products.h"
#include "SharedMemory.h"
#include "Stack.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <ucontext.h>

namespace attnc::nvptx {

constexpr unsigned warpSize = 32;
constexpr unsigned warpgroupSize = 128;
using Dim3 = std::array<uint32_t, 3>;

/// A copy of cp.async; bytes beyond `valid` are filled with zeros.
struct Copy {
  uint64_t destination, source;
  unsigned bytes, valid;
  Epoch epoch = {};    // of its write; time 0: not known yet
  bool isDone = false; // its data was written
};
using CopyGroup = std::vector<std::shared_ptr<Copy>>;

/// The copies of a thread that arrive at mbarriers write as an agent: each one
/// at a time of its own, in the order in which they were issued.
struct CopyArrivals {
  uint32_t agent = 0; // 0: none yet
  uint32_t count = 0;
};

/// cp.async.mbarrier.arrive: an arrival when the copies are complete.
struct CopyArrival {
  uint64_t mbarrier;
  unsigned thread;
  CopyGroup copies;
};

enum class State {
  ready,
  atWarp,
  atWarpgroup,
  atBarrier,
  atMbarrier,
  atAtomic,
  done
};

struct Thread {
  State state = State::ready;
  ucontext_t context;
  Call call;          // what the thread waits at
  uint32_t place = 0; // the basic block that it executes
  Order order;
  CopyGroup copies; // of cp.async, since the last commit
  std::deque<CopyGroup> groups;
  CopyArrivals copyArrivals;
  BulkGroups bulk;
  ProductGroups products;
  MbarrierWait mbarrier;
  /// Of barrier.cluster.arrive, until the thread waits.
  std::optional<uint32_t> clusterPhase;
};

enum AccessFlags : uint32_t {
  accessWrites = 1,
  accessIsAtomic = 2,
  accessIsUnaligned = 4, // else powers of two are aligned to their size
  accessYields = 8       // a loop may wait for what another thread writes
};

class Machine {
public:
  /// The most threads of a block.
  static constexpr uint64_t maxThreads = 1024;

  Machine(Dim3 grid, Dim3 block, unsigned seed);

  /// Runs all blocks; `kernel` is called once per thread, on its fiber.
  void run(std::function<void()> kernel);

  /// The names of basic blocks.
  void setPlaces(std::vector<std::string> names) { places = std::move(names); }
  void setSharedBytes(uint64_t bytes) { sharedBytes = bytes; }
  const std::map<std::string, uint64_t> &getCounts() const { return counts; }

  // Called by the kernel.
  void execute(const Call &call);
  /// Checks an access of the current thread.
  void access(uint64_t address, uint64_t bytes, AccessFlags flags);

  // Called by operations.
  /// Prints the error with block, thread and place, and exits with status 1.
  [[noreturn]] void fail(const std::string &text) { fail(text, current); }
  [[noreturn]] void fail(const std::string &text, unsigned thread);
  void check(const std::optional<std::string> &error, unsigned thread);
  void readGlobal(uint64_t address, uint64_t bytes, unsigned thread);
  /// Suspends the current thread until something sets it ready.
  void wait(State state, const Call &call);
  /// Something happened that waiting threads may depend on.
  void noteEvent() { ++events; }
  void count(const char *name, uint64_t n = 1) { counts[name] += n; }

  /// The thread accesses memory by ordinary instructions.
  Accessor accessorOf(unsigned thread) const;
  Epoch epochOf(unsigned thread) const;
  /// What the thread does from now on is after what it did so far, for others
  /// that see the thread's time so far.
  void advance(unsigned thread) { ++threads[thread].order.seen[thread]; }
  /// A number for an agent that is no thread.
  uint32_t addAgent(std::string name);

  std::string nameOf(uint32_t agent) const;

  static constexpr uint32_t registersPerBlock = 65536;
  uint32_t launchedRegisters = 0; // of all threads of the block
  /// Of each thread of a warpgroup.
  uint32_t &registersOf(unsigned warpgroup) { return registers[warpgroup]; }
  uint32_t registersInUse() const;

  Thread &currentThread() { return threads[current]; }
  uint64_t arg(unsigned thread, unsigned i) const {
    return threads[thread].call.args[i];
  }
  uint64_t &result(unsigned thread, unsigned i) {
    return threads[thread].call.results[i];
  }

  const Dim3 grid, block;
  const unsigned seed;
  Dim3 blockIndex = {0, 0, 0};
  std::vector<Thread> threads;
  unsigned current = 0;
  std::mt19937 random;
  SharedMemory shared;
  GlobalMemory global; // what the kernel may access besides
  NamedBarriers barriers;
  Mbarriers mbarriers;
  BulkCopies bulkCopies;
  std::vector<CopyArrival> copyArrivals;
  Products products;

private:
  void runBlock();
  void startThreads();
  bool runReadyThreads();
  bool runWarps();
  bool runWarp(unsigned first);
  bool runWarpgroups();
  void checkDivergence(unsigned first);
  bool expireWaits();
  void yield();
  bool resumeAtomics();
  void checkExit();
  void writeGlobal(uint64_t address, uint64_t bytes, const Accessor &accessor);
  void checkSuspect();
  [[noreturn]] void failDeadlock();
  std::string placeOf(const Thread &thread) const;
  static void enterFiber();
  static void onFault(int signal, siginfo_t *info, void *context);

  uint64_t sharedBytes = 0;
  std::vector<std::string> places;
  std::function<void()> kernel;
  std::vector<std::unique_ptr<Stack>> stacks;
  std::vector<std::string> agentNames; // of agents that are no threads
  std::map<std::string, uint64_t> counts;
  std::vector<uint32_t> registers; // per thread, of each warpgroup
  /// A store that races with an earlier one, unless it changes nothing.
  struct Suspect {
    uint64_t address;
    std::string before; // what the bytes were
    std::string error;
  };
  std::optional<Suspect> suspect; // of the current thread's last instruction
  uint64_t events = 0, eventsAtExpiry = 0;
  unsigned expiries = 0;
  /// Ordinary stores; what there was at the last yield; yields since then.
  uint64_t stores = 0, eventsAtYield = 0, yields = 0;
  ucontext_t scheduler;
};

/// The bits of a float in a slot.
float toFloat(uint64_t slot);
uint64_t fromFloat(float value);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MACHINE_H
