//===- Async.cpp - cp.async -----------------------------------------------===//
//
// A copy does nothing until its thread waits for it, except that it poisons its
// destination. Other threads see the data after a barrier that follows the
// wait.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace attnc::nvptx;

bool Machine::executeAsync(const std::string &name, uint64_t *args) {
  Thread &thread = threads[current];
  if (name.starts_with("cp.async.ca.shared.global.") ||
      name.starts_with("cp.async.cg.shared.global.")) {
    beginCopy(name, args);
  } else if (name == "cp.async.commit.group") {
    thread.groups.push_back(std::move(thread.copies));
    thread.copies.clear();
  } else if (name == "cp.async.wait.group") {
    waitForGroups(static_cast<uint32_t>(args[0]));
  } else if (name == "cp.async.wait.all") {
    thread.groups.push_back(std::move(thread.copies));
    thread.copies.clear();
    waitForGroups(0);
  } else {
    return false;
  }
  return true;
}

/// The name ends with the number of bytes, and `.s` if the last argument is the
/// number of bytes to read.
void Machine::beginCopy(const std::string &name, uint64_t *args) {
  std::string prefix = "cp.async.ca.shared.global.";
  Copy copy{args[0], args[1], 0, 0};
  copy.bytes = std::atoi(name.c_str() + prefix.size());
  copy.valid = copy.bytes;
  if (name.ends_with(".s"))
    copy.valid = std::min(copy.bytes, static_cast<unsigned>(args[2]));
  if (copy.destination % copy.bytes || copy.source % copy.bytes)
    fail("cp.async of " + std::to_string(copy.bytes) + " bytes is misaligned");
  if (copy.valid)
    checkGlobal(copy.source, copy.valid);
  checkShared(shared.beginCopy(copy.destination, copy.bytes, current,
                               threads[current].clock),
              current);
  threads[current].copies.push_back(copy);
  ++counts["cp.async"];
}

void Machine::waitForGroups(size_t pending) {
  Thread &thread = threads[current];
  while (thread.groups.size() > pending) {
    for (const Copy &copy : thread.groups.front()) {
      char data[16] = {};
      std::memcpy(data, reinterpret_cast<void *>(copy.source), copy.valid);
      shared.finishCopy(copy.destination, data, copy.bytes, current,
                        thread.clock);
    }
    thread.groups.pop_front();
  }
}
