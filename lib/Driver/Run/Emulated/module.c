//===- module.c - Calls one function of an object without a libc ----------===//
//
// attnc-run compiles this for a platform without a hosted environment
// (WebAssembly) and links it with an object; module.mjs passes the request of
// caller.c and writes the response. Each block lies between guards: what writes
// there is reported, and what is read there is a NaN.
//
//===----------------------------------------------------------------------===//

#include "functions.h"

enum { GUARD = 64, PAGE = 65536 };

__attribute__((import_module("env"), import_name("fail"))) _Noreturn void
attnc_fail(const char *what);

extern char __heap_base;
static char *top;

/* Memory that is never released: an instance makes one call. */
__attribute__((export_name("reserve"))) char *attnc_reserve(size_t bytes,
                                                            size_t alignment) {
  uintptr_t begin = (uintptr_t)(top ? top : &__heap_base);
  begin = (begin + alignment - 1) & ~(uintptr_t)(alignment - 1);
  size_t has = __builtin_wasm_memory_size(0) * PAGE;
  if (bytes > UINTPTR_MAX - PAGE - begin)
    attnc_fail("out of memory");
  if (begin + bytes > has &&
      __builtin_wasm_memory_grow(0, (begin + bytes - has + PAGE - 1) / PAGE) ==
          (size_t)-1)
    attnc_fail("out of memory");
  top = (char *)(begin + bytes);
  return (char *)begin;
}

void *malloc(size_t bytes) { return attnc_reserve(bytes, 16); }
void free(void *block) { (void)block; }

void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  volatile char *target = to;
  const char *source = from;
  for (size_t i = 0; i < bytes; ++i) {
    size_t at = target < source ? i : bytes - 1 - i;
    target[at] = source[at];
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t bytes) {
  return memmove(to, from, bytes);
}

static int is_same_text(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return *a == *b;
}

static const char *sentence = "";

static void keep_sentence(void *user, attnc_status status, const char *text) {
  (void)user, (void)status;
  size_t length = 0;
  while (text[length])
    ++length;
  sentence = memcpy(attnc_reserve(length + 1, 1), text, length + 1);
}

/* One after the other, the last one first: the order must not matter. */
static attnc_status for_each(void *user, int64_t tasks,
                             void (*body)(void *context, int64_t task),
                             void *context) {
  (void)user;
  while (tasks-- > 0)
    body(context, tasks);
  return ATTNC_OK;
}

static const char *request;

static const char *get(size_t bytes) {
  const char *at = request;
  request += bytes;
  return at;
}

static int64_t get_number(void) {
  int64_t number;
  memcpy(&number, get(sizeof number), sizeof number);
  return number;
}

struct block {
  char *data;
  size_t bytes;
};

static struct block make_block(size_t bytes) {
  char *memory = attnc_reserve(bytes + 2 * GUARD, GUARD);
  memset(memory, -1, bytes + 2 * GUARD);
  struct block block = {memory + GUARD, bytes};
  return block;
}

static void check_guards(struct block block) {
  for (int i = 0; i < GUARD; ++i)
    if (block.data[-1 - i] != (char)-1 ||
        block.data[block.bytes + (size_t)i] != (char)-1)
      attnc_fail("the call wrote outside of a tensor");
}

static int64_t *get_numbers(int32_t count) {
  size_t bytes = (size_t)count * sizeof(int64_t);
  return memcpy(attnc_reserve(bytes, 8), get(bytes), bytes);
}

static void get_tensor(attnc_tensor *tensor, struct block *block) {
  memset(tensor, 0, sizeof *tensor);
  tensor->device.type = 1;
  tensor->dtype.code = (uint8_t)get_number();
  tensor->dtype.bits = (uint8_t)get_number();
  tensor->dtype.lanes = 1;
  tensor->ndim = (int32_t)get_number();
  tensor->shape = get_numbers(tensor->ndim);
  tensor->strides = get_numbers(tensor->ndim);
  *block = make_block((size_t)get_number());
  tensor->data = block->data + get_number();
}

static const struct attnc_function *find(const char *name) {
  const struct attnc_function *function = attnc_functions;
  while (function->name && !is_same_text(function->name, name))
    ++function;
  if (!function->name)
    attnc_fail("there is no such function");
  return function;
}

static char *put(char *at, const void *from, size_t bytes) {
  memcpy(at, from, bytes);
  return at + bytes;
}

/* The bytes of the response, after their number. */
static char *respond(attnc_status status, const struct block *blocks,
                     int64_t count) {
  int64_t numbers[] = {0, status, 0};
  while (sentence[numbers[2]])
    ++numbers[2];
  numbers[0] = 2 * (int64_t)sizeof(int64_t) + numbers[2];
  for (int64_t t = 0; t < count; ++t)
    numbers[0] += (int64_t)blocks[t].bytes;
  char *response = attnc_reserve(sizeof numbers + (size_t)numbers[0], 8);
  char *at = put(response, numbers, sizeof numbers);
  at = put(at, sentence, (size_t)numbers[2]);
  for (int64_t t = 0; t < count; ++t)
    at = put(at, blocks[t].data, blocks[t].bytes);
  return response;
}

__attribute__((export_name("run"))) char *attnc_run(const char *name,
                                                    const char *bytes) {
  attnc_runtime runtime;
  memset(&runtime, 0, sizeof runtime);
  request = bytes;
  runtime.size = sizeof runtime;
  runtime.threads = (int32_t)get_number();
  runtime.report = keep_sentence;
  if (runtime.threads > 1)
    runtime.parallel_for = for_each;
  size_t length = (size_t)get_number();
  char *part = attnc_reserve(length + 1, 1);
  *put(part, get(length), length) = 0;
  runtime.cpu = length ? part : NULL;
  int64_t count = get_number();
  attnc_tensor *tensors =
      (attnc_tensor *)attnc_reserve((size_t)count * sizeof *tensors, 16);
  attnc_tensor **pointers =
      (attnc_tensor **)attnc_reserve((size_t)count * sizeof *pointers, 16);
  struct block *blocks =
      (struct block *)attnc_reserve((size_t)count * sizeof *blocks, 16);
  for (int64_t t = 0; t < count; ++t) {
    get_tensor(&tensors[t], &blocks[t]);
    pointers[t] = &tensors[t];
  }
  for (int64_t t = 0; t < count; ++t)
    memcpy(blocks[t].data, get(blocks[t].bytes), blocks[t].bytes);
  attnc_status status = find(name)->call(pointers, &runtime);
  for (int64_t t = 0; t < count; ++t)
    check_guards(blocks[t]);
  return respond(status, blocks, count);
}
