/* Of opencl-tensors.test: calls with tensors in buffers of OpenCL, compared with the
   part for CPUs. */
#include "count-opencl.h"
#include "plain.h"
#include "steps.h"
#include "table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, ROWS = 37, DIM = 16, SIZE = HEADS * ROWS * DIM, ROOM = 4 * SIZE };

static void require(int is_ok, const char *what) {
  if (is_ok)
    return;
  printf("failed: %s\n", what);
  exit(2);
}

static cl_context context;
static cl_command_queue queue;
static attnc_runtime runtime;
static int32_t lengths[2] = {20, 37};

static void report(void *user, attnc_status status, const char *text) {
  printf("%s: status %d: %s\n", (const char *)user, (int)status, text);
}

static float at(unsigned i) {
  return (float)(i * 2654435761u >> 8) / (1 << 23) - 1;
}

/* A tensor of one call: its elements are at first + h * head + r * row + d in a
   buffer of ROOM floats. */
struct place {
  long first, head, row;
};
static const struct place dense = {0, ROWS * DIM, DIM};

static float expected[SIZE], host[4][ROOM];

/* Tensors t of the buffers, or of the host if there are none. */
static void describe(attnc_tensor *t, int64_t (*strides)[4], cl_mem *buffers,
                     const struct place *places) {
  static int64_t shape[4] = {1, HEADS, ROWS, DIM};
  for (int i = 0; i < 4; ++i) {
    const struct place *p = &places[i];
    strides[i][0] = SIZE;
    strides[i][1] = p->head;
    strides[i][2] = p->row;
    strides[i][3] = 1;
    t[i] = (attnc_tensor){.data = buffers ? (void *)buffers[i] : host[i],
                          .device = {buffers ? 4 : 1, 0},
                          .ndim = 4, .dtype = {2, 32, 1}, .shape = shape,
                          .strides = strides[i],
                          .byte_offset = (uint64_t)p->first * 4};
  }
}

static cl_mem make(cl_context of, size_t bytes) {
  cl_int code;
  cl_mem buffer = clCreateBuffer(of, CL_MEM_READ_WRITE, bytes, NULL, &code);
  require(code == CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

/* Fills host tensors for these places, and computes what is expected. */
static void prepare(const struct place *places) {
  attnc_tensor t[4];
  int64_t strides[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < ROOM; ++j)
      host[i][j] = 77;
  for (int i = 0; i < 3; ++i)
    for (int h = 0; h < HEADS; ++h)
      for (int r = 0; r < ROWS; ++r)
        for (int d = 0; d < DIM; ++d)
          host[i][places[i].first + h * places[i].head + r * places[i].row + d] =
              at((unsigned)(((i * HEADS + h) * ROWS + r) * DIM + d));
  describe(t, strides, NULL, places);
  attnc_runtime cpu = {.size = sizeof cpu, .cpu = "x86-64-v3"};
  attnc_tensor o = t[3];
  o.data = expected;
  o.strides = NULL;
  o.byte_offset = 0;
  require(plain(&t[0], &t[1], &t[2], &o, &cpu) == ATTNC_OK, "the CPU");
}

static float element(const float *data, const struct place *p, int h, int r, int d) {
  return data[p->first + h * p->head + r * p->row + d];
}

static void compare(const char *name, const float *data, const struct place *p) {
  double worst = 0;
  for (int h = 0; h < HEADS; ++h)
    for (int r = 0; r < ROWS; ++r)
      for (int d = 0; d < DIM; ++d) {
        double error = fabs(element(data, p, h, r, d) -
                            expected[(h * ROWS + r) * DIM + d]);
        worst = error <= 1e-5 ? worst : 1;
      }
  printf("%s: %s, reads %d, writes %d, copies %d\n", name,
         worst ? "different" : "equal", reads, writes, copies);
}

/* Calls `plain` with buffers that have these places; the result in host[3]. */
static void call(const char *name, const struct place *places, int in_place) {
  cl_mem buffers[4];
  attnc_tensor t[4];
  int64_t strides[4][4];
  prepare(places);
  for (int i = 0; i < 4; ++i) {
    buffers[i] = in_place && i == 3 ? buffers[0] : make(context, sizeof host[i]);
    if (!in_place || i < 3)
      require(!clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, sizeof host[i],
                                    host[i], 0, NULL, NULL),
              "clEnqueueWriteBuffer");
  }
  describe(t, strides, buffers, places);
  reads = writes = copies = 0;
  require(plain(&t[0], &t[1], &t[2], &t[3], &runtime) == ATTNC_OK, name);
  int seen = reads;
  require(!clEnqueueReadBuffer(queue, buffers[3], CL_TRUE, 0, sizeof host[3],
                               host[3], 0, NULL, NULL),
          "clEnqueueReadBuffer");
  reads = seen;
  compare(name, host[3], &places[3]);
  for (int i = 0; i < 4 - in_place; ++i)
    clReleaseMemObject(buffers[i]);
}

static void check_rest(const struct place *p) {
  int changed = 0;
  static char is_result[ROOM];
  memset(is_result, 0, sizeof is_result);
  for (int h = 0; h < HEADS; ++h)
    for (int r = 0; r < ROWS; ++r)
      for (int d = 0; d < DIM; ++d)
        is_result[p->first + h * p->head + r * p->row + d] = 1;
  for (int i = 0; i < ROOM; ++i)
    changed += !is_result[i] && host[3][i] != 77;
  printf("bytes around the results: %s\n", changed ? "changed" : "unchanged");
}

/* `table` with two sequences. */
static void call_table(const char *name, int32_t second) {
  int64_t shape[4] = {2, HEADS, ROWS, DIM}, two[1] = {2};
  enum { BYTES = 2 * SIZE * 4 };
  float *data = malloc(BYTES), *want = malloc(BYTES), *got = malloc(BYTES);
  for (int i = 0; i < 2 * SIZE; ++i)
    data[i] = at((unsigned)i);
  lengths[1] = second;
  attnc_tensor t[5];
  for (int i = 0; i < 5; ++i)
    t[i] = (attnc_tensor){.data = data, .device = {1, 0}, .ndim = 4,
                          .dtype = {2, 32, 1}, .shape = shape};
  t[3] = (attnc_tensor){.data = lengths, .device = {1, 0}, .ndim = 1,
                        .dtype = {0, 32, 1}, .shape = two};
  t[4].data = want;
  attnc_runtime cpu = {.size = sizeof cpu, .cpu = "x86-64-v3"};
  int fails = table(&t[0], &t[1], &t[2], &t[3], &t[4], &cpu) != ATTNC_OK;
  cl_mem buffers[5];
  for (int i = 0; i < 5; ++i) {
    buffers[i] = make(context, BYTES);
    clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, i == 3 ? 8 : BYTES,
                         i == 3 ? (void *)lengths : data, 0, NULL, NULL);
    t[i].data = buffers[i];
    t[i].device.type = 4;
  }
  reads = writes = copies = 0;
  runtime.user = (void *)name;
  attnc_status status = table(&t[0], &t[1], &t[2], &t[3], &t[4], &runtime);
  require((status != ATTNC_OK) == fails, name);
  int seen = reads;
  clEnqueueReadBuffer(queue, buffers[4], CL_TRUE, 0, BYTES, got, 0, NULL, NULL);
  int differs = 0;
  for (int i = 0; i < 2 * SIZE && !fails; ++i)
    differs |= !(fabs(got[i] - want[i]) <= 1e-5);
  if (!fails)
    printf("%s: %s, reads %d, writes %d, copies %d\n", name,
           differs ? "different" : "equal", seen, writes, copies);
  for (int i = 0; i < 5; ++i)
    clReleaseMemObject(buffers[i]);
  free(data), free(want), free(got);
}

