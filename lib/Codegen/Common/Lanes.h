//===- Lanes.h - Arithmetic on scalars and vectors, written as formulas ---===//
//
// The expansions of ExpandMath*.cpp are formulas. They are written once and
// build IR for any shape: a `Real` is a float scalar or vector, `Bits` an
// integer of the same width and shape, `Mask` an i1 of that shape. Operators
// build one op each, at the insertion point and location of the context.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_COMMON_LANES_H
#define ATTNC_LIB_CODEGEN_COMMON_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace attnc::codegen {

/// What the target can do; the options of the pass.
struct LaneFeatures {
  bool fma = true;
  bool round = true;
  bool avx512 = false;
  bool flushDenormals = false;
};

/// Where and for which target ops are built.
struct LaneContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  LaneFeatures features;
};

/// Common to the three kinds of value.
struct Lanes {
  LaneContext *ctx;
  mlir::Value value;

  /// The scalar type of one lane.
  mlir::Type lane() const { return mlir::getElementTypeOrSelf(value); }
  /// `type` in the shape of this value.
  mlir::Type shaped(mlir::Type type) const;
  /// A constant in the shape of this value.
  mlir::Value splat(mlir::TypedAttr scalar) const;
};

struct Bits : Lanes {
  Bits constant(int64_t value) const;
};

struct Mask : Lanes {};

struct Real : Lanes {
  /// `value` rounded to the lane's type.
  Real constant(double value) const;
  bool isF64() const { return lane().isF64(); }
  /// Bits of the fraction: 23 or 52.
  int mantissa() const { return isF64() ? 52 : 23; }
  /// Bias of the exponent: 127 or 1023.
  int bias() const { return isF64() ? 1023 : 127; }
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
inline Real operator+(Real a, double b) { return a + a.constant(b); }
inline Real operator-(Real a, double b) { return a - a.constant(b); }
inline Real operator*(Real a, double b) { return a * a.constant(b); }
inline Real operator-(double a, Real b) { return b.constant(a) - b; }
inline Real operator/(double a, Real b) { return b.constant(a) / b; }
Real operator-(Real a);

/// a * b + c: rounded once where the target can, else twice.
Real fma(Real a, Real b, Real c);
/// c - a * b, as fma.
Real fnma(Real a, Real b, Real c);
/// a * b - product, where `product` is a * b rounded.
Real productError(Real a, Real b, Real product);

/// Ordered comparisons: false where an operand is NaN.
Mask operator<(Real a, Real b);
Mask operator>(Real a, Real b);
Mask operator==(Real a, Real b);
inline Mask operator<(Real a, double b) { return a < a.constant(b); }
inline Mask operator>(Real a, double b) { return a > a.constant(b); }
inline Mask operator==(Real a, double b) { return a == a.constant(b); }
Mask operator==(Bits a, int64_t b);
Real select(Mask mask, Real a, Real b);
Bits select(Mask mask, Bits a, Bits b);

Bits operator+(Bits a, Bits b);
Bits operator-(Bits a, Bits b);
Bits operator*(Bits a, Bits b);
Bits operator&(Bits a, Bits b);
Bits operator|(Bits a, Bits b);
Bits operator^(Bits a, Bits b);
Bits operator<<(Bits a, int amount);
Bits operator<<(Bits a, Bits amount);
/// Fills with zeros.
Bits operator>>(Bits a, int amount);
Bits operator>>(Bits a, Bits amount);
inline Bits operator+(Bits a, int64_t b) { return a + a.constant(b); }
inline Bits operator-(Bits a, int64_t b) { return a - a.constant(b); }
inline Bits operator&(Bits a, int64_t b) { return a & a.constant(b); }

/// The representation of a float as an integer, and back.
Bits bitsOf(Real a);
Real realOf(Bits a, Real like);

Real abs(Real a);
/// The magnitude of `a` with the sign of `b`.
Real copySign(Real a, Real b);
/// `a`, or the bound that it is beyond. NaN stays NaN.
Real atLeast(Real a, double bound);
Real atMost(Real a, double bound);

/// The same value in f64, and in the type of `like`.
Real widen(Real a);
Real narrow(Real a, Real like);

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
Real polynomial(Real x, llvm::ArrayRef<double> c);
/// `polynomial` continued by a last coefficient that is a value: c[0] + ... +
/// c[n-1] x^(n-1) + top x^n.
Real polynomial(Real x, llvm::ArrayRef<double> c, Real top);

/// Rounding to integers; by arithmetic where the target has no instruction.
Real roundEven(Real a);
Real roundDown(Real a);
Real roundUp(Real a);
Real roundToZero(Real a);
/// Half away from zero.
Real roundAway(Real a);

/// `roundDown` for |a| < 2^21, and without regard to the sign of zero.
Real roundDownSmall(Real a);

/// An integer below 2^21 in size, and the same plus an offset in the low bits
/// of an integer lane.
struct SmallInteger {
  Real value;
  Bits bits;
};
/// The integer nearest to a * scale. Cheaper than roundEven.
SmallInteger nearestInteger(Real a, double scale, int64_t offset);
Bits smallInteger(Real integer, int64_t offset = 0);
Real fromSmallInteger(Bits integer, Real like);

/// p * 2^n for an integer n: overflow gives infinity, underflow a rounded
/// denormal. |n| <= 2 * bias without AVX-512, any n with it.
Real scaleByPowerOfTwo(Real p, Real n);
/// The same for n.bits = n + 2 * bias, |n| <= 2 * bias.
Real scaleByPowerOfTwo(Real p, SmallInteger n);

/// 2^n from the low bits of n + bias: 0 and infinity for exponents that are too
/// small or large by one.
Real powerOfTwo(Bits biased, Real like);

/// a / b to within 1 ulp, for normal b and 1 / b. Several times as fast as the
/// division of AVX-512; the same as it elsewhere.
Real divide(Real a, Real b);
/// 1 / b to within 1 ulp in f32, with AVX-512. Zeros, infinities and NaN are as
/// they should be; a denormal b or 1 / b counts as zero.
Real reciprocal(Real b);

} // namespace attnc::codegen

#endif // ATTNC_LIB_CODEGEN_COMMON_LANES_H
