//===- Machine.h - Threads, warps and barriers of a block -----------------===//
//
// Each thread of a block is a fiber. It runs until it reaches an operation that
// needs other threads: a collective of its warp or a barrier. Blocks run one
// after another.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_H

#include "SharedMemory.h"

#include <array>
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <ucontext.h>
#include <vector>

namespace attnc::nvptx {

constexpr unsigned warpSize = 32;
using Dim3 = std::array<uint32_t, 3>;

/// A call of an intrinsic: one slot of 8 bytes per argument and result.
struct Call {
  const std::string *name = nullptr; // without "llvm.nvvm."
  uint32_t site = 0;                 // the instruction
  uint64_t *args = nullptr;
  uint64_t *results = nullptr;
};

/// A copy of cp.async; bytes beyond `valid` are filled with zeros.
struct Copy {
  uint64_t destination, source;
  unsigned bytes, valid;
};

enum class State { ready, atCollective, atBarrier, done };

struct Thread {
  State state = State::ready;
  ucontext_t context;
  Call call; // what the thread waits at
  uint32_t barrier = 0, barrierCount = 0;
  Clock clock;
  std::vector<Copy> copies; // since the last commit
  std::deque<std::vector<Copy>> groups;
};

struct NamedBarrier {
  uint32_t arrived = 0; // by barrier.arrive, which does not wait
  Clock clock;          // of the arrived threads
};

struct Buffer {
  uint64_t address;
  uint64_t bytes;
};

/// The stack of a fiber, with a page below it that no access may reach.
class Stack {
public:
  static constexpr size_t size = 1024 * 1024;

  Stack();
  ~Stack();
  Stack(const Stack &) = delete;
  char *begin() const { return memory + guardSize; }
  bool isGuard(const void *address) const;

private:
  static constexpr size_t guardSize = 64 * 1024;
  char *memory;
};

class Machine {
public:
  /// The most threads of a block.
  static constexpr uint64_t maxThreads = 1024;

  Machine(Dim3 grid, Dim3 block, uint64_t sharedBytes, unsigned seed);

  /// Runs all blocks; `kernel` is called once per thread, on its fiber.
  void run(std::function<void()> kernel);

  void setSharedBytes(uint64_t bytes) { sharedBytes = bytes; }
  /// Memory that the kernel may access besides shared memory and its stack.
  void addBuffer(Buffer buffer) { buffers.push_back(buffer); }

  // Called by the kernel.
  void execute(const Call &call);
  void access(uint64_t address, unsigned bytes, bool isWrite);

  /// Prints the error with block and thread, and exits with status 1.
  [[noreturn]] void fail(const std::string &text) { fail(text, current); }
  [[noreturn]] void fail(const std::string &text, unsigned thread);

  SharedMemory shared;
  const std::map<std::string, uint64_t> &getCounts() const { return counts; }

private:
  // Machine.cpp
  void runBlock();
  bool runReadyThreads();
  bool runCollectives();
  bool releaseBarriers();
  bool releaseBarrier(uint32_t id);
  [[noreturn]] void failDeadlock();
  void wait(State state, const Call &call);
  void checkConvergence(const std::vector<Thread *> &waiting);
  void checkShared(const SharedMemory::Error &error, unsigned thread);
  void checkGlobal(uint64_t address, unsigned bytes);
  static void enterFiber();
  static void onFault(int signal, siginfo_t *info, void *context);

  // Operations.cpp
  bool executeRegister(const std::string &name, uint64_t *results);
  bool executeMath(const std::string &name, uint64_t *args, uint64_t *results);
  bool executeBarrier(const Call &call);

  // Async.cpp
  bool executeAsync(const std::string &name, uint64_t *args);
  void beginCopy(const std::string &name, uint64_t *args);
  void waitForGroups(size_t pending);

  // Warp.cpp
  void runCollective(unsigned first);
  void runShuffle(unsigned first, const std::string &name);
  void requireFullMask(unsigned first, const std::string &name);
  void runVote(unsigned first, const std::string &name);
  void runLoadMatrix(unsigned first, const std::string &name);
  void countBankConflicts(unsigned first, unsigned matrix);
  void runMma(unsigned first, const std::string &name);
  void runWarpBarrier(unsigned first);

  uint64_t &arg(unsigned thread, unsigned i) {
    return threads[thread].call.args[i];
  }
  uint64_t &result(unsigned thread, unsigned i) {
    return threads[thread].call.results[i];
  }

  Dim3 grid, block, blockIndex = {0, 0, 0};
  uint64_t sharedBytes;
  std::mt19937 random;
  std::function<void()> kernel;
  std::vector<Thread> threads;
  std::vector<std::unique_ptr<Stack>> stacks;
  std::map<uint32_t, NamedBarrier> barriers;
  std::vector<Buffer> buffers;
  std::map<std::string, uint64_t> counts;
  unsigned current = 0;
  ucontext_t scheduler;
};

/// The bits of a float in a slot.
float toFloat(uint64_t slot);
uint64_t fromFloat(float value);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_H
