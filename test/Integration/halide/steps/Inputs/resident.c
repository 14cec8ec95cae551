/* Of resident.test: a layer with tensors of the host, and in buffers of OpenCL,
   compared with the part for CPUs. Counts what the queue copies. */
#include "count-opencl.h"
#include "layer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, ROWS = 21, MODEL = 48, WIDE = 64, NARROW = 32, TENSORS = 6 };

static const int64_t shapes[TENSORS][3] = {
    {BATCH, ROWS, MODEL}, {MODEL, WIDE}, {MODEL, NARROW},
    {MODEL, NARROW},      {WIDE, MODEL}, {BATCH, ROWS, MODEL}};

static void require(int is_ok, const char *what) {
  if (is_ok)
    return;
  printf("failed: %s\n", what);
  exit(2);
}

static size_t elements_of(int tensor) {
  size_t count = 1;
  for (int axis = 0; axis < (tensor % 5 ? 2 : 3); ++axis)
    count *= (size_t)shapes[tensor][axis];
  return count;
}

static attnc_status call(void *const *data, int32_t device,
                         const attnc_runtime *runtime) {
  attnc_tensor t[TENSORS];
  for (int i = 0; i < TENSORS; ++i)
    t[i] = (attnc_tensor){.data = data[i], .device = {device, 0},
                          .ndim = i % 5 ? 2 : 3, .dtype = {2, 32, 1},
                          .shape = (int64_t *)(uintptr_t)shapes[i]};
  reads = writes = copies = 0;
  return layer(&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], runtime);
}

static void compare(const char *name, const float *got, const float *want) {
  int differs = 0;
  for (size_t i = 0; i < elements_of(5); ++i)
    differs |= !(fabs(got[i] - want[i]) <= 1e-4);
  printf("%s: %s, reads %d, writes %d, copies %d\n", name,
         differs ? "different" : "equal", reads, writes, copies);
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  require(!clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  require(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
          "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  require(code == CL_SUCCESS, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  require(code == CL_SUCCESS, "clCreateCommandQueue");
  count(queue);

  void *host[TENSORS], *buffers[TENSORS];
  unsigned state = 1;
  for (int i = 0; i < TENSORS; ++i) {
    float *data = malloc(elements_of(i) * 4);
    for (size_t j = 0; j < elements_of(i); ++j) {
      state = state * 1664525u + 1013904223u;
      data[j] = ((float)(state >> 8) / (1 << 23) - 1) / (i ? 4 : 1);
    }
    host[i] = data;
  }
  float *want = malloc(elements_of(5) * 4), *got = host[5];
  host[5] = want;
  attnc_runtime cpu = {.size = sizeof cpu, .cpu = "x86-64-v3"};
  require(call(host, 1, &cpu) == ATTNC_OK, "the CPU");
  host[5] = got;

  attnc_runtime runtime = {.size = sizeof runtime, .cpu = "opencl",
                           .stream = queue};
  require(call(host, 1, &runtime) == ATTNC_OK, "tensors of the host");
  compare("on the host", got, want);

  for (int i = 0; i < TENSORS; ++i) {
    buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
                                elements_of(i) * 4, host[i], &code);
    require(code == CL_SUCCESS, "clCreateBuffer");
  }
  runtime.cpu = NULL;
  require(call(buffers, 4, &runtime) == ATTNC_OK, "tensors of the device");
  int seen = reads;
  memset(got, 0, elements_of(5) * 4);
  require(!clEnqueueReadBuffer(queue, buffers[5], CL_TRUE, 0,
                               elements_of(5) * 4, got, 0, NULL, NULL),
          "clEnqueueReadBuffer");
  reads = seen;
  compare("on the device", got, want);
  return 0;
}
