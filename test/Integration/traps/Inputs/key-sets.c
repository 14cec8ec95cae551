//===- key-sets.c - The keys of a row, counted ----------------------------===//
//
// Weights are equal, so a key too many or too few shows in every feature of a
// row of O: 1 / count is compared, and 0 exactly.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { WIDTH = 160 };

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/* q is the position of the row on the key axis. */
static int causal(int64_t q, int64_t k) { return k <= q; }
static int window1(int64_t q, int64_t k) { return k == q; }
static int window64(int64_t q, int64_t k) { return q - 64 < k && k <= q; }
static int band35(int64_t q, int64_t k) { return q - 3 <= k && k <= q + 5; }
static int first17(int64_t q, int64_t k) {
  (void)q;
  return k < 17;
}
static int dilated3(int64_t q, int64_t k) { return (q - k) % 3 == 0; }
static int chunk24(int64_t q, int64_t k) {
  return floor_div(q, 24) == floor_div(k, 24);
}

typedef struct set {
  const char *name;
  four *function;
  int (*sees)(int64_t q, int64_t k);
  int top_left;
} set;

static void check(const set *s, int64_t queries, int64_t keys) {
  problem p = make(1, 1, queries, keys, 4, WIDTH);
  fill(p.Q, queries * 4, 0);
  fill(p.V, keys * WIDTH, 0);
  for (int64_t k = 0; k < keys; ++k)
    p.V[k * WIDTH + k] = 1;
  run(s->name, &p, s->function, NULL, NULL, NULL);
  for (int64_t i = 0; i < queries; ++i) {
    int64_t q = s->top_left ? i : i + keys - queries, count = 0;
    for (int64_t k = 0; k < keys; ++k)
      count += s->sees(q, k);
    for (int64_t k = 0; k < WIDTH; ++k) {
      double weight = k < keys && s->sees(q, k) ? 1.0 / (double)count : 0;
      expect(s->name, i * 1000 + k, p.O[i * WIDTH + k], weight, weight * 2e-6);
    }
  }
  drop(&p);
}

int main(void) {
  static const int64_t lengths[][2] = {
      {1, 1}, {1, 150}, {70, 150}, {150, 7}, {150, 150}, {65, 64}, {63, 129}};
  const set sets[] = {
      {"causal, bottom right", bottom_right, causal, 0},
      {"causal, top left", top_left, causal, 1},
      {"window(1)", window_1, window1, 0},
      {"window(64)", window_64, window64, 0},
      {"band(3, 5)", band_3_5, band35, 0},
      {"band(0, 0)", band_0_0, window1, 0},
      {"first(17)", first_17, first17, 0},
      {"chunk(24)", chunk_24, chunk24, 0},
      {"dilated(3)", dilated_3, dilated3, 0},
  };
  for (int s = 0; s < 9; ++s)
    for (int j = 0; j < 7; ++j)
      check(&sets[s], lengths[j][0], lengths[j][1]);
  return verdict("key sets");
}
