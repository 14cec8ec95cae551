//===- cpu.h - Words about a processor ------------------------------------===//
//
// What a kernel may need is a set of bits in these words; Emit derives the bits
// from the features that LLVM compiled for (lib/Emit/CpuFeatures.cpp). Each
// architecture has its own words.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ABI_CPU_H
#define ATTNC_LIB_EMIT_ABI_CPU_H

/* x86-64: words of CPUID */
enum {
  ATTNC_CPU_1_ECX,
  ATTNC_CPU_1_EDX,
  ATTNC_CPU_7_EBX,
  ATTNC_CPU_7_ECX,
  ATTNC_CPU_7_EDX,
  ATTNC_CPU_7_1_EAX,
  ATTNC_CPU_7_1_EDX,
  ATTNC_CPU_80000001_ECX,
  ATTNC_CPU_XCR0 /* registers that the system saves, if OSXSAVE says so */
};

/* Architectures where the system lists the features: words of getauxval */
enum {
  ATTNC_CPU_HWCAP,
  ATTNC_CPU_HWCAP_HIGH,
  ATTNC_CPU_HWCAP2,
  ATTNC_CPU_VSCALE /* bit n: scalable vectors are at least 2^n times as long as
                      the shortest ones */
};

#endif
