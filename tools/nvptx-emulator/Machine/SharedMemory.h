//===- SharedMemory.h - Shared memory with race detection -----------------===//
//
// The shared memory of one block. A shadow cell per byte records the last write
// and the reads since then as epochs of vector clocks, so that two accesses
// that nothing orders are found whatever order the scheduler chose.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_SHAREDMEMORY_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_SHAREDMEMORY_H

#include "Order.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attnc::nvptx {

class SharedMemory {
public:
  /// Dynamic and static bytes of a block together, on sm_90.
  static constexpr uint64_t maxSize = 227 * 1024;
  /// More than the shared memory of any processor. Matrix descriptors hold
  /// addresses modulo this size.
  static constexpr uint64_t windowSize = 256 * 1024;

  /// The addresses fit into 31 bits, and a multiple of `windowSize` is first.
  SharedMemory();

  /// 0 if there is no such memory.
  uint64_t getBase() const { return base; }
  uint64_t getSize() const { return size; }
  /// Also true of addresses that the current block did not allocate.
  bool isInWindow(uint64_t address) const;
  /// The address of a 32-bit shared address, which counts from the window's
  /// begin; other addresses are unchanged.
  uint64_t resolve(uint64_t address) const {
    return address < windowSize ? base + address : address;
  }
  uint64_t offsetOf(uint64_t address) const { return address - base; }

  /// Starts a block: every byte is 0xFF, a NaN in each floating-point type.
  void reset(uint64_t newSize);
  /// How errors name agents.
  void setAgentName(std::function<std::string(uint32_t agent)> name) {
    agentName = std::move(name);
  }

  // Each of these returns the text of an error, if any.
  using Error = std::optional<std::string>;
  Error checkRange(uint64_t address, unsigned bytes) const;
  Error read(uint64_t address, unsigned bytes, const Accessor &accessor);
  Error write(uint64_t address, unsigned bytes, const Accessor &accessor);
  /// A copy of cp.async begins: the bytes are poisoned until finishCopy().
  Error beginCopy(uint64_t address, unsigned bytes, const Accessor &accessor);
  /// The thread waited for the copy: a write at its current epoch.
  void finishCopy(uint64_t address, const void *data, unsigned bytes,
                  Epoch epoch);

  /// The 8 bytes are an mbarrier that `accessor` initialized, or no longer one.
  Error setMbarrier(uint64_t address, bool isMbarrier,
                    const Accessor &accessor);
  /// Whether the initialization is ordered before.
  Error checkMbarrier(uint64_t address, const Order &order);

private:
  struct Read {
    Epoch epoch;
    bool isAtomic = false;
  };
  struct Cell {
    Epoch write;
    bool isAsyncWrite = false, isAtomicWrite = false, isMbarrier = false;
    uint32_t copying = 0;    // 1 + the thread whose copy is in flight
    std::vector<Read> reads; // one per agent, and one atomic
  };

  Error checkLastWrite(const char *access, uint64_t address,
                       const Accessor &accessor);
  std::string raceText(const char *access, const std::string &earlier,
                       uint64_t address, uint32_t agent) const;
  Cell &cell(uint64_t address) { return shadow[address - base]; }

  uint64_t base = 0;
  uint64_t size = 0;
  std::vector<Cell> shadow;
  std::function<std::string(uint32_t)> agentName;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_SHAREDMEMORY_H
