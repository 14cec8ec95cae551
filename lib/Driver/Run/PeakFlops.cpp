//===- PeakFlops.cpp - What the machine can do ----------------------------===//
//
// A share of the peak is honest only against the peak of the same seconds: the
// clock of a shared machine moves by half. So this is measured between the
// rounds of a benchmark.
//
//===----------------------------------------------------------------------===//

#include "Run/PeakFlops.h"

#include "attnc/Target/Target.h"

#include <cstdint>
#include <ctime>
#include <immintrin.h>

namespace attnc {
namespace {

// Enough chains to fill two units with a latency of four or five cycles, few
// enough for sixteen registers.
constexpr int chains = 12;

// Each function runs `turns` turns of `chains` multiply-adds and returns the
// FLOP done; the asm keeps the accumulators alive and in registers.
#define ATTNC_PEAK(NAME, FEATURES, TYPE, LANES, SET, MULTIPLY_ADD)             \
  __attribute__((target(FEATURES))) double NAME(int64_t turns) {               \
    TYPE acc[chains];                                                          \
    const TYPE a = SET(0.5), b = SET(0.25);                                    \
    for (TYPE &x : acc)                                                        \
      x = SET(1.0);                                                            \
    for (int64_t turn = 0; turn < turns; ++turn) {                             \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < chains; ++i) {    \
        acc[i] = MULTIPLY_ADD(acc[i], a, b);                                   \
        asm volatile("" : "+x"(acc[i]));                                       \
      }                                                                        \
    }                                                                          \
    return 2.0 * LANES * chains * static_cast<double>(turns);                  \
  }
#define ATTNC_SSE_F32(X, A, B) _mm_add_ps(_mm_mul_ps(X, A), B)
#define ATTNC_SSE_F64(X, A, B) _mm_add_pd(_mm_mul_pd(X, A), B)
ATTNC_PEAK(sse2F32, "sse2", __m128, 4, _mm_set1_ps, ATTNC_SSE_F32)
ATTNC_PEAK(sse2F64, "sse2", __m128d, 2, _mm_set1_pd, ATTNC_SSE_F64)
ATTNC_PEAK(avx2F32, "avx2,fma", __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps)
ATTNC_PEAK(avx2F64, "avx2,fma", __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd)
#undef ATTNC_PEAK
#define ATTNC_PEAK512(NAME, TYPE, LANES, SET, MULTIPLY_ADD)                    \
  __attribute__((target("avx512f"))) double NAME(int64_t turns) {              \
    TYPE acc[chains];                                                          \
    const TYPE a = SET(0.5), b = SET(0.25);                                    \
    for (TYPE &x : acc)                                                        \
      x = SET(1.0);                                                            \
    for (int64_t turn = 0; turn < turns; ++turn) {                             \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < chains; ++i) {    \
        acc[i] = MULTIPLY_ADD(acc[i], a, b);                                   \
        asm volatile("" : "+v"(acc[i]));                                       \
      }                                                                        \
    }                                                                          \
    return 2.0 * LANES * chains * static_cast<double>(turns);                  \
  }
ATTNC_PEAK512(avx512F32, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps)
ATTNC_PEAK512(avx512F64, __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd)

using Kernel = double (*)(int64_t);

Kernel kernelFor(const Target &target, bool isDouble) {
  switch (target.unitFor(DType::F32).rows) {
  case 16:
    return isDouble ? avx512F64 : avx512F32;
  case 8:
    return isDouble ? avx2F64 : avx2F32;
  default:
    return isDouble ? sse2F64 : sse2F32;
  }
}

} // namespace

double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double measurePeak(const Target &target, bool isDouble, double seconds) {
  Kernel kernel = kernelFor(target, isDouble);
  double flop = 0, begin = threadSeconds(), end = begin;
  do {
    flop += kernel(10000);
    end = threadSeconds();
  } while (end - begin < seconds);
  return flop / (end - begin) * 1e-9;
}

} // namespace attnc
