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
  size = std::min(newSize, windowSize);
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

SharedMemory::Error SharedMemory::read(uint64_t address, unsigned bytes,
                                       unsigned thread, const Clock &clock) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (unsigned i = 0; i < bytes; ++i) {
    Cell &cell = *cells(address + i);
    uint64_t offset = address + i - base;
    if (cell.copying)
      return raceText("read", "unfinished asynchronous copy", offset,
                      cell.copying - 1);
    if (cell.write.time > clock[cell.write.thread])
      return raceText("read", "write", offset, cell.write.thread);
    auto own = std::find_if(cell.reads.begin(), cell.reads.end(),
                            [&](Epoch e) { return e.thread == thread; });
    if (own != cell.reads.end())
      own->time = clock[thread];
    else
      cell.reads.push_back({thread, clock[thread]});
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::checkWrite(uint64_t address, unsigned bytes,
                                             unsigned thread,
                                             const Clock &clock) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (unsigned i = 0; i < bytes; ++i) {
    Cell &cell = *cells(address + i);
    uint64_t offset = address + i - base;
    if (cell.copying)
      return raceText("write", "unfinished asynchronous copy", offset,
                      cell.copying - 1);
    if (cell.write.time > clock[cell.write.thread])
      return raceText("write", "write", offset, cell.write.thread);
    for (Epoch earlier : cell.reads)
      if (earlier.time > clock[earlier.thread])
        return raceText("write", "read", offset, earlier.thread);
    cell.write = {thread, clock[thread]};
    cell.reads.clear();
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::write(uint64_t address, unsigned bytes,
                                        unsigned thread, const Clock &clock) {
  return checkWrite(address, bytes, thread, clock);
}

SharedMemory::Error SharedMemory::beginCopy(uint64_t address, unsigned bytes,
                                            unsigned thread,
                                            const Clock &clock) {
  if (Error error = checkWrite(address, bytes, thread, clock))
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
