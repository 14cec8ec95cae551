//===- driver.h - The part of CUDA's driver interface that is used --------===//
//
// Types, numbers and functions of cuda.h of CUDA 12.0, so that neither building
// attnc nor linking its objects needs CUDA: libcuda.so.1 is loaded by the first
// call that needs it. Handles are opaque pointers.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_DRIVER_H
#define ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_SOURCE = 300,
  /* CUdevice_attribute */
  COMPUTE_CAPABILITY_MAJOR = 75,
  COMPUTE_CAPABILITY_MINOR = 76,
  /* CUfunction_attribute */
  MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  /* CUtensorMapInterleave, ...Swizzle, ...L2promotion, ...FloatOOBfill */
  NO_INTERLEAVE = 0,
  SWIZZLE_32B = 1,
  SWIZZLE_64B = 2,
  SWIZZLE_128B = 3,
  PROMOTION_256B = 3,
  FILL_WITH_ZEROS = 0
};

/* CUtensorMap */
struct cuda_tensor_map {
  _Alignas(64) uint64_t opaque[16];
};

/* name in struct cuda_driver, symbol of the library, parameters */
#define CUDA_FUNCTIONS(F)                                                      \
  F(init, cuInit, (unsigned flags))                                            \
  F(error_name, cuGetErrorName, (int code, const char **text))                 \
  F(error_text, cuGetErrorString, (int code, const char **text))               \
  F(device_get, cuDeviceGet, (int *device, int ordinal))                       \
  F(device_attribute, cuDeviceGetAttribute,                                    \
    (int *value, int attribute, int device))                                   \
  F(primary_retain, cuDevicePrimaryCtxRetain, (void **context, int device))    \
  F(primary_state, cuDevicePrimaryCtxGetState,                                 \
    (int device, unsigned *flags, int *is_active))                             \
  F(context_current, cuCtxGetCurrent, (void **context))                        \
  F(context_device, cuCtxGetDevice, (int *device))                             \
  F(context_push, cuCtxPushCurrent_v2, (void *context))                        \
  F(context_pop, cuCtxPopCurrent_v2, (void **context))                         \
  F(stream_context, cuStreamGetCtx, (void *stream, void **context))            \
  F(library_load, cuLibraryLoadData,                                           \
    (void **library, const void *code, int *options, void **values,            \
     unsigned count, int *library_options, void **library_values,              \
     unsigned library_count))                                                  \
  F(library_kernel, cuLibraryGetKernel,                                        \
    (void **kernel, void *library, const char *name))                          \
  F(kernel_function, cuKernelGetFunction, (void **function, void *kernel))     \
  F(kernel_set, cuKernelSetAttribute,                                          \
    (int attribute, int value, void *kernel, int device))                      \
  F(encode_map, cuTensorMapEncodeTiled,                                        \
    (struct cuda_tensor_map * map, int type, uint32_t rank, void *address,     \
     const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,      \
     const uint32_t *steps, int interleave, int swizzle, int promotion,        \
     int fill))                                                                \
  F(allocate, cuMemAllocAsync, (uint64_t *memory, size_t bytes, void *stream)) \
  F(release, cuMemFreeAsync, (uint64_t memory, void *stream))                  \
  F(copy_in, cuMemcpyHtoDAsync_v2,                                             \
    (uint64_t to, const void *from, size_t bytes, void *stream))               \
  F(copy_out, cuMemcpyDtoHAsync_v2,                                            \
    (void *to, uint64_t from, size_t bytes, void *stream))                     \
  F(synchronize, cuStreamSynchronize, (void *stream))                          \
  F(launch, cuLaunchKernel,                                                    \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,        \
     unsigned block_x, unsigned block_y, unsigned block_z,                     \
     unsigned shared_bytes, void *stream, void **arguments, void **extra))

struct cuda_driver {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
  CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

#endif
