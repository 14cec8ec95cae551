//===- Mbarriers.h - mbarrier objects in shared memory --------------------===//
//
// PTX ISA, chapter "mbarrier". A phase completes when no arrival is pending and
// the tx-count is 0. Bulk copies that complete on an mbarrier are writes of an
// agent of the mbarrier, at the time of the phase: who waited for the phase
// sees them, and nobody else.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MBARRIERS_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MBARRIERS_H

#include "Order.h"

#include <map>
#include <string>

namespace attnc::nvptx {

class Machine;
struct BulkCopy;
struct Call;

struct Mbarrier {
  uint32_t expected = 0; // arrivals of a phase
  uint32_t pending = 0;
  int64_t transactions = 0; // bytes
  uint32_t phase = 0;
  uint32_t agent = 0;
  unsigned initializer = 0;
  bool isFenced = false; // visible to the async proxy
  Order arriving;        // of the current phase
  Order completed;       // of the last phase

  Epoch copyEpoch() const { return {agent, phase + 1}; }
};

/// What a thread at mbarrier.try_wait waits for.
struct MbarrierWait {
  uint64_t address = 0;
  bool isParity = false;
  uint32_t value = 0;  // parity or phase
  bool isDone = false; // the answer
};

class Mbarriers {
public:
  void reset() { mbarriers.clear(); }

  // By the current thread, at the address of an operand.
  void initialize(Machine &machine, uint64_t address, uint32_t count);
  void invalidate(Machine &machine, uint64_t address);
  /// Returns the phase before.
  uint32_t arrive(Machine &machine, uint64_t address, uint32_t count,
                  int64_t expectedBytes, bool isDrop, bool isNoComplete);
  void expect(Machine &machine, uint64_t address, int64_t bytes);
  /// Whether the phase is complete; waits, but not forever.
  bool wait(Machine &machine, const Call &call, MbarrierWait wait);
  /// Initializations by the current thread are visible to the async proxy.
  void fence(Machine &machine);

  /// Also checks that the initialization is visible to the thread.
  Mbarrier &find(Machine &machine, uint64_t address);
  /// The current thread will arrive when its copies are complete: one arrival
  /// more than expected, if it counts.
  void beginArrival(Machine &machine, uint64_t address, bool isCounted);
  /// It does. `copies` are when they wrote.
  void endArrival(Machine &machine, uint64_t address, unsigned thread,
                  const Order &copies);
  /// Bytes of copies have arrived.
  void complete(Machine &machine, uint64_t address, int64_t bytes);
  /// All bytes of the copy have.
  void completeCopy(Machine &machine, const BulkCopy &copy);
  /// The state, for errors.
  std::string describe(const Machine &machine, const MbarrierWait &wait) const;

private:
  bool isComplete(const Mbarrier &mbarrier, const MbarrierWait &wait) const;
  void check(Machine &machine, uint64_t address, Mbarrier &mbarrier);

  std::map<uint64_t, Mbarrier> mbarriers; // by address
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MBARRIERS_H
