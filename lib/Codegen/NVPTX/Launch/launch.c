//===- launch.c - What an object with kernels for NVIDIA GPUs calls -------===//
//
// A part of the object: it loads CUDA's driver and the kernels, copies tensors
// of the host, and launches. It is compiled to LLVM IR with the compiler
// (lib/Codegen/NVPTX/Launch/Object.cpp defines what is `extern` here). Every
// part has a copy of its own.
//
// Everything is in the order of the caller's stream. A call with tensors on the
// device returns when its work is queued; one with tensors on the host waits.
// Kernels are a CUlibrary, which belongs to no context: the driver loads it
// into each context that launches from it, once. Tests: test/Integration/cuda
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "driver.h"
#include "launch.h"
#include "map.h"

/* PTX ends with a 0. The cubin is empty if the compiler had no assembler. Of
   kernels for tensors without tensor maps there is only PTX. */
extern const char attnc_cuda_ptx[], attnc_cuda_otherwise[];
extern const char attnc_cuda_cubin[], attnc_cuda_target[];
extern const int64_t attnc_cuda_cubin_bytes;
/* 80 is 8.0. Code of an architecture's own features runs on that one alone. */
extern const int32_t attnc_cuda_capability, attnc_cuda_is_exact;

enum { PTX, CUBIN, OTHERWISE, IMAGES, MAX_DEVICES = 64 };
/* CU_STREAM_PER_THREAD: up to it, streams belong to the current context. */
enum { LAST_DEFAULT_STREAM = 2 };

/* The compiler defines one for each kernel (Object.cpp). */
struct attnc_cuda_kernel {
  const char *name;
  void *handles[IMAGES];
  uint64_t devices[IMAGES]; /* that know its shared memory: a bit each */
  int64_t is_otherwise;     /* for tensors without tensor maps */
};

static struct attnc_lock guard, loading[IMAGES];
static struct cuda_driver cuda;
static int is_loaded; /* of `cuda`, which does not change then */
static void *libraries[IMAGES], *primaries[MAX_DEVICES];
static int is_refused; /* by the driver: the cubin */

/* "cuda: cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY: out of memory" */
static int32_t fail(struct attnc_failure *failure, const char *function,
                    int code) {
  const char *name = 0, *text = 0;
  cuda.error_name(code, &name);
  cuda.error_text(code, &text);
  const char *texts[] = {
      "cuda: ",         function,         ": ", name ? name : "unknown error",
      text ? ": " : "", text ? text : "", 0};
  fail_with(failure,
            code == CUDA_ERROR_OUT_OF_MEMORY ? ATTNC_NO_MEMORY
                                             : ATTNC_DEVICE_FAILED,
            texts);
  return 0;
}

/* Whether `call` succeeded. */
#define CHECK(call, symbol)                                                    \
  ((code = (call)) == 0 || fail(failure, symbol, code))

static int32_t load_functions(void *library, struct attnc_failure *failure) {
  const char *missing = 0;
#define LOAD(name, symbol, parameters)                                         \
  *(void **)&cuda.name = dlsym(library, #symbol);                              \
  if (!cuda.name && !missing)                                                  \
    missing = #symbol;
  CUDA_FUNCTIONS(LOAD)
#undef LOAD
  if (!missing)
    return 1;
  const char *texts[] = {"cuda: libcuda.so.1 has no function ", missing,
                         "; the kernels require a driver of CUDA 12.0 or later",
                         0};
  fail_with(failure, ATTNC_DEVICE_FAILED, texts);
  return 0;
}

/* What fails is tried again by the next call. */
static int32_t load_driver(struct attnc_failure *failure) {
  if (__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE))
    return 1;
  int code, is_ok = 0;
  lock(&guard);
  void *library = is_loaded ? 0 : dlopen("libcuda.so.1", RTLD_LAZY_ONLY);
  if (is_loaded) {
    is_ok = 1;
  } else if (!library) {
    const char *texts[] = {"cuda: cannot load libcuda.so.1, a part of NVIDIA's "
                           "driver",
                           0};
    fail_with(failure, ATTNC_DEVICE_FAILED, texts);
  } else {
    is_ok = load_functions(library, failure) && CHECK(cuda.init(0), "cuInit");
    __atomic_store_n(&is_loaded, is_ok, __ATOMIC_RELEASE);
  }
  unlock(&guard);
  return is_ok;
}

