//===- attnc.h - What every generated header shares -----------------------===//
//
// For code that names no kernel: thread pools, wrappers. The text between the
// guards of ATTNC_ABI is copied into each generated header, so any number of
// them go together, with this one and with dlpack.h.
// Tests: test/Unit/Emit/HeaderTest.cpp
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
#ifndef ATTNC_ABI /* the same text in every header */
#define ATTNC_ABI 1
typedef int32_t attnc_status; enum { ATTNC_OK, ATTNC_BAD_POINTER, ATTNC_BAD_RANK, ATTNC_BAD_DTYPE, ATTNC_BAD_SHAPE, ATTNC_BAD_STRIDE, ATTNC_BAD_DEVICE,
       ATTNC_BAD_VALUE, ATTNC_BAD_ABI, ATTNC_NO_TARGET, ATTNC_NO_MEMORY, ATTNC_DEVICE_FAILED };
static inline const char *attnc_status_text(attnc_status s) {
  static const char *const t[] = {"ok", "null or misaligned pointer", "wrong rank", "wrong dtype", "wrong shape", "unsupported strides", "wrong device",
      "table value out of range", "header and object differ in version", "no kernel for this processor", "out of memory", "device error"};
  return s >= 0 && s < 12 ? t[s] : "unknown status";
}
#ifdef DLPACK_DLPACK_H_
typedef DLTensor attnc_tensor;
#else /* the same layout; include dlpack.h first to get its type */
typedef struct attnc_tensor {
  void *data; struct { int32_t type, id; } device; int32_t ndim; struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape, *strides; uint64_t byte_offset; } attnc_tensor;
#endif
typedef struct attnc_runtime { /* size is set, other zeros are defaults; a null runtime: this thread, malloc, no report */
  uint32_t size; int32_t threads; /* sizeof(attnc_runtime): fields are only added at the end; workers of parallel_for, 0 = 1 */
  void *user;                     /* passed back to every function below */
  attnc_status (*parallel_for)(void *user, int64_t tasks, void (*body)(void *context, int64_t task), void *context);
  void *(*allocate)(void *user, size_t bytes, size_t alignment); void (*release)(void *user, void *block);
  void (*report)(void *user, attnc_status status, const char *text); /* the full sentence, e.g. "K: shape [1, 12, 9, 80], expected head_dim 64" */
  void *workspace; size_t workspace_bytes; void *stream; /* caller's, 64-byte aligned: allocate is then never called; CUstream */
} attnc_runtime;
#endif
/* clang-format on */
#ifdef __cplusplus
}
#endif
#endif
