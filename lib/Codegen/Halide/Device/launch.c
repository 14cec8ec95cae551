//===- launch.c - What an object with kernels of a device calls -----------===//
//
// A part of the object: copies of tensors to the device and back. It is
// compiled to LLVM IR with the compiler and linked with Halide's runtime. It
// uses nothing of libc but malloc, free, dlopen, dlsym and usleep.
//
// Tensors of the host are dense on the device. Memory that is not dense is
// copied element by element to dense memory first; outputs are copied, too,
// because kernels may leave elements as they are. Tensors of the device are
// used where they are. What depends on the interface of the device is in
// another file, such as opencl.c; weak functions here are for those without.
// Tests: test/Integration/halide/opencl-abi.test,
// test/Integration/halide/opencl-tensors.test
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

enum { MAX_RANK = 16 };

/* A tensor of one launch. The buffer is first: its address is that of both. */
struct attnc_slot {
  struct buffer buffer;
  struct dimension dims[MAX_RANK];
  char *data; /* the caller's; null if it has no elements */
  char *packed;
  int64_t strides[MAX_RANK]; /* of data, in elements */
  int64_t elements;          /* -1: more than kernels can number */
  int32_t bytes, is_output;
  /* Of a tensor in memory of the device, whose handle is `data`; else null. The
     buffer is bound from `offset` on. */
  const struct attnc_span *span;
  int64_t offset;
};
_Static_assert(sizeof(struct attnc_slot) <= 512, "Shim.cpp has room for 512");

/* Runs the constructors of Halide's runtime. */
void attnc_device_construct(void);
void *halide_malloc(void *context, size_t bytes);
void halide_free(void *context, void *block);
int32_t halide_copy_to_host(void *context, struct buffer *buffer);
int32_t halide_device_free(void *context, struct buffer *buffer);
int32_t halide_device_malloc(void *context, struct buffer *buffer,
                             const void *interface);
int32_t halide_buffer_copy(void *context, struct buffer *from,
                           const void *interface, struct buffer *to);

/* The first element of a tensor is some elements after the begin of its buffer.
   Kernels index the last axis from a minimum; they see an axis that begins
   earlier. Otherwise the buffer is bound from its first element on, which the
   device may not be able to. What cannot be described is another status than
   ATTNC_OK. */
static int32_t describe_in_place(struct attnc_slot *slot,
                                 const int64_t *extents,
                                 const int64_t *strides) {
  const struct attnc_span *span = slot->span;
  int32_t rank = slot->buffer.rank;
  int64_t first = (int64_t)(span->first / (uintptr_t)slot->bytes);
  int64_t end = (int64_t)(span->high / (uintptr_t)slot->bytes);
  for (int32_t d = 0; d < rank; ++d)
    slot->dims[d] =
        (struct dimension){0, (int32_t)extents[d], (int32_t)strides[d], 0};
  slot->offset = 0;
  slot->elements = 1; /* nothing is allocated */
  struct dimension *last = &slot->dims[rank - 1];
  int64_t step = rank == 0 ? 0 : last->extent == 1 ? 1 : last->stride;
  int is_indexed = first == 0 || (step > 0 && first % step == 0);
  if (end <= INT32_MAX && is_indexed) {
    if (first) {
      last->stride = (int32_t)step;
      last->min = (int32_t)(-first / step);
      last->extent -= last->min;
    }
    return ATTNC_OK;
  }
  slot->offset = (int64_t)span->first;
  if (span->low == span->first)
    return end - first <= INT32_MAX ? ATTNC_OK : ATTNC_NO_MEMORY;
  return is_indexed ? ATTNC_NO_MEMORY : ATTNC_BAD_STRIDE;
}

/* Strides are null for a dense tensor. `number` is that of the tensor in the
   call, -1 for an intermediate result. */
