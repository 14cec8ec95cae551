//===- ragged-ends.c - Ends of the key axis in a tile ---------------------===//
//
// All scores are near -40: one key too many, with a score of 0, would take
// all the weight. Each V is 1, so each value of O is.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static double product(const problem *p, double dot, int64_t h, int64_t i,
                      int64_t k) {
  (void)p, (void)h, (void)i, (void)k;
  return dot;
}

static double capped_product(const problem *p, double dot, int64_t h, int64_t i,
                             int64_t k) {
  (void)p, (void)h, (void)i, (void)k;
  return 60 * tanh(dot / 60);
}

/* All of Q is -1, of K 5 and of V 1: numbers that bf16 has. */
static void check_bf16(int64_t queries, int64_t keys) {
  uint16_t data[4][70 * 8];
  int64_t q[4] = {1, 1, queries, 8}, k[4] = {1, 1, keys, 8};
  float row[70];
  for (int j = 0; j < 70 * 8; ++j)
    data[0][j] = 0xBF80, data[1][j] = 0x40A0, data[2][j] = 0x3F80;
  attnc_tensor Q = typed(data[0], 4, 16, 4, q);
  attnc_tensor K = typed(data[1], 4, 16, 4, k);
  attnc_tensor V = typed(data[2], 4, 16, 4, k);
  attnc_tensor O = typed(data[3], 4, 16, 4, q);
  attnc_tensor lse = tensor(row, 3, q);
  expect_ok("bf16", low_bf16(&Q, &K, &V, &O, &lse, NULL));
  for (int64_t j = 0; j < queries * 8; ++j)
    expect("bf16 O", j, data[3][j], 0x3F80, 0);
  for (int64_t j = 0; j < queries; ++j)
    expect("bf16 lse", j, row[j], log((double)keys) - 40, 1e-5);
}

int main(void) {
  static const int64_t lengths[] = {1, 2, 7, 15, 17, 31, 33, 63, 65, 70};
  for (int n = 0; n < 10; ++n)
    for (int m = 0; m < 10; m += 3) {
      problem p = make(1, 1, lengths[m], lengths[n], 8, 8);
      fill(p.V, lengths[n] * 8, 1);
      for (int64_t j = 0; j < lengths[m] * 8; ++j)
        p.Q[j] = -1;
      for (int64_t j = 0; j < lengths[n] * 8; ++j)
        p.K[j] = 5 + p.K[j] / 10;
      p.score = product;
      run("product", &p, NULL, low, NULL, NULL);
      expect_all("product", &p, 1, 2e-6);
      p.score = capped_product;
      run("softcap", &p, NULL, capped, NULL, NULL);
      expect_all("softcap", &p, 1, 4e-6);
      check_bf16(lengths[m], lengths[n]);
      drop(&p);
    }
  return verdict("ragged ends");
}
