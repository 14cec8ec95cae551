/* usage: run_pe PROGRAM.exe
   Maps a program for Windows on x86-64 that imports nothing, and calls its entry
   with that system's calling convention: its exit code. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned char file[1 << 26];

static uint32_t word(size_t at) {
  uint32_t value;
  memcpy(&value, file + at, sizeof value);
  return value;
}

int main(int argc, char **argv) {
  FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!in || !fread(file, 1, sizeof file, in))
    return 100;
  size_t header = word(0x3c), optional = header + 24;
  size_t sections = optional + (word(header + 20) & 0xffff);
  uint64_t base = word(optional + 24) | (uint64_t)word(optional + 28) << 32;
  char *image = mmap((void *)base, word(optional + 56),
                     PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (image != (char *)base)
    return 101;
  for (uint32_t s = 0; s < word(header + 4) >> 16; ++s) {
    size_t at = sections + 40 * s;
    uint32_t bytes = word(at + 16) < word(at + 8) ? word(at + 16) : word(at + 8);
    memcpy(image + word(at + 12), file + word(at + 20), bytes);
  }
  int (*start)(void) __attribute__((ms_abi)) = (void *)(image + word(optional + 16));
  uint64_t kept[2] = {0x1234, 0x5678}, left[2] = {0, 0};
  int code;
  /* xmm6 to xmm15 are the caller's. The callee owns 32 bytes for arguments. */
  __asm__ volatile("movq %3, %%xmm6\n\tmovq %4, %%xmm15\n\t"
                   "movq %%rsp, %%r12\n\tsubq $256, %%rsp\n\tandq $-16, %%rsp\n\t"
                   "subq $32, %%rsp\n\tcall *%5\n\tmovq %%r12, %%rsp\n\t"
                   "movq %%xmm6, %1\n\tmovq %%xmm15, %2"
                   : "=a"(code), "=m"(left[0]), "=m"(left[1])
                   : "r"(kept[0]), "r"(kept[1]), "r"(start)
                   : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm1",
                     "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                     "cc");
  if (left[0] != kept[0] || left[1] != kept[1])
    return 102;
  printf("start returned %d\n", code);
  return code;
}
