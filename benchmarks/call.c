/* Time of a call that computes nothing: the checks of the entry and the choice
   of a part. The batch is 0, so every check runs and no task does.

     attnc examples/specs/gpt2-small.yaml
     clang -O2 -I . benchmarks/call.c gpt2_small.o -o call && ./call

   Prints nanoseconds, the least of 20 rounds. */
#define _POSIX_C_SOURCE 199309L
#include "gpt2_small.h"

#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measure(const attnc_tensor *t, const attnc_runtime *runtime) {
  enum { rounds = 20, calls = 100000 };
  double least = 1;
  for (int round = 0; round < rounds; ++round) {
    double begin = seconds();
    for (int i = 0; i < calls; ++i)
      if (gpt2_small(&t[0], &t[1], &t[2], &t[3], runtime) != ATTNC_OK)
        return -1;
    double time = (seconds() - begin) / calls;
    least = time < least ? time : least;
  }
  return least * 1e9;
}

int main(void) {
  int64_t shape[4] = {0, 12, 128, 64};
  attnc_tensor t[4] = {0};
  for (int i = 0; i < 4; ++i) {
    t[i].device.type = 1;
    t[i].ndim = 4;
    t[i].dtype.code = 2;
    t[i].dtype.bits = 32;
    t[i].dtype.lanes = 1;
    t[i].shape = shape;
  }
  attnc_runtime runtime = {0};
  runtime.size = sizeof runtime;
  printf("without a runtime %.0f ns, with one %.0f ns\n", measure(t, 0),
         measure(t, &runtime));
  return 0;
}
