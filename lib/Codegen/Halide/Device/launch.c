//===- launch.c - What an object with kernels of a device calls -----------===//
//
// A part of the object: copies of tensors to the device and back, and what
// Halide's runtime calls of its host. It is compiled to LLVM IR with the
// compiler and linked with the runtime, whose weak functions these replace.
// It uses nothing of libc but malloc, free, dlopen, dlsym and usleep.
//
// Tensors are dense on the device. Memory that is not dense is copied element
// by element to dense memory first; outputs are copied, too, because kernels
// may leave elements as they are. Tests:
// test/Integration/halide/opencl-abi.test
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

extern void *malloc(size_t bytes);
extern void free(void *block);
extern void *dlopen(const char *name, int flags);
extern void *dlsym(void *library, const char *name);
extern int usleep(unsigned microseconds);

enum { MAX_RANK = 16, NO_MEMORY = 10, DEVICE_FAILED = 11, TEXT_BYTES = 240 };

/* Of lib/Emit/Abi/entry.h. */
struct attnc_failure {
  int32_t status;
  char text[TEXT_BYTES];
};

/* Of HalideRuntime.h. */
struct dimension {
  int32_t min, extent, stride;
  uint32_t flags;
};
struct buffer {
  uint64_t device;
  const void *interface;
  uint8_t *host;
  uint64_t flags;
  uint32_t type;
  int32_t rank;
  struct dimension *dims;
  void *padding;
};
enum { HOST_DIRTY = 1 };

/* A tensor of one launch. The buffer is first: its address is that of both. */
struct attnc_slot {
  struct buffer buffer;
  struct dimension dims[MAX_RANK];
  char *data; /* the caller's; null if it has no elements */
  char *packed;
  int64_t strides[MAX_RANK]; /* of data, in elements */
  int64_t elements;          /* -1: more than kernels can number */
  int32_t bytes, is_output;
};
_Static_assert(sizeof(struct attnc_slot) <= 512, "Shim.cpp has room for 512");

/* Runs the constructors of Halide's runtime. */
void attnc_device_construct(void);
int32_t halide_copy_to_host(void *context, struct buffer *buffer);
int32_t halide_device_free(void *context, struct buffer *buffer);