void attnc_device_describe(struct attnc_slot *slot,
                           const struct attnc_call *call, int32_t number,
                           void *data, const int64_t *extents,
                           const int64_t *strides, int32_t rank, int32_t type,
                           int32_t is_output) {
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
  slot->span = 0;
  if (number < 0 || !slot->data || !call->device || !call->device->is_on_device)
    return;
  slot->span = &call->device->spans[number];
  slot->buffer.host = 0;
  describe_in_place(slot, extents, strides);
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
static int32_t open_slot(struct attnc_slot *slot,
                         const struct attnc_call *call) {
  if (slot->span)
    return attnc_device_wrap(call->failure, &slot->buffer, slot->data,
                             slot->offset,
                             (int64_t)slot->span->high - slot->offset);
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
  if (slot->data || !slot->is_output)
    slot->buffer.flags = HOST_DIRTY;
  return 1;
}

/* An input that is also written, as the caller permits for some tensors, is
   copied on the device: kernels of a step may read it after they have written.
 */
static int32_t copy_on_device(struct attnc_slot *slot,
                              struct attnc_failure *failure) {
  struct buffer from = slot->buffer;
  struct dimension dims[MAX_RANK];
  int32_t dense = 1, rank = slot->buffer.rank;
  from.dims = dims;
  slot->buffer.device = 0;
  slot->buffer.interface = 0;
  for (int32_t d = rank; d-- > 0;) {
    dims[d] = slot->dims[d];
    slot->dims[d].extent += slot->dims[d].min;
    slot->dims[d].min = 0;
    slot->dims[d].stride = dense;
    dense *= slot->dims[d].extent;
  }
  slot->span = 0; /* the copy is freed */
  int32_t is_ok =
      !halide_device_malloc(failure, &slot->buffer, from.interface) &&
      !halide_buffer_copy(failure, &from, from.interface, &slot->buffer);
  attnc_device_unwrap(failure, &from);
  if (!is_ok)
    fail(failure, ATTNC_DEVICE_FAILED, "cannot copy a tensor on the device");
  return is_ok;
}

static int32_t overlaps_output(struct attnc_slot *const *slots, int32_t count,
                               const struct attnc_slot *slot) {
  for (int32_t i = 0; i < count; ++i)
    if (slots[i]->is_output && slots[i]->span && slots[i]->data == slot->data &&
        slots[i]->span->low < slot->span->high &&
        slot->span->low < slots[i]->span->high)
      return 1;
  return 0;
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

/* Copies `bytes` of a buffer from `offset` on, while the lock is held. */
static int32_t read_buffer(void *to, void *handle, int64_t offset,
                           int64_t bytes, struct attnc_failure *failure) {
  for (int64_t done = 0; done < bytes;) {
    int64_t count = bytes - done < 1 << 30 ? bytes - done : 1 << 30;
    struct dimension dim = {0, (int32_t)count, 1, 0};
    struct buffer buffer = {.host = (uint8_t *)to + done,
                            .flags = DEVICE_DIRTY,
                            .type = 1 | 8 << 8 | 1 << 16, /* uint8_t */
                            .rank = 1,
                            .dims = &dim};
    if (!attnc_device_wrap(failure, &buffer, handle, offset + done, count))
      return 0;
    if (halide_copy_to_host(failure, &buffer))
      fail(failure, ATTNC_DEVICE_FAILED, "cannot copy a tensor to the host");
    attnc_device_unwrap(failure, &buffer);
    if (!attnc_device_is_ok(failure))
      return 0;
    done += count;
  }
  return 1;
}

static void range_on_host(int64_t *ends, const int32_t *data,
                          const int64_t *extents, const int64_t *strides,
                          int32_t rank) {
  int64_t index[MAX_RANK] = {0};
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

/* The least and the greatest value of tensor `number`, of int32_t; 0 and 0
   without elements. */
void attnc_device_range(int64_t *ends, const struct attnc_call *call,
                        int32_t number, const int64_t *extents, int32_t rank) {
  const int32_t *data = call->data[number];
  const int64_t *strides = call->strides[number];
  ends[0] = ends[1] = 0;
  if (!data)
    return;
  for (int32_t d = 0; d < rank; ++d)
    if (extents[d] <= 0)
      return;
  if (!call->device || !call->device->is_on_device) {
    range_on_host(ends, data, extents, strides, rank);
    return;
  }
  const struct attnc_span *span = &call->device->spans[number];
  int64_t bytes = (int64_t)(span->high - span->low);
  char *copy = malloc((size_t)bytes);
  if (!copy)
    fail(call->failure, ATTNC_NO_MEMORY,
         "cannot allocate memory for a copy of a table on the host");
  else if (read_buffer(copy, call->data[number], (int64_t)span->low, bytes,
                       call->failure))
    range_on_host(ends, (const int32_t *)(copy + (span->first - span->low)),
                  extents, strides, rank);
  free(copy);
}

/* Whether the pipeline may be called. */
int32_t attnc_device_begin(struct attnc_slot *const *slots, int32_t count,
                           int32_t has_wide_indices, struct attnc_call *call) {
  struct attnc_failure *failure = call->failure;
  if (!call->device) { /* else the call has it */
    construct_once();
    lock(&attnc_device_lock);
  }
  if (!attnc_device_is_ok(failure))
    return 0;
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
    } else if (!open_slot(slots[i], call)) {
      fail(failure, ATTNC_NO_MEMORY,
           "cannot allocate memory for copies of tensors");
      return 0;
    }
  for (int32_t i = 0; i < count; ++i)
    if (slots[i]->span && !slots[i]->is_output &&
        overlaps_output(slots, count, slots[i]) &&
        !copy_on_device(slots[i], failure))
      return 0;
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

/* "K: ... of 134217728 bytes, more than the 1000 that the device can bind" */
static void fail_by_size(struct attnc_failure *failure, const char *name,
                         const char *what, int64_t size, const char *unit,
                         int64_t limit, const char *verb) {
  char digits[2][21];
  const char *numbers[2];
  for (int n = 0; n < 2; ++n) {
    char *at = digits[n] + 20;
    *at = 0;
    for (int64_t rest = n ? limit : size; rest > 0; rest /= 10)
      *--at = (char)('0' + rest % 10);
    numbers[n] = at;
  }
  const char *texts[] = {name,       what, numbers[0], unit, ", more than the ",
                         numbers[1], verb, 0};
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
    fail_by_size(failure, "", "the sizes of this call need a launch of ", most,
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
    fail_by_size(failure, "", "a tensor or an intermediate result has ", bytes,
                 " bytes", limits.bytes,
                 " that the device allows for a buffer");
  else if (elements > limits.elements)
    fail_by_size(failure, "", "a tensor or an intermediate result has ",
                 elements, " elements", limits.elements,
                 " that the device allows for a buffer");
  else
    return 1;
  return 0;
}

/* After the pipeline returned `code`, or was not called. */
void attnc_device_end(struct attnc_slot *const *slots, int32_t count,
                      int32_t code, struct attnc_call *call) {
  struct attnc_failure *failure = call->failure;
  if (code)
    fail(failure, ATTNC_DEVICE_FAILED,
         "Halide's runtime failed without a reason");
  for (int32_t i = 0; i < count; ++i) {
    struct attnc_slot *slot = slots[i];
    if (slot->span) {
      attnc_device_unwrap(failure, &slot->buffer);
      continue;
    }
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
  if (!call->device)
    unlock(&attnc_device_lock);
}

__attribute__((weak)) int64_t attnc_device_alignment(void *handle) {
  (void)handle;
  return 1;
}

__attribute__((weak)) int32_t attnc_device_wrap(struct attnc_failure *failure,
                                                struct buffer *buffer,
                                                void *handle, int64_t offset,
                                                int64_t bytes) {
  (void)failure, (void)buffer, (void)handle, (void)offset, (void)bytes;
  return 0;
}

__attribute__((weak)) void attnc_device_unwrap(struct attnc_failure *failure,
                                               struct buffer *buffer) {
  (void)failure, (void)buffer;
}

#ifdef __linux__ /* elsewhere entries have no code for parts with devices */
__attribute__((weak))
int32_t attnc_device_check(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  (void)call, (void)failure;
  return 1;
}

__attribute__((weak)) int32_t attnc_device_enter(
    struct attnc_device_call *call, struct attnc_failure *failure) {
  (void)call, (void)failure;
  return 1;
}

__attribute__((weak)) int32_t
attnc_device_verify(struct attnc_device_call *call, void *handle, int64_t bytes,
                    const char *name, struct attnc_failure *failure) {
  (void)call, (void)handle, (void)bytes, (void)name, (void)failure;
  return 1;
}

__attribute__((weak)) void attnc_device_leave(struct attnc_device_call *call) {
  (void)call;
}

static int32_t read_device(struct attnc_device_call *call, void *to,
                           const void *from, int64_t offset, int64_t bytes,
                           struct attnc_failure *failure) {
  void *handle = (void *)(uintptr_t)from;
  construct_once();
  lock(&attnc_device_lock);
  call->is_entered = 1;
  int32_t is_ok =
      attnc_device_enter(call, failure) &&
      attnc_device_verify(call, handle, offset + bytes, "a table", failure) &&
      read_buffer(to, handle, offset, bytes, failure);
  attnc_device_leave(call);
  unlock(&attnc_device_lock);
  return is_ok;
}

/* Whether kernels can use a tensor where it is. */
static int32_t check_in_place(const struct attnc_call *call, int32_t number) {
  struct attnc_device_call *device = call->device;
  struct attnc_failure *failure = call->failure;
  const struct attnc_tensor_info *info = &device->function->tensors[number];
  const char *name = device->function->text + info->name;
  void *handle = call->data[number];
  struct attnc_slot slot;
  struct attnc_limits limits = {INT64_MAX, INT64_MAX, INT64_MAX};
  slot.span = &device->spans[number];
  slot.bytes = info->bits / 8;
  slot.buffer.rank = info->rank;
  int64_t high = (int64_t)slot.span->high;
  if (!attnc_device_verify(device, handle, high, name, failure))
    return 0;
  int32_t status =
      describe_in_place(&slot, call->shapes[number], call->strides[number]);
  if (status == ATTNC_NO_MEMORY)
    return fail_at(failure, status, name,
                   "the tensor reaches beyond the first 2147483647 elements of "
                   "its buffer, which kernels can number");
  if (status || (slot.offset && slot.offset % attnc_device_alignment(handle)))
    return fail_at(failure, ATTNC_BAD_STRIDE, name,
                   "the tensor begins where the device cannot bind its buffer, "
                   "and the stride of its last axis is not positive or does "
                   "not divide the elements before it");
  attnc_device_limits(&limits);
  if (high - slot.offset > limits.bytes)
    fail_by_size(failure, name, ": the buffer has to be bound up to byte ",
                 high - slot.offset, "", limits.bytes,
                 " bytes that the device allows for a buffer");
  return high - slot.offset <= limits.bytes;
}

static int32_t open_call(struct attnc_device_call *call,
                         struct attnc_failure *failure) {
  call->is_entered = 0;
  return attnc_device_check(call, failure);
}

/* The lock is held until the call ends. All tensors are checked before anything
   is launched: a call may have several steps. */
static int32_t begin_call(struct attnc_call *call) {
  struct attnc_device_call *device = call->device;
  const struct attnc_function *function = device->function;
  construct_once();
  lock(&attnc_device_lock);
  device->is_entered = 1;
  if (!attnc_device_enter(device, call->failure))
    return 0;
  for (int32_t t = 0; device->is_on_device && t < function->tensor_count; ++t)
    if (call->data[t] && !check_in_place(call, t))
      return 0;
  return 1;
}

static void end_call(struct attnc_call *call) {
  attnc_device_leave(call->device);
  unlock(&attnc_device_lock);
}

/* A call that had nothing to launch leaves the device, too: it may be the last
   one with it. */
static void close_call(struct attnc_device_call *call) {
  if (call->is_entered)
    return;
  lock(&attnc_device_lock);
  attnc_device_leave(call);
  unlock(&attnc_device_lock);
}

/* Emit finds it by its name, and Runtime.cpp sets the type of tensors. */
struct attnc_device attnc_device = {0,          ATTNC_DEVICE_HOST_WORKSPACE,
                                    open_call,  read_device,
                                    begin_call, end_call,
                                    close_call};
#endif