/* "8.0" */
static const char *put_capability(char *to, int32_t capability) {
  char *at = to;
  if (capability >= 100)
    *at++ = (char)('0' + capability / 100);
  *at++ = (char)('0' + capability / 10 % 10);
  *at++ = '.';
  *at++ = (char)('0' + capability % 10);
  *at = 0;
  return to;
}

static int32_t check_capability(int32_t capability,
                                struct attnc_failure *failure) {
  if (attnc_cuda_is_exact ? capability == attnc_cuda_capability
                          : capability >= attnc_cuda_capability)
    return 1;
  char has[8], needs[8];
  const char *texts[] = {"cuda: the device has compute capability ",
                         put_capability(has, capability),
                         ", but the kernels for ",
                         attnc_cuda_target,
                         " require ",
                         put_capability(needs, attnc_cuda_capability),
                         attnc_cuda_is_exact ? "" : " or later",
                         0};
  fail_with(failure, ATTNC_NO_TARGET, texts);
  return 0;
}

/* What is kept of each device has a fixed size. */
static int32_t check_device(int device, struct attnc_failure *failure) {
  if (device >= 0 && device < MAX_DEVICES)
    return 1;
  char digits[12], *at = digits + sizeof digits;
  *--at = 0;
  for (unsigned rest = (unsigned)device; rest; rest /= 10)
    *--at = (char)('0' + rest % 10);
  const char *texts[] = {"cuda: device ", at,
                         " is not supported; kernels run on devices 0 to 63",
                         0};
  fail_with(failure, ATTNC_DEVICE_FAILED, texts);
  return 0;
}

/* The context that runtimes of CUDA use. It is kept until somebody resets the
   device, which destroys it. */
static int32_t push_primary(struct attnc_device_call *call, int device,
                            struct attnc_failure *failure) {
  int code, is_active = 0;
  unsigned flags;
  lock(&guard);
  void *context = primaries[device];
  call->is_pushed =
      context &&
      cuda.primary_state(device, &flags, &is_active) == CUDA_SUCCESS &&
      is_active && cuda.context_push(context) == CUDA_SUCCESS;
  if (!call->is_pushed) {
    primaries[device] = 0;
    call->is_pushed = CHECK(cuda.primary_retain(&context, device),
                            "cuDevicePrimaryCtxRetain") &&
                      CHECK(cuda.context_push(context), "cuCtxPushCurrent");
    if (call->is_pushed)
      primaries[device] = context;
  }
  unlock(&guard);
  return call->is_pushed;
}

/* Whether the driver cannot run an image on the device, such as the cubin of a
   later assembler. */
