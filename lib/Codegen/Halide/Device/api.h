//===- api.h - What an interface of devices defines -----------------------===//
//
// launch.c is the same for all interfaces. What opencl.c and vulkan.c define of
// these functions replaces the weak definitions in launch.c. Include entry.h
// and launch.h before. Except attnc_device_check, all are called while the lock
// of devices is held. What returns an int32_t gives 0 after a failure.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_API_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_API_H

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
enum { HOST_DIRTY = 1, DEVICE_DIRTY = 2 };

/* What a buffer and an axis of a launch may have at most. */
struct attnc_limits {
  int64_t bytes, elements, groups;
};
void attnc_device_limits(struct attnc_limits *limits);

int32_t attnc_device_is_ok(const struct attnc_failure *failure);

/* Whether the runtime of a call has what its tensors need, without asking the
   driver. */
int32_t attnc_device_check(struct attnc_device_call *call,
                           struct attnc_failure *failure);

/* From here until attnc_device_leave, which is called after a failure, too,
   Halide's runtime uses the caller's context, or its own. A call that has
   nothing to launch only leaves. */
int32_t attnc_device_enter(struct attnc_device_call *call,
                           struct attnc_failure *failure);
void attnc_device_leave(struct attnc_device_call *call);

/* Whether a tensor's buffer is of the context and has `bytes`. */
int32_t attnc_device_verify(struct attnc_device_call *call, void *handle,
                            int64_t bytes, const char *name,
                            struct attnc_failure *failure);

/* Kernels can bind the buffer from a multiple of so many bytes on. */
int64_t attnc_device_alignment(void *handle);

/* Makes `bytes` of the caller's buffer, from `offset` on, the memory that
   Halide's buffer has on the device, and the reverse. */
int32_t attnc_device_wrap(struct attnc_failure *failure, struct buffer *buffer,
                          void *handle, int64_t offset, int64_t bytes);
void attnc_device_unwrap(struct attnc_failure *failure, struct buffer *buffer);

/* Halide has no failure where it gives no context. */
static inline void fail(struct attnc_failure *failure, int32_t status,
                        const char *text) {
  const char *texts[] = {text, 0};
  fail_with(failure, status, texts);
}

/* "K: the buffer ..." */
static inline int32_t fail_at(struct attnc_failure *failure, int32_t status,
                              const char *name, const char *text) {
  const char *texts[] = {name, ": ", text, 0};
  fail_with(failure, status, texts);
  return 0;
}

#endif
