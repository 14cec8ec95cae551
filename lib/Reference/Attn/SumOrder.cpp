//===- SumOrder.cpp - In which order plain code sums ----------------------===//

#include "Attn/SumOrder.h"

#include <cstdint>
#include <numeric>
#include <utility>

namespace attnc::reference {

/// SplitMix64 (Steele, Lea, Flood 2014): the same shuffles on every platform.
static uint64_t next(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::vector<size_t> sumOrder(size_t count, unsigned order) {
  std::vector<size_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  uint64_t state = order;
  for (size_t left = count; order != 0 && left > 1; --left)
    std::swap(places[left - 1], places[next(state) % left]);
  return places;
}

} // namespace attnc::reference
