//===- cpu_aarch64.c - HWCAP, the length of vectors, FPCR -----------------===//

#ifdef __APPLE__
/* Every processor has the one level. */
static void read_cpu(uint32_t words[ATTNC_CPU_WORDS], uint32_t registers) {
  (void)words;
  (void)registers;
}
#else
extern unsigned long getauxval(unsigned long type);

static void read_cpu(uint32_t words[ATTNC_CPU_WORDS], uint32_t registers) {
  (void)registers;
  uint64_t low = getauxval(16 /* AT_HWCAP */);
  words[ATTNC_CPU_HWCAP] = (uint32_t)low;
  words[ATTNC_CPU_HWCAP_HIGH] = (uint32_t)(low >> 32);
  words[ATTNC_CPU_HWCAP2] = (uint32_t)getauxval(26 /* AT_HWCAP2 */);
  if (low & 1ul << 22 /* HWCAP_SVE */) {
    uint64_t bytes; /* the length of this thread, as its children inherit it */
    __asm__(".inst 0x04bf5020\n\tmov %0, x0" /* rdvl x0, #1 */
            : "=r"(bytes)
            :
            : "x0");
    for (uint32_t n = 0; 16u << n <= bytes; ++n)
      words[ATTNC_CPU_VSCALE] |= 1u << n;
  }
}
#endif

static uint32_t enter_arithmetic(int flushes) {
  uint64_t saved, state = flushes ? 1u << 24 : 0; /* FZ */
  __asm__ volatile("mrs %0, fpcr\n\tmsr fpcr, %1"
                   : "=&r"(saved)
                   : "r"(state)
                   : "memory");
  return (uint32_t)saved;
}

static void leave_arithmetic(uint32_t saved) {
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)saved) : "memory");
}
