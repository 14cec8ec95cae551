//===- SharedMemory.h - Shared memory with race detection -----------------===//
//
// The shared memory of one block. A shadow cell per byte records the last write
// and the reads since then as epochs of the threads' vector clocks, so that two
// accesses that no barrier orders are found whatever order the scheduler chose.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_SHAREDMEMORY_H
#define ATTNC_TOOLS_NVPTXEMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc::nvptx {

/// Entry t is the last epoch of thread t that happens before the owner's next
/// instruction.
using Clock = std::vector<uint32_t>;

/// Makes everything that happens before `other` happen before `clock`, too.
void join(Clock &clock, const Clock &other);

class SharedMemory {
public:
  /// Dynamic and static bytes of a block together, on sm_90.
  static constexpr uint64_t maxSize = 227 * 1024;

  /// The addresses fit into 32 bits, as code may keep them in registers of 32.
  SharedMemory();

  /// 0 if there is no such memory.
  uint64_t getBase() const { return base; }
  uint64_t getSize() const { return size; }
  /// Also true of addresses that the current block did not allocate.
  bool isInWindow(uint64_t address) const;

  /// Starts a block: every byte is 0xFF, a NaN in each floating-point type.
  void reset(uint64_t newSize);

  // Each of these returns the text of an error, if any.
  using Error = std::optional<std::string>;
  Error read(uint64_t address, unsigned bytes, unsigned thread,
             const Clock &clock);
  Error write(uint64_t address, unsigned bytes, unsigned thread,
              const Clock &clock);
  /// An asynchronous copy begins: the bytes are poisoned until finishCopy().
  Error beginCopy(uint64_t address, unsigned bytes, unsigned thread,
                  const Clock &clock);
  /// The thread waited for the copy: a write at its current epoch.
  void finishCopy(uint64_t address, const void *data, unsigned bytes,
                  unsigned thread, const Clock &clock);

private:
  struct Epoch {
    uint32_t thread = 0;
    uint32_t time = 0; // 0: none
  };
  struct Cell {
    Epoch write;
    uint32_t copying = 0; // 1 + the thread whose copy is in flight
    std::vector<Epoch> reads;
  };

  Error checkRange(uint64_t address, unsigned bytes) const;
  /// Whether the last write of the byte at `address` is ordered before.
  Error checkLastWrite(const char *access, uint64_t address,
                       const Clock &clock);
  Cell *cells(uint64_t address) { return &shadow[address - base]; }

  uint64_t base = 0;
  uint64_t size = 0;
  std::vector<Cell> shadow;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_SHAREDMEMORY_H
