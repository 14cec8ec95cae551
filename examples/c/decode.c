/* decode.c: a prompt, then single rows, with a KV cache.
 *
 *   attnc ../specs/cached/gpt2.yaml && cc -O2 decode.c gpt2.o -lm && ./a.out
 *
 * Calls the layer of GPT-2 with 20 rows at once, and with the same rows as a
 * prompt of 12 and 8 calls of one row. Both must give the same Y. The next row
 * exceeds the capacity of the cache, so the call is refused. Exits with 1 on
 * any error.
 */
#include "gpt2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  HEADS = 12,
  WIDTH = 64,
  MODEL = HEADS * WIDTH,
  CAPACITY = 20,
  PROMPT = 12
};

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  fprintf(stderr, "error %d: %s\n", (int)status, text);
}

static float *randoms(size_t n, float scale) {
  float *x = malloc(n * sizeof *x);
  for (size_t i = 0; x && i < n; ++i)
    x[i] = scale * ((float)rand() / (float)RAND_MAX - 0.5f);
  return x;
}

/* State of the caller: the weights, the caches, and the number of stored rows.
 */
struct layer {
  float *lnw, *lnb, *wqkv, *bqkv, *wo, *bo, *k_cache, *v_cache;
  int32_t past;
};

/* Computes Y of the next `rows` rows of x. */
static attnc_status run(struct layer *layer, const float *x, int64_t rows,
                        float *Y) {
  gpt2_raw_args args = {
      .size = sizeof args,
      .batch = 1,
      .query_len = rows,
      .kv_len = CAPACITY,
      .x = x,
      .lnw = layer->lnw,
      .lnb = layer->lnb,
      .bo = layer->bo,
      .wqkv = layer->wqkv,
      .bqkv = layer->bqkv,
      .wo = layer->wo,
      .k_cache = layer->k_cache,
      .v_cache = layer->v_cache,
      .past = &layer->past,
      .Y = Y,
      .x_strides = {rows * MODEL, MODEL, 1},
      .lnw_strides = {1},
      .lnb_strides = {1},
      .bo_strides = {1},
      .wqkv_strides = {3 * MODEL, 1},
      .bqkv_strides = {1},
      .wo_strides = {MODEL, 1},
      .k_cache_strides = {HEADS * CAPACITY * WIDTH, CAPACITY * WIDTH, WIDTH, 1},
      .v_cache_strides = {HEADS * CAPACITY * WIDTH, CAPACITY * WIDTH, WIDTH, 1},
      .past_strides = {1},
      .Y_strides = {rows * MODEL, MODEL, 1}};
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  attnc_status status = gpt2_raw(&args, &runtime);
  if (status == ATTNC_OK)
    layer->past += (int32_t)rows;
  return status;
}

int main(void) {
  static float Y[CAPACITY * MODEL], again[CAPACITY * MODEL], rest[MODEL];
  size_t cache = (size_t)HEADS * CAPACITY * WIDTH;
  struct layer layer = {.lnw = randoms(MODEL, 1),
                        .lnb = randoms(MODEL, 1),
                        .wqkv = randoms((size_t)3 * MODEL * MODEL, 0.1f),
                        .bqkv = randoms((size_t)3 * MODEL, 1),
                        .wo = randoms((size_t)MODEL * MODEL, 0.1f),
                        .bo = randoms(MODEL, 1),
                        .k_cache = randoms(cache, 1),
                        .v_cache = randoms(cache, 1)};
  float *x = randoms((size_t)CAPACITY * MODEL, 2);

  if (run(&layer, x, CAPACITY, Y))
    return 1;
  layer.past = 0; /* from the start again */
  if (run(&layer, x, PROMPT, again))
    return 1;
  while (layer.past < CAPACITY) {
    size_t at = (size_t)layer.past * MODEL;
    if (run(&layer, x + at, 1, again + at))
      return 1;
  }
  double error = 0;
  for (size_t i = 0; i < (size_t)CAPACITY * MODEL; ++i)
    error = fmax(error, fabs(Y[i] - again[i]));
  int right = error <= 1e-5 && run(&layer, x, 1, rest) == ATTNC_BAD_VALUE;
  printf("check    %s: %d rows at once and one by one differ by %.1e\n",
         right ? "right" : "WRONG", CAPACITY, error);

  float *all[] = {layer.lnw, layer.lnb,     layer.wqkv,    layer.bqkv, layer.wo,
                  layer.bo,  layer.k_cache, layer.v_cache, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
  return right ? 0 : 1;
}
