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

#include "entry.h"

#include "launch.h"

enum { MAX_RANK = 16 };

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

/* What a buffer and an axis of a launch may have at most. vulkan.c has a
   definition of its own, which asks the device. */
struct attnc_limits {
  int64_t bytes, elements, groups;
};
void attnc_device_limits(struct attnc_limits *limits);

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
  const char *texts[] = {text, 0};
  fail_with(failure, status, texts);
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
  fail(context, ATTNC_DEVICE_FAILED, message);
}

/* struct halide_mutex of HalideRuntime.h has one word, 0 if it is free.
   Halide's own functions need pthreads. */
void halide_mutex_lock(struct attnc_lock *mutex) { lock(mutex); }

void halide_mutex_unlock(struct attnc_lock *mutex) { unlock(mutex); }

void halide_print(void *context, const char *message) {
  (void)context;
  (void)message;
}

#ifdef __linux__
/* A function of a driver. Halide looks for names of libraries that only
   development packages have. */
static void *find_symbol(void *context, void **library, const char *file,
                         const char *other_file, const char *missing,
                         const char *name) {
  void *loaded = __atomic_load_n(library, __ATOMIC_ACQUIRE);
  if (!loaded) {
    loaded = dlopen(file, RTLD_LAZY_ONLY);
    if (!loaded)
      loaded = dlopen(other_file, RTLD_LAZY_ONLY);
    if (!loaded) {
      fail(context, ATTNC_DEVICE_FAILED, missing);
      return 0;
    }
    __atomic_store_n(library, loaded, __ATOMIC_RELEASE);
  }
  return dlsym(loaded, name);
}

void *halide_opencl_get_symbol(void *context, const char *name) {
  static void *library;
  return find_symbol(context, &library, "libOpenCL.so.1", "libOpenCL.so",
                     "OpenCL is not installed: cannot load libOpenCL.so.1",
                     name);
}

void *halide_cuda_get_symbol(void *context, const char *name) {
  static void *library;
  return find_symbol(context, &library, "libcuda.so.1", "libcuda.so",
                     "NVIDIA's driver is not installed: cannot load "
                     "libcuda.so.1",
                     name);
}

void *halide_vulkan_get_symbol(void *context, const char *name) {
  static void *library;
  return find_symbol(context, &library, "libvulkan.so.1", "libvulkan.so",
                     "Vulkan is not installed: cannot load libvulkan.so.1",
                     name);
}
#endif

/* Memory of the device is free again after a call: another library may need it.
 */
