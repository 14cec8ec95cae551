//===- TileModels.cpp - A matrix unit in software -------------------------===//

#include "Run/Model/TileModels.h"

#include "Run/Model/Bf16Sums.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace attnc {
namespace {

constexpr unsigned kRegisters = 8, kMostRows = 16, kMostBytes = 64;

struct Register {
  unsigned rows = 0, rowBytes = 0;
  std::array<std::array<char, kMostBytes>, kMostRows> data;
};

/// The unit of a thread.
struct Unit {
  bool isConfigured = false;
  std::array<Register, kRegisters> registers;

  /// NaNs of bf16 and of f32.
  void poison() {
    for (Register &one : registers)
      for (auto &row : one.data)
        row.fill(char(0xff));
  }
};

thread_local Unit unit;

std::mutex faultMutex;
std::string fault;

void report(const llvm::Twine &text) {
  std::lock_guard lock(faultMutex);
  if (fault.empty())
    fault = text.str();
}

template <typename T> T read(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T> T element(const Register &of, unsigned row, unsigned at) {
  return read<T>(&of.data[row][at * sizeof(T)]);
}

/// The register that an operand names, or null after a report.
Register *registerOf(const char *instruction, const void *operand) {
  unsigned number = read<uint8_t>(operand);
  const char *why = !unit.isConfigured             ? "before LDTILECFG"
                    : number >= kRegisters         ? "which does not exist"
                    : !unit.registers[number].rows ? "which has no shape"
                                                   : nullptr;
  if (!why)
    return &unit.registers[number];
  report(llvm::Twine(instruction) + " uses tmm" + llvm::Twine(number) + " " +
         why);
  return nullptr;
}

/// Rows past those of a register are zero after each write (SDM volume 1,
/// 18.2).
void write(Register &to, unsigned row, const void *from) {
  to.data[row].fill(0);
  std::memcpy(to.data[row].data(), from, to.rowBytes);
}

void clearRest(Register &of) {
  for (unsigned row = of.rows; row < kMostRows; ++row)
    of.data[row].fill(0);
}

/// Byte `at` of the operand of LDTILECFG, little-endian.
unsigned shapeAt(const char *bytes, unsigned at, unsigned count) {
  unsigned value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= unsigned(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return value;
}

/// What makes LDTILECFG raise an exception, or null.
const char *findProblem(const char *bytes) {
  if (bytes[0] != 1)
    return "a palette other than 1";
  if (bytes[1] != 0)
    return "a start row";
  for (unsigned at = 2; at < 16; ++at)
    if (bytes[at])
      return "reserved bytes";
  for (unsigned number = 0; number < 16; ++number) {
    unsigned rowBytes = shapeAt(bytes, 16 + 2 * number, 2);
    unsigned rows = shapeAt(bytes, 48 + number, 1);
    bool exists = number < kRegisters;
    if (rowBytes > (exists ? kMostBytes : 0) || rows > (exists ? kMostRows : 0))
      return "a register that is too large or does not exist";
    if (!rowBytes != !rows)
      return "a register with rows or bytes only";
  }
  return nullptr;
}

} // namespace

void configureTiles(void *, const void *const *arguments) {
  const char *bytes = read<const char *>(arguments[0]);
  unit = {};
  unit.poison();
  if (const char *problem = findProblem(bytes))
    return report(llvm::Twine("LDTILECFG reads ") + problem);
  unit.isConfigured = true;
  for (unsigned number = 0; number < kRegisters; ++number) {
    unit.registers[number].rowBytes = shapeAt(bytes, 16 + 2 * number, 2);
    unit.registers[number].rows = shapeAt(bytes, 48 + number, 1);
  }
}

void releaseTiles(void *, const void *const *) {
  unit = {};
  unit.poison();
}

void loadTile(void *, const void *const *arguments) {
  Register *to = registerOf("TILELOADD", arguments[0]);
  if (!to)
    return;
  const char *from = read<const char *>(arguments[1]);
  auto stride = read<int64_t>(arguments[2]);
  for (unsigned row = 0; row < to->rows; ++row)
    write(*to, row, from + int64_t(row) * stride);
  clearRest(*to);
}

void storeTile(void *, const void *const *arguments) {
  const Register *from = registerOf("TILESTORED", arguments[0]);
  if (!from)
    return;
  char *to = read<char *>(arguments[1]);
  auto stride = read<int64_t>(arguments[2]);
  for (unsigned row = 0; row < from->rows; ++row)
    std::memcpy(to + int64_t(row) * stride, from->data[row].data(),
                from->rowBytes);
}

void clearTile(void *, const void *const *arguments) {
  if (Register *to = registerOf("TILEZERO", arguments[0]))
    for (auto &row : to->data)
      row.fill(0);
}

namespace {
struct Operands {
  Register *sums, *a, *b;
};

/// The registers of a product, or nothing after a report.
std::optional<Operands> operandsOf(const char *instruction,
                                   const void *const *arguments) {
  std::array<Register *, 3> found = {};
  for (unsigned i = 0; i < 3; ++i)
    if (!(found[i] = registerOf(instruction, arguments[i])))
      return std::nullopt;
  auto [sums, a, b] = found;
  if (sums == a || sums == b || a == b) {
    report(llvm::Twine(instruction) + " uses a register twice");
    return std::nullopt;
  }
  if (sums->rows != a->rows || sums->rowBytes != b->rowBytes ||
      a->rowBytes != 4 * b->rows || sums->rowBytes % 4 != 0) {
    report(llvm::Twine(instruction) +
           " has operands of shapes that do not match");
    return std::nullopt;
  }
  return Operands{sums, a, b};
}

/// Sums of 32 bits wrap around.
template <typename A>
void multiplyBytes(const char *instruction, const void *const *arguments) {
  std::optional<Operands> operands = operandsOf(instruction, arguments);
  if (!operands)
    return;
  auto [sums, a, b] = *operands;
  for (unsigned row = 0; row < sums->rows; ++row) {
    std::array<uint32_t, kMostBytes / 4> made = {};
    for (unsigned column = 0; column < sums->rowBytes / 4; ++column) {
      made[column] = element<uint32_t>(*sums, row, column);
      for (unsigned group = 0; group < b->rows; ++group)
        for (unsigned part = 0; part < 4; ++part)
          made[column] +=
              uint32_t(int32_t(element<A>(*a, row, 4 * group + part)) *
                       int32_t(element<int8_t>(*b, group, 4 * column + part)));
    }
    write(*sums, row, made.data());
  }
  clearRest(*sums);
}
} // namespace

void multiplySignedTiles(void *, const void *const *arguments) {
  multiplyBytes<int8_t>("TDPBSSD", arguments);
}

void multiplyUnsignedTiles(void *, const void *const *arguments) {
  multiplyBytes<uint8_t>("TDPBUSD", arguments);
}

/// Sums of the even and of the odd products are added to each other, then to
/// the register.
void multiplyTiles(void *, const void *const *arguments) {
  std::optional<Operands> operands = operandsOf("TDPBF16PS", arguments);
  if (!operands)
    return;
  auto [sums, a, b] = *operands;
  for (unsigned row = 0; row < sums->rows; ++row) {
    std::array<float, kMostBytes / 4> made = {};
    for (unsigned column = 0; column < sums->rowBytes / 4; ++column) {
      std::array<float, 2> halves = {};
      for (unsigned pair = 0; pair < b->rows; ++pair)
        for (unsigned half = 0; half < 2; ++half)
          halves[half] = addProduct(
              halves[half], element<uint16_t>(*a, row, 2 * pair + half),
              element<uint16_t>(*b, pair, 2 * column + half));
      float sum = roundSum(double(halves[0]), double(halves[1]));
      made[column] =
          roundSum(double(withoutDenormal(element<float>(*sums, row, column))),
                   double(sum));
    }
    write(*sums, row, made.data());
  }
  clearRest(*sums);
}

std::string takeTileFault() {
  std::lock_guard lock(faultMutex);
  return std::exchange(fault, {});
}

} // namespace attnc
