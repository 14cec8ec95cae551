//===- MathExpansions.h - Elementwise functions as arithmetic -------------===//
//
// One function per op of the math dialect, for the types that the description
// of codegen-expand-math lists. Each returns the value of the function in the
// shape and type of its argument; docs/math-accuracy.md has the errors.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_COMMON_MATHEXPANSIONS_H
#define ATTNC_LIB_CODEGEN_COMMON_MATHEXPANSIONS_H

#include "Lanes.h"

namespace attnc::codegen {

// ExpandMathExp.cpp, f32 and f64.
Real expandExp2(Real x);
/// f32 exp2 of which only its sum with 1 or more is asked for.
Real expandExp2BesideOne(Real x);
Real expandExp2Rough(Real x);
/// f32 exp2 where its result is a normal number.
Real expandExp2Normal(Real x);
Real expandExp(Real x);
/// exp of x <= 0, or a little above; 0 where the result is no normal number.
Real expandExpAtMostOne(Real x);
/// exp(x + low), for an x + low that is more than a float can hold.
Real expandExpOfSum(Real x, std::optional<Real> low);
Real expandExpm1(Real x);

// ExpandMathLog.cpp, f32 and f64.
Real expandLog(Real x);
Real expandLog2(Real x);
Real expandLog1p(Real x);

// ExpandMathTanh.cpp, f32 and f64.
Real expandTanh(Real x);
/// factor * tanh(x), off by at most 2^-17.6 factor: f32 with AVX-512.
Real expandTanhRough(Real x, double factor);

// ExpandMathErf.cpp, f32 and f64.
Real expandErf(Real x);
Real expandErfc(Real x);

// ExpandMathTrig.cpp, f32 and f64.
Real expandSin(Real x);
Real expandCos(Real x);

// ExpandMathTrigF64.cpp, f64.
Real expandSinF64(Real x);
Real expandCosF64(Real x);

// ExpandMathExp.cpp, f32 and f64.
Real expandRsqrt(Real x);

} // namespace attnc::codegen

#endif // ATTNC_LIB_CODEGEN_COMMON_MATHEXPANSIONS_H
