//===- InstructionModels.cpp - Instructions as functions ------------------===//
//
// Instructions that consult MXCSR use that of the caller, as the hardware does;
// the entry of an object sets it. Those of AVX512-BF16 have rules of their own.
//
//===----------------------------------------------------------------------===//

#include "Run/Model/InstructionModels.h"

#include "Run/Model/Bf16Sums.h"
#include "Run/Model/TileModels.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace attnc {
namespace {

template <typename T> T read(const void *from, unsigned index = 0) {
  T value;
  std::memcpy(&value, static_cast<const char *>(from) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T> void write(void *to, unsigned index, T value) {
  std::memcpy(static_cast<char *>(to) + index * sizeof(T), &value, sizeof(T));
}

//===----------------------------------------------------------------------===//
// AVX512-BF16
//===----------------------------------------------------------------------===//

/// VDPBF16PS: of each pair the odd elements come first.
template <unsigned lanes>
void dotProduct(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i) {
    auto sum = read<float>(arguments[0], i);
    for (unsigned element : {2 * i + 1, 2 * i})
      sum = addProduct(sum, read<uint16_t>(arguments[1], element),
                       read<uint16_t>(arguments[2], element));
    write(result, i, sum);
  }
}

/// Convert_fp32_to_bfloat16 of the SDM.
uint16_t roundToBf16(float value) {
  auto bits = llvm::bit_cast<uint32_t>(withoutDenormal(value));
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// VCVTNE2PS2BF16: the second source is the lower half.
template <unsigned lanes>
void convertPairs(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i) {
    write(result, i, roundToBf16(read<float>(arguments[1], i)));
    write(result, lanes + i, roundToBf16(read<float>(arguments[0], i)));
  }
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

/// VPDPBUSD: unsigned by signed; sums wrap around.
template <unsigned lanes>
void addBytes(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i) {
    auto sum = read<uint32_t>(arguments[0], i);
    for (unsigned element = 4 * i; element < 4 * i + 4; ++element)
      sum += uint32_t(int32_t(read<uint8_t>(arguments[1], element)) *
                      int32_t(read<int8_t>(arguments[2], element)));
    write(result, i, sum);
  }
}

/// VPMADDWD: pairs of 16 bits.
template <unsigned lanes>
void multiplyWords(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i) {
    uint32_t sum = 0;
    for (unsigned element : {2 * i, 2 * i + 1})
      sum += uint32_t(int32_t(read<int16_t>(arguments[0], element)) *
                      int32_t(read<int16_t>(arguments[1], element)));
    write(result, i, sum);
  }
}

//===----------------------------------------------------------------------===//
// AVX-512
//===----------------------------------------------------------------------===//

/// Bit i of a mask of up to 16 bits; masks of fewer than 8 lanes have 8.
template <unsigned lanes> bool isActive(const void *mask, unsigned i) {
  unsigned bits =
      lanes > 8 ? read<uint16_t>(mask) : unsigned(read<uint8_t>(mask));
  return bits >> i & 1;
}

/// A denormal becomes zero if MXCSR says so.
template <typename T> T flush(T value) {
  volatile T one = 1;
  return value * one;
}

/// VREDUCE with rounding towards minus infinity: what is left of a value after
/// imm8[7:4] bits of its fraction. Other roundings have no model.
template <typename T> T reduce(T value, unsigned immediate) {
  if ((immediate & 7) != 1)
    return std::numeric_limits<T>::quiet_NaN();
  if (std::isinf(value))
    return 0;
  T scale = std::ldexp(T(1), int(immediate >> 4));
  return flush(value - std::floor(value * scale) / scale);
}

/// VSCALEF: a * 2 ** floor(b). An infinite b decides even where a is no number
/// (SDM, table "VSCALEFPD/SD/PS/SS Special Cases").
template <typename T> T scale(T a, T b) {
  if (std::isnan(b))
    return b;
  if (std::isinf(b)) {
    if (b > 0 ? a == 0 : std::isinf(a))
      return std::numeric_limits<T>::quiet_NaN();
    T limit = b > 0 ? b : T(0);
    return std::isnan(a) ? limit : std::copysign(limit, a);
  }
  constexpr T most = 1 << 16;
  T exponent = std::floor(std::fmin(std::fmax(b, -most), most));
  return flush(std::ldexp(flush(a), int(exponent)));
}

template <typename T, unsigned lanes>
void reduceLanes(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i)
    write(result, i,
          isActive<lanes>(arguments[3], i)
              ? reduce(read<T>(arguments[0], i), read<unsigned>(arguments[1]))
              : read<T>(arguments[2], i));
}

template <typename T, unsigned lanes>
void scaleLanes(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i)
    write(result, i,
          isActive<lanes>(arguments[3], i)
              ? scale(read<T>(arguments[0], i), read<T>(arguments[1], i))
              : read<T>(arguments[2], i));
}

/// VRCP14: any value within 2^-14 of 1 / a is allowed. This one has 14 bits of
/// fraction, so that code which relies on more fails here.
template <typename T> T reciprocal(T a) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr unsigned dropped = std::numeric_limits<T>::digits - 1 - 14;
  T value = 1 / flush(a);
  if (!std::isfinite(value))
    return value;
  return llvm::bit_cast<T>(llvm::bit_cast<Bits>(value) >> dropped << dropped);
}

template <typename T, unsigned lanes>
void reciprocalLanes(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < lanes; ++i)
    write(result, i,
          isActive<lanes>(arguments[2], i)
              ? reciprocal(read<T>(arguments[0], i))
              : read<T>(arguments[1], i));
}

