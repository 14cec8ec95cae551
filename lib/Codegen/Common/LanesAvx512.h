//===- LanesAvx512.h - AVX-512 instructions on values of any shape --------===//
//
// For targets with AVX512F, DQ and VL. Vectors longer than a register are cut
// into registers; scalars and short vectors use part of one.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_COMMON_LANESAVX512_H
#define ATTNC_LIB_CODEGEN_COMMON_LANESAVX512_H

#include "Lanes.h"

namespace attnc::codegen {

/// a - floor(a), in [0, 1]; 0 for infinities, NaN for NaN (vreduceps).
Real avx512Fraction(Real a);
/// a * 2^floor(b), for any b (vscalefps). a = NaN: 0 for b = -inf, infinity for
/// b = inf, else NaN.
Real avx512ScaleFloor(Real a, Real b);
/// 1 / a with a relative error below 2^-14 (vrcp14ps).
Real avx512Reciprocal14(Real a);
/// The entry of a table of 32 that the lowest five bits of an f32 select
/// (vpermi2ps, which other ports than those of multiplications execute).
Real avx512Lookup(llvm::ArrayRef<double> table, Real index);

} // namespace attnc::codegen

#endif // ATTNC_LIB_CODEGEN_COMMON_LANESAVX512_H
