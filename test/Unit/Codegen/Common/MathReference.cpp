//===- MathReference.cpp - What the elementwise functions should give -----===//
//
// libm in the next wider type, and the error against it.
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace attnc::test;

static double rsqrtOf(double x) { return 1 / std::sqrt(x); }
static long double rsqrtOf(long double x) { return 1 / std::sqrt(x); }

#define BOTH(F)                                                                \
  #F, static_cast<double (*)(double)>(std::F),                                 \
      static_cast<long double (*)(long double)>(std::F)

static const MathReference references[] = {
    {BOTH(exp2)},
    {BOTH(exp)},
    {BOTH(expm1)},
    {BOTH(log)},
    {BOTH(log2)},
    {BOTH(log1p)},
    {BOTH(tanh)},
    {BOTH(erf)},
    {BOTH(erfc)},
    {BOTH(sin)},
    {BOTH(cos)},
    {"rsqrt", rsqrtOf, rsqrtOf},
    {BOTH(floor)},
    {BOTH(ceil)},
    {BOTH(trunc)},
    {BOTH(round)},
    {"roundeven", static_cast<double (*)(double)>(std::nearbyint),
     static_cast<long double (*)(long double)>(std::nearbyint)},
};

llvm::ArrayRef<MathReference> attnc::test::mathReferences() {
  return references;
}

const MathReference &attnc::test::mathReference(llvm::StringRef op) {
  for (const MathReference &reference : references)
    if (reference.op == op)
      return reference;
  llvm::report_fatal_error("no reference for this function");
}

/// `Wide` holds the exact value of a function of `Narrow` well enough.
template <typename Narrow, typename Wide>
static double errorInUlp(Narrow result, Wide exact) {
  using Limits = std::numeric_limits<Narrow>;
  if (std::isnan(result) || std::isnan(exact))
    return std::isnan(result) == std::isnan(exact) ? 0 : INFINITY;
  if (result == 0 && exact == 0)
    return std::signbit(result) == std::signbit(exact) ? 0 : INFINITY;
  // Infinity counts as the next power of two after the largest number.
  Wide top = std::ldexp(Wide(1), Limits::max_exponent);
  Wide got = std::isinf(result) ? std::copysign(top, Wide(result)) : result;
  Wide want = std::fabs(exact) > top ? std::copysign(top, exact) : exact;
  int exponent = Limits::min_exponent;
  if (want != 0)
    exponent = std::max(exponent, std::ilogb(want) + 1);
  exponent = std::min(exponent, int(Limits::max_exponent));
  return static_cast<double>(
      std::ldexp(std::fabs(got - want), Limits::digits - exponent));
}

double attnc::test::ulpError(float result, double exact) {
  return errorInUlp(result, exact);
}

double attnc::test::ulpError(double result, long double exact) {
  return errorInUlp(result, exact);
}

template <typename T, typename Bits, typename Exact>
static MathError measure(const MathKernel &kernel, Exact exact, uint64_t count,
                         uint64_t first, uint64_t stride) {
  constexpr uint64_t chunk = 4096;
  alignas(64) static T in[chunk], out[chunk];
  MathError worst;
  for (uint64_t done = 0; done < count; done += chunk) {
    for (uint64_t i = 0; i < chunk; ++i) {
      Bits bits = static_cast<Bits>(first + (done + i) * stride);
      std::memcpy(&in[i], &bits, sizeof(T));
    }
    kernel.run(in, out, chunk);
    for (uint64_t i = 0; i < chunk; ++i) {
      double ulp = ulpError(out[i], exact(in[i]));
      if (ulp > worst.ulp)
        worst = {ulp, static_cast<double>(in[i])};
    }
  }
  return worst;
}

MathError attnc::test::measureF32(const MathKernel &kernel,
                                  const MathReference &reference,
                                  uint64_t stride, uint64_t first) {
  return measure<float, uint32_t>(kernel, reference.f32,
                                  (uint64_t(1) << 32) / stride, first, stride);
}

MathError attnc::test::measureF64(const MathKernel &kernel,
                                  const MathReference &reference,
                                  uint64_t count) {
  // An odd stride, so that the low bits vary, too.
  return measure<double, uint64_t>(kernel, reference.f64, count, 1,
                                   UINT64_MAX / count | 1);
}
