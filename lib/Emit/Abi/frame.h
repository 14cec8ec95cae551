//===- frame.h - The state of one call ------------------------------------===//
//
// Everything that a call needs lies in one frame on the stack of the caller's
// thread, so the entry is re-entrant. The parts below are functions on it; each
// returns a status and has reported its sentence if that is not ATTNC_OK.
// entry.c includes all of them: one translation unit, so that the compiler
// sees all uses.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ABI_FRAME_H
#define ATTNC_LIB_EMIT_ABI_FRAME_H

#include "entry.h"

/* A tensor of the call, whichever entry it came through. Strides are filled in
   and made harmless: 0 (innermost: 1) on axes with fewer than two elements. */
struct attnc_view {
  char *data;   /* null: absent or without elements */
  char *handle; /* of the buffer, if tensors have handles: see has_handles */
  int64_t shape[ATTNC_MAX_RANK];
  int64_t strides[ATTNC_MAX_RANK];
  int64_t elements;
  uintptr_t low, high; /* bytes touched: low <= address < high */
};

/* Types of DLDevice. Managed memory is that of its device. */
enum {
  DEVICE_CPU = 1,
  DEVICE_CUDA = 2,
  DEVICE_CUDA_HOST = 3,
  DEVICE_OPENCL = 4,
  DEVICE_VULKAN = 7,
  DEVICE_ROCM_HOST = 11,
  DEVICE_CUDA_MANAGED = 13
};

struct attnc_frame {
  const struct attnc_function *function;
  attnc_runtime runtime;   /* all zero without one */
  int32_t memory, ordinal; /* of the tensors: DEVICE_CPU or another type */
  int32_t part;            /* once it was chosen */
  const struct attnc_device *device; /* that is open, or null */
  struct attnc_device_call device_call;
  int64_t sizes[ATTNC_MAX_SIZES];
  struct attnc_view views[ATTNC_MAX_TENSORS];
};

/* The sentences of refused calls are made apart from the checks, whose code
   then needs neither their memory nor their registers. */
#define ATTNC_COLD __attribute__((cold, minsize, noinline))

extern void *malloc(size_t bytes);
extern void free(void *block);

/* Objects without parts for devices have an entry without code for them. */
#ifndef ATTNC_ENTRY_HAS_DEVICES
#define ATTNC_ENTRY_HAS_DEVICES 1
#endif

static inline int is_on_host(const struct attnc_frame *frame) {
  return !ATTNC_ENTRY_HAS_DEVICES || frame->memory == DEVICE_CPU;
}

/* Whether the tensors' data are handles of buffers, not addresses. Then `data`,
   `low` and `high` of a view count from this number. */
#define HANDLE_BASE ((uintptr_t)1 << 20)

static inline int has_handles(const struct attnc_frame *frame) {
  return ATTNC_ENTRY_HAS_DEVICES &&
         (frame->memory == DEVICE_OPENCL || frame->memory == DEVICE_VULKAN);
}

static inline const struct attnc_device *
device_of(const struct attnc_kernel *kernel) {
  return ATTNC_ENTRY_HAS_DEVICES ? kernel->device : 0;
}

static inline const struct attnc_tensor_info *
tensor_of(const struct attnc_frame *frame, int32_t t) {
  return &frame->function->tensors[t];
}

/* *product = a * b; whether it overflows. */
#ifndef __wasm__
#define multiply_overflows(a, b, product) __builtin_mul_overflow(a, b, product)
#else /* there the builtin calls a function of compiler-rt */
static inline int multiply_overflows(int64_t a, int64_t b, int64_t *product) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  uint64_t limit = (uint64_t)INT64_MAX + ((a < 0) != (b < 0));
  *product = (int64_t)((uint64_t)a * (uint64_t)b);
  return x != 0 && y > limit / x;
}
#endif

static inline int is_written(const struct attnc_frame *frame, int32_t t) {
  return tensor_of(frame, t)->flags &
         (ATTNC_TENSOR_OUTPUT | ATTNC_TENSOR_INOUT);
}

#endif