static void call_host(const char *name, attnc_runtime *with) {
  const struct place places[4] = {dense, dense, dense, dense};
  attnc_tensor t[4];
  int64_t strides[4][4];
  prepare(places);
  describe(t, strides, NULL, places);
  reads = writes = copies = 0;
  require(plain(&t[0], &t[1], &t[2], &t[3], with) == ATTNC_OK, name);
  compare(name, host[3], &dense);
}

/* `steps` has two: y, and the attention, which cannot use K. */
static void call_steps(void) {
  int64_t shape[4] = {1, HEADS, ROWS, DIM}, shape_of_y[3] = {1, ROWS, 8};
  int64_t transposed[4] = {SIZE, ROWS * DIM, 1, ROWS};
  static float zeros[ROOM], y[ROWS * 8];
  cl_mem buffers[6];
  attnc_tensor t[6];
  for (int i = 0; i < 6; ++i) {
    buffers[i] = make(context, sizeof zeros);
    clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, sizeof zeros, zeros, 0,
                         NULL, NULL);
    t[i] = (attnc_tensor){.data = buffers[i], .device = {4, 0}, .ndim = 4,
                          .dtype = {2, 32, 1}, .shape = shape};
  }
  t[3].ndim = t[5].ndim = 3;
  t[3].shape = t[5].shape = shape_of_y;
  for (int i = 0; i < ROWS * 8; ++i)
    host[0][i] = 77;
  runtime.user = "second step";
  for (int is_good = 0; is_good < 2; ++is_good) {
    clEnqueueWriteBuffer(queue, buffers[5], CL_TRUE, 0, sizeof y, host[0], 0, NULL,
                         NULL);
    attnc_tensor k = t[1];
    if (!is_good) {
      k.strides = transposed;
      k.byte_offset = 4;
    }
    attnc_status status = steps(&t[0], &k, &t[2], &t[3], &t[4], &t[5], &runtime);
    require(status == (is_good ? ATTNC_OK : ATTNC_BAD_STRIDE), "steps");
    clEnqueueReadBuffer(queue, buffers[5], CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    int changed = 0;
    for (int i = 0; i < ROWS * 8; ++i)
      changed += y[i] != 77;
    printf("y: %s\n", changed ? "changed" : "unchanged");
  }
  for (int i = 0; i < 6; ++i)
    clReleaseMemObject(buffers[i]);
}

