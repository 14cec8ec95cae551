/* Of opencl-abi.test and vulkan-abi.test: threads that make the first calls of the
   objects one and two, or a call that fails (`fails`, `large`), or one with a
   buffer of 256 MiB (`buffer`) or with 65536 tasks (`groups`). */
#include "one.h"
#include "two.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARIES
#include <dlfcn.h>
typedef attnc_status function(const attnc_tensor *, const attnc_tensor *,
                              const attnc_tensor *, const attnc_tensor *,
                              const attnc_runtime *);
static function *loaded_one, *loaded_two;
#define one loaded_one
#define two loaded_two
static void load(void) {
  one = (function *)dlsym(dlopen("./one.so", RTLD_NOW | RTLD_LOCAL), "one");
  two = (function *)dlsym(dlopen("./two.so", RTLD_NOW | RTLD_LOCAL), "two");
}
#else
static void load(void) {}
#endif

enum { HEADS = 2, ROWS = 37, DIM = 16, SIZE = HEADS * ROWS * DIM };

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("status %d: %s\n", (int)status, text);
}

/* In float64. */
static double error_of(float (*t)[SIZE], int causal) {
  double worst = 0;
  for (int h = 0; h < HEADS; ++h)
    for (int q = 0; q < ROWS; ++q) {
      double weights[ROWS], sum = 0;
      int keys = causal ? q + 1 : ROWS;
      for (int k = 0; k < keys; ++k) {
        double s = 0;
        for (int d = 0; d < DIM; ++d)
          s += (double)t[0][(h * ROWS + q) * DIM + d] *
               t[1][(h * ROWS + k) * DIM + d];
        sum += weights[k] = exp(s / 4);
      }
      for (int d = 0; d < DIM; ++d) {
        double o = 0;
        for (int k = 0; k < keys; ++k)
          o += weights[k] * t[2][(h * ROWS + k) * DIM + d];
        double error = fabs(o / sum - t[3][(h * ROWS + q) * DIM + d]);
        worst = error > worst ? error : worst;
      }
    }
  return worst;
}

static attnc_status call(float (*t)[SIZE], int causal,
                         const attnc_runtime *runtime) {
  int64_t shape[4] = {1, HEADS, ROWS, DIM};
  attnc_tensor tensors[4];
  for (int j = 0; j < 4; ++j)
    tensors[j] = (attnc_tensor){.data = t[j], .device = {1, 0}, .ndim = 4,
                                .dtype = {2, 32, 1}, .shape = shape};
  return causal ? one(&tensors[0], &tensors[1], &tensors[2], &tensors[3],
                      runtime)
                : two(&tensors[0], &tensors[1], &tensors[2], &tensors[3],
                      runtime);
}

/* Prints whether the call failed, else whether its result is right: all values
   are 1. */
static int call_limit(int has_groups) {
  int64_t batch = has_groups ? 32768 : 1, keys = has_groups ? 3 : 1 << 21;
  int64_t rows[4] = {batch, HEADS, 1, DIM}, wide[4] = {batch, HEADS, keys, DIM};
  size_t count = (size_t)(batch * HEADS * DIM);
  float *q = calloc(count, 4), *k = calloc(count * (size_t)keys, 4);
  float *v = malloc(count * (size_t)keys * 4), *o = calloc(count, 4);
  for (size_t i = 0; i < count * (size_t)keys; ++i)
    v[i] = 1;
  attnc_tensor t[4];
  float *data[4] = {q, k, v, o};
  for (int j = 0; j < 4; ++j)
    t[j] = (attnc_tensor){.data = data[j], .device = {1, 0}, .ndim = 4,
                          .dtype = {2, 32, 1},
                          .shape = j == 1 || j == 2 ? wide : rows};
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  attnc_status status = two(&t[0], &t[1], &t[2], &t[3], &runtime);
  int is_wrong = 0;
  for (size_t i = 0; i < count; ++i)
    is_wrong |= !(fabs(o[i] - 1) < 1e-4);
  if (status == ATTNC_OK)
    printf("computed: %s\n", is_wrong ? "wrong" : "right");
  return status == ATTNC_OK ? is_wrong : status != ATTNC_DEVICE_FAILED;
}

static void *work(void *argument) {
  long seed = (long)argument, wrong = 0;
  float (*t)[SIZE] = malloc(4 * sizeof *t);
  for (int round = 0; round < 3; ++round) {
    unsigned state = (unsigned)(seed * 3 + round + 1);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < SIZE; ++i) {
        state = state * 1664525u + 1013904223u;
        t[j][i] = (float)(state >> 8) / (1 << 23) - 1;
      }
    int causal = (int)(seed & 1);
    attnc_status status = call(t, causal, NULL);
    wrong += status != ATTNC_OK || !(error_of(t, causal) < 1e-5);
  }
  free(t);
  return (void *)wrong;
}

int main(int argc, char **argv) {
  load();
  if (argc > 1 && strcmp(argv[1], "fails") == 0) {
    static float t[4][SIZE];
    attnc_runtime runtime = {.size = sizeof runtime, .report = report};
    int has_failed = call(t, 1, &runtime) != ATTNC_OK;
    return call(t, 1, &runtime) == ATTNC_OK || !has_failed;
  }
  if (argc > 1 && (!strcmp(argv[1], "groups") || !strcmp(argv[1], "buffer")))
    return call_limit(strcmp(argv[1], "groups") == 0);
  if (argc > 1 && strcmp(argv[1], "large") == 0) {
    static float row[SIZE], result[SIZE];
    int64_t shape[4] = {1, HEADS, ROWS, DIM}, strides[4] = {0, 0, 0, 1};
    int64_t keys[4] = {1, HEADS, 1 << 27, DIM};
    attnc_tensor t = {.data = row, .device = {1, 0}, .ndim = 4,
                      .dtype = {2, 32, 1}, .shape = shape};
    attnc_tensor wide = t, output = t;
    wide.shape = keys;
    wide.strides = strides;
    output.data = result;
    attnc_runtime runtime = {.size = sizeof runtime, .report = report};
    return two(&t, &wide, &wide, &output, &runtime) != ATTNC_NO_MEMORY;
  }
  pthread_t threads[8];
  long wrong = 0;
  for (long i = 0; i < 8; ++i)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 8; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  printf("8 threads: %ld wrong\n", wrong);
  return wrong != 0;
}
