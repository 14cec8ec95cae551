//===- lse-and-sink.c - Natural logarithms and sinks ----------------------===//
//
// From no sink (-inf) to one that takes all the weight; no key at all leaves
// 0 and the sink.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

static float sinks[2];

static double sink(int64_t h) { return sinks[h]; }

static double warm_score(const problem *p, double dot, int64_t h, int64_t i,
                         int64_t k) {
  (void)h, (void)i, (void)k;
  return dot / sqrt((double)p->dim) / 4;
}

static void check(int64_t queries, int64_t keys) {
  int64_t heads = 2;
  attnc_tensor input = tensor(sinks, 1, &heads);
  problem p = make(2, 2, queries, keys, 8, 8);
  p.sink = sink;
  run("sink", &p, NULL, NULL, sunk, &input);
  expect_all("sink", &p, 1, 2e-6);
  p.score = warm_score;
  run("sink and temperature", &p, NULL, NULL, warm, &input);
  expect_all("sink and temperature", &p, 1, 2e-6);
  drop(&p);
}

int main(void) {
  static const float some[][2] = {
      {-INFINITY, 0}, {1, -3}, {30, 100}, {-100, 1e6f}, {-1e30f, 1e30f}};
  for (int j = 0; j < 5; ++j) {
    memcpy(sinks, some[j], sizeof sinks);
    check(1, 1), check(33, 70), check(3, 0), check(70, 65);
  }
  /* Equal scores of 0: the logarithm of the number of keys. */
  for (int64_t keys = 1; keys < 200; keys += 33) {
    problem p = make(1, 2, 3, keys, 8, 8);
    fill(p.Q, 2 * 3 * 8, 0);
    run("count", &p, NULL, bare, NULL, NULL);
    for (int j = 0; j < 6; ++j)
      expect("log of a count", keys, p.lse[j], log((double)keys), 1e-6);
    drop(&p);
  }
  return verdict("lse and sink");
}
