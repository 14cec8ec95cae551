//===- attnc_threads.h - A pool of threads for compiled attention ---------===//
//
// Objects run on the calling thread until they are given a `parallel_for`. This
// is one on POSIX threads:
//
//   attnc_threads *pool = attnc_threads_create(0);
//   attnc_runtime runtime = {.size = sizeof runtime};
//   attnc_threads_use(pool, &runtime);
//   gpt2_small(&Q, &K, &V, &O, &runtime);
//   attnc_threads_destroy(pool);
//
// A pool may be used by several threads at once; their loops then take turns.
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

/* A pool of `threads` workers, the caller of a loop being one of them; 0 or
   less: as many as processors are online. Null if there is no memory. If the
   system refuses threads the pool has fewer. */
attnc_threads *attnc_threads_create(int32_t threads);

/* Ends the workers. No loop may be running. A null pool is fine. */
void attnc_threads_destroy(attnc_threads *pool);

/* Workers of the pool, the caller included: 1 for a null pool. */
int32_t attnc_threads_count(const attnc_threads *pool);

/* Calls body(context, t) once for each 0 <= t < tasks and returns when all are
   done. A body must not run a loop on the same pool. */
attnc_status attnc_threads_run(attnc_threads *pool, int64_t tasks,
                               void (*body)(void *context, int64_t task),
                               void *context);

/* Sets user, threads and parallel_for of a runtime. Who needs `user` for other
   callbacks writes a parallel_for that calls attnc_threads_run. */
void attnc_threads_use(attnc_threads *pool, attnc_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
