/* Calls the function `paged`, a decode step over keys in pages: two grids, a
   workspace and two tables that the entry checks. The result is compared with
   float64. The argument is the case. */
#include "paged.h"

#include "device.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, HEADS = 2, DIM = 16, PAGE = 16, WIDTH = 3, PAGES = 7 };

static float Q[BATCH][HEADS][DIM], O[BATCH][HEADS][DIM];
static float K[PAGES][PAGE][DIM], V[PAGES][PAGE][DIM];
static int32_t table[BATCH][WIDTH] = {{5, 0, 3}, {6, 2, 1}};
static int32_t length[BATCH] = {37, 5};

static struct {
  void *data;
  size_t bytes;
  int64_t shape[4];
  int32_t rank;
  uint64_t memory; /* of the device */
} arrays[6] = {{Q, sizeof Q, {BATCH, HEADS, 1, DIM}, 4, 0},
               {K, sizeof K, {PAGES, 1, PAGE, DIM}, 4, 0},
               {V, sizeof V, {PAGES, 1, PAGE, DIM}, 4, 0},
               {table, sizeof table, {BATCH, WIDTH}, 2, 0},
               {length, sizeof length, {BATCH}, 1, 0},
               {O, sizeof O, {BATCH, HEADS, 1, DIM}, 4, 0}};
static attnc_tensor tensors[6];

static void fill(float *to, size_t bytes, unsigned state) {
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    state = state * 1664525u + 1013904223u;
    to[i] = (float)(state >> 8) / (1 << 23) - 1;
  }
}

static double error_of(int b, int h) {
  double sum = 0, o[DIM] = {0}, worst = 0;
  for (int k = 0; k < length[b]; ++k) {
    const float *key = K[table[b][k / PAGE]][k % PAGE];
    double s = 0;
    for (int d = 0; d < DIM; ++d)
      s += (double)Q[b][h][d] * key[d];
    sum += exp(s / 4);
    for (int d = 0; d < DIM; ++d)
      o[d] += exp(s / 4) * V[table[b][k / PAGE]][k % PAGE][d];
  }
  for (int d = 0; d < DIM; ++d)
    worst = fmax(worst, fabs(o[d] / sum - O[b][h][d]));
  return worst;
}

static void check(void) {
  double worst = 0;
  for (int b = 0; b < BATCH; ++b)
    for (int h = 0; h < HEADS; ++h)
      worst = fmax(worst, error_of(b, h));
  printf("%s\n", worst < 1e-5 ? "correct" : "wrong");
}

static void describe(int is_on_device) {
  for (int t = 0; t < 6; ++t) {
    void *data = arrays[t].data;
    if (is_on_device) {
      arrays[t].memory = allocate(arrays[t].bytes);
      copy_in(arrays[t].memory, data, arrays[t].bytes);
      data = (void *)(uintptr_t)arrays[t].memory;
    }
    tensors[t] = (attnc_tensor){.data = data,
                                .device = {is_on_device ? 2 : 1, 0},
                                .ndim = arrays[t].rank,
                                .dtype = {t == 3 || t == 4 ? 0 : 2, 32, 1},
                                .shape = arrays[t].shape};
  }
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "host";
  int is_on_device = strcmp(mode, "host") != 0;
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  fill(&Q[0][0][0], sizeof Q, 1);
  fill(&K[0][0][0], sizeof K, 2);
  fill(&V[0][0][0], sizeof V, 3);
  if (strcmp(mode, "bad-table") == 0)
    table[1][2] = PAGES;
  if (is_on_device)
    runtime.stream = make_stream(0);
  describe(is_on_device);
  if (strcmp(mode, "allocator") == 0) {
    runtime.allocate = allocate_device;
    runtime.release = release_device;
  }
  if (paged(&tensors[0], &tensors[1], &tensors[2], &tensors[3], &tensors[4],
            &tensors[5], &runtime) != ATTNC_OK)
    return 0;
  if (is_on_device) {
    synchronize(runtime.stream);
    copy_out(O, arrays[5].memory, sizeof O);
  }
  check();
  printf("blocks: %d\n", block_count());
  return 0;
}
