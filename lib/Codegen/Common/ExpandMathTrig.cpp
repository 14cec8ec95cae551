//===- ExpandMathTrig.cpp - sin and cos as arithmetic ---------------------===//
//
// Of f32, in f64, for every float x up to the largest. The angle in turns is x
// / (2 pi) without its whole part. 1 / (2 pi) is cut into pieces whose products
// with x are exact, so each product's whole part can be dropped exactly (the
// method of Payne and Hanek, without a table). A sum of the fractions tells the
// quadrant; the second sum starts with the quadrant taken off, so that the
// leading terms cancel without error where x is next to a multiple of pi / 2.
// f64 itself is in ExpandMathTrigF64.cpp. Tests:
// test/Codegen/Common/expand-math.mlir, test/Unit/Codegen/Common
//
//===----------------------------------------------------------------------===//

#include "MathCoefficients.h"
#include "MathExpansions.h"

using namespace mlir;

namespace attnc::codegen {

namespace {
struct Angle {
  Real quadrant; // an integer, modulo 4
  Real rest;     // in [-1/2, 1/2] quarters of a turn
};
} // namespace

static Angle reduceAngle(Real x) {
  SmallVector<Real> fractions;
  for (double piece : coefficients::turnPieces) {
    Real product = x * piece;
    fractions.push_back(product - roundEven(product));
  }
  Real sum = fractions.back();
  for (Real next : llvm::reverse(ArrayRef(fractions).drop_back()))
    sum = sum + next;
  Real quadrant = roundEven(sum * 4.0);
  Real rest = fractions.front() - quadrant * 0.25;
  for (Real next : ArrayRef(fractions).drop_front())
    rest = rest + next;
  return {quadrant, rest * 4.0};
}

/// sin of the angle `advance` quadrants further on.
static Real sinOf(const Angle &angle, int advance) {
  Real square = angle.rest * angle.rest;
  Real sine = angle.rest * polynomial(square, coefficients::sinQuarter);
  Real cosine = polynomial(square, coefficients::cosQuarter);
  Bits quadrant = smallInteger(angle.quadrant, advance);
  Real value = select((quadrant & 1) == 0, sine, cosine);
  Bits sign = (quadrant & 2) << 62;
  return realOf(bitsOf(value) ^ sign, value);
}

// Odd: by the absolute value, so that sin(-0) is -0.
Real expandSin(Real x) {
  if (x.isF64())
    return expandSinF64(x);
  Real sine = narrow(sinOf(reduceAngle(widen(abs(x))), 0), x);
  Bits sign = bitsOf(x) & (int64_t(1) << 31);
  return realOf(bitsOf(sine) ^ sign, x);
}

Real expandCos(Real x) {
  if (x.isF64())
    return expandCosF64(x);
  return narrow(sinOf(reduceAngle(widen(x)), 1), x);
}

} // namespace attnc::codegen
