/* pack_weights.c: products of weights that are computed once,
 * examples/specs/low-rank-update.yaml.
 *
 *   attnc low-rank-update.yaml && cc -O2 pack_weights.c low_rank_update.o -lm
 * && ./a.out
 *
 * Packs the weights, calls the layer, changes an update, and packs again.
 * Compares the result with weights to which the update was added by hand.
 * Exits with 1 if a result is incorrect.
 */
#include "low_rank_update.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL = 256, RANK = 8, HEADS = 8, WIDTH = 32, LENGTH = 50 };

static float x[LENGTH * MODEL], Wq[MODEL * MODEL], Wk[MODEL * MODEL],
    Wv[MODEL * MODEL];
static float Aq[MODEL * RANK], Av[MODEL * RANK], Bq[RANK * MODEL],
    Bv[RANK * MODEL];
static float packed_q[MODEL * MODEL], packed_v[MODEL * MODEL];
static float O[HEADS * LENGTH * WIDTH], before[HEADS * LENGTH * WIDTH];

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  fprintf(stderr, "error %d: %s\n", (int)status, text);
}

static void fill(float *values, size_t count, float size) {
  for (size_t i = 0; i < count; ++i)
    values[i] = size * ((float)rand() / (float)RAND_MAX - 0.5f);
}

static attnc_tensor matrix(float *data, int64_t *shape) {
  attnc_tensor tensor = {
      .data = data, .device = {1, 0}, .ndim = 2, .dtype = {2, 32, 1}};
  tensor.shape = shape;
  return tensor;
}

static int64_t square[] = {MODEL, MODEL}, down[] = {MODEL, RANK},
               up[] = {RANK, MODEL};

/* Called once, and again when one of these weights has changed. */
static void pack(const attnc_runtime *runtime) {
  attnc_tensor wq = matrix(Wq, square), wv = matrix(Wv, square);
  attnc_tensor aq = matrix(Aq, down), av = matrix(Av, down);
  attnc_tensor bq = matrix(Bq, up), bv = matrix(Bv, up);
  attnc_tensor pq = matrix(packed_q, square), pv = matrix(packed_v, square);
  if (low_rank_update_pack_weights(&wq, &wv, &aq, &av, &bq, &bv, &pq, &pv,
                                   runtime))
    exit(1);
}

/* Passes the packed weights; weights that only packing needs are omitted. */
static void call(const attnc_runtime *runtime) {
  int64_t rows[] = {1, LENGTH, MODEL}, out[] = {1, HEADS, LENGTH, WIDTH};
  attnc_tensor input = matrix(x, rows), output = matrix(O, out);
  attnc_tensor wk = matrix(Wk, square);
  attnc_tensor pq = matrix(packed_q, square), pv = matrix(packed_v, square);
  input.ndim = 3;
  output.ndim = 4;
  if (low_rank_update(&input, &wk, &pq, &pv, &output, runtime))
    exit(1);
}

static void add_by_hand(float *w, const float *a, const float *b) {
  for (int i = 0; i < MODEL; ++i)
    for (int j = 0; j < MODEL; ++j)
      for (int r = 0; r < RANK; ++r)
        w[i * MODEL + j] += a[i * RANK + r] * b[r * MODEL + j];
}

static double difference(void) {
  double most = 0;
  for (size_t i = 0; i < sizeof O / sizeof *O; ++i)
    most = fmax(most, fabs((double)O[i] - before[i]));
  return most;
}

int main(void) {
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  fill(x, LENGTH * MODEL, 1), fill(Wk, MODEL * MODEL, 0.3f);
  fill(Wq, MODEL * MODEL, 0.3f), fill(Wv, MODEL * MODEL, 0.3f);
  fill(Bq, RANK * MODEL, 1), fill(Av, MODEL * RANK, 1),
      fill(Bv, RANK * MODEL, 1);

  pack(&runtime); /* Aq is 0 */
  call(&runtime);
  memcpy(before, O, sizeof O);
  fill(Aq, MODEL * RANK, 1);
  call(&runtime);
  double stale = difference();
  pack(&runtime);
  call(&runtime);
  double fresh = difference();
  memcpy(before, O, sizeof O);

  add_by_hand(Wq, Aq, Bq), memset(Aq, 0, sizeof Aq);
  add_by_hand(Wv, Av, Bv), memset(Av, 0, sizeof Av);
  pack(&runtime);
  call(&runtime);
  double by_hand = difference();

  printf("changed, not packed: differs by %g\nchanged and packed: differs by "
         "%.1e\n"
         "the same update by hand: differs by %.1e\n",
         stale, fresh, by_hand);
  return stale == 0 && fresh > 1e-3 && by_hand < 1e-4 ? 0 : 1;
}