/* Halide has no failure where it gives no context. */
static void fail(struct attnc_failure *failure, int32_t status,
                 const char *text) {
  int32_t none = 0;
  if (!failure ||
      !__atomic_compare_exchange_n(&failure->status, &none, status, 0,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return; /* the first one is reported */
  int32_t n = 0;
  for (const char *prefix = "device: "; *prefix; ++prefix)
    failure->text[n++] = *prefix;
  for (; *text && n < TEXT_BYTES - 1; ++text)
    failure->text[n++] = *text == '\n' ? ' ' : *text;
  while (n > 0 && failure->text[n - 1] == ' ')
    --n;
  failure->text[n] = 0;
}

/* Blocks have an alignment of 64 bytes, and the address of malloc before them.
 */
void *halide_malloc(void *context, size_t bytes) {
  (void)context;
  char *block = bytes > SIZE_MAX - 128 ? 0 : malloc(bytes + 128);
  if (!block)
    return 0;
  char *aligned = block + 128 - (uintptr_t)block % 64;
  ((void **)aligned)[-1] = block;
  return aligned;
}

void halide_free(void *context, void *block) {
  (void)context;
  if (block)
    free(((void **)block)[-1]);
}

void halide_error(void *context, const char *message) {
  fail(context, DEVICE_FAILED, message);
}

/* Of HalideRuntime.h; 0 if it is free. Halide's own needs pthreads. It is held
   for microseconds, or while a driver compiles kernels. */
struct halide_mutex {
  uintptr_t state;
};

void halide_mutex_lock(struct halide_mutex *mutex) {
  for (int spins = 0; __atomic_exchange_n(&mutex->state, 1, __ATOMIC_ACQUIRE);
       ++spins)
    if (spins > 100)
      usleep(50);
}

void halide_mutex_unlock(struct halide_mutex *mutex) {
  __atomic_store_n(&mutex->state, 0, __ATOMIC_RELEASE);
}

void halide_print(void *context, const char *message) {
  (void)context;
  (void)message;
}

/* Halide looks for the name that only development packages have. */
void *halide_opencl_get_symbol(void *context, const char *name) {
  static void *library;
  void *loaded = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
  (void)context;
  if (!loaded) {
    loaded = dlopen("libOpenCL.so.1", 1 /* RTLD_LAZY */);
    if (!loaded)
      loaded = dlopen("libOpenCL.so", 1);
    if (!loaded) {
      fail(context, DEVICE_FAILED,
           "OpenCL is not installed: cannot load libOpenCL.so.1");
      return 0;
    }
    __atomic_store_n(&library, loaded, __ATOMIC_RELEASE);
  }
  return dlsym(loaded, name);
}

/* Strides are null for a dense tensor. */
void attnc_device_describe(struct attnc_slot *slot, void *data,
                           const int64_t *extents, const int64_t *strides,
                           int32_t rank, int32_t type, int32_t is_output) {
  int64_t dense = 1;
  int is_dense = 1;
  slot->buffer = (struct buffer){0};
  slot->buffer.type = (uint32_t)type;
  slot->buffer.rank = rank;
  slot->buffer.dims = slot->dims;
  slot->data = data;
  slot->packed = 0;
  slot->bytes = (type >> 8 & 255) / 8;
  slot->is_output = is_output;
  for (int32_t d = rank; d-- > 0;) {
    if (extents[d] <= 0)
      slot->data = 0;
    slot->strides[d] = strides ? strides[d] : dense;
    is_dense &= extents[d] == 1 || slot->strides[d] == dense;
    slot->dims[d] =
        (struct dimension){0, (int32_t)extents[d], (int32_t)dense, 0};
    dense = extents[d] > 0 && dense > INT32_MAX / extents[d]
                ? INT64_C(1) << 31
                : dense * extents[d];
  }
  slot->elements = !slot->data ? 1 : dense <= INT32_MAX ? dense : -1;
  slot->buffer.host = is_dense ? (uint8_t *)slot->data : 0;
}

/* Between the caller's strided elements and packed ones. */
static void copy_elements(struct attnc_slot *slot, int to_caller) {
  int64_t index[MAX_RANK] = {0};
  int32_t rank = slot->buffer.rank, bytes = slot->bytes;
  for (int64_t n = 0; n < slot->elements; ++n) {
    int64_t offset = 0;
    for (int32_t d = 0; d < rank; ++d)
      offset += index[d] * slot->strides[d];
    char *theirs = slot->data + offset * bytes;
    char *ours = slot->packed + n * bytes;
    char *to = to_caller ? theirs : ours, *from = to_caller ? ours : theirs;
    for (int32_t i = 0; i < bytes; ++i)
      to[i] = from[i];
    for (int32_t d = rank; d-- > 0 && ++index[d] == slot->dims[d].extent;)
      index[d] = 0;
  }
}

/* A tensor without elements, or one that the caller left out, is one element
   that has every index. */
static int32_t open_slot(struct attnc_slot *slot) {
  if (!slot->buffer.host) {
    size_t bytes = (size_t)slot->elements * (size_t)slot->bytes;
    slot->packed = halide_malloc(0, bytes);
    if (!slot->packed)
      return 0;
    slot->buffer.host = (uint8_t *)slot->packed;
    if (slot->data)
      copy_elements(slot, 0);
  }
  if (!slot->data) {
    for (int32_t i = 0; i < slot->bytes; ++i)
      slot->packed[i] = 0;
    for (int32_t d = 0; d < slot->buffer.rank; ++d) {
      slot->dims[d].stride = 0;
      if (slot->dims[d].extent <= 0)
        slot->dims[d].extent = 1;
    }
  }
  slot->buffer.flags = HOST_DIRTY;
  return 1;
}

/* Not everything that loads an object runs its constructors. */
static void construct_once(void) {
  static struct halide_mutex mutex;
  static int is_done;
  halide_mutex_lock(&mutex);
  if (!is_done)
    attnc_device_construct();
  is_done = 1;
  halide_mutex_unlock(&mutex);
}

/* Held from begin to end: one launch at a time in the process, also of the
   first ones, which load the driver and build kernels. Not every driver can be
   loaded by two threads at once (PoCL 3.1). The loader keeps one definition of
   a unique symbol, also where objects are in libraries that cannot see each
   other's symbols. */
extern struct halide_mutex attnc_device_lock;
__asm__(".pushsection .bss.attnc_device_lock,\"awG\",@nobits,"
        "attnc_device_lock,comdat\n"
        ".weak attnc_device_lock\n"
        ".type attnc_device_lock,@gnu_unique_object\n"
        ".size attnc_device_lock,8\n"
        ".p2align 3\n"
        "attnc_device_lock:\n"
        ".zero 8\n"
        ".popsection");
_Static_assert(sizeof(struct halide_mutex) == 8, "see the assembly");

/* Whether the pipeline may be called. */
int32_t attnc_device_begin(struct attnc_slot *const *slots, int32_t count,
                           struct attnc_failure *failure) {
  construct_once();
  halide_mutex_lock(&attnc_device_lock);
  for (int32_t i = 0; i < count; ++i)
    if (slots[i]->elements < 0) {
      fail(failure, NO_MEMORY, "a tensor has more than 2147483647 elements");
      return 0;
    } else if (!open_slot(slots[i])) {
      fail(failure, NO_MEMORY, "cannot allocate memory for copies of tensors");
      return 0;
    }
  return 1;
}

/* After the pipeline returned `code`, or was not called. */
void attnc_device_end(struct attnc_slot *const *slots, int32_t count,
                      int32_t code, struct attnc_failure *failure) {
  if (code)
    fail(failure, DEVICE_FAILED, "Halide's runtime failed without a reason");
  for (int32_t i = 0; i < count; ++i) {
    struct attnc_slot *slot = slots[i];
    int is_ok = !__atomic_load_n(&failure->status, __ATOMIC_ACQUIRE);
    if (is_ok && slot->is_output && slot->data) {
      if (halide_copy_to_host(failure, &slot->buffer))
        fail(failure, DEVICE_FAILED, "cannot copy a result to the host");
      else if (slot->packed)
        copy_elements(slot, 1);
    }
    if (slot->buffer.device)
      halide_device_free(failure, &slot->buffer);
    halide_free(0, slot->packed);
  }
  halide_mutex_unlock(&attnc_device_lock);
}
