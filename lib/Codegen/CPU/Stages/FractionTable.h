//===- FractionTable.h - Powers of two with 8 bits of fraction --*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_STAGES_FRACTIONTABLE_H
#define ATTNC_LIB_CODEGEN_CPU_STAGES_FRACTIONTABLE_H

#include <array>
#include <cstdint>

namespace attnc::cpu {

/// The fraction of 2^(f / 256) as bf16 has it is (f - t[f / 4]) / 2, rounded
/// down, for 0 <= f < 256. Each entry has the least sum of squared relative
/// errors over exponents that are rounded to its four values of f; entry 0
/// makes 2^0 exact.
inline constexpr std::array<uint8_t, 64> kFractionTable = {
    0,  1,  2,  4,  4,  6,  7,  8,  9,  10, 10, 12, 12, 13, 14, 15,
    15, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 21, 21, 21, 21, 21,
    21, 22, 22, 21, 21, 21, 21, 21, 21, 20, 20, 19, 19, 19, 18, 17,
    17, 16, 15, 15, 13, 13, 12, 11, 9,  9,  7,  6,  5,  3,  2,  1};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_STAGES_FRACTIONTABLE_H
