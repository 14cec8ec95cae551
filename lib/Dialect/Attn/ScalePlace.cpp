//===- ScalePlace.cpp - Where a kernel multiplies by its scale ------------===//
//
// See ScalePlace.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/ScalePlace.h"

#include <cmath>

using namespace mlir;

namespace attnc::attn {

bool scalesQueriesExactly(KernelOp kernel) {
  int exponent = 0;
  double scale = kernel.getScale().convertToDouble();
  return std::fabs(std::frexp(scale, &exponent)) == 0.5;
}

} // namespace attnc::attn