/* Bytes between places where a buffer can be bound. */
static size_t alignment(void) {
  cl_device_id device;
  cl_uint bits = 0;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
  require(bits >= 8, "CL_DEVICE_MEM_BASE_ADDR_ALIGN");
  return bits / 8;
}

static cl_mem make_part(cl_mem buffer) {
  cl_int code;
  cl_buffer_region region = {alignment(), 2 * SIZE * 4};
  cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE,
                                  CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  require(code == CL_SUCCESS, "clCreateSubBuffer");
  return part;
}

static void refuse(cl_command_queue other_queue, cl_context other) {
  const struct place places[4] = {dense, dense, dense, dense};
  attnc_tensor t[4], bad;
  int64_t strides[4][4];
  cl_mem buffers[4], foreign = make(other, sizeof host[0]);
  cl_mem small = make(context, SIZE * 4 - 4);
  for (int i = 0; i < 4; ++i)
    buffers[i] = make(context, sizeof host[i]);
  describe(t, strides, buffers, places);
#define REFUSED(name)                                                          \
  (runtime.user = name,                                                        \
   require(plain(&t[0], &bad, &t[2], &t[3], &runtime) != ATTNC_OK, name))
  bad = t[1];
  runtime.stream = NULL;
  REFUSED("no queue");
  runtime.stream = other_queue;
  REFUSED("out of order");
  runtime.stream = queue;
  bad.data = foreign;
  REFUSED("other context");
  bad.data = small;
  REFUSED("too small");
  bad = t[1];
  int64_t back[4] = {SIZE, ROWS * DIM, -DIM, 1};
  bad.strides = back;
  bad.byte_offset = 4 * DIM;
  REFUSED("before the begin");
  int64_t transposed[4] = {SIZE, ROWS * DIM, 1, ROWS};
  bad.strides = transposed;
  bad.byte_offset = 4;
  REFUSED("transposed at an odd offset");
  int64_t reversed[4] = {SIZE, ROWS * DIM, DIM, -1};
  bad.strides = reversed;
  bad.byte_offset = 4 * (DIM - 1);
  REFUSED("negative last stride");
  bad = t[1];
  cl_mem part = make_part(buffers[1]);
  bad.data = part;
  bad.strides = transposed;
  bad.byte_offset = alignment();
  REFUSED("transposed in a sub-buffer");
  bad = t[1];
  bad.data = host[1];
  bad.device.type = 1;
  REFUSED("mixed");
  bad = t[1];
  t[0].device.type = 7;
  REFUSED("Vulkan");
  t[0].device.type = 4;
  runtime.cpu = "x86-64-v3";
  REFUSED("part for CPUs");
  runtime.cpu = NULL;
  for (int i = 0; i < 4; ++i)
    clReleaseMemObject(buffers[i]);
  clReleaseMemObject(foreign), clReleaseMemObject(small), clReleaseMemObject(part);
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  require(!clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  require(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
          "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  require(code == CL_SUCCESS, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &code);
  require(code == CL_SUCCESS, "clCreateCommandQueue");
  count(queue);
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue unordered = clCreateCommandQueue(
      context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  require(code == CL_SUCCESS, "clCreateCommandQueue");
  runtime = (attnc_runtime){.size = sizeof runtime, .report = report,
                            .stream = queue};

  const struct place all_dense[4] = {dense, dense, dense, dense};
  call("dense", all_dense, 0);
  /* Rows with gaps, at offsets that no buffer can be bound at. */
  const struct place slices[4] = {{7, ROWS * 24, 24}, {SIZE + 1, ROWS * DIM, DIM},
                                  {64, DIM, HEADS * DIM}, {5, DIM, 2 * HEADS * DIM}};
  call("slices", slices, 0);
  struct place from_last = {SIZE + (ROWS - 1) * DIM, ROWS * DIM, -DIM};
  const struct place backwards[4] = {from_last, dense, from_last,
                                     {3, DIM, HEADS * DIM}};
  call("negative strides", backwards, 0);
  check_rest(&backwards[3]);
  call("in place", all_dense, 1);
  call_table("table", 37);
  call_table("bad table", 99);

  attnc_runtime copying = {.size = sizeof copying, .cpu = "opencl",
                           .stream = queue};
  call_host("tensors of the host", &copying);
  copying.stream = NULL;
  call_host("without a queue", &copying);

  runtime.report = report;
  refuse(unordered, other);
  call_steps();
  call("after failures", all_dense, 0);
  clReleaseCommandQueue(unordered), clReleaseContext(other);
  return 0;
}
