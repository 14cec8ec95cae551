/* compare.c: one spec on the CPU and on devices with OpenCL and Vulkan, in one
 * program.
 *
 *   attnc gpt2-small.yaml --set name=on_cpu
 *   attnc gpt2-small.yaml --set name=on_opencl -mcpu=opencl
 *   attnc gpt2-small.yaml --set name=on_vulkan -mcpu=vulkan
 *   cc -O2 compare.c on_cpu.o on_opencl.o on_vulkan.o -lm && ./a.out [LENGTH]
 *
 * All functions have the same interface: tensors of the host, which those of
 * devices copy to the device and back. Exits with 1 if a call fails or the
 * results differ.
 */
#define _POSIX_C_SOURCE 199309L
#include "on_cpu.h"
#include "on_opencl.h"
#include "on_vulkan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEADS = 12, WIDTH = 64 };

typedef attnc_status attention(const attnc_tensor *, const attnc_tensor *,
                               const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);

static const struct {
  const char *name;
  attention *function;
} devices[] = {{"OpenCL", on_opencl}, {"Vulkan", on_vulkan}};

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  fprintf(stderr, "error %d: %s\n", (int)status, text);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Milliseconds of the second call: the first one on a device loads its driver,
   which compiles the kernels. A negative number if a call fails. */
static double run(attention *function, float *data, float *result, size_t n,
                  int64_t length) {
  int64_t shape[4] = {1, HEADS, length, WIDTH};
  attnc_tensor t[4];
  for (int j = 0; j < 4; ++j)
    t[j] = (attnc_tensor){.data = j < 3 ? data + (size_t)j * n : result,
                          .device = {1, 0},
                          .ndim = 4,
                          .dtype = {2, 32, 1},
                          .shape = shape};
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  double start = 0;
  for (int call = 0; call < 2; ++call) {
    start = now();
    if (function(&t[0], &t[1], &t[2], &t[3], &runtime) != ATTNC_OK)
      return -1;
  }
  return 1e3 * (now() - start);
}

int main(int argc, char **argv) {
  int64_t length = argc > 1 ? atoll(argv[1]) : 256;
  if (length < 1 || length > 1 << 16) {
    fprintf(stderr, "usage: %s [LENGTH], 1 to 65536\n", argv[0]);
    return 2;
  }
  size_t n = (size_t)HEADS * (size_t)length * WIDTH;
  float *data = malloc(5 * n * sizeof *data);
  if (!data)
    return 1;
  for (size_t j = 0; j < 3 * n; ++j)
    data[j] = (float)rand() / (float)RAND_MAX - 0.5f;
  float *cpu = data + 3 * n, *device = data + 4 * n;
  double time = run(on_cpu, data, cpu, n, length);
  if (time < 0)
    return 1;
  printf("CPU      %.2f ms\n", time);
  double difference = 0;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
    time = run(devices[i].function, data, device, n, length);
    if (time < 0)
      return 1;
    printf("%s   %.2f ms, with copies\n", devices[i].name, time);
    for (size_t j = 0; j < n; ++j) {
      double one = fabs((double)cpu[j] - (double)device[j]);
      if (!(one <= difference)) /* NaN counts */
        difference = isnan(one) ? INFINITY : one;
    }
  }
  int is_equal = difference <= 1e-6;
  printf("check    %s: largest difference %.1e (limit 1e-06)\n",
         is_equal ? "passed" : "FAILED", difference);
  free(data);
  return is_equal ? 0 : 1;
}
