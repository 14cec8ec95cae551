//===- run.c - Memory, and the grids one after the other ------------------===//
//
// Grids whose tasks need only those of one head before them run head by head,
// so that what one grid stores is in the cache when the next one reads it: the
// units of such grids are the parts of attnc_grid::units, or several of them.
// The units of any other grid are neighboring tasks.
//
// Each worker has a share of the units. It runs the tasks of its units in
// order, then those of other shares from their ends, so that any pool balances,
// whatever order it starts the workers in. Neighboring tasks read the same keys
// and values, which stay in the cache of one core, where the same share of the
// grids before left what it packed. A result does not depend on the shares:
// tasks of a grid do not communicate. Returning from parallel_for is the
// barrier between grids that are not joined.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

enum { MOST_UNITS = 128, MOST_JOINED = 4 };

/* Tasks that follow each other; as large as a line of cache, so that few
   workers share one. The tasks of a unit have numbers, first those of the first
   grid. */
struct unit {
  int64_t taken, finished; /* atomic; tasks */
  int64_t unused[6];
};

/* Grids that run unit by unit, as their workers see them. */
struct job {
  const struct attnc_kernel *kernel;
  const struct attnc_call *call;
  const struct attnc_grid *grids; /* those of the kernel that are joined */
  int32_t grid_count;
  char *scratch;
  int64_t scratch_bytes;        /* per worker */
  int64_t parts;                /* of the tasks of each grid */
  int64_t in_part[MOST_JOINED]; /* tasks of a part */
  int64_t tasks;                /* of all grids */
  int64_t workers, units;
  int64_t in_unit, share; /* parts of a unit, units of a worker */
  struct unit *unit;
  int flushes;
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* In how many pieces of `size` things `count` things are divided. */
static int64_t pieces_of(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

/* Runs the tasks of unit `u` that may run now: those of a grid once all tasks
   of the grids before are finished. Returns whether others may run later. */
static int run_unit(const struct job *job, int64_t u, char *scratch) {
  struct unit *unit = &job->unit[u];
  int64_t first = u * job->in_unit;
  int64_t parts = least(job->in_unit, job->parts - first);
  int64_t next = __atomic_load_n(&unit->taken, __ATOMIC_RELAXED);
  for (;;) {
    int64_t task = next, count;
    int32_t g = 0;
    while (task >= (count = job->in_part[g] * parts)) {
      task -= count;
      if (++g == job->grid_count)
        return 0;
    }
    if (__atomic_load_n(&unit->finished, __ATOMIC_ACQUIRE) < next - task)
      return 1;
    if (!__atomic_compare_exchange_n(&unit->taken, &next, next + 1, 1,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    job->grids[g].body(job->call, scratch, job->in_part[g] * first + task);
    __atomic_fetch_add(&unit->finished, 1, __ATOMIC_RELEASE);
    ++next; /* if nobody else has taken it */
  }
}

/* All tasks that no other worker runs: those of the own share, then those
   before it, from the end. What is left then waits for tasks that others have
   begun. */
static void run_units(const struct job *job, int64_t worker, char *scratch) {
  int64_t first = least(worker * job->share, job->units);
  int64_t end = least(first + job->share, job->units);
  int must_wait;
  do {
    must_wait = 0;
    for (int64_t i = 0; i < job->units; ++i) {
      int64_t u = first + i < end ? first + i : end - 1 - i;
      must_wait |= run_unit(job, u < 0 ? u + job->units : u, scratch);
    }
  } while (must_wait);
}

/* The floating-point state and the registers of a matrix unit belong to a
   thread, so each worker sets them, and only around our code. */
static void work(void *context, int64_t worker) {
  struct job *job = (struct job *)context;
  char *scratch = job->scratch + worker * job->scratch_bytes;
  uint32_t saved = enter_arithmetic(job->flushes);
  if (job->kernel->begin)
    job->kernel->begin(scratch);
  run_units(job, worker, scratch);
  if (job->kernel->end)
    job->kernel->end();
  leave_arithmetic(saved);
}

static attnc_status run_job(const struct attnc_frame *frame, struct job *job,
                            int64_t workers) {
  const attnc_runtime *runtime = &frame->runtime;
  job->workers = least(workers, job->tasks);
  struct unit units[MOST_UNITS];
  job->unit = units;
  job->in_unit = pieces_of(job->parts, MOST_UNITS);
  job->units = pieces_of(job->parts, job->in_unit);
  job->share = pieces_of(job->units, job->workers);
  for (int64_t u = 0; u < job->units; ++u)
    units[u].taken = units[u].finished = 0;
  attnc_status status = ATTNC_OK;
  if (job->workers == 1)
    work(job, 0);
  else
    status = runtime->parallel_for(runtime->user, job->workers, work, job);
  if (status != ATTNC_OK)
    return report_text(frame, status, "runtime: parallel_for failed");
  int64_t left = job->tasks;
  for (int64_t u = 0; u < job->units; ++u)
    left -= __atomic_load_n(&units[u].finished, __ATOMIC_ACQUIRE);
  if (left)
    return report_text(frame, ATTNC_DEVICE_FAILED,
                       "runtime: parallel_for returned before all tasks ran");
  return ATTNC_OK;
}

/* The tasks of grid `first` and of those that are joined to it. */
static void join(struct job *job, int32_t first) {
  const struct attnc_grid *grids = &job->kernel->grids[first];
  int32_t most = job->kernel->grid_count - first, count = 1;
  int64_t (*count_parts)(const struct attnc_call *) =
      most > 1 && grids[1].units ? grids[1].units : grids[0].tasks;
  int64_t parts = count_parts(job->call);
  while (count < most && count < MOST_JOINED && grids[count].units)
    ++count;
  job->grids = grids;
  job->grid_count = count;
  job->parts = parts;
  job->tasks = 0;
  for (int32_t g = 0; g < count && parts > 0; ++g) {
    int64_t tasks = grids[g].tasks(job->call);
    job->in_part[g] = tasks / parts;
    job->tasks += tasks;
  }
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
    join(&job, g);
    if (job.tasks <= 0)
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

/* Bytes of a call with so many workers; 0 if they exceed 63 bits. */
static int count_bytes(const struct attnc_kernel *kernel,
                       const struct attnc_call *call, int64_t workers,
                       int64_t *shared, int64_t *scratch, int64_t *total) {
  *shared = kernel->workspace(call);
  *scratch = kernel->scratch(call);
  if (*shared < 0 || *scratch < 0 || *shared > INT64_MAX - ATTNC_ALIGNMENT ||
      *scratch > INT64_MAX - ATTNC_ALIGNMENT)
    return 0;
  *shared = (*shared + ATTNC_ALIGNMENT - 1) & -(int64_t)ATTNC_ALIGNMENT;
  *scratch = (*scratch + ATTNC_ALIGNMENT - 1) & -(int64_t)ATTNC_ALIGNMENT;
  return !multiply_overflows(*scratch, workers, total) &&
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
