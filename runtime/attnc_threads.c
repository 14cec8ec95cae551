//===- attnc_threads.c - A thread pool for compiled attention -------------===//
//
// One loop runs at a time. Workers join the loop that is open, take tasks, and
// leave; the caller takes part, then closes the loop and waits
// until the last worker has left. Joining and leaving happen under one lock, so
// a worker that wakes up late finds the loop closed instead of a stale one.
// Attention has two or three loops per call: workers look out for the next one
// for some microseconds before they sleep, and so does the caller for the last
// worker. Each begins with a part of the tasks of its own, since tasks that
// follow each other read the same keys and values, which stay in the cache of
// its core; then it takes tasks from the parts of others.
// Tests: test/Unit/Runtime/ThreadsTest.cpp, test/Runtime/threads-race.test
//
//===----------------------------------------------------------------------===//

#define _POSIX_C_SOURCE 200112L
#define _DEFAULT_SOURCE
#include "attnc_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOKS_BEFORE_SLEEP = 2000 };

/* A part of the tasks; one line of cache each. */
struct part {
  int64_t next; /* atomic: the first task that nobody has taken */
  int64_t end;
  int64_t unused[6];
};

struct attnc_threads {
  pthread_mutex_t turn; /* held by the caller of the loop that runs */
  pthread_mutex_t lock; /* of everything below, but the atomics */
  pthread_cond_t opened, left;
  /* the loop */
  void (*body)(void *context, int64_t task);
  void *context;
  struct part *parts; /* of each worker */
  uint64_t loops;     /* atomic: loops opened so far, for a look without lock */
  int is_open, ends;
  int32_t inside;      /* atomic: workers that joined and have not left */
  int32_t count;       /* workers, the caller included */
  int32_t started;     /* atomic: workers that have a number */
  pthread_t workers[]; /* count - 1 */
};

static void take_tasks(attnc_threads *pool, int32_t number,
                       void (*body)(void *context, int64_t task),
                       void *context) {
  for (int32_t i = 0; i < pool->count; ++i) {
    struct part *part = &pool->parts[(number + i) % pool->count];
    for (;;) {
      int64_t task = __atomic_fetch_add(&part->next, 1, __ATOMIC_RELAXED);
      if (task >= part->end)
        break;
      body(context, task);
    }
  }
}

static void rest(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void look_out(attnc_threads *pool, uint64_t seen) {
  for (int look = 0; look < LOOKS_BEFORE_SLEEP; ++look) {
    if (__atomic_load_n(&pool->loops, __ATOMIC_RELAXED) != seen)
      return;
    rest();
  }
}

static void look_for_last(attnc_threads *pool) {
  for (int look = 0; look < LOOKS_BEFORE_SLEEP; ++look) {
    if (__atomic_load_n(&pool->inside, __ATOMIC_RELAXED) == 0)
      return;
    rest();
  }
}

static void *worker(void *argument) {
  attnc_threads *pool = (attnc_threads *)argument;
  int32_t number = __atomic_add_fetch(&pool->started, 1, __ATOMIC_RELAXED);
  uint64_t seen = 0;
  for (;;) {
    look_out(pool, seen);
    pthread_mutex_lock(&pool->lock);
    while (!pool->ends && !(pool->is_open && pool->loops != seen))
      pthread_cond_wait(&pool->opened, &pool->lock);
    if (pool->ends) {
      pthread_mutex_unlock(&pool->lock);
      return NULL;
    }
    seen = pool->loops;
    __atomic_add_fetch(&pool->inside, 1, __ATOMIC_RELAXED);
    void (*body)(void *, int64_t) = pool->body;
    void *context = pool->context;
    pthread_mutex_unlock(&pool->lock);

    take_tasks(pool, number, body, context);

    pthread_mutex_lock(&pool->lock);
    if (__atomic_sub_fetch(&pool->inside, 1, __ATOMIC_RELAXED) == 0)
      pthread_cond_signal(&pool->left);
    pthread_mutex_unlock(&pool->lock);
  }
}

attnc_threads *attnc_threads_create(int32_t threads) {
  if (threads <= 0) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    threads = online < 1 ? 1 : online > 1024 ? 1024 : (int32_t)online;
  }
  attnc_threads *pool = (attnc_threads *)calloc(
      1, sizeof *pool + (size_t)threads * sizeof(pthread_t));
  if (!pool)
    return NULL;
  pool->parts = (struct part *)calloc((size_t)threads, sizeof *pool->parts);
  if (!pool->parts) {
    free(pool);
    return NULL;
  }
  pthread_mutex_init(&pool->turn, NULL);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->opened, NULL);
  pthread_cond_init(&pool->left, NULL);
  for (pool->count = 1; pool->count < threads; ++pool->count)
    if (pthread_create(&pool->workers[pool->count - 1], NULL, worker, pool))
      break;
  return pool;
}

void attnc_threads_destroy(attnc_threads *pool) {
  if (!pool)
    return;
  pthread_mutex_lock(&pool->lock);
  pool->ends = 1;
  __atomic_add_fetch(&pool->loops, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pool->opened);
  pthread_mutex_unlock(&pool->lock);
  for (int32_t i = 0; i < pool->count - 1; ++i)
    pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->left);
  pthread_cond_destroy(&pool->opened);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->turn);
  free(pool->parts);
  free(pool);
}

int32_t attnc_threads_count(const attnc_threads *pool) {
  return pool ? pool->count : 1;
}

attnc_status attnc_threads_run(attnc_threads *pool, int64_t tasks,
                               void (*body)(void *context, int64_t task),
                               void *context) {
  if (!pool || pool->count == 1 || tasks <= 1) {
    for (int64_t task = 0; task < tasks; ++task)
      body(context, task);
    return ATTNC_OK;
  }
  pthread_mutex_lock(&pool->turn);
  pthread_mutex_lock(&pool->lock);
  pool->body = body;
  pool->context = context;
  for (int32_t i = 0; i < pool->count; ++i) {
    int64_t share = tasks / pool->count, more = tasks % pool->count;
    int64_t first = i * share + (i < more ? i : more);
    __atomic_store_n(&pool->parts[i].next, first, __ATOMIC_RELAXED);
    pool->parts[i].end = first + share + (i < more);
  }
  pool->is_open = 1;
  __atomic_add_fetch(&pool->loops, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pool->opened);
  pthread_mutex_unlock(&pool->lock);

  take_tasks(pool, 0, body, context);

  pthread_mutex_lock(&pool->lock);
  pool->is_open = 0;
  pthread_mutex_unlock(&pool->lock);
  look_for_last(pool);
  pthread_mutex_lock(&pool->lock);
  while (__atomic_load_n(&pool->inside, __ATOMIC_RELAXED) > 0)
    pthread_cond_wait(&pool->left, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_unlock(&pool->turn);
  return ATTNC_OK;
}

static attnc_status parallel_for(void *user, int64_t tasks,
                                 void (*body)(void *context, int64_t task),
                                 void *context) {
  return attnc_threads_run((attnc_threads *)user, tasks, body, context);
}

void attnc_threads_use(attnc_threads *pool, attnc_runtime *runtime) {
  runtime->user = pool;
  runtime->threads = attnc_threads_count(pool);
  runtime->parallel_for = parallel_for;
}
