//===- race.c - Loops whose tasks write what the next loop reads ----------===//
//
// The barrier at the end of a loop must order memory; the thread sanitizer sees
// it if it does not.
//
//===----------------------------------------------------------------------===//

#include "attnc_threads.h"

#include <stdio.h>

enum { TASKS = 16, LOOPS = 300 };
static int64_t plain[2][TASKS];

static void pass_on(void *context, int64_t task) {
  int from = *(const int *)context;
  plain[!from][task] = plain[from][(task + 1) % TASKS] + 1;
}

int main(void) {
  attnc_threads *pool = attnc_threads_create(4);
  for (int loop = 0; pool && loop < LOOPS; ++loop) {
    int from = loop % 2;
    if (attnc_threads_run(pool, TASKS, pass_on, &from) != ATTNC_OK)
      return 1;
  }
  attnc_threads_destroy(pool);
  printf("passed on %d times\n", (int)plain[LOOPS % 2][3]);
  return 0;
}
