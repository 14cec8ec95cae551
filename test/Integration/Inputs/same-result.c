//===- same-result.c - One result, however a call is made -----------------===//
//
// O in the place of Q, threads, a caller's workspace, the raw entry, another
// memory order of all tensors: the bits of the result are always those of the
// plain call.
//
//===----------------------------------------------------------------------===//

#include "gpt2_small.h"

#include "attnc_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, HEADS = 12, WIDTH = 64, MOST = BATCH * HEADS * 200 * WIDTH };
static float Q[MOST], K[MOST], V[MOST], expected[MOST], O[MOST], mixed[MOST];
static int64_t q_shape[4] = {BATCH, HEADS, 0, WIDTH};
static int64_t k_shape[4] = {BATCH, HEADS, 0, WIDTH};

static attnc_tensor tensor(float *data, int64_t *shape, int64_t *strides) {
  attnc_tensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.device.type = 1;
  t.ndim = 4;
  t.dtype.code = 2;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  t.strides = strides;
  return t;
}

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("%s: %s\n", attnc_status_text(status), text);
}

static int call(float *q, float *o, const attnc_runtime *runtime) {
  attnc_tensor t[4] = {tensor(q, q_shape, NULL), tensor(K, k_shape, NULL),
                       tensor(V, k_shape, NULL), tensor(o, q_shape, NULL)};
  return gpt2_small(&t[0], &t[1], &t[2], &t[3], runtime) == ATTNC_OK;
}

static int is_expected(const char *what, const float *result) {
  size_t bytes = (size_t)(BATCH * HEADS * q_shape[2] * WIDTH) * sizeof *result;
  if (memcmp(result, expected, bytes) == 0)
    return 1;
  printf("%s: another result at %d x %d\n", what, (int)q_shape[2],
         (int)k_shape[2]);
  return 0;
}

static int raw_is_expected(void) {
  int64_t q = q_shape[2] * WIDTH, k = k_shape[2] * WIDTH;
  gpt2_small_raw_args args = {.size = sizeof args,
                              .batch = BATCH,
                              .query_len = q_shape[2],
                              .kv_len = k_shape[2],
                              .Q = Q,
                              .K = K,
                              .V = V,
                              .O = O,
                              .Q_strides = {HEADS * q, q, WIDTH, 1},
                              .K_strides = {HEADS * k, k, WIDTH, 1},
                              .V_strides = {HEADS * k, k, WIDTH, 1},
                              .O_strides = {HEADS * q, q, WIDTH, 1}};
  return gpt2_small_raw(&args, NULL) == ATTNC_OK && is_expected("raw", O);
}

/* Q and O as [batch, query_len, heads, 64]. */
static int order_is_expected(attnc_runtime *runtime) {
  int64_t rows = q_shape[2];
  int64_t strides[4] = {rows * HEADS * WIDTH, WIDTH, HEADS * WIDTH, 1};
  for (int64_t i = 0; i < BATCH * HEADS * rows; ++i) {
    int64_t b = i / (HEADS * rows), h = i / rows % HEADS, r = i % rows;
    memcpy(mixed + ((b * rows + r) * HEADS + h) * WIDTH, Q + i * WIDTH,
           WIDTH * sizeof(float));
  }
  attnc_tensor t[4] = {tensor(mixed, q_shape, strides),
                       tensor(K, k_shape, NULL), tensor(V, k_shape, NULL),
                       tensor(mixed, q_shape, strides)};
  if (gpt2_small(&t[0], &t[1], &t[2], &t[3], runtime) != ATTNC_OK)
    return 0;
  for (int64_t i = 0; i < BATCH * HEADS * rows; ++i) {
    int64_t b = i / (HEADS * rows), h = i / rows % HEADS, r = i % rows;
    memcpy(O + i * WIDTH, mixed + ((b * rows + r) * HEADS + h) * WIDTH,
           WIDTH * sizeof(float));
  }
  return is_expected("memory order, in place", O);
}

static int all_are_expected(attnc_threads *pool) {
  attnc_runtime plain = {.size = sizeof plain, .report = report};
  attnc_runtime threads = plain, workspace = plain;
  attnc_threads_use(pool, &threads);
  workspace.workspace_bytes =
      gpt2_small_workspace(BATCH, q_shape[2], k_shape[2], 1);
  char *block = malloc(workspace.workspace_bytes + 64);
  workspace.workspace = block + (64 - (size_t)block % 64);
  int right = block && call(Q, expected, &plain);
  right = right && call(Q, O, &threads) && is_expected("threads", O);
  right = right && call(Q, O, &workspace) && is_expected("workspace", O);
  right = right && raw_is_expected() && order_is_expected(&plain);
  memcpy(O, Q, sizeof O);
  right = right && call(O, O, &threads) && is_expected("in place", O);
  free(block);
  return right;
}

int main(void) {
  static const int64_t lengths[][2] = {{1, 1},   {1, 200}, {17, 17},
                                       {65, 40}, {64, 64}, {200, 200}};
  for (int i = 0; i < MOST; ++i) {
    Q[i] = (float)(rand() % 2001 - 1000) / 500;
    K[i] = (float)(rand() % 2001 - 1000) / 500;
    V[i] = (float)(rand() % 2001 - 1000) / 500;
  }
  attnc_threads *pool = attnc_threads_create(3);
  int right = pool != NULL;
  for (unsigned i = 0; right && i < sizeof lengths / sizeof *lengths; ++i) {
    q_shape[2] = lengths[i][0];
    k_shape[2] = lengths[i][1];
    right = all_are_expected(pool);
  }
  attnc_threads_destroy(pool);
  printf("%s\n", right ? "one result" : "WRONG");
  return !right;
}
