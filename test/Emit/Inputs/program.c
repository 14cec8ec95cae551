/* A program for a platform whose libc is not here: what an object needs, and
   calls of its functions. start returns 0 if the results are correct. */
#include "gpt2_small.h"

static _Alignas(64) char pool[1 << 22];
static size_t used;

void *malloc(size_t bytes) {
  used += (bytes + 63) / 64 * 64;
  return used <= sizeof pool ? &pool[used - (bytes + 63) / 64 * 64] : 0;
}
void free(void *block) { (void)block; }
char *getenv(const char *name) { return (void)name, (char *)0; }
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}
void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
#ifdef _WIN32 /* of the C run-time library */
int _fltused;
void __chkstk(void);
void ___chkstk_ms(void);
__asm__(".globl __chkstk\n__chkstk:\n.globl ___chkstk_ms\n___chkstk_ms:\nret");
#endif

enum { HEADS = 12, QUERIES = 2, KEYS = 3, DIM = 64 };
static float q[HEADS * QUERIES * DIM], k[HEADS * KEYS * DIM];
static float v[HEADS * KEYS * DIM], o[HEADS * QUERIES * DIM];

static attnc_tensor tensor(float *data, int64_t *shape) {
  attnc_tensor made;
  memset(&made, 0, sizeof made);
  made.data = data;
  made.device.type = 1;
  made.ndim = 4;
  made.dtype.code = 2;
  made.dtype.bits = 32;
  made.dtype.lanes = 1;
  made.shape = shape;
  return made;
}

/* The last one first: the order must not matter. */
static attnc_status for_each(void *user, int64_t tasks,
                             void (*body)(void *context, int64_t task),
                             void *context) {
  *(int64_t *)user += tasks;
  while (tasks-- > 0)
    body(context, tasks);
  return ATTNC_OK;
}

/* With queries of zero each row is the mean of the values that it sees: of two
   or three here. */
static int count_errors(void) {
  int errors = 0;
  for (int row = 0; row < HEADS * QUERIES; ++row)
    for (int d = 0; d < DIM; ++d) {
      const float *values = &v[row / QUERIES * KEYS * DIM + d];
      float sum = values[0] + values[DIM];
      float mean = row % QUERIES ? (sum + values[2 * DIM]) / 3 : sum / 2;
      float error = o[row * DIM + d] - mean;
      errors += !(error < 1e-3f && error > -1e-3f);
      o[row * DIM + d] = -1;
    }
  return errors;
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
  (void)bytes, (void)alignment;
  *(int64_t *)user = -1;
  return pool;
}
static void release(void *user, void *block) { (void)user, (void)block; }

/* A call of which the workspace exceeds what 32 bits of size_t can hold. Nothing
   is touched: the output lies where no memory needs to be. */
static int check_large(attnc_tensor Q, attnc_tensor K, attnc_tensor V,
                       attnc_tensor O, attnc_runtime runtime) {
  int64_t count = 100000, tasks = 0;
  int64_t queries[] = {count, HEADS, 1, DIM}, keys[] = {count, HEADS, KEYS, DIM};
  int64_t once[] = {0, DIM, DIM, 1}, every[] = {HEADS * DIM, DIM, DIM, 1};
  Q.shape = O.shape = queries;
  K.shape = V.shape = keys;
  Q.strides = K.strides = V.strides = once;
  O.strides = every;
  O.data = (void *)(uintptr_t)(1 << 28);
  runtime.user = &tasks;
  runtime.threads = 1 << 30;
  runtime.allocate = allocate;
  runtime.release = release;
  return gpt2_small(&Q, &K, &V, &O, &runtime) == ATTNC_NO_MEMORY && tasks == 0;
}

int start(void) {
  int64_t queries[] = {1, HEADS, QUERIES, DIM}, keys[] = {1, HEADS, KEYS, DIM};
  int64_t tasks = 0;
  attnc_tensor Q = tensor(q, queries), O = tensor(o, queries);
  attnc_tensor K = tensor(k, keys), V = tensor(v, keys);
  for (int i = 0; i < HEADS * KEYS * DIM; ++i) {
    k[i] = (float)(i % 7);
    v[i] = (float)(i % 61);
  }
  attnc_runtime runtime;
  memset(&runtime, 0, sizeof runtime);
  runtime.size = sizeof runtime;
  runtime.threads = 3;
  runtime.user = &tasks;
  runtime.parallel_for = for_each;
#ifdef PART
  runtime.cpu = PART;
#endif
  if (gpt2_small(&Q, &K, &V, &O, &runtime) || tasks == 0)
    return 1;
  if (count_errors())
    return 2;
  gpt2_small_raw_args args;
  memset(&args, 0, sizeof args);
  args.size = sizeof args;
  if (gpt2_small_raw(&args, 0) != ATTNC_OK) /* a batch of 0 */
    return 3;
  if (gpt2_small_workspace(1, QUERIES, KEYS, 3) == 0)
    return 4;
  if (sizeof(size_t) == 4 && !check_large(Q, K, V, O, runtime))
    return 6;
  return *gpt2_small_describe() == '{' ? 0 : 5;
}
