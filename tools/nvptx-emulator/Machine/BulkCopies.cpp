//===- BulkCopies.cpp - Bulk copies between global and shared memory ------===//

#include "Machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace attnc::nvptx;

void BulkCopies::begin(Machine &machine, BulkCopy copy) {
  copy.thread = machine.current;
  copy.order = machine.currentThread().order;
  copy.shared = machine.shared.resolve(copy.shared);
  if (copy.bytes > SharedMemory::maxSize)
    machine.fail("a bulk copy of " + std::to_string(copy.bytes) +
                 " bytes does not fit shared memory");
  unsigned alignment = copy.isTensor ? 128 : 16;
  if (copy.shared % alignment || copy.global % 16 || copy.bytes % 16)
    machine.fail(
        "a bulk copy is misaligned: shared memory must be aligned to " +
        std::to_string(alignment) + " bytes, global memory and size to 16");
  if (copy.isTensor) {
    // Rows that swizzles pad are not supported: their bytes would be undefined.
    unsigned row = copy.map.box[0] * copy.map.elementBytes;
    if (copy.map.swizzle != Swizzle::none && row != widthOf(copy.map.swizzle))
      machine.fail("rows of a swizzled box are emulated in full width only");
  } else if (copy.isLoad) {
    machine.readGlobal(copy.global, copy.bytes, machine.current);
  }
  if (copy.isLoad)
    beginLoad(machine, copy);
  else
    beginStore(machine, copy);
  pending.push_back(std::move(copy));
}

/// Poisons the destination.
void BulkCopies::beginLoad(Machine &machine, BulkCopy &copy) {
  Mbarrier &mbarrier = machine.mbarriers.find(machine, copy.mbarrier);
  copy.mbarrier = machine.shared.resolve(copy.mbarrier);
  if (!mbarrier.isFenced)
    machine.fail("fence.mbarrier_init is missing between the initialization of "
                 "an mbarrier and a bulk copy that completes on it");
  copy.epoch = mbarrier.copyEpoch();
  loads.push_back(copy.epoch);
  Accessor accessor{copy.epoch, machine.currentThread().order, true, false};
  machine.check(machine.shared.write(copy.shared, copy.bytes, accessor),
                machine.current);
  std::memset(reinterpret_cast<void *>(copy.shared), 0xff, copy.bytes);
  machine.count("bulk loads");
}

void BulkCopies::beginStore(Machine &machine, BulkCopy &copy) {
  BulkGroups &groups = machine.currentThread().bulk;
  if (groups.agent == 0)
    groups.agent = machine.addAgent("the bulk stores of thread " +
                                    std::to_string(machine.current));
  groups.isOpen = true;
  copy.group = groups.committed;
  Epoch epoch{groups.agent, groups.committed + 1};
  Accessor accessor{epoch, machine.currentThread().order, true, false};
  machine.check(machine.shared.read(copy.shared, copy.bytes, accessor),
                machine.current);
  machine.count("bulk stores");
}

/// Calls `function` with the offset of each row of the box, the address of its
/// first element in the tensor, and how many elements of it before and after
/// are out of bounds.
template <typename Function>
static void forEachRow(const BulkCopy &copy, Function function) {
  const TensorMap &map = copy.map;
  int64_t rows = 1;
  for (unsigned d = 1; d < map.rank; ++d)
    rows *= map.box[d];
  int64_t length = map.box[0], first = copy.coordinates[0];
  int64_t before = std::clamp<int64_t>(-first, 0, length);
  int64_t after =
      std::clamp<int64_t>(first + length - int64_t(map.sizes[0]), 0, length);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, address = map.address + first * map.elementBytes;
    bool isInside = before + after < length;
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t index = copy.coordinates[d] + rest % map.box[d];
      rest /= map.box[d];
      isInside &= index >= 0 && index < int64_t(map.sizes[d]);
      address += index * static_cast<int64_t>(map.strides[d]);
    }
    function(row * length * map.elementBytes, address,
             isInside ? before : length, isInside ? after : 0);
  }
}

/// The address in shared memory of the chunk of 16 bytes at `offset` of the
/// box.
static char *chunkAt(const BulkCopy &copy, uint64_t offset) {
  Swizzle swizzle = copy.isTensor ? copy.map.swizzle : Swizzle::none;
  return reinterpret_cast<char *>(swizzled(copy.shared + offset, swizzle));
}

