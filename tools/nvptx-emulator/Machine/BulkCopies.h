//===- BulkCopies.h - Bulk copies between global and shared memory --------===//
//
// cp.async.bulk and cp.async.bulk.tensor, which the async proxy executes at a
// random later time. Loads complete on an mbarrier, stores in bulk groups.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_BULKCOPIES_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_BULKCOPIES_H

#include "Order.h"
#include "TensorMap.h"

#include <array>
#include <vector>

namespace attnc::nvptx {

class Machine;

/// The bulk groups of a thread: its stores read shared memory as an agent, at
/// the time of their group.
struct BulkGroups {
  uint32_t agent = 0; // 0: none yet
  uint32_t committed = 0, waited = 0;
  bool isOpen = false; // stores since the last commit
};

/// A box of a tensor, or contiguous bytes.
struct BulkCopy {
  bool isLoad = true;
  bool isTensor = true;
  TensorMap map;
  std::array<int32_t, TensorMap::maxRank> coordinates = {};
  uint64_t global = 0; // of contiguous bytes
  uint64_t shared = 0;
  uint64_t bytes = 0;
  unsigned thread = 0;
  Order order; // of the thread when it issued the copy
  // Loads:
  uint64_t mbarrier = 0;
  Epoch epoch; // of the phase on which the copy completes
  // Stores:
  uint32_t group = 0;
  bool isRead = false;    // the source was read
  std::vector<char> data; // then
};

class BulkCopies {
public:
  void reset() {
    pending.clear();
    loads.clear();
  }
  void begin(Machine &machine, BulkCopy copy);
  /// Completes some of the pending copies; at least one if `isForced`. Returns
  /// whether it did.
  bool progress(Machine &machine, bool isForced);
  void commit(Machine &machine);
  /// At most `groups` groups of the current thread remain pending.
  void wait(Machine &machine, uint32_t groups, bool isRead);
  /// Every store was waited for by its thread.
  void checkExit(Machine &machine, unsigned thread);
  /// Some thread waited for every load.
  void checkLoads(Machine &machine);
  /// The block has ended.
  void finish(Machine &machine);

private:
  void beginLoad(Machine &machine, BulkCopy &copy);
  void beginStore(Machine &machine, BulkCopy &copy);
  void complete(Machine &machine, BulkCopy &copy);
  void readSource(BulkCopy &copy);

  std::vector<BulkCopy> pending;
  std::vector<Epoch> loads;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_BULKCOPIES_H
