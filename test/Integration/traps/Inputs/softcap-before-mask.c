//===- softcap-before-mask.c - Softcap, then mask -------------------------===//
//
// Scores well past the cap of 1.5, so that a capped masked key would weigh
// much.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  int64_t q = i + p->keys - p->queries;
  (void)b;
  return q - 20 < k && k <= q;
}

static double score(const problem *p, double dot, int64_t h, int64_t i,
                    int64_t k) {
  (void)h, (void)i, (void)k;
  return 1.5 * tanh(dot / sqrt((double)p->dim) / 1.5);
}

int main(void) {
  static const int64_t rows[] = {1, 15, 90};
  for (int j = 0; j < 3; ++j) {
    problem p = make(1, 1, rows[j], 90, 16, 16);
    for (int64_t n = 0; n < rows[j] * 16; ++n)
      p.Q[n] *= 4;
    p.mask = mask;
    p.score = score;
    run("capped", &p, NULL, capped, NULL, NULL);
    expect_all("capped", &p, 1, 4e-6);
    drop(&p);
  }
  return verdict("softcap");
}
