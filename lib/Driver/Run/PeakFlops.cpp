//===- PeakFlops.cpp - What the machine can do ----------------------------===//
//
// A share of the peak is honest only against the peak of the same seconds: the
// clock of a shared machine moves by half. So this is measured between the
// rounds of a benchmark.
//
//===----------------------------------------------------------------------===//

#include "Run/PeakFlops.h"

#include "attnc/Target/Target.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdint>
#include <ctime>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/// Pairs of ones, so that sums stay finite.
__attribute__((target("avx512bf16,avx512f"))) double dotBf16(int64_t turns) {
  __m512 acc[chains];
  const auto a = (__m512bh)_mm512_set1_epi32(0x3f803f80);
  for (__m512 &x : acc)
    x = _mm512_setzero_ps();
  for (int64_t turn = 0; turn < turns; ++turn) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < chains; ++i) {
      acc[i] = _mm512_dpbf16_ps(acc[i], a, a);
      asm volatile("" : "+v"(acc[i]));
    }
  }
  return 4.0 * 16 * chains * static_cast<double>(turns);
}

/// The operand of LDTILECFG (SDM volume 1, 18.1): eight registers of 16 rows of
/// 64 bytes.
struct alignas(64) TileShapes {
  uint8_t bytes[64] = {1};
  TileShapes() {
    for (int number = 0; number < 8; ++number) {
      bytes[16 + 2 * number] = 64;
      bytes[48 + number] = 16;
    }
  }
};

/// Four independent sums of the products of random elements: the clock also
/// depends on the data.
__attribute__((target("amx-tile,amx-bf16"))) double matrixBf16(int64_t turns) {
  static const TileShapes shapes;
  alignas(64) uint16_t elements[16 * 32];
  uint32_t state = 1;
  for (uint16_t &element : elements) {
    state = state * 1664525 + 1013904223; // in [-1, -1/2] and [1/2, 1]
    element = uint16_t(0x3f00 | (state >> 16 & 0x807f));
  }
  asm volatile("ldtilecfg %0" ::"m"(shapes));
  asm volatile("tileloadd (%0,%1), %%tmm4\n\ttileloadd (%0,%1), %%tmm5\n\t"
               "tilezero %%tmm0\n\ttilezero %%tmm1\n\t"
               "tilezero %%tmm2\n\ttilezero %%tmm3" ::"r"(elements),
               "r"(int64_t(64))
               : "memory");
  for (int64_t turn = 0; turn < turns; ++turn)
    asm volatile("tdpbf16ps %%tmm5, %%tmm4, %%tmm0\n\t"
                 "tdpbf16ps %%tmm5, %%tmm4, %%tmm1\n\t"
                 "tdpbf16ps %%tmm5, %%tmm4, %%tmm2\n\t"
                 "tdpbf16ps %%tmm5, %%tmm4, %%tmm3" ::);
  asm volatile("tilerelease" ::);
  return 4.0 * 2 * 16 * 16 * 32 * static_cast<double>(turns);
}

/// Linux gives the registers of the matrix unit to processes that ask.
bool mayUseMatrixUnit() {
  constexpr long request = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request, tileData) == 0;
}

bool isOfHost(llvm::StringRef features) {
  static const llvm::StringMap<bool> host = getHostFeatures();
  llvm::SmallVector<llvm::StringRef> names;
  features.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::all_of(names,
                      [&](llvm::StringRef name) { return host.lookup(name); });
}

using Kernel = double (*)(int64_t);

Kernel kernelFor(const Target &target, UnitKind unit, bool isDouble) {
  if (unit == UnitKind::Matrix)
    return matrixBf16;
  if (unit == UnitKind::DotProduct)
    return dotBf16;
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

UnitKind unitOfPeak(const Target &target, DType operand) {
  if (operand != DType::BF16 || !isOfHost(target.requiredFeatures))
    return UnitKind::Fma;
  if (target.findUnit(UnitKind::Matrix, operand, DType::F32) &&
      isOfHost(target.matrixFeatures) && mayUseMatrixUnit())
    return UnitKind::Matrix;
  constexpr double seconds = 0.001;
  // Some processors take longer for it than for fmas.
  bool isFaster = target.findUnit(UnitKind::DotProduct, operand, DType::F32) &&
                  measurePeak(target, UnitKind::DotProduct, false, seconds) >
                      measurePeak(target, UnitKind::Fma, false, seconds);
  return isFaster ? UnitKind::DotProduct : UnitKind::Fma;
}

double measurePeak(const Target &target, UnitKind unit, bool isDouble,
                   double seconds) {
  Kernel kernel = kernelFor(target, unit, isDouble);
  double flop = 0, begin = threadSeconds(), end = begin;
  do {
    flop += kernel(10000);
    end = threadSeconds();
  } while (end - begin < seconds);
  return flop / (end - begin) * 1e-9;
}

} // namespace attnc
