//===- GlobalMemory.cpp - Buffers with race detection ---------------------===//

#include "GlobalMemory.h"

#include <algorithm>

using namespace attnc::nvptx;

const Buffer *GlobalMemory::find(uint64_t address, uint64_t bytes) const {
  for (const Buffer &buffer : buffers)
    if (address >= buffer.address &&
        address + bytes <= buffer.address + buffer.bytes)
      return &buffer;
  return nullptr;
}

bool GlobalMemory::isRace(const Cell &last, const Accessor &accessor) const {
  if (last.block == 0 || (last.isAtomic && accessor.isAtomic))
    return false;
  return last.block == block ? !accessor.order.hasSeen(last.write)
                             : !isSynchronized;
}

std::string GlobalMemory::raceText(uint64_t address, const Cell &last,
                                   bool isWrite) const {
  const Buffer *buffer = find(address, 1);
  return std::string("race in global memory: ") + (isWrite ? "write" : "read") +
         " at offset " + std::to_string(address - buffer->address) + " of " +
         buffer->name + " is not ordered after the write by " +
         (last.block == block ? agentName(last.write.agent) : "another block");
}

GlobalMemory::Error GlobalMemory::checkRange(uint64_t address,
                                             uint64_t bytes) const {
  if (find(address, bytes))
    return std::nullopt;
  return "access out of bounds: " + std::to_string(bytes) +
         " bytes that belong to no buffer";
}

GlobalMemory::Error GlobalMemory::access(uint64_t address, uint64_t bytes,
                                         const Accessor &accessor,
                                         bool isWrite) {
  if (Error error = checkRange(address, bytes))
    return error;
  Error race;
  isSynchronized |= accessor.isAtomic;
  for (uint64_t at = address; at < address + bytes;) {
    uint64_t number = at / pageSize;
    uint64_t end = std::min(address + bytes, (number + 1) * pageSize);
    auto page = pages.find(number);
    if (page == pages.end() && isWrite)
      page = pages.emplace(number, std::vector<Cell>(pageSize)).first;
    if (page == pages.end()) {
      at = end;
      continue;
    }
    for (; at < end; ++at) {
      Cell &cell = page->second[at % pageSize];
      if (!race && isRace(cell, accessor))
        race = raceText(at, cell, isWrite);
      if (isWrite)
        cell = {accessor.epoch, block, accessor.isAtomic};
    }
  }
  return race;
}
