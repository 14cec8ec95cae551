//===- definition.h - A compiled function against naive double code -------===//
//
// What the programs of test/Integration/traps share: tensors, the definition of
// attention in double, and a count of the values that were compared. Included
// after the generated header.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_DEFINITION_H
#define ATTNC_TEST_DEFINITION_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 512 };

/* One call in memory. Q is [batch, heads, queries, dim], K and V have as many
   heads; all contiguous, f32. */
typedef struct problem {
  int64_t batch, heads, queries, keys, dim, value_dim;
  float *Q, *K, *V, *O, *lse;
  int64_t q_shape[4], k_shape[4], v_shape[4], o_shape[4];
  /* What the spec says; null: every key, dot / sqrt(dim), no sink. */
  int (*mask)(const struct problem *p, int64_t b, int64_t i, int64_t k);
  double (*score)(const struct problem *p, double dot, int64_t h, int64_t i,
                  int64_t k);
  double (*sink)(int64_t h);
  /* Instead of softmax: the weight of a score that is not -inf, and whether
     weights are divided by their sum (0 where that is 0). */
  double (*weight)(double score);
  int divides;
} problem;

static int64_t compared, wrong;

static inline double uniform(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 40) / (double)(1 << 23) - 1;
}

static inline attnc_tensor typed(void *data, int code, int bits, int ndim,
                                 int64_t *shape) {
  attnc_tensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.device.type = 1;
  t.ndim = ndim;
  t.dtype.code = (uint8_t)code;
  t.dtype.bits = (uint8_t)bits;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}

static inline attnc_tensor tensor(float *data, int ndim, int64_t *shape) {
  return typed(data, 2, 32, ndim, shape);
}

/* Never null, also for no elements. */
static inline float *numbers(int64_t count, int filled) {
  float *data = calloc((size_t)count + 16, sizeof *data);
  if (!data)
    exit(2);
  for (int64_t j = 0; filled && j < count; ++j)
    data[j] = (float)uniform();
  return data;
}

static inline void set_shape(int64_t *shape, int64_t a, int64_t b, int64_t c,
                             int64_t d) {
  shape[0] = a, shape[1] = b, shape[2] = c, shape[3] = d;
}

/* A problem with random Q, K and V in -1..1. */
static inline problem make(int64_t batch, int64_t heads, int64_t queries,
                           int64_t keys, int64_t dim, int64_t value_dim) {
  problem p;
  memset(&p, 0, sizeof p);
  p.batch = batch, p.heads = heads, p.queries = queries, p.keys = keys;
  p.dim = dim, p.value_dim = value_dim;
  p.Q = numbers(batch * heads * queries * dim, 1);
  p.K = numbers(batch * heads * keys * dim, 1);
  p.V = numbers(batch * heads * keys * value_dim, 1);
  p.O = numbers(batch * heads * queries * value_dim, 1);
  p.lse = numbers(batch * heads * queries, 1);
  set_shape(p.q_shape, batch, heads, queries, dim);
  set_shape(p.k_shape, batch, heads, keys, dim);
  set_shape(p.v_shape, batch, heads, keys, value_dim);
  set_shape(p.o_shape, batch, heads, queries, value_dim);
  return p;
}

static inline void drop(problem *p) {
  free(p->Q), free(p->K), free(p->V), free(p->O), free(p->lse);
}

static inline void fill(float *data, int64_t count, double value) {
  for (int64_t j = 0; j < count; ++j)
    data[j] = (float)value;
}

static inline double dot_of(const problem *p, int64_t bh, int64_t i,
                            int64_t k) {
  double dot = 0;
  for (int64_t d = 0; d < p->dim; ++d)
    dot += (double)p->Q[(bh * p->queries + i) * p->dim + d] *
           p->K[(bh * p->keys + k) * p->dim + d];
  return dot;
}

static inline int allowed(const problem *p, int64_t b, int64_t i, int64_t k) {
  return !p->mask || p->mask(p, b, i, k);
}

static inline double score_of(const problem *p, int64_t bh, int64_t i,
                              int64_t k) {
  double dot = dot_of(p, bh, i, k);
  return p->score ? p->score(p, dot, bh % p->heads, i, k)
                  : dot / sqrt((double)p->dim);
}

/* A row of O whose weights are no softmax. */
static inline void weighted(const problem *p, int64_t b, int64_t bh, int64_t i,
                            double *out) {
  double sum = 0;
  for (int64_t k = 0; k < p->keys; ++k) {
    double score = allowed(p, b, i, k) ? score_of(p, bh, i, k) : -INFINITY;
    double weight = score == -INFINITY ? 0 : p->weight(score);
    sum += weight;
    for (int64_t d = 0; weight != 0 && d < p->value_dim; ++d)
      out[d] += weight * p->V[(bh * p->keys + k) * p->value_dim + d];
  }
  for (int64_t d = 0; p->divides && sum != 0 && d < p->value_dim; ++d)
    out[d] /= sum;
}

