//===- launch.h - What launchers of devices share -------------------------===//
//
// Launchers are C, compiled to LLVM IR when the compiler is built and linked
// into objects. They use nothing of libc but malloc, free, dlopen, dlsym and
// usleep, on Windows Sleep. A C file includes entry.h (lib/Emit/Abi) before
// this one. Tests: test/Integration/halide/opencl-abi.test,
// test/Integration/cuda
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_COMMON_LAUNCH_LAUNCH_H
#define ATTNC_LIB_CODEGEN_COMMON_LAUNCH_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

extern void *malloc(size_t bytes);
extern void free(void *block);

#ifdef _WIN32
extern void Sleep(unsigned long milliseconds);
static void wait_briefly(void) { Sleep(1); }
#else
extern void *dlopen(const char *name, int flags);
extern void *dlsym(void *library, const char *name);
extern int usleep(unsigned microseconds);
static void wait_briefly(void) { usleep(50); }

enum { RTLD_LAZY_ONLY = 1 }; /* RTLD_LAZY of dlfcn.h */
#endif

/* Keeps the first failure of a call: the status and the concatenated texts, on
   one line. The last text is null. */
static void fail_with(struct attnc_failure *failure, int32_t status,
                      const char *const *texts) {
  int32_t none = ATTNC_OK, n = 0;
  if (!failure ||
      !__atomic_compare_exchange_n(&failure->status, &none, status, 0,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return;
  for (; *texts; ++texts)
    for (const char *c = *texts; *c && n < ATTNC_FAILURE_BYTES - 1; ++c)
      failure->text[n++] = *c == '\n' ? ' ' : *c;
  while (n > 0 && failure->text[n - 1] == ' ')
    --n;
  failure->text[n] = 0;
}

/* Free if it is 0. It is held for microseconds, or while a driver compiles
   kernels; a mutex of pthreads would be a dependency. */
struct attnc_lock {
  uintptr_t state;
};

static inline void lock(struct attnc_lock *one) {
  for (int spins = 0; __atomic_exchange_n(&one->state, 1, __ATOMIC_ACQUIRE);
       ++spins)
    if (spins > 100)
      wait_briefly();
}

static inline void unlock(struct attnc_lock *one) {
  __atomic_store_n(&one->state, 0, __ATOMIC_RELEASE);
}

/* Copies the elements of a tensor between two layouts of the same shape.
   Strides are in elements. There is at least one element. */
static inline void copy_elements(char *to, const int64_t *to_strides,
                                 const char *from, const int64_t *from_strides,
                                 const int64_t *shape, int32_t rank,
                                 int32_t bytes) {
  int64_t index[16] = {0};
  for (;;) {
    int64_t to_at = 0, from_at = 0;
    for (int32_t d = 0; d < rank; ++d) {
      to_at += index[d] * to_strides[d];
      from_at += index[d] * from_strides[d];
    }
    for (int32_t i = 0; i < bytes; ++i)
      to[to_at * bytes + i] = from[from_at * bytes + i];
    int32_t d = rank - 1;
    for (; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
    if (d < 0)
      return;
  }
}

#endif
