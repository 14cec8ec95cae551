//===- allowed-nan.c - NaN at keys that are seen --------------------------===//
//
// The definition in double says which values are NaN, and how large the
// others are.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { KEYS = 150, DIM = 16 };

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)p, (void)b;
  return i - 9 < k && k <= i;
}

int main(void) {
  static const int64_t places[] = {0, 63, 64, 100, 149};
  for (int j = 0; j < 5; ++j)
    for (int in_values = 0; in_values < 2; ++in_values) {
      problem p = make(1, 1, KEYS, KEYS, DIM, DIM);
      p.mask = mask;
      int64_t place = places[j] * DIM + 3;
      (in_values ? p.V : p.K)[place] = NAN;
      run("seen", &p, NULL, seen, NULL, NULL);
      expect_all(in_values ? "in V" : "in K", &p, 1, 2e-6);
      expect("the NaN", place, p.O[place], NAN, 0);
      if (in_values)
        expect("its neighbour", place, isnan(p.O[place + 1]), 0, 0);
      drop(&p);
    }
  return verdict("allowed NaN");
}
