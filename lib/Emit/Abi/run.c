//===- run.c - Memory, and the grids one after the other ------------------===//
//
// The tasks of a grid are divided into shares, one for each worker. A worker
// takes the tasks of its share in order, then what is left of other shares, so
// that any pool balances, whatever order it starts them in. Tasks that
// follow each other read the same keys and values, which stay in the cache of
// one core, where the same share of the grid before left what it packed. A
// result does not depend on the shares: tasks do not communicate. Returning
// from parallel_for is the barrier between grids.
//
// Grids whose tasks need only those of one head before them run head by head,
// so that what one grid stores is in the cache when the next one reads it: then
// workers share heads, the parts of attnc_grid::units, and the worker that
// takes one runs its tasks of all these grids.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

enum { MOST_SHARES = 64 };

/* A core prefetches the lines behind those that it uses, up to the end of their
 * page, and so would take lines of the next worker from its core. */
enum { GAP = 4096 };

/* Consecutive parts; as large as a line of cache, so that few workers share
 * one. */
struct share {
  int64_t next; /* atomic: the first part that nobody has taken */
  int64_t end;
  int64_t unused[6];
};

/* Grids that run part by part, as their workers see them. */
struct job {
  const struct attnc_kernel *kernel;
  const struct attnc_call *call;
  const struct attnc_grid *grids; /* those of the kernel that are joined */
  char *scratch;
  int64_t scratch_bytes; /* per worker */
  int64_t parts;         /* of the tasks of each grid */
  int64_t finished;      /* atomic; parts */
  int64_t shares;
  struct share *share;
  int32_t grid_count;
  int flushes;
  int64_t in_part[ATTNC_MAX_JOINED]; /* tasks of a part */
};

/* Shares of equal sizes; the last ones may be smaller, or empty. */
static void deal(struct job *job) {
  int64_t most = (job->parts + job->shares - 1) / job->shares, first = 0;
  for (int64_t p = 0; p < job->shares; ++p) {
    struct share *share = &job->share[p];
    share->next = first;
    first += most;
    share->end = first < job->parts ? first : job->parts;
  }
}

/* The tasks of a part, grid by grid. */
static void run_part(const struct job *job, char *scratch, int64_t part) {
  for (int32_t g = 0; g < job->grid_count; ++g) {
    int64_t count = job->in_part[g], task = part * count;
    for (; count > 0; --count)
      job->grids[g].body(job->call, scratch, task++);
  }
}

/* The floating-point state and the registers of a matrix unit belong to a
   thread, so each worker sets them, and only around our code. */
static void work(void *context, int64_t worker) {
  struct job *job = (struct job *)context;
  char *scratch = job->scratch + worker * job->scratch_bytes;
  uint32_t saved = enter_arithmetic(job->flushes);
  if (job->kernel->begin)
    job->kernel->begin(scratch);
  int64_t done = 0;
  for (int64_t p = 0; p < job->shares; ++p, ++worker) {
    struct share *share = &job->share[worker % job->shares];
    for (int64_t part;
         (part = __atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) <
         share->end;
         ++done)
      run_part(job, scratch, part);
  }
  if (job->kernel->end)
    job->kernel->end();
  leave_arithmetic(saved);
  __atomic_fetch_add(&job->finished, done, __ATOMIC_RELEASE);
}

static attnc_status run_job(const struct attnc_frame *frame, struct job *job,
                            int64_t workers) {
  const attnc_runtime *runtime = &frame->runtime;
  if (workers > job->parts)
    workers = job->parts;
  struct share shares[MOST_SHARES];
  job->share = shares;
  job->shares = workers < MOST_SHARES ? workers : MOST_SHARES;
  job->finished = 0;
  deal(job);
  attnc_status status = ATTNC_OK;
  if (workers == 1)
    work(job, 0);
  else
    status = runtime->parallel_for(runtime->user, workers, work, job);
  if (status != ATTNC_OK)
    return report_text(frame, status, "runtime: parallel_for failed");
  if (__atomic_load_n(&job->finished, __ATOMIC_ACQUIRE) != job->parts)
    return report_text(frame, ATTNC_DEVICE_FAILED,
                       "runtime: parallel_for returned before all tasks ran");
  return ATTNC_OK;
}

/* The tasks of grid `first`, and of those that are joined to it if their parts
   balance so many workers. */
static void join(struct job *job, int32_t first, int64_t workers) {
  const struct attnc_grid *grids = &job->kernel->grids[first];
  int32_t most = job->kernel->grid_count - first, count = 1;
  int64_t parts = grids[0].tasks(job->call);
  if (most > 1 && grids[1].units) {
    int64_t units = grids[1].units(job->call);
    if (units >= 4 * workers)
      for (parts = units; count < most && grids[count].units;)
        ++count;
  }
  job->grids = grids;
  job->grid_count = count;
  job->parts = parts;
  for (int32_t g = 0; g < count && parts > 0; ++g)
    job->in_part[g] = grids[g].tasks(job->call) / parts;
}

