//===- PackCost.cpp - Predicted cycles of copies of keys ------------------===//
//
// A matrix unit reads keys in place if their features fill its registers.
// Tests: test/Schedule/Cpu/packed-keys.test
//
//===----------------------------------------------------------------------===//

#include "Cpu/CostModel.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

// Measured: 40 cycles for 72 features.
double cpu::copyKey(const KernelShape &shape) {
  constexpr int64_t elements = 32;
  constexpr double row = 12;
  if (shape.headDim % elements == 0)
    return 0;
  return row * double(llvm::divideCeil(shape.headDim, elements));
}

double cpu::packKey(const KernelShape &shape) {
  constexpr double elements = 32, row = 16;
  return row * std::ceil(double(shape.headDim) / elements) /
         double(shape.sharing);
}

// In squares of 32 by 16. Measured: 106 cycles with 64 features, 180 to 260
// with 128, whose tiles and their copies do not fit L1.
double cpu::transposeValues(const KernelShape &shape, double keys,
                            bool fitsL1) {
  double square = fitsL1 ? 110 : 200;
  return square * std::ceil(keys / 32) * std::ceil(double(shape.valueDim) / 16);
}

// In squares of 16 by 16. Measured: 37 to 95 cycles for the values of a key
// with 128 features, depending on how much of them is in L2.
double cpu::packValues(const KernelShape &shape, double keys) {
  constexpr double square = 190;
  return square * std::ceil(keys / 16) *
         std::ceil(double(shape.valueDim) / 16) / double(shape.sharing);
}

bool cpu::isPackingFaster(const KernelShape &shape, const CpuSchedule &s) {
  auto blocks = double(llvm::divideCeil(shape.leastQueries, s.q));
  return blocks * copyKey(shape) > packKey(shape);
}
