//===- Memory.h - Memory of the mock device -------------------------------===//
//
// Addresses of the device are reserved in this process without access, so that
// code of the host which dereferences one is killed. The bytes are elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_INTEGRATION_CUDA_MEMORY_H
#define ATTNC_TEST_INTEGRATION_CUDA_MEMORY_H

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mock {

struct Block {
  uint64_t address = 0;
  std::vector<char> bytes;
};

class Memory {
public:
  /// 0: out of memory.
  uint64_t allocate(uint64_t bytes);
  /// False: `address` is not that of a block.
  bool release(uint64_t address);
  /// The block that holds `bytes` bytes from `address` on, or null.
  Block *find(uint64_t address, uint64_t bytes);
  uint64_t blockCount() const { return blocks.size(); }

private:
  std::map<uint64_t, Block> blocks; // by address
  uint64_t next = 0, end = 0;       // addresses are not used again
};

} // namespace mock

#endif // ATTNC_TEST_INTEGRATION_CUDA_MEMORY_H
