//===- alibi-slopes.c - Slopes of twelve heads by two rules ---------------===//
//
// The slopes are written as the two models' own code makes them.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { HEADS = 12 };
static double slopes[HEADS];

/* BLOOM: those of 8 heads, then every second one of 16. */
static void bloom(void) {
  for (int h = 0; h < 8; ++h)
    slopes[h] = pow(2, -(h + 1.0));
  for (int h = 8; h < HEADS; ++h)
    slopes[h] = pow(2, -0.5 * (2 * (h - 8) + 1));
}

/* MPT: those of 16 heads, the second, fourth ... first. */
static void mpt(void) {
  for (int h = 0; h < HEADS; ++h)
    slopes[h] = pow(2, -0.5 * (h < 8 ? 2 * h + 2 : 2 * (h - 8) + 1));
}

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b;
  return k <= i + p->keys - p->queries;
}

static double score(const problem *p, double dot, int64_t h, int64_t i,
                    int64_t k) {
  int64_t q = i + p->keys - p->queries;
  return dot / sqrt((double)p->dim) + slopes[h] * (double)(k - q);
}

int main(void) {
  problem p = make(1, HEADS, 20, 70, 4, 4);
  p.mask = mask;
  p.score = score;
  bloom();
  run("floor", &p, NULL, floors, NULL, NULL);
  expect_all("floor", &p, 1, 4e-6);
  mpt();
  run("ceil", &p, NULL, ceils, NULL, NULL);
  expect_all("ceil", &p, 1, 4e-6);
  drop(&p);
  return verdict("alibi");
}
