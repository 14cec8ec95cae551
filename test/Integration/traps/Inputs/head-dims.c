//===- head-dims.c - Widths that no vector divides ------------------------===//
//
// Lengths leave tiles that are not full, too. What stands behind the last
// value of O is not touched.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b;
  return k <= i + p->keys - p->queries;
}

static void check(const char *what, five *function, int64_t dim,
                  int64_t value_dim) {
  static const int64_t lengths[][2] = {{1, 1}, {17, 33}, {70, 65}, {1, 197}};
  for (int j = 0; j < 4; ++j) {
    problem p = make(1, 2, lengths[j][0], lengths[j][1], dim, value_dim);
    int64_t end = 2 * p.queries * value_dim;
    fill(p.O + end, 16, 7);
    p.mask = mask;
    run(what, &p, NULL, function, NULL, NULL);
    expect_all(what, &p, 1, 4e-6);
    for (int n = 0; n < 16; ++n)
      expect("behind O", n, p.O[end + n], 7, 0);
    drop(&p);
  }
}

int main(void) {
  check("1, 7", d1_v7, 1, 7);
  check("3, 1", d3_v1, 3, 1);
  check("40, 59", d40_v59, 40, 59);
  check("59, 40", d59_v40, 59, 40);
  check("111, 3", d111_v3, 111, 3);
  check("256, 112", d256_v112, 256, 112);
  return verdict("head dims");
}
