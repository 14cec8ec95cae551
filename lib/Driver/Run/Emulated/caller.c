//===- caller.c - Calls one function of an object -------------------------===//
//
// usage: caller FUNCTION REQUEST RESPONSE
//
// attnc-run compiles this for another platform, links it with an object and
// runs it in an emulator (lib/Driver/Run/EmulatedObject.cpp). REQUEST is a
// sequence of int64_t and bytes:
//
//   threads; bytes of the part's name and the name, or 0
//   tensors; for each: type code, bits, axes, extents, strides, bytes of its
//   block, position of its first element in the block; then all blocks
//
// RESPONSE: the status; bytes of the sentence and the sentence; all blocks.
// functions.c is generated (functions.h).
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "attnc_threads.h"

#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct block {
  char *data;
  size_t bytes;
};

static char sentence[4096];

static void keep_sentence(void *user, attnc_status status, const char *text) {
  (void)user, (void)status;
  strncpy(sentence, text, sizeof sentence - 1);
}

static void fail(const char *what) {
  fprintf(stderr, "caller: %s\n", what);
  exit(2);
}

static void get(FILE *file, void *to, size_t bytes) {
  if (bytes && fread(to, bytes, 1, file) != 1)
    fail("the request is too short");
}

static int64_t get_number(FILE *file) {
  int64_t number;
  get(file, &number, sizeof number);
  return number;
}

/* Memory that ends at a page that cannot be touched. */
static struct block make_block(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t mapped = (bytes + page - 1) / page * page + page;
  char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + mapped - page, page, PROT_NONE))
    fail("cannot map memory");
  struct block block = {memory + (mapped - page - bytes), bytes};
  return block;
}

static attnc_tensor get_tensor(FILE *file, struct block *block) {
  attnc_tensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.device.type = 1;
  tensor.dtype.code = (uint8_t)get_number(file);
  tensor.dtype.bits = (uint8_t)get_number(file);
  tensor.dtype.lanes = 1;
  tensor.ndim = (int32_t)get_number(file);
  size_t bytes = (size_t)tensor.ndim * sizeof(int64_t);
  tensor.shape = malloc(bytes + 1);
  tensor.strides = malloc(bytes + 1);
  get(file, tensor.shape, bytes);
  get(file, tensor.strides, bytes);
  *block = make_block((size_t)get_number(file));
  tensor.data = block->data + get_number(file);
  return tensor;
}

static const struct attnc_function *find(const char *name) {
  const struct attnc_function *function = attnc_functions;
  while (function->name && strcmp(function->name, name) != 0)
    ++function;
  if (!function->name)
    fail("there is no such function");
  return function;
}

static void respond(const char *path, attnc_status status,
                    const struct block *blocks, int64_t count) {
  FILE *file = fopen(path, "wb");
  int64_t numbers[] = {status, (int64_t)strlen(sentence)};
  if (!file)
    fail("cannot write the response");
  fwrite(numbers, sizeof numbers, 1, file);
  fwrite(sentence, (size_t)numbers[1], 1, file);
  for (int64_t t = 0; t < count; ++t)
    fwrite(blocks[t].data, 1, blocks[t].bytes, file);
  if (fclose(file))
    fail("cannot write the response");
}

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[2], "rb") : NULL;
  if (!file)
    fail("usage: caller FUNCTION REQUEST RESPONSE");
  attnc_runtime runtime;
  memset(&runtime, 0, sizeof runtime);
  runtime.size = sizeof runtime;
  runtime.threads = 1;
  runtime.report = keep_sentence;
  int32_t threads = (int32_t)get_number(file);
  char part[256] = "";
  int64_t length = get_number(file);
  if (length >= (int64_t)sizeof part)
    fail("the part's name is too long");
  get(file, part, (size_t)length);
  runtime.cpu = length ? part : NULL;
  attnc_threads *pool = NULL;
  if (threads > 1) {
    pool = attnc_threads_create(threads);
    attnc_threads_use(pool, &runtime);
  }
  int64_t count = get_number(file);
  attnc_tensor *tensors = calloc((size_t)count + 1, sizeof *tensors);
  attnc_tensor **pointers = calloc((size_t)count + 1, sizeof *pointers);
  struct block *blocks = calloc((size_t)count + 1, sizeof *blocks);
  for (int64_t t = 0; t < count; ++t) {
    tensors[t] = get_tensor(file, &blocks[t]);
    pointers[t] = &tensors[t];
  }
  for (int64_t t = 0; t < count; ++t)
    get(file, blocks[t].data, blocks[t].bytes);
  attnc_status status = find(argv[1])->call(pointers, &runtime);
  attnc_threads_destroy(pool);
  respond(argv[3], status, blocks, count);
  return 0;
}
