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

bool cpu::isPackingFaster(const KernelShape &shape, const CpuSchedule &s) {
  auto blocks = double(llvm::divideCeil(shape.leastQueries, s.q));
  return blocks * copyKey(shape) > packKey(shape);
}
