//===- attnc_threads.h - A pool of threads for compiled attention ---------===//
//
// A call uses the calling thread only, unless its runtime has a `parallel_for`.
// This is an implementation on POSIX threads:
//
//   attnc_threads *pool = attnc_threads_create(0);
//   attnc_runtime runtime = {.size = sizeof runtime};
//   attnc_threads_use(pool, &runtime);
//   gpt2_small(&Q, &K, &V, &O, &runtime);
//   attnc_threads_destroy(pool);
//
// Several threads may use one pool at the same time; their loops run one after
// another. docs/c-interface.md describes the contract.
// Tests: test/Unit/Runtime/ThreadsTest.cpp, test/Runtime/threads-race.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_THREADS_H
#define ATTNC_THREADS_H

#include "attnc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attnc_threads attnc_threads;

/* Creates a pool of `threads` workers, including the thread that runs a loop; 0
   or less: one per online processor. NULL if out of memory. The pool has fewer
   workers if the system refuses to create threads. */
attnc_threads *attnc_threads_create(int32_t threads);

/* Stops the workers and frees the pool, which may be NULL. No loop may be
   running. */
void attnc_threads_destroy(attnc_threads *pool);

/* Number of workers, including the calling thread: 1 for a NULL pool. */
int32_t attnc_threads_count(const attnc_threads *pool);

/* Calls body(context, t) once for each 0 <= t < tasks and returns when all
   calls have returned. A body must not run a loop on the same pool. */
attnc_status attnc_threads_run(attnc_threads *pool, int64_t tasks,
                               void (*body)(void *context, int64_t task),
                               void *context);

/* Sets user, threads and parallel_for of a runtime. To use `user` for other
   callbacks, write a parallel_for that calls attnc_threads_run. */
void attnc_threads_use(attnc_threads *pool, attnc_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