static std::vector<char> readTensor(Machine &machine, const BulkCopy &copy) {
  const TensorMap &map = copy.map;
  std::vector<char> data(copy.bytes, map.fillsNaN ? '\xff' : '\0');
  forEachRow(copy, [&](uint64_t offset, uint64_t address, uint64_t before,
                       uint64_t after) {
    uint64_t bytes = (map.box[0] - before - after) * map.elementBytes;
    if (bytes == 0)
      return;
    before *= map.elementBytes;
    Accessor accessor{copy.epoch, copy.order, true, false};
    machine.check(
        machine.global.access(address + before, bytes, accessor, false),
        copy.thread);
    std::memcpy(&data[offset + before],
                reinterpret_cast<void *>(address + before), bytes);
  });
  return data;
}

/// The store is a write of its agent.
static void writeGlobal(Machine &machine, const BulkCopy &copy,
                        uint64_t address, uint64_t bytes) {
  const Thread &thread = machine.threads[copy.thread];
  Accessor accessor{
      {thread.bulk.agent, copy.group + 1}, copy.order, true, false};
  machine.check(machine.global.access(address, bytes, accessor, true),
                copy.thread);
}

static void writeTensor(Machine &machine, const BulkCopy &copy) {
  const TensorMap &map = copy.map;
  forEachRow(copy, [&](uint64_t offset, uint64_t address, uint64_t before,
                       uint64_t after) {
    uint64_t bytes = (map.box[0] - before - after) * map.elementBytes;
    if (bytes == 0)
      return;
    before *= map.elementBytes;
    writeGlobal(machine, copy, address + before, bytes);
    std::memcpy(reinterpret_cast<void *>(address + before),
                &copy.data[offset + before], bytes);
  });
}

void BulkCopies::readSource(BulkCopy &copy) {
  copy.data.resize(copy.bytes);
  for (uint64_t at = 0; at < copy.bytes; at += 16)
    std::memcpy(&copy.data[at], chunkAt(copy, at), 16);
  copy.isRead = true;
}

void BulkCopies::complete(Machine &machine, BulkCopy &copy) {
  auto *global = reinterpret_cast<char *>(copy.global);
  if (!copy.isLoad) {
    if (!copy.isRead)
      readSource(copy);
    if (copy.isTensor)
      writeTensor(machine, copy);
    else {
      writeGlobal(machine, copy, copy.global, copy.bytes);
      std::copy(copy.data.begin(), copy.data.end(), global);
    }
    return;
  }
  std::vector<char> data = copy.isTensor
                               ? readTensor(machine, copy)
                               : std::vector<char>(global, global + copy.bytes);
  for (uint64_t at = 0; at < copy.bytes; at += 16)
    std::memcpy(chunkAt(copy, at), &data[at], 16);
  machine.mbarriers.completeCopy(machine, copy);
}

bool BulkCopies::progress(Machine &machine, bool isForced) {
  if (pending.empty())
    return false;
  std::shuffle(pending.begin(), pending.end(), machine.random);
  std::vector<BulkCopy> now;
  while (!pending.empty() && (isForced || machine.random() % 3 == 0)) {
    now.push_back(std::move(pending.back()));
    pending.pop_back();
    isForced = false;
  }
  for (BulkCopy &copy : now)
    complete(machine, copy);
  return !now.empty();
}

void BulkCopies::commit(Machine &machine) {
  BulkGroups &groups = machine.currentThread().bulk;
  ++groups.committed;
  groups.isOpen = false;
}

void BulkCopies::wait(Machine &machine, uint32_t count, bool isRead) {
  BulkGroups &groups = machine.currentThread().bulk;
  if (groups.committed <= count)
    return;
  uint32_t done = groups.committed - count;
  auto isAwaited = [&](const BulkCopy &copy) {
    return !copy.isLoad && copy.thread == machine.current && copy.group < done;
  };
  for (BulkCopy &copy : pending) {
    if (!isAwaited(copy))
      continue;
    if (!isRead)
      complete(machine, copy);
    else if (!copy.isRead)
      readSource(copy);
  }
  if (!isRead)
    std::erase_if(pending, isAwaited);
  groups.waited = std::max(groups.waited, done);
  if (groups.agent)
    machine.currentThread().order.see({groups.agent, done});
}

void BulkCopies::checkExit(Machine &machine, unsigned thread) {
  const BulkGroups &groups = machine.threads[thread].bulk;
  if (groups.isOpen)
    machine.fail("a thread exits with bulk stores that it did not commit",
                 thread);
  if (groups.waited < groups.committed)
    machine.fail("a thread exits while its bulk stores may still read shared "
                 "memory: cp.async.bulk.wait_group is missing",
                 thread);
}

