//===- Operation.h - Operations and how they are executed -----------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_OPERATION_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_OPERATION_H

#include <cstdint>
#include <string>
#include <vector>

namespace attnc::nvptx {

class Machine;
struct Operation;

/// A call of an operation: one slot of 8 bytes per argument and result.
struct Call {
  const Operation *operation = nullptr;
  uint32_t site = 0; // the instruction
  const uint64_t *args = nullptr;
  uint64_t *results = nullptr;

  const std::string &name() const;
  /// An argument of 32 bits; the rest of its slot is undefined.
  uint32_t arg32(unsigned i) const { return static_cast<uint32_t>(args[i]); }
};

/// The threads that execute a collective together, in ascending order.
using Lanes = std::vector<unsigned>;

struct Operation {
  /// Without "llvm.nvvm."
  std::string name;
  /// Executes the operation for the current thread.
  void (*execute)(Machine &machine, const Call &call) = nullptr;
  /// Or, for a collective of a warp, once for all its threads.
  void (*executeWarp)(Machine &machine, const Lanes &lanes) = nullptr;
  /// Or, for a collective of a warpgroup. Returns false if the threads have to
  /// wait.
  bool (*executeWarpgroup)(Machine &machine, const Lanes &lanes) = nullptr;
  /// The argument with the mask of the threads of the warp that take part, or
  /// negative: all of them.
  int mask = -1;
  /// All threads of a warp execute the same instruction.
  bool isAligned = false;
};

inline const std::string &Call::name() const { return operation->name; }

/// The operation of that name. One that is not emulated fails when it is
/// executed.
Operation findOperation(const std::string &name);

/// One half of a register, an f16 or bf16.
float elementOf(uint64_t slot, unsigned half, bool isBf16);

// BulkCopies.cpp
void executeTensorCopy(Machine &machine, const Call &call);
void executeBulkCopy(Machine &machine, const Call &call);
void executeBulkGroup(Machine &machine, const Call &call);

// CopyAsync.cpp
void executeCopyAsync(Machine &machine, const Call &call);
void executeCopyArrive(Machine &machine, const Call &call);
/// Completes some of the arrivals of copies; at least one if `isForced`.
bool progressCopyArrivals(Machine &machine, bool isForced);

// Mbarriers.cpp
void executeMbarrier(Machine &machine, const Call &call);
void executeMbarrierArrive(Machine &machine, const Call &call);
void executeMbarrierWait(Machine &machine, const Call &call);

// NamedBarriers.cpp
void executeBarrier(Machine &machine, const Call &call);
void executeClusterBarrier(Machine &machine, const Call &call);

// Products.cpp
void executeProductGroup(Machine &machine, const Call &call);

// Warp.cpp
void executeShuffle(Machine &machine, const Lanes &lanes);
void executeVote(Machine &machine, const Lanes &lanes);
void executeElect(Machine &machine, const Lanes &lanes);
void executeReduction(Machine &machine, const Lanes &lanes);
void executeWarpBarrier(Machine &machine, const Lanes &lanes);
bool executeSetMaxRegisters(Machine &machine, const Lanes &lanes);

// WarpMatrix.cpp
void executeLoadMatrix(Machine &machine, const Lanes &lanes);
void executeStoreMatrix(Machine &machine, const Lanes &lanes);
void executeMma(Machine &machine, const Lanes &lanes);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_OPERATION_H