static attnc_status run_grids(const struct attnc_frame *frame,
                              const struct attnc_kernel *kernel,
                              const struct attnc_call *call, char *scratch,
                              int64_t scratch_bytes, int64_t workers) {
  struct job job;
  job.kernel = kernel;
  job.call = call;
  job.scratch = scratch;
  job.scratch_bytes = scratch_bytes;
  job.flushes = frame->function->flags & ATTNC_FUNCTION_FLUSHES;
  for (int32_t g = 0; g < kernel->grid_count; g += job.grid_count) {
    join(&job, g, workers);
    if (job.parts <= 0)
      continue;
    attnc_status status = run_job(frame, &job, workers);
    if (status != ATTNC_OK)
      return status;
    if (call->failure->status != ATTNC_OK)
      return report_text(frame, (attnc_status)call->failure->status,
                         call->failure->text);
  }
  return ATTNC_OK;
}

/* Whole units of alignment, and a gap behind them; less than 0 if they exceed
 * 63 bits. None of none. */
static int64_t pad(int64_t bytes, int64_t gap) {
  uint64_t rest = ATTNC_ALIGNMENT - 1;
  return bytes > 0 ? (int64_t)(((uint64_t)bytes + rest + gap) & ~rest) : bytes;
}

/* Bytes of a call with so many workers; 0 if they exceed 63 bits. Both callers
 * have it inline, which takes less code than a function. */
static inline __attribute__((always_inline)) int
count_bytes(const struct attnc_kernel *kernel, const struct attnc_call *call,
            int64_t workers, int64_t *shared, int64_t *scratch,
            int64_t *total) {
  int64_t gap = workers > 1 ? GAP : 0;
  *shared = pad(kernel->workspace(call), gap);
  *scratch = pad(kernel->scratch(call), gap);
  return (*shared | *scratch) >= 0 &&
         !multiply_overflows(*scratch, workers, total) &&
         !__builtin_add_overflow(*total, *shared, total);
}

static ATTNC_COLD attnc_status report_bytes(const struct attnc_frame *frame,
                                            const char *what, int64_t bytes) {
  struct message message;
  message.length = 0;
  put(&message, what);
  put_number(&message, bytes);
  put(&message, " bytes");
  return report(frame, &message, ATTNC_NO_MEMORY);
}

/* malloc, with the block's own address stored before the aligned one. */
static void *allocate_aligned(int64_t bytes) {
  if ((uint64_t)bytes > SIZE_MAX - 2 * ATTNC_ALIGNMENT)
    return 0;
  char *block = (char *)malloc((size_t)bytes + 2 * ATTNC_ALIGNMENT);
  if (!block)
    return 0;
  uintptr_t past = (uintptr_t)block % ATTNC_ALIGNMENT;
  char *aligned = block + 2 * ATTNC_ALIGNMENT - past;
  ((void **)aligned)[-1] = block;
  return aligned;
}

/* The caller's workspace, the caller's allocator, or malloc. */
static attnc_status acquire(const struct attnc_frame *frame, int64_t bytes,
                            char **block) {
  const attnc_runtime *runtime = &frame->runtime;
  *block = (char *)runtime->workspace;
  if (bytes == 0)
    return ATTNC_OK;
  if (runtime->workspace) {
    if ((uint64_t)bytes > runtime->workspace_bytes)
      return report_bytes(
          frame, "runtime: the workspace is too small, this call needs ",
          bytes);
  } else if ((uint64_t)bytes > SIZE_MAX) {
    *block = 0; /* what size_t cannot hold */
  } else if (runtime->allocate) {
    *block = (char *)runtime->allocate(runtime->user, (size_t)bytes,
                                       ATTNC_ALIGNMENT);
  } else {
    *block = (char *)allocate_aligned(bytes);
  }
  if (!*block)
    return report_bytes(frame, "cannot allocate a workspace of ", bytes);
  if ((uintptr_t)*block % ATTNC_ALIGNMENT == 0)
    return ATTNC_OK;
  if (!runtime->workspace)
    runtime->release(runtime->user, *block);
  return report_text(frame, ATTNC_BAD_POINTER,
                     "runtime: the workspace is not aligned to 64 bytes");
}

static void give_back(const struct attnc_frame *frame, char *block) {
  const attnc_runtime *runtime = &frame->runtime;
  if (runtime->workspace || !block)
    return;
  if (runtime->allocate)
    runtime->release(runtime->user, block);
  else
    free(((void **)block)[-1]);
}

/* Workers that can be busy at once. */
static int64_t count_workers(const struct attnc_frame *frame,
                             const struct attnc_kernel *kernel,
                             const struct attnc_call *call) {
  int64_t most = 0;
  for (int32_t g = 0; g < kernel->grid_count; ++g) {
    int64_t tasks = kernel->grids[g].tasks(call);
    most = tasks > most ? tasks : most;
  }
  int64_t threads = frame->runtime.parallel_for ? frame->runtime.threads : 1;
  threads = threads < 1 ? 1 : threads;
  return most < threads ? most : threads;
}

