//===- Warp.cpp - Collectives of a warp -----------------------------------===//
//
// All 32 threads of the warp have called the same operation. The fragments of
// matrices are those of the PTX ISA, chapter "Warp Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstdlib>
#include <cstring>

using namespace attnc::nvptx;

/// Operations that are `.aligned`: one instruction for the whole warp.
static bool isAligned(const std::string &name) {
  return name.starts_with("mma.") || name.starts_with("ldmatrix.");
}

void Machine::runCollective(unsigned first) {
  const Call &call = threads[first].call;
  const std::string &name = *call.name;
  for (unsigned i = first; i < first + warpSize; ++i) {
    const Call &other = threads[i].call;
    if (*other.name != name)
      fail("the warp diverged: " + name + " and " + *other.name, i);
    if (isAligned(name) && other.site != call.site)
      fail("the warp diverged: its threads are at two calls of " + name, i);
  }
  if (name.starts_with("shfl."))
    runShuffle(first, name);
  else if (name.starts_with("vote."))
    runVote(first, name);
  else if (name.starts_with("ldmatrix."))
    runLoadMatrix(first, name);
  else if (name.starts_with("mma."))
    runMma(first, name);
  else
    runWarpBarrier(first);
}

/// The mask of the threads that take part is argument 0.
void Machine::requireFullMask(unsigned first, const std::string &name) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (static_cast<uint32_t>(arg(first + lane, 0)) != 0xffffffffu)
      fail(name + " is emulated for full warps only", first + lane);
}

/// PTX ISA, `shfl.sync`: argument 3 has the clamp in bits 0 to 4 and the mask
/// of segments in bits 8 to 12. Shuffles give no order of memory accesses, so
/// the clocks stay as they are.
void Machine::runShuffle(unsigned first, const std::string &name) {
  requireFullMask(first, "shfl.sync");
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    int shift = arg(first + lane, 2) & 31, clamp = arg(first + lane, 3) & 31;
    int segments = arg(first + lane, 3) >> 8 & 31, own = lane;
    int least = own & segments, most = least | (clamp & ~segments);
    int source = least | (shift & ~segments);
    if (name.starts_with("shfl.sync.bfly."))
      source = own ^ shift;
    else if (name.starts_with("shfl.sync.down."))
      source = own + shift;
    else if (name.starts_with("shfl.sync.up."))
      source = own - shift;
    bool isInRange =
        name.starts_with("shfl.sync.up.") ? source >= most : source <= most;
    result(first + lane, 0) = arg(first + (isInRange ? source : own), 1);
    if (name.ends_with("p"))
      result(first + lane, 1) = isInRange;
  }
  ++counts["shfl"];
}

void Machine::runVote(unsigned first, const std::string &name) {
  requireFullMask(first, "vote.sync");
  uint32_t ballot = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    ballot |= static_cast<uint32_t>(arg(first + lane, 1) & 1) << lane;
  uint64_t value = ballot;
  if (name.starts_with("vote.any."))
    value = ballot != 0;
  else if (name.starts_with("vote.all."))
    value = ballot == 0xffffffffu;
  else if (!name.starts_with("vote.ballot."))
    fail("operation is not emulated: " + name);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result(first + lane, 0) = value;
}

/// Thread 8 m + r holds the address of row r of matrix m.
void Machine::runLoadMatrix(unsigned first, const std::string &name) {
  bool isTransposed = name.find(".trans.") != std::string::npos;
  unsigned matrices = 1;
  if (size_t x = name.find(".x"); x != std::string::npos)
    matrices = std::atoi(name.c_str() + x + 2);
  for (unsigned m = 0; m < matrices; ++m) {
    uint16_t matrix[8][8];
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = first + 8 * m + row;
      uint64_t address = arg(thread, 0);
      if (address % 16)
        fail("the address of a row of ldmatrix is misaligned", thread);
      checkShared(shared.read(address, 16, thread, threads[thread].clock),
                  thread);
      std::memcpy(matrix[row], reinterpret_cast<void *>(address), 16);
    }
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned row = lane / 4, column = 2 * (lane % 4);
      uint32_t low = isTransposed ? matrix[column][row] : matrix[row][column];
      uint32_t high =
          isTransposed ? matrix[column + 1][row] : matrix[row][column + 1];
      result(first + lane, m) = low | high << 16;
    }
    countBankConflicts(first, m);
  }
  ++counts["ldmatrix"];
}

/// A matrix takes one cycle if its rows lie in 8 different groups of banks.
void Machine::countBankConflicts(unsigned first, unsigned matrix) {
  unsigned rows[8] = {};
  unsigned cycles = 0;
  for (unsigned row = 0; row < 8; ++row)
    cycles =
        std::max(cycles, ++rows[arg(first + 8 * matrix + row, 0) / 16 % 8]);
  counts["ldmatrix bank conflicts"] += cycles - 1;
}

/// One half of a register as a number.
static float elementOf(uint64_t slot, unsigned half, bool isBf16) {
  uint16_t bits = static_cast<uint16_t>(slot >> (16 * half));
  if (isBf16)
    return toFloat(static_cast<uint32_t>(bits) << 16);
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

void Machine::runMma(unsigned first, const std::string &name) {
  std::string prefix = "mma.m16n8k";
  unsigned depth = std::atoi(name.c_str() + prefix.size());
  bool isBf16 = name.ends_with(".row.col.bf16");
  if ((depth != 8 && depth != 16) ||
      (!isBf16 && !name.ends_with(".row.col.f32.f32")))
    fail("operation is not emulated: " + name);
  unsigned registersA = depth / 4, registersB = depth / 8;
  float a[16][16], b[16][8];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    for (unsigned r = 0; r < registersA; ++r)
      for (unsigned half = 0; half < 2; ++half)
        a[lane / 4 + 8 * (r & 1)][2 * (lane % 4) + 8 * (r >> 1) + half] =
            elementOf(arg(first + lane, r), half, isBf16);
    for (unsigned r = 0; r < registersB; ++r)
      for (unsigned half = 0; half < 2; ++half)
        b[2 * (lane % 4) + 8 * r + half][lane / 4] =
            elementOf(arg(first + lane, registersA + r), half, isBf16);
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      unsigned row = lane / 4 + 8 * (r >> 1), column = 2 * (lane % 4) + (r & 1);
      float sum = toFloat(arg(first + lane, registersA + registersB + r));
      for (unsigned k = 0; k < depth; ++k)
        sum += a[row][k] * b[k][column];
      result(first + lane, r) = fromFloat(sum);
    }
  ++counts["mma"];
}

void Machine::runWarpBarrier(unsigned first) {
  requireFullMask(first, "bar.warp.sync");
  Clock clock(threads.size());
  for (unsigned i = first; i < first + warpSize; ++i)
    join(clock, threads[i].clock);
  for (unsigned i = first; i < first + warpSize; ++i) {
    threads[i].clock = clock;
    ++threads[i].clock[i];
  }
}