static int is_refusal(int code) {
  return code == CUDA_ERROR_INVALID_IMAGE ||
         code == CUDA_ERROR_INVALID_SOURCE ||
         code == CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Loads an image, once in the process. The driver may compile it for seconds,
   in which only calls that need this image wait. */
static int load_library(int image) {
  int code = CUDA_SUCCESS;
  if (__atomic_load_n(&libraries[image], __ATOMIC_ACQUIRE))
    return code;
  const char *bytes = image == CUBIN ? attnc_cuda_cubin
                      : image == PTX ? attnc_cuda_ptx
                                     : attnc_cuda_otherwise;
  lock(&loading[image]);
  if (!libraries[image]) {
    void *made = 0;
    code = cuda.library_load(&made, bytes, 0, 0, 0, 0, 0, 0);
    if (code == CUDA_SUCCESS)
      __atomic_store_n(&libraries[image], made, __ATOMIC_RELEASE);
  }
  unlock(&loading[image]);
  return code;
}

/* Whether the call can use PTX after the cubin gave `code`: all later calls do,
   too. */
static int32_t falls_back(struct attnc_device_call *call, int code,
                          struct attnc_failure *failure) {
  if (call->image != CUBIN || !is_refusal(code))
    return 0;
  __atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
  call->image = PTX;
  return CHECK(load_library(PTX), "cuLibraryLoadData");
}

/* Loads the cubin, or PTX if the driver refuses that. */
static int32_t load_image(struct attnc_device_call *call, int32_t capability,
                          struct attnc_failure *failure) {
  /* A cubin runs on its own and later minor versions, except on a few such as
     8.7 of Jetson. In lazy loading the driver refuses it only at a launch. */
  call->image = attnc_cuda_cubin_bytes &&
                        !__atomic_load_n(&is_refused, __ATOMIC_RELAXED) &&
                        capability / 10 == attnc_cuda_capability / 10
                    ? CUBIN
                    : PTX;
  int code = load_library(call->image);
  return falls_back(call, code, failure) || CHECK(code, "cuLibraryLoadData");
}

static void close_device(struct attnc_device_call *call) {
  void *context;
  if (call->is_pushed)
    cuda.context_pop(&context);
  call->is_pushed = 0;
}

/* The device of the current context, or -1. Without one, that of the stream
   becomes current. */
static int32_t find_current(struct attnc_device_call *call, int *current,
                            struct attnc_failure *failure) {
  int code;
  void *context = 0;
  *current = -1;
  if (!CHECK(cuda.context_current(&context), "cuCtxGetCurrent"))
    return 0;
  if (!context && (uintptr_t)call->stream > LAST_DEFAULT_STREAM) {
    if (!CHECK(cuda.stream_context(call->stream, &context), "cuStreamGetCtx") ||
        !CHECK(cuda.context_push(context), "cuCtxPushCurrent"))
      return 0;
    call->is_pushed = 1;
  }
  return !context || CHECK(cuda.context_device(current), "cuCtxGetDevice");
}

/* Chooses the device, and makes a context of it current. */
static int32_t find_device(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  int code, current;
  if (!find_current(call, &current, failure))
    return 0;
  call->device = current;
  if ((call->ordinal >= 0 || current < 0) &&
      !CHECK(
          cuda.device_get(&call->device, call->ordinal < 0 ? 0 : call->ordinal),
          "cuDeviceGet"))
    return 0;
  if (!check_device(call->device, failure))
    return 0;
  if (call->device == current)
    return 1;
  close_device(call);
  return push_primary(call, call->device, failure);
}

static int32_t open_device(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  int code, major = 0, minor = 0;
  call->is_pushed = 0;
  if (load_driver(failure) && find_device(call, failure) &&
      CHECK(
          cuda.device_attribute(&major, COMPUTE_CAPABILITY_MAJOR, call->device),
          "cuDeviceGetAttribute") &&
      CHECK(
          cuda.device_attribute(&minor, COMPUTE_CAPABILITY_MINOR, call->device),
          "cuDeviceGetAttribute") &&
      check_capability(major * 10 + minor, failure) &&
      load_image(call, major * 10 + minor, failure))
    return 1;
  close_device(call);
  return 0;
}

static int32_t read_bytes(struct attnc_device_call *call, void *to,
                          const void *from, int64_t offset, int64_t bytes,
                          struct attnc_failure *failure) {
  int code;
  return CHECK(cuda.copy_out(to, (uintptr_t)from + (uintptr_t)offset,
                             (size_t)bytes, call->stream),
               "cuMemcpyDtoHAsync") &&
         CHECK(cuda.synchronize(call->stream), "cuStreamSynchronize");
}

/* Tensors that share bytes share a block, so that one call may work in place or
   on slices of a buffer. */
static void plan_blocks(struct attnc_device_call *call) {
  call->block_count = 0;
  for (int32_t t = 0; t < call->function->tensor_count; ++t) {
    uintptr_t low = call->spans[t].low, high = call->spans[t].high;
    if (low == high)
      continue;
    for (int32_t b = 0; b < call->block_count;) {
      uintptr_t other_low = call->blocks[b].low;
      uintptr_t other_high = call->blocks[b].high;
      if (high <= other_low || other_high <= low) {
        ++b;
        continue;
      }
      low = other_low < low ? other_low : low;
      high = other_high > high ? other_high : high;
      call->blocks[b] = call->blocks[--call->block_count];
      b = 0; /* the union may meet others */
    }
    call->blocks[call->block_count].low = low;
    call->blocks[call->block_count].high = high;
    call->blocks[call->block_count++].device = 0;
  }
}

/* Where the device has a byte of the host. */
static uintptr_t on_device(const struct attnc_device_call *call,
                           uintptr_t address) {
  for (int32_t b = 0; b < call->block_count; ++b)
    if (address >= call->blocks[b].low && address < call->blocks[b].high)
      return call->blocks[b].device + (address - call->blocks[b].low);
  return 0;
}

static int32_t allocate(struct attnc_device_call *call, size_t bytes,
                        uintptr_t *memory, struct attnc_failure *failure) {
  int code;
  uint64_t made = 0;
  if (!CHECK(cuda.allocate(&made, bytes, call->stream), "cuMemAllocAsync"))
    return 0;
  *memory = (uintptr_t)made;
  return 1;
}

/* Whether kernels may read what the caller has in a block, or leave some of it
   as it is: rows of ragged tensors that belong to no sequence, which a table of
   starts tells. All elements of other outputs are written. */
static int32_t needs_copy(const struct attnc_device_call *call, int32_t block) {
  for (int32_t t = 0; t < call->function->tensor_count; ++t) {
    int32_t flags = call->function->tensors[t].flags;
    int32_t is_in = call->spans[t].low >= call->blocks[block].low &&
                    call->spans[t].low < call->blocks[block].high;
    int32_t is_pure =
        (flags & ATTNC_TENSOR_OUTPUT) && !(flags & ATTNC_TENSOR_INOUT);
    if ((flags & ATTNC_TENSOR_NONDECREASING) || (is_in && !is_pure))
      return 1;
  }
  return 0;
}

static int32_t begin(struct attnc_call *call) {
  struct attnc_device_call *device = call->device;
  struct attnc_failure *failure = call->failure;
  int code;
  device->workspace = 0;
  device->block_count = device->has_copies = 0;
  if (device->workspace_bytes) {
    if (!allocate(device, (size_t)device->workspace_bytes, &device->workspace,
                  failure))
      return 0;
    call->workspace = (void *)device->workspace;
  }
  if (device->is_on_device)
    return 1;
  plan_blocks(device);
  for (int32_t b = 0; b < device->block_count; ++b) {
    uintptr_t low = device->blocks[b].low;
    size_t bytes = device->blocks[b].high - low;
    if (!allocate(device, bytes, &device->blocks[b].device, failure))
      return 0;
    device->has_copies = 1;
    if (needs_copy(device, b) &&
        !CHECK(cuda.copy_in(device->blocks[b].device, (const void *)low, bytes,
                            device->stream),
               "cuMemcpyHtoDAsync"))
      return 0;
  }
  for (int32_t t = 0; t < device->function->tensor_count; ++t)
    if (device->data[t])
      device->data[t] = (void *)on_device(device, (uintptr_t)device->data[t]);
  return 1;
}

/* Memory between the elements of a result is not written, since it may belong
   to others: then the bytes go to memory of their own first. */
static int32_t copy_result(struct attnc_call *call, int32_t t) {
  struct attnc_device_call *device = call->device;
  struct attnc_failure *failure = call->failure;
  const struct attnc_tensor_info *info = &device->function->tensors[t];
  const struct attnc_span *span = &device->spans[t];
  uintptr_t bytes = span->high - span->low, elements = 1;
  uintptr_t from = on_device(device, span->low);
  int code;
  for (int32_t a = 0; a < info->rank; ++a)
    elements *= (uintptr_t)call->shapes[t][a];
  if (elements * (uintptr_t)info->bits / 8 == bytes)
    return CHECK(cuda.copy_out((void *)span->low, from, bytes, device->stream),
                 "cuMemcpyDtoHAsync");
  char *copy = malloc(bytes);
  if (!copy) {
    const char *texts[] = {"cuda: cannot allocate host memory for a result", 0};
    fail_with(failure, ATTNC_NO_MEMORY, texts);
    return 0;
  }
  int32_t is_ok =
      CHECK(cuda.copy_out(copy, from, bytes, device->stream),
            "cuMemcpyDtoHAsync") &&
      CHECK(cuda.synchronize(device->stream), "cuStreamSynchronize");
  if (is_ok) {
    uintptr_t first = (uintptr_t)device->data[t] - from; /* element 0 */
    copy_elements((char *)(span->low + first), call->strides[t], copy + first,
                  call->strides[t], call->shapes[t], info->rank,
                  info->bits / 8);
  }
  free(copy);
  return is_ok;
}

static void end(struct attnc_call *call) {
  struct attnc_device_call *device = call->device;
  struct attnc_failure *failure = call->failure;
  int code;
  if (!device->is_on_device && failure->status == ATTNC_OK)
    for (int32_t t = 0; t < device->function->tensor_count; ++t)
      if (device->spans[t].is_written && device->data[t] &&
          !copy_result(call, t))
        break;
  /* The caller's memory is read and written until then. */
  if (device->has_copies)
    (void)CHECK(cuda.synchronize(device->stream), "cuStreamSynchronize");
  for (int32_t b = 0; b < device->block_count; ++b)
    if (device->blocks[b].device)
      cuda.release(device->blocks[b].device, device->stream);
  if (device->workspace)
    cuda.release(device->workspace, device->stream);
}

/* The function of a kernel in the current context, which may use its shared
   memory on the device. All of that of a multiprocessor is shared memory, for
   as many blocks as fit; one division for all kernels, as a change between two
   waits for the first. The driver's code; `step` is what gave it. */
static int find_function(struct attnc_cuda_kernel *kernel, int64_t shared,
                         const struct attnc_device_call *call, void **function,
                         const char **step) {
  int code = CUDA_SUCCESS;
  int image = kernel->is_otherwise ? OTHERWISE : call->image;
  uint64_t bit = UINT64_C(1) << call->device;
  *step = "cuLibraryLoadData";
  if (image == OTHERWISE && (code = load_library(image)) != CUDA_SUCCESS)
    return code;
  if (!(__atomic_load_n(&kernel->devices[image], __ATOMIC_ACQUIRE) & bit)) {
    lock(&guard);
    *step = "cuLibraryGetKernel";
    if (!kernel->handles[image])
      code = cuda.library_kernel(&kernel->handles[image], libraries[image],
                                 kernel->name);
    if (code == CUDA_SUCCESS) {
      *step = "cuKernelSetAttribute";
      code = cuda.kernel_set(MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared,
                             kernel->handles[image], call->device);
      if (code == CUDA_SUCCESS)
        code = cuda.kernel_set(PREFERRED_SHARED_MEMORY_CARVEOUT, 100,
                               kernel->handles[image], call->device);
    }
    if (code == CUDA_SUCCESS)
      __atomic_fetch_or(&kernel->devices[image], bit, __ATOMIC_RELEASE);
    unlock(&guard);
  }
  if (code != CUDA_SUCCESS)
    return code;
  *step = "cuKernelGetFunction";
  return cuda.kernel_function(function, kernel->handles[image]);
}

/* Whether the driver encodes the map. */
static int encode_map(struct cuda_tensor_map *to,
                      const struct attnc_tensor_map *map) {
  uint64_t sizes[ATTNC_MAP_AXES], strides[ATTNC_MAP_AXES];
  uint32_t box[ATTNC_MAP_AXES], steps[ATTNC_MAP_AXES];
  for (int64_t a = 0; a < map->rank; ++a) {
    sizes[a] = (uint64_t)map->sizes[a];
    strides[a] = (uint64_t)map->strides[a];
    box[a] = (uint32_t)map->box[a];
    steps[a] = 1;
  }
  int swizzle = map->swizzle == 128  ? SWIZZLE_128B
                : map->swizzle == 64 ? SWIZZLE_64B
                                     : SWIZZLE_32B;
  return cuda.encode_map(to, (int)map->type, (uint32_t)map->rank,
                         (void *)(uintptr_t)map->address, sizes, strides + 1,
                         box, steps, NO_INTERLEAVE, swizzle, PROMOTION_256B,
                         FILL_WITH_ZEROS) == CUDA_SUCCESS;
}

/* Launches a grid; its arguments are those of lib/Codegen/NVPTX/Functions.cpp.
   0 without a launch or a failure if the driver does not encode the maps. */
int32_t attnc_cuda_launch(struct attnc_cuda_kernel *kernel, int64_t blocks,
                          int64_t threads, int64_t shared,
                          const struct attnc_call *call,
                          const struct attnc_tensor_map *maps,
                          int64_t map_count) {
  enum {
    MOST = ATTNC_MAX_TENSORS * (1 + 2 * ATTNC_MAX_RANK) + ATTNC_MAX_SIZES
  };
  struct attnc_device_call *device = call->device;
  const struct attnc_function *function = device->function;
  struct attnc_failure *failure = call->failure;
  struct cuda_tensor_map encoded[ATTNC_MAX_MAPS];
  const void *arguments[MOST + 1 + ATTNC_MAX_MAPS];
  int32_t count = 0;
  for (int32_t t = 0; t < function->tensor_count; ++t) {
    int32_t rank = function->tensors[t].rank;
    arguments[count++] = &call->data[t];
    for (int32_t a = 0; a < rank; ++a)
      arguments[count++] = &call->strides[t][a];
    for (int32_t a = 0; a < rank; ++a)
      arguments[count++] = &call->shapes[t][a];
  }
  for (int32_t s = 0; s < function->size_count; ++s)
    arguments[count++] = &call->sizes[s];
  arguments[count++] = &call->workspace;
  for (int64_t m = 0; m < map_count; ++m) {
    if (!encode_map(&encoded[m], &maps[m]))
      return 0;
    arguments[count++] = &encoded[m];
  }
  if (blocks > INT32_MAX) {
    const char *texts[] = {"cuda: ", kernel->name,
                           ": the call has more than 2147483647 thread blocks",
                           0};
    fail_with(failure, ATTNC_BAD_SHAPE, texts);
    return 1;
  }
  const char *step;
  void *compiled;
  int code = find_function(kernel, shared, device, &compiled, &step);
  if (!kernel->is_otherwise && falls_back(device, code, failure))
    code = find_function(kernel, shared, device, &compiled, &step);
  if (CHECK(code, step))
    (void)CHECK(cuda.launch(compiled, (unsigned)blocks, 1, 1, (unsigned)threads,
                            1, 1, (unsigned)shared, device->stream,
                            (void **)arguments, 0),
                "cuLaunchKernel");
  return 1;
}

const struct attnc_device attnc_device = {
    2 /* kDLCUDA */, open_device, read_bytes, begin, end, close_device};
