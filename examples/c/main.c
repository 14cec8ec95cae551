/* main.c: calls the compiled attention of examples/specs/gpt2-small.yaml.
 *
 *   attnc gpt2-small.yaml && cc -O2 main.c gpt2_small.o -lm && ./a.out [LENGTH]
 *
 * Fills Q, K and V with random numbers, calls the function, compares rows of
 * the result with a plain evaluation in double, and measures the time. Exits
 * with 1 if the result is incorrect.
 */
#define _POSIX_C_SOURCE 199309L
#include "gpt2_small.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEADS = 12, WIDTH = 64 };

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  fprintf(stderr, "error %d: %s\n", (int)status, text);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One row of the result in double, straight from the definition. */
static void reference_row(const float *q, const float *K, const float *V,
                          int64_t row, double *weights, double *out) {
  double max = -INFINITY, sum = 0;
  for (int64_t k = 0; k <= row; ++k) {
    weights[k] = 0;
    for (int d = 0; d < WIDTH; ++d)
      weights[k] += (double)q[d] * K[k * WIDTH + d];
    weights[k] /= sqrt(WIDTH);
    if (weights[k] > max)
      max = weights[k];
  }
  for (int d = 0; d < WIDTH; ++d)
    out[d] = 0;
  for (int64_t k = 0; k <= row; ++k) {
    double weight = exp(weights[k] - max);
    sum += weight;
    for (int d = 0; d < WIDTH; ++d)
      out[d] += weight * V[k * WIDTH + d];
  }
  for (int d = 0; d < WIDTH; ++d)
    out[d] /= sum;
}

/* The largest error over some 64 rows of each head. */
static double largest_error(const float *Q, const float *K, const float *V,
                            const float *O, int64_t length) {
  double *weights = malloc((size_t)length * sizeof *weights);
  double out[WIDTH], error = 0;
  int64_t step = length / 64 + 1;
  for (int h = 0; weights && h < HEADS; ++h)
    for (int64_t row = h % step; row < length; row += step) {
      size_t head = (size_t)h * (size_t)length * WIDTH;
      size_t at = head + (size_t)row * WIDTH;
      reference_row(Q + at, K + head, V + head, row, weights, out);
      for (int d = 0; d < WIDTH; ++d) {
        double difference = fabs(out[d] - O[at + (size_t)d]);
        if (isnan(difference))
          difference = INFINITY;
        if (difference > error)
          error = difference;
      }
    }
  free(weights);
  return weights ? error : INFINITY;
}

int main(int argc, char **argv) {
  int64_t length = argc > 1 ? atoll(argv[1]) : 1024;
  if (length < 1 || length > 1 << 20) {
    fprintf(stderr, "usage: %s [LENGTH], 1 to 1048576\n", argv[0]);
    return 2;
  }
  size_t n = (size_t)HEADS * (size_t)length * WIDTH;
  float *data = malloc(4 * n * sizeof *data);
  if (!data)
    return 1;
  for (size_t j = 0; j < 3 * n; ++j)
    data[j] = (float)rand() / (float)RAND_MAX - 0.5f;

  /* batch 1; a null strides pointer means contiguous. */
  int64_t shape[4] = {1, HEADS, length, WIDTH};
  attnc_tensor t[4];
  for (int j = 0; j < 4; ++j)
    t[j] = (attnc_tensor){.data = data + (size_t)j * n,
                          .device = {1, 0},
                          .ndim = 4,
                          .dtype = {2, 32, 1},
                          .shape = shape};
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};

  double best = INFINITY;
  for (int run = 0; run < 10; ++run) {
    double start = now();
    attnc_status status = gpt2_small(&t[0], &t[1], &t[2], &t[3], &runtime);
    if (status != ATTNC_OK)
      return 1;
    double seconds = now() - start;
    if (seconds < best)
      best = seconds;
  }

  double error =
      largest_error(data, data + n, data + 2 * n, data + 3 * n, length);
  /* Two multiply-adds per feature for each pair of a query and a key that it
     sees. */
  double flops =
      4.0 * WIDTH * HEADS * (double)length * (double)(length + 1) / 2;
  int right = error <= 1e-6;
  printf("check    %s: largest error %.1e (limit 1e-06)\n",
         right ? "passed" : "FAILED", error);
  printf("time     %.2f ms, %.1f GFLOP/s, one thread\n", best * 1e3,
         flops / best * 1e-9);
  free(data);
  return right ? 0 : 1;
}
