//===- attnc.h - Declarations shared by all generated headers -------------===//
//
// For code that calls no particular kernel, such as thread pools and wrappers.
// Every generated header contains the text from the guard of ATTNC_ABI to that
// of ATTNC_VULKAN, so any number of them can be included together, with this
// header and dlpack.h.
// docs/c-interface.md describes the interface.
// Tests: test/Unit/Emit/HeaderTest.cpp, test/Regression/abi-mismatch.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_H
#define ATTNC_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* clang-format off */
#ifndef ATTNC_ABI /* identical in every header of this ABI version */
#define ATTNC_ABI 1
typedef int32_t attnc_status; enum { ATTNC_OK, ATTNC_BAD_POINTER, ATTNC_BAD_RANK, ATTNC_BAD_DTYPE, ATTNC_BAD_SHAPE, ATTNC_BAD_STRIDE, ATTNC_BAD_DEVICE,
       ATTNC_BAD_VALUE, ATTNC_BAD_ABI, ATTNC_NO_TARGET, ATTNC_NO_MEMORY, ATTNC_DEVICE_FAILED };
static inline const char *attnc_status_text(attnc_status s) {
  static const char *const t[] = {"ok", "null or misaligned pointer", "wrong rank", "wrong dtype", "wrong shape", "unsupported strides", "wrong device",
      "value out of range", "ABI version or struct size mismatch", "no kernel for this processor", "out of memory", "device error"};
  return s >= 0 && s < 12 ? t[s] : "unknown status";
}
#ifdef DLPACK_DLPACK_H_
typedef DLTensor attnc_tensor;
#else /* layout of DLTensor; include dlpack.h first to use its type */
typedef struct attnc_tensor {
  void *data; struct { int32_t type, id; } device; int32_t ndim; struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape, *strides; uint64_t byte_offset; } attnc_tensor;
#endif
typedef struct attnc_runtime { /* set size; other fields may be zero. A NULL runtime: calling thread, malloc, no report */
  uint32_t size; int32_t threads; /* sizeof(attnc_runtime), fields are only appended; maximum number of tasks of parallel_for */
  void *user;                     /* first argument of every callback */
  /* Calls body(context, t) once for each 0 <= t < tasks, in any order, concurrently or serially, and returns ATTNC_OK after all calls
     have returned; another status fails the call. Called on the caller's thread, never from within a body. NULL: calling thread only. */
  attnc_status (*parallel_for)(void *user, int64_t tasks, void (*body)(void *context, int64_t task), void *context);
  void *(*allocate)(void *user, size_t bytes, size_t alignment); void (*release)(void *user, void *block);
  void (*report)(void *user, attnc_status status, const char *text); /* full message, e.g. "K: shape [1, 12, 9, 80], expected head_dim 64" */
  void *workspace; size_t workspace_bytes; void *stream; /* 64-byte aligned, replaces allocate; stream: CUstream, cl_command_queue or attnc_vulkan * */
  const char *cpu; /* a part of the object, e.g. "x86-64-v3"; NULL: ATTNC_CPU of the environment, else the best part for this processor */
} attnc_runtime;
#elif ATTNC_ABI != 1
#error "this header has attnc ABI version 1, a header included before it has another: generate all headers with one version of attnc"
#endif
#ifndef ATTNC_VULKAN /* headers of earlier releases do not have it */
#define ATTNC_VULKAN
typedef struct attnc_vulkan { /* of the caller; set size. keep_kernels: for later calls with this device; the last call must not set it */
  uint32_t size, queue_family; void *instance, *physical_device, *device, *queue; int32_t keep_kernels; } attnc_vulkan;
#endif
/* clang-format on */
#ifdef __cplusplus
}
#endif
#endif
