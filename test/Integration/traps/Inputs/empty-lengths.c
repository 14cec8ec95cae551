//===- empty-lengths.c - Lengths of zero ----------------------------------===//
//
// O holds other numbers before, so that nothing written shows, and a value
// too many does, too.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static double sink(int64_t h) { return h < 9 ? 0.5 : 0; }

static int causal(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b;
  return k <= i + p->keys - p->queries;
}

static void check(int64_t batch, int64_t queries, int64_t keys) {
  problem p = make(batch, 2, queries, keys, 8, 8);
  int64_t end = batch * 2 * queries;
  for (int with_sink = 0; with_sink < 2; ++with_sink) {
    fill(p.O, end * 8 + 16, 7);
    fill(p.lse, end + 16, 7);
    p.sink = with_sink ? sink : NULL;
    p.mask = with_sink ? causal : NULL;
    run("lengths", &p, NULL, with_sink ? sunk : bare, NULL, NULL);
    expect_all("lengths", &p, 1, 2e-6);
    for (int n = 0; n < 16; ++n) {
      expect("behind O", n, p.O[end * 8 + n], 7, 0);
      expect("behind lse", n, p.lse[end + n], 7, 0);
    }
    for (int64_t row = 0; keys == 0 && row < end; ++row)
      expect("lse without keys", row, p.lse[row], with_sink ? 0.5 : -INFINITY,
             0);
  }
  drop(&p);
}

int main(void) {
  check(2, 3, 0);
  check(1, 70, 0);
  check(2, 0, 5);
  check(0, 3, 5);
  check(0, 0, 0);
  check(1, 0, 0);
  return verdict("empty lengths");
}
