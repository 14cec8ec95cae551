//===- RegisterTile.h - Registers that a product needs ----------*- C++ -*-===//
//
// Schedule chooses such blocks, the code generator checks those of a dump.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_REGISTERTILE_H
#define ATTNC_TARGET_REGISTERTILE_H

#include "attnc/Target/Target.h"

#include <algorithm>

namespace attnc {

/// A register tile: rows (keys or value features) times vectors of queries.
struct RegisterTile {
  int64_t rows = 1, vectors = 1;
  int64_t accumulators() const { return rows * vectors; }
  bool operator==(const RegisterTile &) const = default;
};

/// Registers that a tile needs: its accumulators, a vector of each group of
/// queries, the broadcast row element, and the product where there is no fma.
inline int64_t registersOf(RegisterTile tile, const Target &target) {
  return tile.accumulators() + tile.vectors + 1 + (target.cpu.hasFma ? 0 : 1);
}

/// Registers that tiles may fill.
inline int64_t availableRegisters(const Target &target) {
  return target.cpu.vectorRegisters;
}

/// Accumulators that keep the units of a CPU busy: instructions in flight, each
/// of which waits for the one before on its own accumulator.
inline int64_t accumulatorsInFlight(const Target &target) {
  return int64_t(target.cpu.fmaLatency) * target.cpu.fmaPerCycle;
}

/// Operations on vectors that a CPU starts in one cycle.
inline int64_t operationsPerCycle(const Target &target) {
  return target.cpu.fmaPerCycle;
}

/// Vectors of K or V (of as many keys, or of adjacent features) that a register
/// tile multiplies with `rows` queries where lanes are features: as many as the
/// accumulators and what they are made of leave registers for, at most 8.
inline int64_t featureVectors(int64_t rows, const CpuTraits &traits) {
  int64_t vectors = 8;
  auto registers = [&] {
    return rows * vectors + std::min(rows, vectors) + (traits.hasFma ? 1 : 2);
  };
  while (vectors > 1 && registers() > int64_t(traits.vectorRegisters))
    vectors /= 2;
  return vectors;
}

/// Keys that are multiplied with `rows` queries at once, so that no accumulator
/// waits for the multiply-add before.
inline int64_t keysInFlight(int64_t rows, const CpuTraits &traits) {
  int64_t keys = 1;
  while (rows * keys < int64_t(traits.fmaLatency) * traits.fmaPerCycle)
    keys *= 2;
  return keys;
}

} // namespace attnc

#endif // ATTNC_TARGET_REGISTERTILE_H
