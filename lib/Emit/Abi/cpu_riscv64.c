//===- cpu_riscv64.c - HWCAP, the length of vectors, frm ------------------===//

extern unsigned long getauxval(unsigned long type);

static void read_cpu(uint32_t words[ATTNC_CPU_WORDS], uint32_t registers) {
  (void)registers;
  /* A bit for each letter of the ISA string. */
  words[ATTNC_CPU_HWCAP] = (uint32_t)getauxval(16 /* AT_HWCAP */);
  if (words[ATTNC_CPU_HWCAP] & 1u << ('V' - 'A')) {
    uint64_t bytes; /* the CSR exists only if there are vectors */
    __asm__ volatile("csrr %0, 0xc22" /* vlenb */ : "=r"(bytes));
    for (uint32_t n = 0; 8u << n <= bytes; ++n)
      words[ATTNC_CPU_VSCALE] |= 1u << n;
  }
}

/* There is no mode that flushes subnormals, and there are no traps. */
static uint32_t enter_arithmetic(int flushes) {
  uint64_t saved;
  (void)flushes;
  __asm__ volatile("fsrm %0, zero" : "=r"(saved)::"memory");
  return (uint32_t)saved;
}

static void leave_arithmetic(uint32_t saved) {
  __asm__ volatile("fsrm %0" ::"r"((uint64_t)saved) : "memory");
}
