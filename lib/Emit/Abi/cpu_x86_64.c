//===- cpu_x86_64.c - CPUID, MXCSR, AMX -----------------------------------===//
//
// CPUID may trap under virtualization (tens of microseconds).
//
//===----------------------------------------------------------------------===//

#include <cpuid.h>

static uint32_t read_xcr0(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/* The registers of AMX, bits of XCR0. */
static const uint32_t tile_registers = 0x60000;

/* Linux gives a process the registers of AMX when it asks for them
   (Documentation/arch/x86/xstate.rst), of which it learns only by arch_prctl:
   XCR0 has their bits without. It refuses if a thread's alternate signal stack
   is too small for them. Nothing is asked of other systems. */
static int permits_tiles(void) {
#if defined(__linux__) && defined(__LP64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(158L /* arch_prctl */),
                     "D"(0x1023L /* ARCH_REQ_XCOMP_PERM */),
                     "S"(18L /* XTILEDATA */)
                   : "rcx", "r11", "memory");
  return result == 0;
#else
  return 0;
#endif
}

static void read_cpu(uint32_t words[ATTNC_CPU_WORDS], uint32_t registers) {
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
  if ((words[ATTNC_CPU_XCR0] & registers & tile_registers) && !permits_tiles())
    words[ATTNC_CPU_XCR0] &= ~tile_registers;
}

static uint32_t enter_arithmetic(int flushes) {
  uint32_t saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(flushes ? 0x9fc0 : 0x1f80); /* FTZ, DAZ */
  return saved;
}

static void leave_arithmetic(uint32_t saved) { __builtin_ia32_ldmxcsr(saved); }
