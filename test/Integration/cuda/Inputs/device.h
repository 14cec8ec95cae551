/* The functions of CUDA's driver that the programs of these tests call. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("status %d: %s\n", (int)status, text);
}

/* Functions of the driver, which only some cases need. */
static void *driver;
static void *get(const char *name) {
  if (!driver)
    driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *function = driver ? dlsym(driver, name) : NULL;
  if (!function) {
    printf("no %s\n", name);
    exit(3);
  }
  return function;
}

static void need(int code, const char *what) {
  if (code) {
    printf("%s: %d\n", what, code);
    exit(3);
  }
}

static uint64_t allocate(size_t bytes) {
  uint64_t memory = 0;
  int (*function)(uint64_t *, size_t);
  *(void **)&function = get("cuMemAlloc_v2");
  need(function(&memory, bytes), "cuMemAlloc");
  return memory;
}

static void copy_in(uint64_t to, const void *from, size_t bytes) {
  int (*function)(uint64_t, const void *, size_t);
  *(void **)&function = get("cuMemcpyHtoD_v2");
  need(function(to, from, bytes), "cuMemcpyHtoD");
}

static void copy_out(void *to, uint64_t from, size_t bytes) {
  int (*function)(void *, uint64_t, size_t);
  *(void **)&function = get("cuMemcpyDtoH_v2");
  need(function(to, from, bytes), "cuMemcpyDtoH");
}

static void synchronize(void *stream) {
  int (*function)(void *);
  *(void **)&function = get("cuStreamSynchronize");
  need(function(stream), "cuStreamSynchronize");
}

/* As a program that uses CUDA: it has a context on the device. */
static void *make_stream(int device) {
  int (*initialize)(unsigned), (*retain)(void **, int), (*push)(void *);
  int (*create)(void **, unsigned);
  void *context, *stream = NULL;
  *(void **)&initialize = get("cuInit");
  *(void **)&retain = get("cuDevicePrimaryCtxRetain");
  *(void **)&push = get("cuCtxPushCurrent_v2");
  *(void **)&create = get("cuStreamCreate");
  need(initialize(0), "cuInit");
  need(retain(&context, device), "cuDevicePrimaryCtxRetain");
  need(push(context), "cuCtxPushCurrent");
  need(create(&stream, 0), "cuStreamCreate");
  return stream;
}

static int block_count(void) {
  int (*function)(void);
  *(void **)&function = get("mockBlockCount");
  return function();
}

static void *allocate_device(void *user, size_t bytes, size_t alignment) {
  (void)user;
  printf("allocate %d, aligned to %d\n", bytes > 0, (int)alignment);
  return (void *)(uintptr_t)allocate(bytes);
}

static void release_device(void *user, void *block) {
  (void)user;
  (void)block;
  printf("release\n");
}

