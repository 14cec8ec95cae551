//===- WarpMatrix.cpp - ldmatrix, stmatrix and mma ------------------------===//
//
// The fragments of matrices are those of the PTX ISA, chapter "Warp Level
// Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace attnc::nvptx;

/// Of 8 x 8 elements of 16 bits: x1, x2 or x4.
static unsigned matrixCount(const std::string &name) {
  size_t x = name.find(".x");
  return x == std::string::npos ? 1 : std::atoi(name.c_str() + x + 2);
}

/// Thread 8 m + r holds the address of row r of matrix m.
static uint64_t rowAddress(Machine &machine, unsigned thread,
                           const std::string &name) {
  uint64_t address = machine.shared.resolve(machine.arg(thread, 0));
  if (address % 16)
    machine.fail("the address of a row of " + name.substr(0, 8) +
                     " is misaligned",
                 thread);
  return address;
}

/// A matrix takes one cycle if its rows lie in 8 different groups of banks.
static void countBankConflicts(Machine &machine, const char *counter,
                               const uint64_t (&addresses)[8]) {
  unsigned rows[8] = {};
  unsigned cycles = 0;
  for (uint64_t address : addresses)
    cycles = std::max(cycles, ++rows[address / 16 % 8]);
  machine.count(counter, cycles - 1);
}

void attnc::nvptx::executeLoadMatrix(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  bool isTransposed = name.find(".trans.") != std::string::npos;
  for (unsigned m = 0; m < matrixCount(name); ++m) {
    uint16_t matrix[8][8];
    uint64_t addresses[8];
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = lanes[8 * m + row];
      addresses[row] = rowAddress(machine, thread, name);
      machine.check(
          machine.shared.read(addresses[row], 16, machine.accessorOf(thread)),
          thread);
      std::memcpy(matrix[row], reinterpret_cast<void *>(addresses[row]), 16);
    }
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned row = lane / 4, column = 2 * (lane % 4);
      uint32_t low = isTransposed ? matrix[column][row] : matrix[row][column];
      uint32_t high =
          isTransposed ? matrix[column + 1][row] : matrix[row][column + 1];
      machine.result(lanes[lane], m) = low | high << 16;
    }
    countBankConflicts(machine, "ldmatrix bank conflicts", addresses);
  }
  machine.count("ldmatrix");
}

/// Arguments 1 and on are the registers.
void attnc::nvptx::executeStoreMatrix(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  bool isTransposed = name.find(".trans.") != std::string::npos;
  for (unsigned m = 0; m < matrixCount(name); ++m) {
    uint16_t matrix[8][8];
    uint64_t addresses[8];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t bits = static_cast<uint32_t>(machine.arg(lanes[lane], 1 + m));
      unsigned row = lane / 4, column = 2 * (lane % 4);
      for (unsigned half = 0; half < 2; ++half) {
        unsigned at = column + half;
        uint16_t value = static_cast<uint16_t>(bits >> (16 * half));
        (isTransposed ? matrix[at][row] : matrix[row][at]) = value;
      }
    }
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = lanes[8 * m + row];
      addresses[row] = rowAddress(machine, thread, name);
      machine.check(
          machine.shared.write(addresses[row], 16, machine.accessorOf(thread)),
          thread);
      std::memcpy(reinterpret_cast<void *>(addresses[row]), matrix[row], 16);
    }
    countBankConflicts(machine, "stmatrix bank conflicts", addresses);
  }
  machine.count("stmatrix");
}

/// An operand of tf32. The hardware ignores the low bits of a register, which
/// truncates a number that cvt.rna.tf32.f32 did not round.
static float tf32Of(Machine &machine, unsigned thread, unsigned argument) {
  uint64_t bits = machine.arg(thread, argument);
  if (bits & 0x1fff)
    machine.fail("an operand of mma is not rounded to tf32: "
                 "cvt.rna.tf32.f32 is missing",
                 thread);
  return toFloat(bits);
}

namespace {
/// Operands of an mma.m16n8, of `depth` places along the sum.
struct Factors {
  const float (&a)[16][16], (&b)[16][8];
  unsigned depth;
};
} // namespace

/// Adds the products to the four sums of each thread, which are its arguments
/// from `first` on.
static void addProducts(Machine &machine, const Lanes &lanes,
                        const Factors &factors, unsigned first) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      unsigned row = lane / 4 + 8 * (r >> 1), column = 2 * (lane % 4) + (r & 1);
      float sum = toFloat(machine.arg(lanes[lane], first + r));
      for (unsigned k = 0; k < factors.depth; ++k)
        sum += factors.a[row][k] * factors.b[k][column];
      machine.result(lanes[lane], r) = fromFloat(sum);
    }
  machine.count("mma");
}

/// mma.m16n8k4 and .m16n8k8 of tf32: one element per register.
static void executeMmaTf32(Machine &machine, const Lanes &lanes,
                           unsigned depth) {
  unsigned registersA = depth / 2, registersB = depth / 4;
  float a[16][16], b[16][8];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned group = lane / 4, inGroup = lane % 4;
    for (unsigned r = 0; r < registersA; ++r)
      a[group + 8 * (r & 1)][inGroup + 4 * (r >> 1)] =
          tf32Of(machine, lanes[lane], r);
    for (unsigned r = 0; r < registersB; ++r)
      b[inGroup + 4 * r][group] = tf32Of(machine, lanes[lane], registersA + r);
  }
  addProducts(machine, lanes, {a, b, depth}, registersA + registersB);
}

void attnc::nvptx::executeMma(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  std::string prefix = "mma.m16n8k";
  unsigned depth = std::atoi(name.c_str() + prefix.size());
  if (name.ends_with(".row.col.tf32") && (depth == 4 || depth == 8))
    return executeMmaTf32(machine, lanes, depth);
  bool isBf16 = name.ends_with(".row.col.bf16");
  if ((depth != 8 && depth != 16) ||
      (!isBf16 && !name.ends_with(".row.col.f32.f32")))
    machine.fail("operation is not emulated: " + name, lanes[0]);
  unsigned registersA = depth / 4, registersB = depth / 8;
  float a[16][16], b[16][8];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    for (unsigned r = 0; r < registersA; ++r)
      for (unsigned half = 0; half < 2; ++half)
        a[lane / 4 + 8 * (r & 1)][2 * (lane % 4) + 8 * (r >> 1) + half] =
            elementOf(machine.arg(lanes[lane], r), half, isBf16);
    for (unsigned r = 0; r < registersB; ++r)
      for (unsigned half = 0; half < 2; ++half)
        b[2 * (lane % 4) + 8 * r + half][lane / 4] =
            elementOf(machine.arg(lanes[lane], registersA + r), half, isBf16);
  }
  addProducts(machine, lanes, {a, b, depth}, registersA + registersB);
}
