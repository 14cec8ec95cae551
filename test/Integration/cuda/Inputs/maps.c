/* Calls the function `one` with tensors of the device in layouts that tensor
   maps have or do not have, and checks O = softmax(Q K^T / 8) V, causal, in bf16
   against float64. The argument is the layout of K and V. */
#include "one.h"

#include "device.h"

#include <math.h>
#include <string.h>

enum { HEADS = 2, ROWS = 100, DIM = 64, SPACE = HEADS * ROWS * (DIM + 16) + 16 };

static uint16_t host[4][SPACE]; /* what is not an element is a NaN */
static int64_t shape[4] = {1, HEADS, ROWS, DIM}, strides[4][4];
static int64_t first[4]; /* element */

static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static float widen(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

static uint16_t *element(int t, int h, int row, int d) {
  return &host[t][first[t] + h * strides[t][1] + row * strides[t][2] + d];
}

static void place(int t, int64_t begin, int64_t head, int64_t row) {
  first[t] = begin;
  strides[t][0] = 0; /* of an axis with one element */
  strides[t][1] = head;
  strides[t][2] = row;
  strides[t][3] = 1;
}

static void fill(void) {
  unsigned state = 1;
  memset(host, 0xff, sizeof host);
  for (int t = 0; t < 3; ++t)
    for (int h = 0; h < HEADS; ++h)
      for (int row = 0; row < ROWS; ++row)
        for (int d = 0; d < DIM; ++d) {
          state = state * 1664525u + 1013904223u;
          *element(t, h, row, d) = narrow((float)(state >> 8) / (1 << 23) - 1);
        }
}

static double error_of(void) {
  double worst = 0;
  for (int h = 0; h < HEADS; ++h)
    for (int q = 0; q < ROWS; ++q) {
      double weights[ROWS], sum = 0;
      for (int k = 0; k <= q; ++k) {
        double s = 0;
        for (int d = 0; d < DIM; ++d)
          s += (double)widen(*element(0, h, q, d)) *
               widen(*element(1, h, k, d));
        sum += weights[k] = exp(s / 8);
      }
      for (int d = 0; d < DIM; ++d) {
        double o = 0;
        for (int k = 0; k <= q; ++k)
          o += weights[k] * widen(*element(2, h, k, d));
        double error = fabs(o / sum - widen(*element(3, h, q, d)));
        worst = error > worst || isnan(error) ? error : worst;
      }
    }
  return worst;
}

int main(int argc, char **argv) {
  const char *layout = argc > 1 ? argv[1] : "dense";
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  attnc_tensor tensors[4];
  uint64_t memory[4];
  for (int t = 0; t < 4; ++t)
    place(t, 0, ROWS * DIM, DIM);
  for (int t = 1; t < 3; ++t)
    if (strcmp(layout, "gaps") == 0) /* by row, then by head, and of others */
      place(t, 8, DIM + 8, HEADS * (DIM + 8));
    else if (strcmp(layout, "odd") == 0)
      place(t, 0, ROWS * (DIM + 1), DIM + 1);
    else if (strcmp(layout, "shifted") == 0)
      place(t, 1, ROWS * DIM, DIM);
    else if (strcmp(layout, "shared") == 0) /* by the heads */
      place(t, 0, 0, DIM);
  fill();
  runtime.stream = make_stream(0);
  for (int t = 0; t < 4; ++t) {
    memory[t] = allocate(sizeof host[t]);
    copy_in(memory[t], host[t], sizeof host[t]);
    tensors[t] = (attnc_tensor){
        .data = (void *)(uintptr_t)(memory[t] + 2 * (uint64_t)first[t]),
        .device = {2, 0}, .ndim = 4, .dtype = {4, 16, 1}, .shape = shape,
        .strides = strides[t]};
  }
  if (one(&tensors[0], &tensors[1], &tensors[2], &tensors[3], &runtime))
    return 1;
  synchronize(runtime.stream);
  copy_out(host[3], memory[3], sizeof host[3]);
  printf("%s: %s\n", layout, error_of() < 1e-2 ? "correct" : "wrong");
  return 0;
}