static int is_narrow(const int64_t *numbers, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (numbers[i] != (int32_t)numbers[i])
      return 0;
  return 1;
}

/* What this kernel cannot address. */
static attnc_status check_narrow(const struct attnc_frame *frame,
                                 const struct attnc_kernel *kernel) {
  if (!(kernel->flags & ATTNC_KERNEL_NARROW))
    return ATTNC_OK;
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    int32_t rank = frame->function->tensors[t].rank;
    if (!frame->views[t].data) /* left out: it has no shape either */
      continue;
    if (!is_narrow(frame->views[t].shape, rank) ||
        !is_narrow(frame->views[t].strides, rank))
      return report_text(frame, ATTNC_BAD_STRIDE,
                         "a stride or an extent needs more than 32 bits, which "
                         "the kernels of this backend do not support");
  }
  return ATTNC_OK;
}

/* The host's memory and threads. */
static attnc_status run_on_host(const struct attnc_frame *frame,
                                const struct attnc_kernel *kernel,
                                struct attnc_call *call, int64_t workers) {
  int64_t shared, scratch, total;
  if (!count_bytes(kernel, call, workers, &shared, &scratch, &total))
    return report_text(frame, ATTNC_NO_MEMORY, "the workspace exceeds 63 bits");
  char *block;
  attnc_status status = acquire(frame, total, &block);
  if (status != ATTNC_OK)
    return status;
  call->workspace = block;
  status = run_grids(frame, kernel, call, block + shared, scratch, workers);
  if (total)
    give_back(frame, block);
  return status;
}

/* The caller's workspace and allocator have memory of the device if the tensors
   are there. */
static attnc_status run_on_device(struct attnc_frame *frame,
                                  const struct attnc_kernel *kernel,
                                  struct attnc_call *call, void **data) {
  const attnc_runtime *runtime = &frame->runtime;
  struct attnc_device_call *device = &frame->device_call;
  struct attnc_span spans[ATTNC_MAX_TENSORS];
  uintptr_t base = has_handles(frame) ? HANDLE_BASE : 0;
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    const struct attnc_view *view = &frame->views[t];
    spans[t].low = view->data ? view->low - base : 0;
    spans[t].high = view->data ? view->high - base : 0;
    spans[t].first = view->data ? (uintptr_t)view->data - base : 0;
    spans[t].is_written = is_written(frame, t) != 0;
  }
  int64_t bytes = kernel->workspace(call);
  if (bytes < 0)
    return report_text(frame, ATTNC_NO_MEMORY, "the workspace exceeds 63 bits");
  char *block = 0;
  int is_theirs =
      device->is_on_device && (runtime->workspace || runtime->allocate);
  if (is_theirs) {
    attnc_status status = acquire(frame, bytes, &block);
    if (status != ATTNC_OK)
      return status;
  }
  call->workspace = block;
  call->device = device;
  device->workspace_bytes = is_theirs ? 0 : bytes;
  device->data = data;
  device->spans = spans;
  attnc_status status = ATTNC_OK;
  if (frame->device->begin(call))
    status = run_grids(frame, kernel, call, 0, 0, 1);
  frame->device->end(call);
  if (status == ATTNC_OK && call->failure->status != ATTNC_OK)
    status = report_text(frame, (attnc_status)call->failure->status,
                         call->failure->text);
  if (is_theirs && bytes)
    give_back(frame, block);
  return status;
}

/* Runs the part that was taken. */
static attnc_status run_kernel(struct attnc_frame *frame) {
  const struct attnc_kernel *kernel =
      choose_kernel(frame->function, frame->part, frame->sizes);
  attnc_status status = check_narrow(frame, kernel);
  if (status != ATTNC_OK)
    return status;
  void *data[ATTNC_MAX_TENSORS];
  const int64_t *strides[ATTNC_MAX_TENSORS], *shapes[ATTNC_MAX_TENSORS];
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    data[t] = has_handles(frame) && frame->views[t].data
                  ? frame->views[t].handle
                  : frame->views[t].data;
    strides[t] = frame->views[t].strides;
    shapes[t] = frame->views[t].shape;
  }
  struct attnc_failure failure;
  failure.status = ATTNC_OK;
  struct attnc_call call = {frame->sizes, data,     strides, 0,
                            shapes,       &failure, 0};
  int64_t workers = count_workers(frame, kernel, &call);
  if (workers == 0)
    return ATTNC_OK; /* nothing to do at these sizes */
  return ATTNC_ENTRY_HAS_DEVICES && frame->device
             ? run_on_device(frame, kernel, &call, data)
             : run_on_host(frame, kernel, &call, workers);
}
