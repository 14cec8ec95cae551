//===- masked-nan.c - NaN and infinities at masked keys -------------------===//
//
// The result of a clean call is expected, up to rounding: a block in which NaN
// appears may be computed again in another order.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { KEYS = 200, DIM = 16, ROW = 100 };
static uint8_t visible[KEYS];

static void poison(float *data, int64_t key, double value) {
  fill(data + key * DIM, DIM, value);
}

/* The rows from `first` on, against those of the clean call. */
static void same(const char *what, const problem *p, const problem *clean,
                 int64_t first) {
  for (int64_t i = first; i < p->queries; ++i) {
    expect(what, i, p->lse[i], clean->lse[i], 2e-6);
    for (int64_t d = 0; d < DIM; ++d)
      expect(what, i, p->O[i * DIM + d], clean->O[i * DIM + d], 2e-6);
  }
}

static void copy(problem *to, const problem *from) {
  memcpy(to->Q, from->Q, sizeof(float) * KEYS * DIM);
  memcpy(to->K, from->K, sizeof(float) * KEYS * DIM);
  memcpy(to->V, from->V, sizeof(float) * KEYS * DIM);
}

int main(void) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  int64_t shape[2] = {1, KEYS};
  attnc_tensor t = typed(visible, 6, 8, 2, shape);
  problem clean = make(1, 1, KEYS, KEYS, DIM, DIM);
  problem p = make(1, 1, KEYS, KEYS, DIM, DIM);
  run("clean", &clean, NULL, by_window, NULL, NULL);
  for (int j = 0; j < 6; ++j) {
    /* A window of 9: no row from key + 9 on sees it, none before it either. */
    copy(&p, &clean);
    poison(j < 3 ? p.K : p.V, ROW, bad[j % 3]);
    run("window", &p, NULL, by_window, NULL, NULL);
    same("after the window", &p, &clean, ROW + 9);
    p.queries = ROW;
    same("before the window", &p, &clean, 0);
    p.queries = KEYS;
  }
  for (int k = 0; k < KEYS; ++k)
    visible[k] = k % 3 != 1;
  run("clean", &clean, NULL, NULL, by_table, &t);
  for (int j = 0; j < 6; ++j) {
    copy(&p, &clean);
    for (int k = 1; k < KEYS; k += 3)
      poison(j < 3 ? p.K : p.V, k, bad[j % 3]);
    run("table", &p, NULL, NULL, by_table, &t);
    same("table", &p, &clean, 0);
  }
  drop(&p), drop(&clean);
  return verdict("masked NaN");
}
