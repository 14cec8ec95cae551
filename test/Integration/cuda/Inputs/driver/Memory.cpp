//===- Memory.cpp - Memory of the mock device -----------------------------===//

#include "Memory.h"

#include <sys/mman.h>

namespace mock {

static constexpr uint64_t kReserved = uint64_t(1) << 36, kAlignment = 256;

uint64_t Memory::allocate(uint64_t bytes) {
  if (!end) {
    void *begin = mmap(nullptr, kReserved, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED)
      return 0;
    next = (reinterpret_cast<uint64_t>(begin) + kAlignment) & -kAlignment;
    end = reinterpret_cast<uint64_t>(begin) + kReserved;
  }
  if (bytes == 0 || bytes > end - next - 2 * kAlignment)
    return 0;
  uint64_t address = next;
  next = (address + bytes + 2 * kAlignment) & -kAlignment;
  // Whatever is not written is a NaN.
  blocks[address] = {address, std::vector<char>(bytes, char(0xff))};
  return address;
}

bool Memory::release(uint64_t address) { return blocks.erase(address) != 0; }

Block *Memory::find(uint64_t address, uint64_t bytes) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return nullptr;
  Block &block = std::prev(after)->second;
  uint64_t offset = address - block.address;
  bool isInside = offset <= block.bytes.size() &&
                  bytes <= block.bytes.size() - offset && bytes > 0;
  return isInside ? &block : nullptr;
}

} // namespace mock
