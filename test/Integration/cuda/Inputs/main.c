/* Calls the function `one` with tensors of the host and of the device, and
   checks O = softmax(Q K^T / 4) V, causal, against float64. The argument is the
   case; the result and what the call reports are printed. */
#include "one.h"

#include "device.h"

#include <math.h>
#include <string.h>

enum { HEADS = 2, ROWS = 37, DIM = 16, SIZE = HEADS * ROWS * DIM };

static float host[4][SIZE];
static const char *texts[] = {"Q", "K", "V", "O"};

static void fill(void) {
  unsigned state = 1;
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < SIZE; ++i) {
      state = state * 1664525u + 1013904223u;
      host[t][i] = (float)(state >> 8) / (1 << 23) - 1;
    }
  memset(host[3], 0, sizeof host[3]);
}

static double error_of(void) {
  double worst = 0;
  for (int h = 0; h < HEADS; ++h)
    for (int q = 0; q < ROWS; ++q) {
      double weights[ROWS], sum = 0;
      for (int k = 0; k <= q; ++k) {
        double s = 0;
        for (int d = 0; d < DIM; ++d)
          s += (double)host[0][(h * ROWS + q) * DIM + d] *
               host[1][(h * ROWS + k) * DIM + d];
        sum += weights[k] = exp(s / 4);
      }
      for (int d = 0; d < DIM; ++d) {
        double o = 0;
        for (int k = 0; k <= q; ++k)
          o += weights[k] * host[2][(h * ROWS + k) * DIM + d];
        double error = fabs(o / sum - host[3][(h * ROWS + q) * DIM + d]);
        worst = error > worst ? error : worst;
      }
    }
  return worst;
}

static void check(const char *what) {
  printf("%s: %s\n", what, error_of() < 1e-5 ? "correct" : "wrong");
}

static attnc_tensor tensors[4];
static int64_t shape[4] = {1, HEADS, ROWS, DIM};

static attnc_status call(const attnc_runtime *runtime) {
  return one(&tensors[0], &tensors[1], &tensors[2], &tensors[3], runtime);
}

static void describe(int t, void *data, int type, int id) {
  tensors[t] = (attnc_tensor){.data = data, .device = {type, id}, .ndim = 4,
                              .dtype = {2, 32, 1}, .shape = shape};
}

/* O has gaps between its rows, which nobody may write. */
static int call_with_gaps(const attnc_runtime *runtime) {
  enum { STRIDE = DIM + 3 };
  static float wide[HEADS * ROWS * STRIDE];
  int64_t strides[4] = {HEADS * ROWS * STRIDE, ROWS * STRIDE, STRIDE, 1};
  for (int i = 0; i < HEADS * ROWS * STRIDE; ++i)
    wide[i] = -7;
  describe(3, wide, 1, 0);
  tensors[3].strides = strides;
  attnc_status status = call(runtime);
  for (int r = 0; r < HEADS * ROWS; ++r) {
    memcpy(&host[3][r * DIM], &wide[r * STRIDE], DIM * sizeof(float));
    for (int i = DIM; i < STRIDE; ++i)
      if (wide[r * STRIDE + i] != -7)
        printf("a gap was written\n");
  }
  return status;
}

static void call_on_device(attnc_runtime *runtime, int id) {
  uint64_t memory[4];
  void *stream = make_stream(0);
  runtime->stream = stream;
  for (int t = 0; t < 4; ++t) {
    memory[t] = allocate(sizeof host[t]);
    copy_in(memory[t], host[t], sizeof host[t]);
    describe(t, (void *)(uintptr_t)memory[t], 2, id);
  }
  if (call(runtime) != ATTNC_OK)
    return;
  copy_out(host[3], memory[3], sizeof host[3]);
  check("before the stream is synchronized");
  for (int again = 0; again < 2; ++again) {
    synchronize(stream);
    copy_out(host[3], memory[3], sizeof host[3]);
    check("after");
    if (again == 0 && call(runtime) != ATTNC_OK)
      return;
  }
  printf("blocks: %d\n", block_count());
}

static void call_on_host(const attnc_runtime *runtime) {
  memset(host[3], 0, sizeof host[3]);
  if (call(runtime) == ATTNC_OK)
    check("host");
}

/* More blocks than a grid has: nothing is launched, and no memory is needed. */
static void call_with_many_blocks(const attnc_runtime *runtime) {
  static int64_t many[4] = {1 << 30, HEADS, ROWS, DIM};
  for (int t = 0; t < 4; ++t) {
    describe(t, (void *)((uintptr_t)(t + 1) << 44), 2, 0);
    tensors[t].shape = many;
  }
  printf("%s\n", call(runtime) == ATTNC_OK ? "launched" : "not launched");
}

/* The stream is one of device 1, and no context is current, before and after
   the call. */
static void call_with_stream(attnc_runtime *runtime) {
  int (*pop)(void **), (*get_current)(void **);
  void *context;
  *(void **)&pop = get("cuCtxPopCurrent_v2");
  *(void **)&get_current = get("cuCtxGetCurrent");
  runtime->stream = make_stream(1);
  need(pop(&context), "cuCtxPopCurrent");
  call_on_host(runtime);
  need(get_current(&context), "cuCtxGetCurrent");
  printf("context: %s\n", context ? "left" : "none");
}

/* Calls before and after the device is reset, which destroys the context that
   the object keeps, and then also after somebody has made another one. */
static void reset_device(const attnc_runtime *runtime) {
  int (*reset)(int), (*retain)(void **, int);
  void *context;
  *(void **)&reset = get("cuDevicePrimaryCtxReset_v2");
  *(void **)&retain = get("cuDevicePrimaryCtxRetain");
  call_on_host(runtime);
  need(reset(0), "cuDevicePrimaryCtxReset");
  call_on_host(runtime);
  need(reset(0), "cuDevicePrimaryCtxReset");
  need(retain(&context, 0), "cuDevicePrimaryCtxRetain");
  call_on_host(runtime);
  call_on_host(runtime);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "host";
  attnc_runtime runtime = {.size = sizeof runtime, .report = report};
  if (argc > 2)
    runtime.cpu = argv[2];
  fill();
  for (int t = 0; t < 4; ++t)
    describe(t, host[t], 1, 0);
  if (strcmp(mode, "devices") == 0) {
    call_on_device(&runtime, 0);
    call_on_device(&runtime, 1);
  } else if (strncmp(mode, "device", 6) == 0) {
    call_on_device(&runtime, atoi(mode + 6));
  } else if (strcmp(mode, "many") == 0) {
    call_with_many_blocks(&runtime);
  } else if (strcmp(mode, "stream1") == 0) {
    call_with_stream(&runtime);
  } else if (strcmp(mode, "reset") == 0) {
    reset_device(&runtime);
  } else if (strcmp(mode, "mixed") == 0) {
    describe(1, host[1], 2, 0);
    printf("%s\n", texts[1]);
    return call(&runtime) == ATTNC_OK;
  } else if (strcmp(mode, "gaps") == 0) {
    if (call_with_gaps(&runtime) == ATTNC_OK)
      check(mode);
  } else {
    for (int again = 0; again < 2; ++again)
      if (call(&runtime) == ATTNC_OK)
        check(mode);
    if (strcmp(mode, "blocks") == 0)
      printf("blocks: %d\n", block_count());
  }
  return 0;
}
