/* The speed of this machine: multiply-adds in registers, and reads of memory.

     cc -O2 -pthread peaks.c -o peaks && ./peaks THREADS

   Prints one JSON object: GFLOP/s of f32 FMA at the widest vectors (f32_fma),
   of VDPBF16PS (bf16_dot) and of TDPBF16PS (amx_bf16), 0 for a unit that the
   processor does not have, and read_gbs, GB/s of reading memory that no cache
   holds. Takes about 0.2 s, to be run between other measurements. x86-64 with
   AVX2. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_THREADS = 256,
  READ_BYTES = 32 << 20,
  LINE = 64,
  ARCH_REQ_XCOMP_PERM = 0x1023
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Twelve chains hide a latency of four cycles on two ports; AVX2 has only 16
   registers. Inline assembly, because a compiler may merge the chains. */
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define START(i) __m512i c##i = _mm512_setzero_si512();
#define START_AVX2(i) __m256 c##i = _mm256_setzero_ps();
#define USE(i) __asm__ volatile("" : : "v"(c##i));
#define STEP(instruction, i)                                                   \
  __asm__ volatile(instruction " %1, %2, %0" : "+v"(c##i) : "v"(a), "v"(a));
#define FMA(i) STEP("vfmadd231ps", i)
#define DOT(i) STEP("vdpbf16ps", i)

__attribute__((target("avx2,fma"))) static double fma_avx2(long steps) {
  __m256 a = _mm256_setzero_ps();
  CHAINS(START_AVX2)
  for (long i = 0; i < steps; ++i) {
    CHAINS(FMA)
  }
  CHAINS(USE)
  return 12.0 * 8 * 2 * (double)steps;
}

__attribute__((target("avx512f"))) static double fma_avx512(long steps) {
  __m512i a = _mm512_setzero_si512();
  CHAINS(START)
  for (long i = 0; i < steps; ++i) {
    CHAINS(FMA)
  }
  CHAINS(USE)
  return 12.0 * 16 * 2 * (double)steps;
}

__attribute__((target("avx512f,avx512bf16"))) static double
dot_bf16(long steps) {
  __m512i a = _mm512_setzero_si512();
  CHAINS(START)
  for (long i = 0; i < steps; ++i) {
    CHAINS(DOT)
  }
  CHAINS(USE)
  return 12.0 * 32 * 2 * (double)steps;
}

/* Four accumulators of two by two tiles, without loads. */
__attribute__((target("amx-tile,amx-bf16"))) static double
amx_bf16(long steps) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1};
  for (int i = 0; i < 8; ++i) {
    config.bytes[i] = 64;
    config.rows[i] = 16;
  }
  /* Some compilers assume that loading the configuration reads 8 bytes and
     delete the stores to the others. */
  __asm__ volatile("" : : "r"(&config) : "memory");
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (long i = 0; i < steps; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 4.0 * 16 * 16 * 32 * 2 * (double)steps;
}

static int threads = 1;
static __thread char *data; /* of read_memory */

/* The first call of a thread writes its part of READ_BYTES and flushes it from
   all caches; the second one reads it, once. So all of it comes from memory: a
   buffer of several times the L3, 1 GiB on some servers, would take longer to
   write than to read. */
__attribute__((target("avx2"))) static double read_memory(long steps) {
  size_t bytes = (size_t)READ_BYTES / (size_t)threads / 128 * 128;
  (void)steps;
  if (!data) {
    data = aligned_alloc(128, bytes);
    if (!data)
      exit(1);
    memset(data, 1, bytes);
    for (size_t at = 0; at < bytes; at += LINE)
      _mm_clflush(data + at);
    _mm_mfence();
    return 0;
  }
  __m256i sum[4] = {0};
  for (size_t at = 0; at < bytes; at += 128)
    for (size_t j = 0; j < 4; ++j)
      sum[j] = _mm256_add_epi32(
          sum[j], _mm256_load_si256((void *)(data + at + 32 * j)));
  for (int j = 0; j < 4; ++j)
    __asm__ volatile("" : : "x"(sum[j]));
  return (double)bytes;
}

typedef double (*Kernel)(long steps);
struct task {
  Kernel kernel;
  long steps;
  pthread_barrier_t *barrier;
  double work, begin, end;
};

static void *run(void *argument) {
  struct task *task = argument;
  task->kernel(task->steps / 10 + 1); /* warms up; read_memory: prepares */
  pthread_barrier_wait(task->barrier);
  task->begin = now();
  task->work = task->kernel(task->steps);
  task->end = now();
  free(data);
  return 0;
}

/* Work of all threads over the time from the first start to the last end, in
   units of 1e9 per second. */
static double measure(Kernel kernel, long steps) {
  pthread_barrier_t barrier;
  pthread_t ids[MAX_THREADS];
  static struct task tasks[MAX_THREADS];
  double work = 0, begin = 1e30, end = 0;
  pthread_barrier_init(&barrier, 0, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    tasks[i] = (struct task){kernel, steps, &barrier, 0, 0, 0};
    if (pthread_create(&ids[i], 0, run, &tasks[i])) {
      fprintf(stderr, "error: cannot create %d threads\n", threads);
      exit(1);
    }
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], 0);
    work += tasks[i].work;
    begin = tasks[i].begin < begin ? tasks[i].begin : begin;
    end = tasks[i].end > end ? tasks[i].end : end;
  }
  pthread_barrier_destroy(&barrier);
  return work / (end - begin) * 1e-9;
}

/* The fastest of five, because another process may interrupt some. */
static double best(Kernel kernel, long steps) {
  double most = 0;
  for (int i = 0; i < 5; ++i) {
    double rate = measure(kernel, steps / 5);
    most = rate > most ? rate : most;
  }
  return most;
}

static int has_bf16_dot(void) {
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx512f") &&
         __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 5 & 1);
}

/* The kernel permits the use of tiles on request. */
static int has_amx_bf16(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) &&
         syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, 18) == 0;
}

int main(int argc, char **argv) {
  threads = argc == 2 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: peaks THREADS, 1 to %d\n", MAX_THREADS);
    return 2;
  }
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    fprintf(stderr, "error: this processor has no AVX2 and FMA\n");
    return 1;
  }
  Kernel fma = __builtin_cpu_supports("avx512f") ? fma_avx512 : fma_avx2;
  printf("{\"f32_fma\": %.1f", best(fma, 2000000));
  printf(", \"bf16_dot\": %.1f", has_bf16_dot() ? best(dot_bf16, 1000000) : 0);
  printf(", \"amx_bf16\": %.1f", has_amx_bf16() ? best(amx_bf16, 200000) : 0);
  printf(", \"read_gbs\": %.1f}\n", best(read_memory, 1));
  return 0;
}
