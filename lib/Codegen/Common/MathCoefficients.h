//===- MathCoefficients.h - Tables of the elementwise functions -----------===//
//
// By rising order, printed by tools/dev/fit_math.py under the same names, which
// also tells what each approximates. The comment is the largest relative error
// of the approximation, without the rounding of its evaluation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_COMMON_MATHCOEFFICIENTS_H
#define ATTNC_LIB_CODEGEN_COMMON_MATHCOEFFICIENTS_H

#include <cstdint>

namespace attnc::codegen::coefficients {

// 2^f, f in [0, 1]; the first is exact, so that 2^integer is. 2^-28.8: degree 5
// (2^-23.5) saves one instruction, but errs by 2.9 ulp, which shows in rows of
// few keys.
inline constexpr double exp2F32[] = {1.0,          0.693147063,   0.240229085,
                                     0.0554861836, 0.00967377517, 0.00124822871,
                                     0.00021565998};

// The same for 1 + 2^x, where 2^-23.5 is an ulp of what is below 1, and less
// than one and a half of the sum. 2^-23.5
inline constexpr double exp2BesideOneF32[] = {
    1.0, 0.693151295, 0.240164593, 0.0557995141, 0.00901748147, 0.00186695158};

// 2^f, f in [0, 1], for results that are rounded to bf16: a 22nd of such a
// rounding. The first is exact. 2^-13.5
inline constexpr double exp2RoughF32[] = {1.0, 0.695116758, 0.227645084,
                                          0.0770669729};

// 2^f, f in [-1/2, 1/2]; the first is exact. 2^-57.7
inline constexpr double exp2F64[] = {1.0,
                                     0.69314718055994529,
                                     0.24022650695910108,
                                     0.055504108664821729,
                                     0.0096181291076015852,
                                     0.0013333558146544529,
                                     0.00015403530449075559,
                                     1.5252733636006333e-5,
                                     1.3215438811403945e-6,
                                     1.0178159069960208e-7,
                                     7.0732378838577552e-9,
                                     4.4390288829421718e-10};

// (expm1(r) - r) / r^2, |r| <= log(2) / 2. 2^-26 and 2^-61 of expm1
inline constexpr double expm1F32[] = {0.5, 0.16666545, 0.0416664034,
                                      0.00836645905, 0.0013940729};
inline constexpr double expm1F64[] = {0.5,
                                      0.16666666666666677,
                                      0.041666666666666671,
                                      0.0083333333333213792,
                                      0.001388888888888359,
                                      0.00019841269886843464,
                                      2.4801587323753354e-5,
                                      2.7557243414855924e-6,
                                      2.7557277347209564e-7,
                                      2.5109336610808761e-8,
                                      2.0912810799460849e-9};

// (log1p(f) - f + f^2/2) / f^3, 1 + f in [sqrt(1/2), sqrt(2)]. 2^-27
inline constexpr double logF32[] = {0.333333164, -0.250008106, 0.200022861,
                                    -0.16624555, 0.141811937,  -0.1312875,
                                    0.128816396, -0.0785961747};

// (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2, the same range. 2^-58
inline constexpr double logF64[] = {0.66666666666667351, 0.39999999999409352,
                                    0.28571428743687211, 0.22222198428800558,
                                    0.18183572370732959, 0.1531383157041456,
                                    0.14798266767124843};

// erf(x) / x - 1 in x^2, |x| <= 1. 2^-24.5 of erf
inline constexpr double erfF32[] = {0.128379121,   -0.37612319,
                                    0.112801135,   -0.0267092176,
                                    0.00491491612, -0.000561997294};

// log2(erfc(a)), a in [1, 4]. 2^-26 of erf
inline constexpr double erfTailF32[] = {-0.00385453785, -1.61212265,
                                        -0.944228351,   -0.127871856,
                                        0.0213202666,   -0.00165970542};

// erfc(x) exp(x^2) / t - 5/4 in t = 1 / (1 + 2x), x in [1/2, 10.5]; it is less
// than 0.13, so that its own rounding does not matter. 2^-27 of erfc
inline constexpr double erfcF32P[] = {-0.12162869, 0.803914373, 0.0892890973,
                                      6.23612279,  -18.8207294, -2.6228259};
inline constexpr double erfcF32Q[] = {1.0, 2.67290392, 14.621131, 16.1388724,
                                      23.1749925};

// erf(x) / x - 1 in x^2, |x| <= 1. 2^-55 of erf
inline constexpr double erfF64[] = {
    0.1283791670955126,      -0.3761263890318375,     0.11283791670954879,
    -0.026866170645076792,   0.0052239776248180145,   -0.000854832698083379,
    0.0001205533111164271,   -1.4925595266831182e-05, 1.6461000484121368e-06,
    -1.6350312701054695e-07, 1.4659775274047436e-08,  -1.1372848856791674e-09,
    5.957176147748911e-11};

// erfc(x) exp(x^2) (1 + 2x) - 5/4 in y = (x - k) / (x + k) with k = 3.75, x in
// [1/2, 27.3] (M. M. Shepherd and J. G. Laframboise, Chebyshev Approximation of
// (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity, 1981). 2^-58 of erfc
inline constexpr double erfcF64[] = {
    -0.012487369162172418,  -0.14024059858554702,   0.003585415485463711,
    0.08227673849015103,    -0.10880393014170986,   0.09230432116019908,
    -0.05869339859045314,   0.028362277421481265,   -0.009746579549417727,
    0.0017556258330101817,  0.0002937136142211806,  -0.0002901539846992785,
    5.16492780641966e-05,   2.2383942187690794e-05, -1.1444487182170244e-05,
    -9.729571780840883e-07, 1.7518327590409545e-06, -5.801238139957842e-08,
    -2.581036545601492e-07, 2.3913543640585198e-08, 3.7299693106675006e-08,
    -4.04081145094979e-09,  -3.933639825597245e-09, 3.67426259847963e-10};

// sin(f pi/2) / f and cos(f pi/2) in f^2, |f| <= 1/2. 2^-37 and 2^-44
inline constexpr double sinQuarter[] = {
    1.5707963267880998, -0.64596409614634309, 0.079692582707949225,
    -0.0046812660882239766, 0.00015820585582812741};
inline constexpr double cosQuarter[] = {1.0,
                                        -1.2337005501249239,
                                        0.25366950726332077,
                                        -0.020863469017548975,
                                        0.00091916582566056086,
                                        -2.4856930591370192e-5};

// 1 / (2 pi), cut into pieces of 29 bits: a piece times a float (24 bits) is
// exact in f64. 2^-205 of it is left out.
inline constexpr double turnPieces[] = {
    0x1.45f306d000000p-3,  0x1.9391054000000p-32,  0x1.4fe13ab000000p-61,
    0x1.d1f534d000000p-90, 0x1.b81b6c5000000p-119, 0x1.5993c40000000p-150,
    0x1.c820ff2000000p-177};

// (sin(x) / x - 1) / x^2 and (cos(x) - 1 + x^2/2) / x^4 in x^2, |x| <= pi/4.
// 2^-58 and 2^-64
inline constexpr double sinF64[] = {
    -0.16666666666666632,  0.0083333333333224877,  -0.00019841269829855559,
    2.7557313706008151e-6, -2.5050760057723886e-8, 1.5896897149493913e-10};
inline constexpr double cosF64[] = {
    0.041666666666666602,   -0.0013888888888874472, 2.4801587289669223e-5,
    -2.7557314400148627e-7, 2.0875729137744826e-9,  -1.1359925780528777e-11};

// pi / 2, and what f64 lacks of it.
inline constexpr double quarterTurn[] = {0x1.921fb54442d18p+0,
                                         0x1.1a62633145c07p-54};

// 2 / pi behind 55 zeros, from the bit of weight 2^54 on: 1225 bits.
inline constexpr uint64_t twoOverPi[] = {0x145,
                                         0xf306dc9c882a53f8,
                                         0x4eafa3ea69bb81b6,
                                         0xc52b3278872083fc,
                                         0xa2c757bd778ac36e,
                                         0x48dc74849ba5c00c,
                                         0x925dd413a32439fc,
                                         0x3bd63962534e7dd1,
                                         0x46bea5d768909d3,
                                         0x38e04d68befc8273,
                                         0x23ac7306a673e939,
                                         0x8bf177bf250763f,
                                         0xf12fffbc0b301fde,
                                         0x5e2316b414da3eda,
                                         0x6cfd9e4f96136e9e,
                                         0x8c7ecd3cbfd45aea,
                                         0x4f758fd7cbe2f67a,
                                         0xe73ef14a525d4d7,
                                         0xf6bf623f1aba10ac,
                                         0x6608df8f6d757e1};

} // namespace attnc::codegen::coefficients

#endif // ATTNC_LIB_CODEGEN_COMMON_MATHCOEFFICIENTS_H
