//===- SharedMemory.cpp - Shared memory with race detection ---------------===//

#include "SharedMemory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace attnc::nvptx;

/// More than the shared memory of any processor.
static constexpr uint64_t windowSize = 256 * 1024;

void attnc::nvptx::join(Clock &clock, const Clock &other) {
  for (size_t i = 0; i < clock.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

SharedMemory::SharedMemory() {
  void *window = mmap(nullptr, windowSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  base = window == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(window);
}

bool SharedMemory::isInWindow(uint64_t address) const {
  return address >= base && address < base + windowSize;
}

void SharedMemory::reset(uint64_t newSize) {
  size = newSize;
  shadow.assign(size, Cell());
  std::memset(reinterpret_cast<void *>(base), 0xff, windowSize);
}

SharedMemory::Error SharedMemory::checkRange(uint64_t address,
                                             unsigned bytes) const {
  if (address < base || address + bytes > base + size)
    return "shared memory access out of bounds: offset " +
           std::to_string(static_cast<int64_t>(address - base)) + " of " +
           std::to_string(size) + " bytes";
  return std::nullopt;
}

/// The text of a race of an access with an earlier one at `offset`.
static std::string raceText(const char *access, const char *earlier,
                            uint64_t offset, uint32_t thread) {
  return std::string("race in shared memory: ") + access + " at offset " +
         std::to_string(offset) + " is not ordered after the " + earlier +
         " by thread " + std::to_string(thread);
}

SharedMemory::Error SharedMemory::checkLastWrite(const char *access,
                                                 uint64_t address,
                                                 const Clock &clock) {
  const Cell &cell = *cells(address);
  if (cell.copying)
    return raceText(access, "unfinished asynchronous copy", address - base,
                    cell.copying - 1);
  if (cell.write.time > clock[cell.write.thread])
    return raceText(access, "write", address - base, cell.write.thread);
  return std::nullopt;
}

SharedMemory::Error SharedMemory::read(uint64_t address, unsigned bytes,
                                       unsigned thread, const Clock &clock) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (Error error = checkLastWrite("read", at, clock))
      return error;
    std::vector<Epoch> &reads = cells(at)->reads;
    auto own = std::find_if(reads.begin(), reads.end(),
                            [&](Epoch e) { return e.thread == thread; });
    if (own != reads.end())
      own->time = clock[thread];
    else
      reads.push_back({thread, clock[thread]});
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::write(uint64_t address, unsigned bytes,
                                        unsigned thread, const Clock &clock) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (Error error = checkLastWrite("write", at, clock))
      return error;
    Cell &cell = *cells(at);
    for (Epoch earlier : cell.reads)
      if (earlier.time > clock[earlier.thread])
        return raceText("write", "read", at - base, earlier.thread);
    cell.write = {thread, clock[thread]};
    cell.reads.clear();
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::beginCopy(uint64_t address, unsigned bytes,
                                            unsigned thread,
                                            const Clock &clock) {
  if (Error error = write(address, bytes, thread, clock))
    return error;
  for (unsigned i = 0; i < bytes; ++i)
    cells(address + i)->copying = thread + 1;
  std::memset(reinterpret_cast<void *>(address), 0xff, bytes);
  return std::nullopt;
}

void SharedMemory::finishCopy(uint64_t address, const void *data,
                              unsigned bytes, unsigned thread,
                              const Clock &clock) {
  std::memcpy(reinterpret_cast<void *>(address), data, bytes);
  for (unsigned i = 0; i < bytes; ++i) {
    cells(address + i)->copying = 0;
    cells(address + i)->write = {thread, clock[thread]};
  }
}
