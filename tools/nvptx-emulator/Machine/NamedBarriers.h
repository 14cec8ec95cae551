//===- NamedBarriers.h - barrier.cta and barrier.cluster ------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_NAMEDBARRIERS_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_NAMEDBARRIERS_H

#include "Order.h"

#include <array>
#include <vector>

namespace attnc::nvptx {

class Machine;
struct Call;

/// The 16 barriers of a block, and the one of a cluster of one block.
class NamedBarriers {
public:
  static constexpr uint32_t clusterId = 16;

  void reset() { barriers = {}; }
  /// The current thread arrives and, if `isSync`, waits.
  void arrive(Machine &machine, uint32_t id, uint32_t count, bool isSync,
              const Call &call);
  uint32_t phaseOf(uint32_t id) const { return barriers[id].phase; }
  /// The current thread waits for the phase at which it arrived.
  void waitForCluster(Machine &machine, const Call &call);

private:
  struct Barrier {
    uint32_t phase = 0, arrived = 0, expected = 0;
    Order order, completed;
    std::vector<unsigned> waiting;
  };

  void complete(Machine &machine, Barrier &barrier);

  std::array<Barrier, 17> barriers;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_NAMEDBARRIERS_H
