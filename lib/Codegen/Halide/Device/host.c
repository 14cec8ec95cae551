//===- host.c - What Halide's runtime calls of its host -------------------===//
//
// It replaces weak functions of Halide's runtime that need symbols which an
// object may not use. It is compiled and linked like launch.c.
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

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