/* One row of O from the definition; returns its logsumexp. A key that is masked
   is not looked at. */
static inline double reference(const problem *p, int64_t b, int64_t h,
                               int64_t i, double *out) {
  int64_t bh = b * p->heads + h;
  double sink = p->sink ? p->sink(h) : -INFINITY, max = sink, sum = 0;
  for (int64_t k = 0; k < p->keys; ++k)
    if (allowed(p, b, i, k)) {
      double score = score_of(p, bh, i, k);
      max = score > max ? score : max;
    }
  for (int64_t d = 0; d < p->value_dim; ++d)
    out[d] = 0;
  if (p->weight) {
    weighted(p, b, bh, i, out);
    return 0;
  }
  double base = max == -INFINITY ? 0 : max;
  for (int64_t k = 0; k < p->keys; ++k)
    if (allowed(p, b, i, k)) {
      double weight = exp(score_of(p, bh, i, k) - base);
      sum += weight;
      for (int64_t d = 0; d < p->value_dim; ++d)
        out[d] += weight * p->V[(bh * p->keys + k) * p->value_dim + d];
    }
  sum += exp(sink - base);
  for (int64_t d = 0; sum != 0 && d < p->value_dim; ++d)
    out[d] /= sum;
  return base + log(sum);
}

/* Infinities and NaN must be the same; 0 as a tolerance asks for equality. */
static inline void expect(const char *what, int64_t place, double got,
                          double wanted, double tolerance) {
  ++compared;
  if (isnan(wanted) ? isnan(got)
                    : got == wanted || fabs(got - wanted) <= tolerance)
    return;
  if (++wrong <= 5)
    printf("%s at %lld: got %.9g, expected %.9g\n", what, (long long)place, got,
           wanted);
}

static inline void expect_ok(const char *what, attnc_status status) {
  ++compared;
  if (status != ATTNC_OK && ++wrong)
    printf("%s: %s\n", what, attnc_status_text(status));
}

/* O and, where it is checked, lse of all rows. Rows without a sum of weights
   must be exact. */
static inline void expect_all(const char *what, const problem *p, int with_lse,
                              double tolerance) {
  double out[MOST_WIDTH];
  for (int64_t b = 0; b < p->batch; ++b)
    for (int64_t h = 0; h < p->heads; ++h)
      for (int64_t i = 0; i < p->queries; ++i) {
        int64_t row = (b * p->heads + h) * p->queries + i;
        double lse = reference(p, b, h, i, out);
        double allow = lse == -INFINITY ? 0 : tolerance;
        if (with_lse)
          expect(what, row, p->lse[row], lse, allow * (1 + fabs(lse)));
        for (int64_t d = 0; d < p->value_dim; ++d)
          expect(what, row, p->O[row * p->value_dim + d], out[d], allow);
      }
}

static inline void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("%s: %s\n", attnc_status_text(status), text);
}

typedef attnc_status four(const attnc_tensor *, const attnc_tensor *,
                          const attnc_tensor *, const attnc_tensor *,
                          const attnc_runtime *);
typedef attnc_status five(const attnc_tensor *, const attnc_tensor *,
                          const attnc_tensor *, const attnc_tensor *,
                          const attnc_tensor *, const attnc_runtime *);
typedef attnc_status six(const attnc_tensor *, const attnc_tensor *,
                         const attnc_tensor *, const attnc_tensor *,
                         const attnc_tensor *, const attnc_tensor *,
                         const attnc_runtime *);

/* Q, K, V, [input,] O[, lse]: which function it is depends on what is null. */
static inline void run(const char *what, const problem *call, four *plain,
                       five *with_lse, six *with_input, attnc_tensor *input) {
  problem p = *call;
  attnc_runtime runtime;
  memset(&runtime, 0, sizeof runtime);
  runtime.size = sizeof runtime;
  runtime.report = report;
  attnc_tensor Q = tensor(p.Q, 4, p.q_shape), K = tensor(p.K, 4, p.k_shape);
  attnc_tensor V = tensor(p.V, 4, p.v_shape), O = tensor(p.O, 4, p.o_shape);
  attnc_tensor lse = tensor(p.lse, 3, p.o_shape);
  if (plain)
    expect_ok(what, plain(&Q, &K, &V, &O, &runtime));
  if (with_lse)
    expect_ok(what, with_lse(&Q, &K, &V, &O, &lse, &runtime));
  if (with_input)
    expect_ok(what, with_input(&Q, &K, &V, input, &O, &lse, &runtime));
}

/* The result of the program. */
static inline int verdict(const char *what) {
  printf("%s: %lld values, %lld wrong\n", what, (long long)compared,
         (long long)wrong);
  return wrong != 0 || compared == 0;
}

#endif
