//===- SharedMemory.cpp - Shared memory with race detection ---------------===//

#include "SharedMemory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace attnc::nvptx;

SharedMemory::SharedMemory() {
  // Twice the size holds an aligned window.
  void *memory = mmap(nullptr, 2 * windowSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (memory == MAP_FAILED)
    return;
  uint64_t first = reinterpret_cast<uint64_t>(memory);
  base = (first + windowSize - 1) / windowSize * windowSize;
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

/// The text of a race of an access with an earlier one.
std::string SharedMemory::raceText(const char *access,
                                   const std::string &earlier, uint64_t address,
                                   uint32_t agent) const {
  return std::string("race in shared memory: ") + access + " at offset " +
         std::to_string(offsetOf(address)) + " is not ordered after the " +
         earlier + " by " + agentName(agent);
}

/// Whether the last write of the byte at `address` is ordered before.
SharedMemory::Error SharedMemory::checkLastWrite(const char *access,
                                                 uint64_t address,
                                                 const Accessor &accessor) {
  const Cell &last = cell(address);
  if (last.isMbarrier)
    return std::string(access) + " at offset " +
           std::to_string(offsetOf(address)) + " hits an mbarrier";
  if (last.copying)
    return raceText(access, "unfinished asynchronous copy", address,
                    last.copying - 1);
  if (last.isAtomicWrite && accessor.isAtomic)
    return std::nullopt;
  if (!accessor.order.hasSeen(last.write))
    return raceText(access, "write", address, last.write.agent);
  if (accessor.isAsync && !last.isAsyncWrite &&
      !accessor.order.hasFenced(last.write))
    return std::string("fence.proxy.async is missing between the write at "
                       "offset ") +
           std::to_string(offsetOf(address)) + " by " +
           agentName(last.write.agent) + " and the asynchronous " + access +
           " by " + agentName(accessor.epoch.agent);
  return std::nullopt;
}

SharedMemory::Error SharedMemory::read(uint64_t address, unsigned bytes,
                                       const Accessor &accessor) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (Error error = checkLastWrite("read", at, accessor))
      return error;
    std::vector<Read> &reads = cell(at).reads;
    auto own = std::find_if(reads.begin(), reads.end(), [&](const Read &read) {
      return read.epoch.agent == accessor.epoch.agent &&
             read.isAtomic == accessor.isAtomic;
    });
    if (own != reads.end())
      own->epoch.time = accessor.epoch.time;
    else
      reads.push_back({accessor.epoch, accessor.isAtomic});
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::write(uint64_t address, unsigned bytes,
                                        const Accessor &accessor) {
  if (Error error = checkRange(address, bytes))
    return error;
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (Error error = checkLastWrite("write", at, accessor))
      return error;
    Cell &written = cell(at);
    // Atomic reads that are not ordered before are kept for later writes.
    std::erase_if(written.reads, [&](const Read &read) {
      return accessor.order.hasSeen(read.epoch);
    });
    for (const Read &read : written.reads)
      if (!read.isAtomic || !accessor.isAtomic)
        return raceText("write", "read", at, read.epoch.agent);
    written.write = accessor.epoch;
    written.isAsyncWrite = accessor.isAsync;
    written.isAtomicWrite = accessor.isAtomic;
  }
  return std::nullopt;
}

SharedMemory::Error SharedMemory::beginCopy(uint64_t address, unsigned bytes,
                                            const Accessor &accessor) {
  if (Error error = write(address, bytes, accessor))
    return error;
  for (unsigned i = 0; i < bytes; ++i)
    cell(address + i).copying = accessor.epoch.agent + 1;
  std::memset(reinterpret_cast<void *>(address), 0xff, bytes);
  return std::nullopt;
}

void SharedMemory::finishCopy(uint64_t address, const void *data,
                              unsigned bytes, Epoch epoch) {
  std::memcpy(reinterpret_cast<void *>(address), data, bytes);
  for (unsigned i = 0; i < bytes; ++i) {
    cell(address + i).copying = 0;
    cell(address + i).write = epoch;
  }
}

SharedMemory::Error SharedMemory::setMbarrier(uint64_t address, bool isMbarrier,
                                              const Accessor &accessor) {
  if (Error error = checkRange(address, 8))
    return error;
  for (uint64_t at = address; at < address + 8; ++at)
    cell(at).isMbarrier = false;
  if (Error error = write(address, 8, accessor))
    return error;
  for (uint64_t at = address; at < address + 8; ++at)
    cell(at).isMbarrier = isMbarrier;
  return std::nullopt;
}

SharedMemory::Error SharedMemory::checkMbarrier(uint64_t address,
                                                const Order &order) {
  Epoch written = cell(address).write;
  if (order.hasSeen(written))
    return std::nullopt;
  return raceText("use of the mbarrier", "initialization", address,
                  written.agent);
}
