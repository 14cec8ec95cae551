//===- CopyAsync.cpp - cp.async -------------------------------------------===//
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

/// The name ends with the number of bytes, and `.s` if the last argument is the
/// number of bytes to read.
static void beginCopy(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  std::string prefix = "cp.async.ca.shared.global.";
  Copy copy{machine.shared.resolve(call.args[0]), call.args[1], 0, 0};
  copy.bytes = std::atoi(name.c_str() + prefix.size());
  copy.valid = copy.bytes;
  if (name.ends_with(".s"))
    copy.valid = std::min(copy.bytes, call.arg32(2));
  if (copy.destination % copy.bytes || copy.source % copy.bytes)
    machine.fail("cp.async of " + std::to_string(copy.bytes) +
                 " bytes is misaligned");
  if (copy.valid)
    machine.checkGlobal(copy.source, copy.valid, machine.current);
  machine.checkShared(
      machine.shared.beginCopy(copy.destination, copy.bytes,
                               machine.accessorOf(machine.current)),
      machine.current);
  machine.currentThread().copies.push_back(copy);
  machine.count("cp.async");
}

static void waitForGroups(Machine &machine, size_t pending) {
  Thread &thread = machine.currentThread();
  while (thread.groups.size() > pending) {
    for (const Copy &copy : thread.groups.front()) {
      char data[16] = {};
      std::memcpy(data, reinterpret_cast<void *>(copy.source), copy.valid);
      machine.shared.finishCopy(copy.destination, data, copy.bytes,
                                machine.epochOf(machine.current));
    }
    thread.groups.pop_front();
  }
}

void attnc::nvptx::executeCopyAsync(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  Thread &thread = machine.currentThread();
  if (name.find(".shared.global.") != std::string::npos)
    return beginCopy(machine, call);
  if (name == "cp.async.wait.group")
    return waitForGroups(machine, call.arg32(0));
  // cp.async.commit.group, cp.async.wait.all
  thread.groups.push_back(std::move(thread.copies));
  thread.copies.clear();
  if (name == "cp.async.wait.all")
    waitForGroups(machine, 0);
}
