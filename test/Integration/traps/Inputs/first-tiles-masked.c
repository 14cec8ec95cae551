//===- first-tiles-masked.c - Rows whose first tiles are masked -----------===//
//
// By a window, whose tiles the compiler skips, and by a table, whose tiles it
// has to compute.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { KEYS = 600 };
static uint8_t visible[KEYS];

static int window(const problem *p, int64_t b, int64_t i, int64_t k) {
  int64_t q = i + p->keys - p->queries;
  (void)b;
  return q - 8 < k && k <= q;
}

static int table(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)p, (void)b, (void)i;
  return visible[k];
}

int main(void) {
  static const int64_t firsts[] = {63, 64, 65, 500, 599, 600};
  problem p = make(1, 1, 70, KEYS, 16, 16);
  p.mask = window;
  run("window", &p, NULL, late_window, NULL, NULL);
  expect_all("window", &p, 1, 2e-6);
  p.mask = table;
  for (int j = 0; j < 6; ++j) {
    int64_t shape[2] = {1, KEYS};
    attnc_tensor t = typed(visible, 6, 8, 2, shape);
    for (int k = 0; k < KEYS; ++k)
      visible[k] = k >= firsts[j];
    run("table", &p, NULL, NULL, late_table, &t);
    expect_all("table", &p, 1, 2e-6);
  }
  drop(&p);
  return verdict("first tiles masked");
}
