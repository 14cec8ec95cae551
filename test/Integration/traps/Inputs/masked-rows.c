//===- masked-rows.c - Rows without an allowed key ------------------------===//
//
// Sequence 0 has no keys, sequence 1 has 37; the first five rows of every
// sequence see none either.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static int32_t lengths[2] = {0, 37};

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)p;
  return k + 5 <= i && k < lengths[b];
}

static double sink(int64_t h) { return (double)h - 0.5; }

int main(void) {
  static const int64_t rows[] = {1, 5, 6, 70};
  for (int j = 0; j < 4; ++j) {
    problem p = make(2, 2, rows[j], 70, 8, 8);
    int64_t two = 2;
    attnc_tensor length = typed(lengths, 0, 32, 1, &two);
    p.mask = mask;
    run("bare", &p, NULL, NULL, bare, &length);
    expect_all("bare", &p, 1, 2e-6);
    expect("bare lse", 0, p.lse[0], -INFINITY, 0);
    p.sink = sink;
    run("sunk", &p, NULL, NULL, sunk, &length);
    expect_all("sunk", &p, 1, 2e-6);
    for (int64_t i = 0; i < 2 * rows[j]; ++i) {
      expect("sunk lse", i, p.lse[i], sink(i / rows[j]), 1e-6);
      expect("sunk O", i, p.O[i * 8], 0, 0);
    }
    drop(&p);
  }
  return verdict("masked rows");
}