/// VPERMI2PS: the lowest five bits of an index select of two registers.
void lookUpPairs(void *result, const void *const *arguments) {
  constexpr unsigned lanes = 16;
  for (unsigned i = 0; i < lanes; ++i) {
    unsigned place = read<uint32_t>(arguments[1], i) % (2 * lanes);
    write(result, i,
          read<uint32_t>(arguments[place < lanes ? 0 : 2], place % lanes));
  }
}

/// VPERMB: the lowest six bits of an index select a byte.
void lookUpBytes(void *result, const void *const *arguments) {
  constexpr unsigned bytes = 64;
  for (unsigned i = 0; i < bytes; ++i)
    write(result, i,
          read<uint8_t>(arguments[0], read<uint8_t>(arguments[1], i) % bytes));
}

/// VPMULTISHIFTQB: of each 64 bits, rotated right by the lowest six bits of the
/// control byte, the lowest byte.
void shiftBytes(void *result, const void *const *arguments) {
  for (unsigned i = 0; i < 64; ++i)
    write(result, i,
          uint8_t(llvm::rotr(read<uint64_t>(arguments[1], i / 8),
                             read<uint8_t>(arguments[0], i) % 64)));
}

/// VPTERNLOG: bit 4 a + 2 b + c of the immediate for the bits of the operands.
template <unsigned words>
void selectBits(void *result, const void *const *arguments) {
  auto table = read<unsigned>(arguments[3]);
  for (unsigned i = 0; i < words; ++i) {
    uint32_t selected = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      unsigned place = 0;
      for (unsigned operand = 0; operand < 3; ++operand)
        place = 2 * place + (read<uint32_t>(arguments[operand], i) >> bit & 1U);
      selected |= (table >> place & 1U) << bit;
    }
    write(result, i, selected);
  }
}

constexpr InstructionModel models[] = {
    {"llvm.x86.avx512bf16.dpbf16ps.128", dotProduct<4>},
    {"llvm.x86.avx512bf16.dpbf16ps.256", dotProduct<8>},
    {"llvm.x86.avx512bf16.dpbf16ps.512", dotProduct<16>},
    {"llvm.x86.avx512bf16.cvtne2ps2bf16.128", convertPairs<4>},
    {"llvm.x86.avx512bf16.cvtne2ps2bf16.256", convertPairs<8>},
    {"llvm.x86.avx512bf16.cvtne2ps2bf16.512", convertPairs<16>},
    {"llvm.x86.avx512.pternlog.d.512", selectBits<16>},
    {"llvm.x86.avx512.vpermi2var.ps.512", lookUpPairs},
    {"llvm.x86.avx512.permvar.qi.512", lookUpBytes},
    {"llvm.x86.avx512.pmultishift.qb.512", shiftBytes},
    {"llvm.x86.avx512.vpdpbusd.128", addBytes<4>},
    {"llvm.x86.avx512.vpdpbusd.256", addBytes<8>},
    {"llvm.x86.avx512.vpdpbusd.512", addBytes<16>},
    {"llvm.x86.avx2.pmadd.wd", multiplyWords<8>},
    {"llvm.x86.avx512.mask.reduce.ps.128", reduceLanes<float, 4>},
    {"llvm.x86.avx512.mask.reduce.ps.256", reduceLanes<float, 8>},
    {"llvm.x86.avx512.mask.reduce.ps.512", reduceLanes<float, 16>},
    {"llvm.x86.avx512.mask.reduce.pd.128", reduceLanes<double, 2>},
    {"llvm.x86.avx512.mask.reduce.pd.256", reduceLanes<double, 4>},
    {"llvm.x86.avx512.mask.reduce.pd.512", reduceLanes<double, 8>},
    {"llvm.x86.avx512.mask.scalef.ps.128", scaleLanes<float, 4>},
    {"llvm.x86.avx512.mask.scalef.ps.256", scaleLanes<float, 8>},
    {"llvm.x86.avx512.mask.scalef.ps.512", scaleLanes<float, 16>},
    {"llvm.x86.avx512.mask.scalef.pd.128", scaleLanes<double, 2>},
    {"llvm.x86.avx512.mask.scalef.pd.256", scaleLanes<double, 4>},
    {"llvm.x86.avx512.mask.scalef.pd.512", scaleLanes<double, 8>},
    {"llvm.x86.avx512.rcp14.ps.128", reciprocalLanes<float, 4>},
    {"llvm.x86.avx512.rcp14.ps.256", reciprocalLanes<float, 8>},
    {"llvm.x86.avx512.rcp14.ps.512", reciprocalLanes<float, 16>},
    {"llvm.x86.avx512.rcp14.pd.128", reciprocalLanes<double, 2>},
    {"llvm.x86.avx512.rcp14.pd.256", reciprocalLanes<double, 4>},
    {"llvm.x86.avx512.rcp14.pd.512", reciprocalLanes<double, 8>},
    {"llvm.x86.ldtilecfg", configureTiles},
    {"llvm.x86.tilerelease", releaseTiles},
    {"llvm.x86.tileloadd64", loadTile},
    {"llvm.x86.tileloaddt164", loadTile},
    {"llvm.x86.tilestored64", storeTile},
    {"llvm.x86.tilezero", clearTile},
    {"llvm.x86.tdpbf16ps", multiplyTiles},
    {"llvm.x86.tdpbssd", multiplySignedTiles},
    {"llvm.x86.tdpbusd", multiplyUnsignedTiles},
};

} // namespace

llvm::ArrayRef<InstructionModel> getInstructionModels() { return models; }

} // namespace attnc
