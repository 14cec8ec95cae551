//===- cpu.c - The processor and its floating-point state -----------------===//
//
// CPUID may trap under virtualisation (tens of microseconds), so the choice of
// a kernel is made once and kept in one atomic integer per function. Two
// threads may both make it; they agree.
//
//===----------------------------------------------------------------------===//

#include "cpu.h"
#include "frame.h"

#if defined(__x86_64__)
#include <cpuid.h>

static uint32_t read_xcr0(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static void read_cpu(uint32_t words[ATTNC_CPU_WORDS]) {
  uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    words[ATTNC_CPU_1_ECX] = c;
    words[ATTNC_CPU_1_EDX] = d;
    if (c & 1u << 27) /* OSXSAVE */
      words[ATTNC_CPU_XCR0] = read_xcr0();
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words[ATTNC_CPU_7_EBX] = b;
    words[ATTNC_CPU_7_ECX] = c;
    words[ATTNC_CPU_7_EDX] = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
      words[ATTNC_CPU_7_1_EAX] = a;
      words[ATTNC_CPU_7_1_EDX] = d;
    }
  }
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
    words[ATTNC_CPU_80000001_ECX] = c;
}

/* Rounds to nearest and masks all exceptions, whatever the caller's state is,
   so that results depend on nothing but the arguments. */
static uint32_t enter_arithmetic(int flushes) {
  uint32_t saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(flushes ? 0x9fc0 : 0x1f80); /* FTZ, DAZ */
  return saved;
}

static void leave_arithmetic(uint32_t saved) { __builtin_ia32_ldmxcsr(saved); }

#else /* a target without levels: its kernels need nothing */
static void read_cpu(uint32_t words[ATTNC_CPU_WORDS]) { (void)words; }
static uint32_t enter_arithmetic(int flushes) { return (uint32_t)flushes; }
static void leave_arithmetic(uint32_t saved) { (void)saved; }
#endif

static int32_t find_kernel(const struct attnc_function *function) {
  uint32_t words[ATTNC_CPU_WORDS] = {0};
  read_cpu(words);
  for (int32_t k = 0; k < function->kernel_count; ++k) {
    int fits = 1;
    for (int32_t w = 0; w < ATTNC_CPU_WORDS; ++w)
      fits &= (function->kernels[k].needs[w] & ~words[w]) == 0;
    if (fits)
      return k + 1;
  }
  return -1;
}

/* The best kernel for this processor and these sizes, or null. */
static const struct attnc_kernel *
choose_kernel(const struct attnc_function *function, const int64_t *sizes) {
  int32_t chosen = __atomic_load_n(function->chosen, __ATOMIC_RELAXED);
  if (chosen == 0) {
    chosen = find_kernel(function);
    __atomic_store_n(function->chosen, chosen, __ATOMIC_RELAXED);
  }
  if (chosen < 0)
    return 0;
  const struct attnc_kernel *kernel = &function->kernels[chosen - 1];
  for (; kernel->lhs.count; ++kernel) {
    int64_t lhs, rhs;
    if (evaluate(function, sizes, kernel->lhs, &lhs) &&
        evaluate(function, sizes, kernel->rhs, &rhs) && lhs <= rhs)
      break;
  }
  return kernel;
}

static attnc_status report_no_kernel(const struct attnc_frame *frame) {
  struct message message;
  message.length = 0;
  put(&message, "this processor does not support what the kernels require: ");
  put(&message, frame->function->text + frame->function->targets);
  return report(frame, &message, ATTNC_NO_TARGET);
}
