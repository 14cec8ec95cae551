//===- GlobalMemory.h - Buffers with race detection -----------------------===//
//
// The memory of the kernel's arguments. Each byte that was written has the
// epoch of its last write. Reads are not recorded: a write that follows an
// unordered read is found only in runs where the read comes second.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_GLOBALMEMORY_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_GLOBALMEMORY_H

#include "Order.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace attnc::nvptx {

struct Buffer {
  uint64_t address;
  uint64_t bytes;
  std::string name; // for errors
};

class GlobalMemory {
public:
  void addBuffer(Buffer buffer) { buffers.push_back(std::move(buffer)); }
  /// How errors name agents of the current block.
  void setAgentName(std::function<std::string(uint32_t agent)> name) {
    agentName = std::move(name);
  }
  void beginBlock() {
    ++block;
    isSynchronized = false;
  }

  // Each of these returns the text of an error, if any.
  using Error = std::optional<std::string>;
  /// Whether the bytes belong to a buffer.
  Error checkRange(uint64_t address, uint64_t bytes) const;
  /// Whether there is a race with the last write. Blocks that executed an
  /// atomic operation are assumed to be ordered after other blocks.
  Error access(uint64_t address, uint64_t bytes, const Accessor &accessor,
               bool isWrite);

private:
  static constexpr uint64_t pageSize = 4096;
  struct Cell {
    Epoch write;
    uint32_t block = 0; // counts from 1
    bool isAtomic = false;
  };

  const Buffer *find(uint64_t address, uint64_t bytes) const;
  std::string raceText(uint64_t address, const Cell &last, bool isWrite) const;
  bool isRace(const Cell &last, const Accessor &accessor) const;

  std::vector<Buffer> buffers;
  std::unordered_map<uint64_t, std::vector<Cell>> pages; // that were written
  std::function<std::string(uint32_t)> agentName;
  uint32_t block = 0;
  bool isSynchronized = false;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_GLOBALMEMORY_H
