//===- cpu_wasm32.c - Nothing to read -------------------------------------===//
//
// An engine validates a module as a whole: if it runs, its features are there.
// Rounding is to nearest, there is no mode that flushes subnormals, and there
// is no environment.
//
//===----------------------------------------------------------------------===//

static void read_cpu(uint32_t words[ATTNC_CPU_WORDS], uint32_t registers) {
  (void)words;
  (void)registers;
}

static const char *getenv(const char *name) {
  (void)name;
  return 0;
}

static uint32_t enter_arithmetic(int flushes) {
  (void)flushes;
  return 0;
}

static void leave_arithmetic(uint32_t saved) { (void)saved; }
