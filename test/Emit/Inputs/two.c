//===- two.c - Calls both functions of one object -------------------------===//
//
// Every V is 1, so every O is 1 wherever a key may be seen.
//
//===----------------------------------------------------------------------===//

#include "two.h"

#include <stdio.h>

enum { ROWS = 5, COUNT = 2 * ROWS * 16 };
static float data[3][COUNT], output[COUNT], sums[2 * ROWS];
static int32_t documents[ROWS] = {0, 0, 3, 3, 3};

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("%s: %s\n", attnc_status_text(status), text);
}

static int is_one(void) {
  for (int i = 0; i < COUNT; ++i)
    if (output[i] != 1.0f)
      return 0;
  return 1;
}

int main(void) {
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  for (int i = 0; i < COUNT; ++i) {
    data[0][i] = data[1][i] = 0.0f;
    data[2][i] = 1.0f;
  }
  full_raw_args all = {.size = sizeof all,
                       .batch = 1,
                       .query_len = ROWS,
                       .kv_len = ROWS,
                       .Q = data[0],
                       .K = data[1],
                       .V = data[2],
                       .O = output,
                       .Q_strides = {0, ROWS * 16, 16, 1},
                       .K_strides = {0, ROWS * 16, 16, 1},
                       .V_strides = {0, ROWS * 16, 16, 1},
                       .O_strides = {0, ROWS * 16, 16, 1}};
  if (full_raw(&all, &runtime) != ATTNC_OK || !is_one())
    return 1;

  int64_t shape[4] = {1, 2, ROWS, 16}, rows[2] = {1, ROWS},
          heads[3] = {1, 2, ROWS};
  attnc_tensor t[6] = {{0}};
  for (int i = 0; i < 6; ++i) {
    t[i].device.type = 1;
    t[i].dtype.code = i == 3 ? 0 : 2;
    t[i].dtype.bits = 32;
    t[i].dtype.lanes = 1;
    t[i].ndim = i == 3 ? 2 : i == 5 ? 3 : 4;
    t[i].shape = i == 3 ? rows : i == 5 ? heads : shape;
    t[i].data = i < 3 ? (void *)data[i] : NULL;
    output[i] = 0;
  }
  t[3].data = documents;
  t[4].data = output;
  t[5].data = sums;
  if (packed(&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &runtime) != ATTNC_OK ||
      !is_one())
    return 2;
  /* Row 1 sees two keys of its document, row 4 three: log 2 and log 3. */
  printf("lse %.4f %.4f\n", sums[1], sums[4]);
  documents[4] = 2;
  return packed(&t[0], &t[1], &t[2], &t[3], &t[4], NULL, &runtime) ==
                 ATTNC_BAD_VALUE
             ? 0
             : 3;
}
