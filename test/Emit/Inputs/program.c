/* A program for a platform whose libc is not here: what an object needs, and a
   call of each of its functions. Tests link it and run nothing. */
#include "gpt2_small.h"

static char pool[1 << 16];
static size_t used;

void *malloc(size_t bytes) { return &pool[(used += bytes) - bytes]; }
void free(void *block) { (void)block; }
char *getenv(const char *name) { return (void)name, (char *)0; }
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}
void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
#ifdef _WIN32 /* of the C run-time library */
int _fltused;
void __chkstk(void) {}
void ___chkstk_ms(void) {}
#endif

int start(void) {
  static attnc_tensor tensor;
  static gpt2_small_raw_args args;
  args.size = sizeof args;
  return gpt2_small(&tensor, &tensor, &tensor, &tensor, 0) +
         gpt2_small_raw(&args, 0) + (int)gpt2_small_workspace(1, 1, 1, 1) +
         *gpt2_small_describe();
}