_Bool halide_can_reuse_device_allocations(void *context) {
  (void)context;
  return 0;
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
static void copy_packed(struct attnc_slot *slot, int to_caller) {
  int64_t dense[MAX_RANK], shape[MAX_RANK];
  for (int32_t d = 0; d < slot->buffer.rank; ++d) {
    dense[d] = slot->dims[d].stride;
    shape[d] = slot->dims[d].extent;
  }
  if (to_caller)
    copy_elements(slot->data, slot->strides, slot->packed, dense, shape,
                  slot->buffer.rank, slot->bytes);
  else
    copy_elements(slot->packed, dense, slot->data, slot->strides, shape,
                  slot->buffer.rank, slot->bytes);
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
      copy_packed(slot, 0);
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
  static struct attnc_lock mutex;
  static int is_done;
  lock(&mutex);
  if (!is_done)
    attnc_device_construct();
  is_done = 1;
  unlock(&mutex);
}

/* Held from begin to end: one launch at a time in the process, also of the
   first ones, which load the driver and build kernels. Not every driver can be
   loaded by two threads at once (PoCL 3.1). The loader keeps one definition of
   a unique symbol, also where objects are in libraries that cannot see each
   other's symbols. On other platforms each object has its own. */
#ifndef __linux__
static struct attnc_lock attnc_device_lock;
#else
extern struct attnc_lock attnc_device_lock;
__asm__(".pushsection .bss.attnc_device_lock,\"awG\",@nobits,"
        "attnc_device_lock,comdat\n"
        ".weak attnc_device_lock\n"
        ".type attnc_device_lock,@gnu_unique_object\n"
        ".size attnc_device_lock,8\n"
        ".p2align 3\n"
        "attnc_device_lock:\n"
        ".zero 8\n"
        ".popsection");
_Static_assert(sizeof(struct attnc_lock) == 8, "see the assembly");
#endif

/* The least and the greatest value of a tensor of int32_t; 0 and 0 without
   elements. */
void attnc_device_range(int64_t *ends, const int32_t *data,
                        const int64_t *extents, const int64_t *strides,
                        int32_t rank) {
  int64_t index[MAX_RANK] = {0};
  ends[0] = ends[1] = 0;
  if (!data)
    return;
  for (int32_t d = 0; d < rank; ++d)
    if (extents[d] <= 0)
      return;
  ends[0] = ends[1] = data[0];
  for (;;) {
    int64_t at = 0;
    for (int32_t d = 0; d < rank; ++d)
      at += index[d] * strides[d];
    ends[0] = data[at] < ends[0] ? data[at] : ends[0];
    ends[1] = data[at] > ends[1] ? data[at] : ends[1];
    int32_t d = rank - 1;
    for (; d >= 0 && ++index[d] == extents[d]; --d)
      index[d] = 0;
    if (d < 0)
      return;
  }
}

/* Whether the pipeline may be called. */
int32_t attnc_device_begin(struct attnc_slot *const *slots, int32_t count,
                           int32_t has_wide_indices,
                           struct attnc_failure *failure) {
  construct_once();
  lock(&attnc_device_lock);
  if (has_wide_indices) {
    fail(failure, ATTNC_BAD_VALUE,
         "an integer of a formula needs more than 32 bits with the sizes and "
         "tables of this call, and kernels for this device have 32");
    return 0;
  }
  for (int32_t i = 0; i < count; ++i)
    if (slots[i]->elements < 0) {
      fail(failure, ATTNC_NO_MEMORY,
           "a tensor has more than 2147483647 elements");
      return 0;
    } else if (!open_slot(slots[i])) {
      fail(failure, ATTNC_NO_MEMORY,
           "cannot allocate memory for copies of tensors");
      return 0;
    }
  return 1;
}

int32_t attnc_device_is_ok(const struct attnc_failure *failure) {
  return !__atomic_load_n(&failure->status, __ATOMIC_ACQUIRE);
}

__attribute__((weak)) void attnc_device_limits(struct attnc_limits *limits) {
#if defined(_WIN32) /* the constants D3D12_* of Direct3D 12 */
  limits->groups = 65535;
  limits->elements = INT64_C(1) << 27; /* of a view of a buffer */
#elif defined(__wasm__) /* defaults of WebGPU, which its own checks report */
  limits->groups = 65535;
  limits->bytes = INT64_C(128) << 20;
#else
  (void)limits;
#endif
}

/* "... of 134217728 bytes, more than the 1000 that the device can bind" */
static void fail_by_size(struct attnc_failure *failure, const char *what,
                         int64_t size, const char *unit, int64_t limit,
                         const char *verb) {
  char digits[2][21];
  const char *numbers[2];
  for (int n = 0; n < 2; ++n) {
    char *at = digits[n] + 20;
    *at = 0;
    for (int64_t rest = n ? limit : size; rest > 0; rest /= 10)
      *--at = (char)('0' + rest % 10);
    numbers[n] = at;
  }
  const char *texts[] = {what,       numbers[0], unit, ", more than the ",
                         numbers[1], verb,       0};
  fail_with(failure, ATTNC_DEVICE_FAILED, texts);
}

/* Whether a kernel may be launched with a grid of groups. Halide launches also
   if it could not copy a tensor, and a kernel without its memory would break
   the device's context; and drivers do not report grids that are too large. */
int32_t attnc_device_may_launch(struct attnc_failure *failure, int32_t x,
                                int32_t y, int32_t z) {
  struct attnc_limits limits = {INT64_MAX, INT64_MAX, INT64_MAX};
  int64_t most = x > y ? x : y;
  most = most > z ? most : z;
  if (!attnc_device_is_ok(failure))
    return 0;
  attnc_device_limits(&limits);
  if (most > limits.groups)
    fail_by_size(failure, "the sizes of this call need a launch of ", most,
                 " groups along one axis", limits.groups,
                 " that the device can run");
  return most <= limits.groups;
}

/* Whether the device can bind the memory of a buffer to a kernel; else the
   driver may compute with a part of it. */
int32_t attnc_device_may_allocate(struct attnc_failure *failure,
                                  const struct buffer *buffer) {
  struct attnc_limits limits = {INT64_MAX, INT64_MAX, INT64_MAX};
  int64_t elements = 1; /* strides do not exceed 2**31, extents neither */
  for (int32_t d = 0; d < buffer->rank; ++d) {
    int64_t extent = buffer->dims[d].extent, stride = buffer->dims[d].stride;
    elements += (extent - 1) * (stride < 0 ? -stride : stride);
  }
  int64_t bytes = elements * (((buffer->type >> 8 & 255) + 7) / 8);
  attnc_device_limits(&limits);
  if (bytes > limits.bytes)
    fail_by_size(failure, "a tensor or an intermediate result has ", bytes,
                 " bytes", limits.bytes,
                 " that the device allows for a buffer");
  else if (elements > limits.elements)
    fail_by_size(failure, "a tensor or an intermediate result has ", elements,
                 " elements", limits.elements,
                 " that the device allows for a buffer");
  else
    return 1;
  return 0;
}

/* After the pipeline returned `code`, or was not called. */
void attnc_device_end(struct attnc_slot *const *slots, int32_t count,
                      int32_t code, struct attnc_failure *failure) {
  if (code)
    fail(failure, ATTNC_DEVICE_FAILED,
         "Halide's runtime failed without a reason");
  for (int32_t i = 0; i < count; ++i) {
    struct attnc_slot *slot = slots[i];
    if (attnc_device_is_ok(failure) && slot->is_output && slot->data) {
      if (halide_copy_to_host(failure, &slot->buffer))
        fail(failure, ATTNC_DEVICE_FAILED, "cannot copy a result to the host");
      else if (slot->packed)
        copy_packed(slot, 1);
    }
    if (slot->buffer.device)
      halide_device_free(failure, &slot->buffer);
    halide_free(0, slot->packed);
  }
  unlock(&attnc_device_lock);
}
