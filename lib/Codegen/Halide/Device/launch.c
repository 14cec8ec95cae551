//===- launch.c - What an object with kernels of a device calls -----------===//
//
// A part of the object: calls, their lock, and the limits of the device;
// slots.c has their tensors. It is compiled to LLVM IR with the compiler and
// linked with Halide's runtime. It uses nothing of libc but malloc, free,
// dlopen, dlsym and usleep. What depends on the interface of the device is in
// another file, such as opencl.c; weak functions here are for those without.
// Tests: test/Integration/halide/opencl-abi.test,
// test/Integration/halide/opencl-tensors.test
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

#include "slots.h"

/* Runs the constructors of Halide's runtime. */
void attnc_device_construct(void);

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

int32_t attnc_device_read_buffer(void *to, void *handle, int64_t offset,
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

void attnc_device_lock_call(void) {
  construct_once();
  lock(&attnc_device_lock);
}

void attnc_device_unlock_call(void) { unlock(&attnc_device_lock); }

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
  attnc_device_lock_call();
  call->is_entered = 1;
  int32_t is_ok =
      attnc_device_enter(call, failure) &&
      attnc_device_verify(call, handle, offset + bytes, "a table", failure) &&
      attnc_device_read_buffer(to, handle, offset, bytes, failure);
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
  int32_t status = attnc_device_describe_in_place(&slot, call->shapes[number],
                                                  call->strides[number]);
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
  attnc_device_lock_call();
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
struct attnc_device attnc_device = {0,          open_call, read_device,
                                    begin_call, end_call,  close_call};
#endif
