//===- values-in-keys.c - V as a view of K --------------------------------===//
//
// The same tensor twice and three times, then V as features 4 to 11 of K by
// its strides.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { LENGTH = 70 };

static int mask(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)p, (void)b;
  return k <= i;
}

static void check_same(int queries_too) {
  problem p = make(1, 2, LENGTH, LENGTH, 16, 16);
  attnc_tensor Q, O = tensor(p.O, 4, p.o_shape);
  attnc_tensor K = tensor(p.K, 4, p.k_shape), lse = tensor(p.lse, 3, p.o_shape);
  p.mask = mask;
  memcpy(p.V, p.K, sizeof(float) * 2 * LENGTH * 16);
  if (queries_too)
    memcpy(p.Q, p.K, sizeof(float) * 2 * LENGTH * 16);
  Q = tensor(p.Q, 4, p.q_shape);
  expect_ok("same", same(queries_too ? &K : &Q, &K, &K, &O, &lse, NULL));
  expect_all("same", &p, 1, 2e-6);
  drop(&p);
}

static void check_part(void) {
  problem p = make(1, 2, LENGTH, LENGTH, 16, 8);
  int64_t strides[4] = {2 * LENGTH * 16, LENGTH * 16, 16, 1};
  attnc_tensor Q = tensor(p.Q, 4, p.q_shape), K = tensor(p.K, 4, p.k_shape);
  attnc_tensor V = tensor(p.K + 4, 4, p.v_shape);
  attnc_tensor O = tensor(p.O, 4, p.o_shape), lse = tensor(p.lse, 3, p.o_shape);
  V.strides = strides;
  p.mask = mask;
  for (int j = 0; j < 2 * LENGTH; ++j)
    memcpy(p.V + j * 8, p.K + j * 16 + 4, 8 * sizeof(float));
  expect_ok("part", part(&Q, &K, &V, &O, &lse, NULL));
  expect_all("part", &p, 1, 2e-6);
  drop(&p);
}

int main(void) {
  check_same(0);
  check_same(1);
  check_part();
  return verdict("values in keys");
}
