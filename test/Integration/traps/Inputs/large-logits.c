//===- large-logits.c - Large and equal scores ----------------------------===//
//
// Gaps between scores are over 100 or 0, so that weights are 1 / n or nothing.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { KEYS = 100, WIDE = 64 };

/* Keys from `winner` on, `count` of them, share all the weight. Scores are
   size * size, those of winners larger by size. */
static void check_f32(double size, int winner, int count) {
  problem p = make(1, 1, 20, KEYS, 4, 4);
  fill(p.Q, 20 * 4, 0), fill(p.K, KEYS * 4, 0);
  for (int i = 0; i < 20; ++i)
    p.Q[i * 4] = (float)size;
  for (int k = 0; k < KEYS; ++k)
    p.K[k * 4] =
        (float)(k >= winner && k < winner + count ? size * 1.01 : size);
  run("f32", &p, NULL, large, NULL, NULL);
  double score = size * p.K[winner * 4];
  for (int i = 0; i < 20; ++i) {
    expect("f32 lse", i, p.lse[i], score + log(count), 2e-7 * score + 1e-6);
    for (int d = 0; d < 4; ++d) {
      double mean = 0;
      for (int k = winner; k < winner + count; ++k)
        mean += p.V[k * 4 + d] / (double)count;
      expect("f32 O", i, p.O[i * 4 + d], mean, 1e-6);
    }
  }
  drop(&p);
}

/* Q is 300 or -300 and K 300, one key 299: scores of 720000, of which Q @ K is
   eight times as much. */
static void check_f16(int negative, int other) {
  static uint16_t data[4][KEYS * WIDE];
  int64_t q[4] = {1, 1, 5, WIDE}, k[4] = {1, 1, KEYS, WIDE};
  float row[5];
  for (int j = 0; j < KEYS * WIDE; ++j) {
    data[0][j] = negative ? 0xDCB0 : 0x5CB0;
    data[1][j] = j / WIDE == other ? 0x5CAC : 0x5CB0;
    data[2][j] = j / WIDE == other ? 0x4400 : 0x3C00; /* 4 or 1 */
  }
  attnc_tensor Q = typed(data[0], 2, 16, 4, q);
  attnc_tensor K = typed(data[1], 2, 16, 4, k);
  attnc_tensor V = typed(data[2], 2, 16, 4, k);
  attnc_tensor O = typed(data[3], 2, 16, 4, q);
  attnc_tensor lse = tensor(row, 3, q);
  expect_ok("f16", large_f16(&Q, &K, &V, &O, &lse, NULL));
  double wanted = negative ? -717600 : 720000 + log(KEYS - 1);
  for (int j = 0; j < 5; ++j)
    expect("f16 lse", j, row[j], wanted, 1);
  for (int j = 0; j < 5 * WIDE; ++j)
    expect("f16 O", j, data[3][j], negative ? 0x4400 : 0x3C00, 0);
}

/* All the weight on the largest score, or on both of two equal ones. */
static void check_cold(float temperature, int winners) {
  problem p = make(1, 1, 1, KEYS, 4, 4);
  double score[KEYS], mean[4] = {0, 0, 0, 0};
  attnc_tensor temp = tensor(&temperature, 0, NULL);
  for (int k = 0; k < KEYS; ++k)
    score[k] = k < winners ? 1 : -(double)(k % 7) / 8;
  for (int d = 0; d < 4; ++d)
    p.Q[d] = d == 0;
  for (int k = 0; k < KEYS; ++k)
    p.K[k * 4] = (float)score[k];
  for (int k = 0; k < winners; ++k)
    for (int d = 0; d < 4; ++d)
      mean[d] += p.V[k * 4 + d] / (double)winners;
  run("cold", &p, NULL, NULL, cold, &temp);
  for (int d = 0; d < 4; ++d)
    expect("cold O", d, p.O[d], mean[d], 1e-6);
  double wanted = 1 / (double)temperature + log(winners);
  expect("cold lse", 0, p.lse[0], wanted, 1e-6 * wanted);
  drop(&p);
}

int main(void) {
  const double sizes[] = {101, 1e4, 1e15};
  for (int j = 0; j < 3; ++j) {
    check_f32(sizes[j], 0, KEYS);
    check_f32(sizes[j], 0, 1);
    check_f32(sizes[j], 99, 1);
    check_f32(sizes[j], 63, 2);
  }
  check_f16(0, 70);
  check_f16(1, 70);
  check_f16(1, 0);
  const float temperatures[] = {1e-3f, 1e-6f, 1e-30f};
  for (int j = 0; j < 3; ++j)
    for (int winners = 1; winners < 3; ++winners)
      check_cold(temperatures[j], winners);
  return verdict("large logits");
}
