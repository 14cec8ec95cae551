/* Calls the function `two` with two sequences of ragged storage, of which the
   second is all NaNs, and checks that these do not reach the rows of the first:
   O = softmax(Q K^T / 8) V, in bf16, against float64. */
#include "two.h"

#include "device.h"

#include <math.h>
#include <string.h>

enum { QUERIES = 5, KEYS = 21, DIM = 64, ROWS = 2 * KEYS };

static uint16_t host[4][ROWS * DIM]; /* Q, K, V, O */
static const int32_t starts[2][3] = {{0, QUERIES, 2 * QUERIES},
                                     {0, KEYS, 2 * KEYS}};

static float widen(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

static void fill(void) {
  unsigned state = 1;
  memset(host, 0xff, sizeof host);
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < (t ? KEYS : QUERIES) * DIM; ++i) {
      state = state * 1664525u + 1013904223u;
      float value = (float)(state >> 8) / (1 << 23) - 1;
      uint32_t bits;
      memcpy(&bits, &value, sizeof bits);
      host[t][i] = (uint16_t)(bits >> 16);
    }
}

static double error_of(void) {
  double worst = 0;
  for (int q = 0; q < QUERIES; ++q) {
    double weights[KEYS], sum = 0;
    for (int k = 0; k < KEYS; ++k) {
      double s = 0;
      for (int d = 0; d < DIM; ++d)
        s += (double)widen(host[0][q * DIM + d]) * widen(host[1][k * DIM + d]);
      sum += weights[k] = exp(s / 8);
    }
    for (int d = 0; d < DIM; ++d) {
      double o = 0;
      for (int k = 0; k < KEYS; ++k)
        o += weights[k] * widen(host[2][k * DIM + d]);
      double error = fabs(o / sum - widen(host[3][q * DIM + d]));
      worst = error > worst || isnan(error) ? error : worst;
    }
  }
  return worst;
}

int main(void) {
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  static int64_t shapes[4][3] = {{2 * QUERIES, 1, DIM}, {2 * KEYS, 1, DIM},
                                 {2 * KEYS, 1, DIM}, {2 * QUERIES, 1, DIM}};
  static int64_t entries[1] = {3};
  attnc_tensor tensors[4], tables[2];
  uint64_t memory = 0;
  fill();
  runtime.stream = make_stream(0);
  for (int t = 0; t < 4; ++t) {
    memory = allocate(sizeof host[t]);
    copy_in(memory, host[t], sizeof host[t]);
    tensors[t] = (attnc_tensor){.data = (void *)(uintptr_t)memory,
                                .device = {2, 0}, .ndim = 3,
                                .dtype = {4, 16, 1}, .shape = shapes[t]};
  }
  for (int t = 0; t < 2; ++t) {
    uint64_t table = allocate(sizeof starts[t]);
    copy_in(table, starts[t], sizeof starts[t]);
    tables[t] = (attnc_tensor){.data = (void *)(uintptr_t)table,
                               .device = {2, 0}, .ndim = 1,
                               .dtype = {0, 32, 1}, .shape = entries};
  }
  if (two(&tensors[0], &tensors[1], &tensors[2], &tables[0], &tables[1],
          &tensors[3], &runtime))
    return 1;
  synchronize(runtime.stream);
  copy_out(host[3], memory, sizeof host[3]);
  printf("ragged: %s\n", error_of() < 1e-2 ? "correct" : "wrong");
  return 0;
}
