//===- minus-infinity-scores.c - Scores of minus infinity -----------------===//
//
// Row 0 has them everywhere, row 1 at all but the last key, row 2 at the
// first 100, the others at every third.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { ROWS = 30, KEYS = 150 };
static float bias[ROWS * KEYS];

static double score(const problem *p, double dot, int64_t h, int64_t i,
                    int64_t k) {
  (void)h;
  return dot / sqrt((double)p->dim) + bias[i * p->keys + k];
}

int main(void) {
  int64_t shape[2] = {ROWS, KEYS};
  attnc_tensor t = tensor(bias, 2, shape);
  problem p = make(1, 1, ROWS, KEYS, 8, 8);
  p.score = score;
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < KEYS; ++k) {
      int off = i == 0   ? 1
                : i == 1 ? k < KEYS - 1
                : i == 2 ? k < 100
                         : (i + k) % 3 == 0;
      bias[i * KEYS + k] = off ? -INFINITY : (float)uniform();
    }
  run("bias", &p, NULL, NULL, biased, &t);
  expect_all("bias", &p, 1, 2e-6);
  drop(&p);
  return verdict("minus infinity");
}
