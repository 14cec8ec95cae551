//===- weights-without-shift.c - Weights that are no softmax --------------===//
//
// Lengths around vectors and tiles; NaN in masked keys and values; biases of
// -inf at every third pair; rows whose scores are all negative, so that relu
// leaves a sum of 0.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { MOST = 150 };
static float bias[MOST * MOST];

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double half_tanh(double x) { return 1 + tanh(x) / 2; }
static double relu(double x) { return x > 0 ? x : 0; }

static int causal(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b;
  return k <= i + p->keys - p->queries;
}

static double with_bias(const problem *p, double dot, int64_t h, int64_t i,
                        int64_t k) {
  (void)h;
  return dot / sqrt((double)p->dim) + bias[i * p->keys + k];
}

/* The last key is all NaN; only the last row sees it. */
static void check_sigmoids(int64_t queries, int64_t keys) {
  problem p = make(1, 2, queries, keys, 8, 8);
  attnc_tensor Q = tensor(p.Q, 4, p.q_shape), K = tensor(p.K, 4, p.k_shape);
  attnc_tensor V = tensor(p.V, 4, p.v_shape), O = tensor(p.O, 4, p.o_shape);
  p.mask = causal;
  p.weight = sigmoid;
  for (int64_t h = 0; h < 2 && keys; ++h) {
    fill(p.K + (h * keys + keys - 1) * 8, 8, NAN);
    fill(p.V + (h * keys + keys - 1) * 8, 8, NAN);
  }
  expect_ok("sigmoids", sigmoids(&Q, &K, &V, &O, NULL));
  expect_all("sigmoids", &p, 0, 1e-4);
  drop(&p);
}

static void check_biased(int64_t queries, int64_t keys, int divides) {
  int64_t shape[2] = {queries, keys};
  attnc_tensor t = tensor(bias, 2, shape);
  problem p = make(1, 2, queries, keys, 8, 8);
  attnc_tensor Q = tensor(p.Q, 4, p.q_shape), K = tensor(p.K, 4, p.k_shape);
  attnc_tensor V = tensor(p.V, 4, p.v_shape), O = tensor(p.O, 4, p.o_shape);
  p.score = with_bias;
  p.weight = divides ? relu : half_tanh;
  p.divides = divides;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t k = 0; k < keys; ++k)
      bias[i * keys + k] = (i + k) % 3 == 0 ? -INFINITY
                           : i % 4 == 1     ? -100
                                            : (float)uniform();
  if (divides)
    expect_ok("quotients", quotients(&Q, &K, &V, &t, &O, NULL));
  else
    expect_ok("biased", biased(&Q, &K, &V, &t, &O, NULL));
  expect_all(divides ? "quotients" : "biased", &p, 0, 1e-4);
  drop(&p);
}

int main(void) {
  int64_t lengths[] = {0, 1, 2, 15, 16, 17, 33, 63, 65, 100, 149};
  enum { COUNT = sizeof lengths / sizeof *lengths };
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < COUNT; ++k) {
      check_sigmoids(lengths[i], lengths[k]);
      check_biased(lengths[i], lengths[k], 0);
      check_biased(lengths[i], lengths[k], 1);
    }
  return verdict("weights without a shift");
}
