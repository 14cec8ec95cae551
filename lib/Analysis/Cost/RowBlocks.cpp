//===- RowBlocks.cpp - Cost of row blocks that read a kernel's keys -------===//
//
// See RowBlocks.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Cost/RowBlocks.h"

#include <algorithm>
#include <cmath>

using namespace attnc;

int64_t RowBlocks::vectors() const {
  constexpr int64_t most = 4;
  constexpr double keys = 16; // the least that a schedule takes
  double places =
      double(target->l2Bytes()) / 2 / (double(dtypeInfo(type).bits) / 8);
  double rows = (places - keys * features) / (features + keys);
  return std::clamp<int64_t>(int64_t(rows) / target->unitFor(type).rows, 1,
                             most);
}

double RowBlocks::cyclesPerKey(double rows, double products,
                               double bytes) const {
  const Unit &unit = target->unitFor(type);
  double lanes = unit.rows;
  double vector = 2 * products * lanes / double(unit.flopsPerCycle);
  double read = bytes / double(target->rowBytesPerCycle);
  auto whole = double(vectors());
  double blocks = std::floor(rows / (whole * lanes));
  double rest = std::ceil((rows - blocks * whole * lanes) / lanes);
  return blocks * std::max(whole * vector, read) +
         rest * std::max(vector, read);
}
