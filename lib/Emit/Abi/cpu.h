//===- cpu.h - Words of CPUID ---------------------------------------------===//
//
// What a kernel may need is a set of bits in these words; Emit derives the bits
// from the features that LLVM compiled for (lib/Emit/CpuFeatures.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ABI_CPU_H
#define ATTNC_LIB_EMIT_ABI_CPU_H

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

#endif