void BulkCopies::checkLoads(Machine &machine) {
  for (Epoch epoch : loads)
    if (std::none_of(
            machine.threads.begin(), machine.threads.end(),
            [&](const Thread &thread) { return thread.order.hasSeen(epoch); }))
      machine.fail("the block ends, but no thread waited for phase " +
                       std::to_string(epoch.time - 1) + " of " +
                       machine.nameOf(epoch.agent),
                   0);
}

void BulkCopies::finish(Machine &machine) {
  for (BulkCopy &copy : pending)
    complete(machine, copy);
  pending.clear();
}

static TensorMap readMap(Machine &machine, uint64_t address, unsigned rank) {
  if (address % 64)
    machine.fail("a tensor map must be aligned to 64 bytes");
  machine.readGlobal(address, sizeof(TensorMap), machine.current);
  TensorMap map;
  std::memcpy(&map, reinterpret_cast<void *>(address), sizeof map);
  if (map.magic != TensorMap::validMagic)
    machine.fail("the operand of a bulk tensor copy is no tensor map");
  if (map.rank != rank)
    machine.fail("the tensor map has " + std::to_string(map.rank) +
                 " dimensions, the bulk copy " + std::to_string(rank));
  return map;
}

static BulkCopy tensorCopy(Machine &machine, uint64_t map,
                           const uint64_t *coordinates, unsigned rank) {
  BulkCopy copy;
  copy.map = readMap(machine, map, rank);
  copy.bytes = copy.map.boxBytes();
  for (unsigned d = 0; d < rank; ++d)
    copy.coordinates[d] = static_cast<int32_t>(coordinates[d]);
  return copy;
}

/// Flags are the last arguments of intrinsics: multicast and cache hints.
static void refuseMulticast(Machine &machine, uint64_t flag) {
  if (flag & 1)
    machine.fail("multicast is not emulated: clusters have one block");
}

/// The operand order of the intrinsics:
///   g2s.tile.Nd(dst, mbarrier, map, coordinates, mask, hint, flags)
///   g2s.cta.tile.Nd(dst, mbarrier, map, coordinates, hint, flag)
///   s2g.tile.Nd(src, map, coordinates, hint, flag)
/// and that of assembly:
///   ptx.load.Nd(dst, map, coordinates, mbarrier)
///   ptx.store.Nd(map, coordinates, src)
void attnc::nvptx::executeTensorCopy(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  const uint64_t *args = call.args;
  unsigned rank = name[name.size() - 2] - '0';
  BulkCopy copy;
  if (name.find(".g2s.") != std::string::npos) {
    copy = tensorCopy(machine, args[2], args + 3, rank);
    copy.shared = args[0];
    copy.mbarrier = args[1];
    if (name.find(".cta.") == std::string::npos)
      refuseMulticast(machine, args[5 + rank]);
  } else if (name.find(".s2g.") != std::string::npos) {
    copy = tensorCopy(machine, args[1], args + 2, rank);
    copy.shared = args[0];
    copy.isLoad = false;
  } else if (name.find("load") != std::string::npos) {
    copy = tensorCopy(machine, args[1], args + 2, rank);
    copy.shared = args[0];
    copy.mbarrier = args[2 + rank];
  } else {
    copy = tensorCopy(machine, args[0], args + 1, rank);
    copy.shared = args[1 + rank];
    copy.isLoad = false;
  }
  machine.bulkCopies.begin(machine, std::move(copy));
}

/// cp.async.bulk of contiguous bytes:
///   global.to.shared.cluster(dst, mbarrier, src, size, mask, hint, flags)
///   global.to.shared.cta(dst, mbarrier, src, size, hint, flag)
///   shared.cta.to.global(dst, src, size, hint, flag)
void attnc::nvptx::executeBulkCopy(Machine &machine, const Call &call) {
  BulkCopy copy;
  copy.isTensor = false;
  copy.isLoad = call.name().starts_with("cp.async.bulk.global.to.");
  if (copy.isLoad) {
    copy.shared = call.args[0];
    copy.mbarrier = call.args[1];
    copy.global = call.args[2];
    copy.bytes = call.arg32(3);
    if (call.name().ends_with(".cluster"))
      refuseMulticast(machine, call.args[6]);
  } else {
    copy.global = call.args[0];
    copy.shared = call.args[1];
    copy.bytes = call.arg32(2);
  }
  machine.bulkCopies.begin(machine, std::move(copy));
}

/// cp.async.bulk.commit.group, .wait.group and .wait.group.read
void attnc::nvptx::executeBulkGroup(Machine &machine, const Call &call) {
  if (call.name().ends_with("commit.group"))
    return machine.bulkCopies.commit(machine);
  machine.bulkCopies.wait(machine, call.arg32(0),
                          call.name().ends_with(".read"));
}
