//===- least-scores.c - Scores of the least number of f32 -----------------===//
//
// As a mask by pair, row 0 has it everywhere, row 1 at all but the last key, the
// others at every third. By key, with the other sign, everywhere. As a constant,
// the first rows have it everywhere. A sum with it is it, in f32.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

#include <float.h>

enum { ROWS = 30, KEYS = 150 };
static float bias[ROWS * KEYS];

static double by_pair_score(const problem *p, double dot, int64_t h, int64_t i,
                            int64_t k) {
  (void)h;
  float b = bias[i * p->keys + k];
  return b == -FLT_MAX ? b : dot / sqrt((double)p->dim) + b;
}

static double least_score(const problem *p, double dot, int64_t h, int64_t i,
                          int64_t k) {
  (void)p, (void)dot, (void)h, (void)i, (void)k;
  return -FLT_MAX;
}

static double constant_score(const problem *p, double dot, int64_t h,
                             int64_t i, int64_t k) {
  (void)h;
  return k < i - 5 ? dot / sqrt((double)p->dim) : -FLT_MAX;
}

/* Not lse: that of such a row is beyond what log2 has, so it is near -2.36e38
   (docs/math-accuracy.md). */
static void check(const char *name, problem *p) {
  expect_all(name, p, 0, 2e-6);
  drop(p);
}

int main(void) {
  int64_t shape[2] = {ROWS, KEYS};
  attnc_tensor t = tensor(bias, 2, shape);
  problem p = make(1, 1, ROWS, KEYS, 8, 8);
  p.score = by_pair_score;
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < KEYS; ++k) {
      int off = i == 0 ? 1 : i == 1 ? k < KEYS - 1 : (i + k) % 3 == 0;
      bias[i * KEYS + k] = off ? -FLT_MAX : (float)uniform();
    }
  run("by_pair", &p, NULL, NULL, by_pair, &t);
  check("by_pair", &p);

  int64_t keys[1] = {KEYS};
  t = tensor(bias, 1, keys);
  p = make(1, 1, ROWS, KEYS, 8, 8);
  p.score = least_score;
  for (int k = 0; k < KEYS; ++k)
    bias[k] = FLT_MAX;
  run("by_key", &p, NULL, NULL, by_key, &t);
  check("by_key", &p);

  p = make(1, 1, ROWS, KEYS, 8, 8);
  p.score = constant_score;
  run("constant", &p, NULL, constant, NULL, NULL);
  check("constant", &p);
  return verdict("least");
}
