//===- entry.c - The entries of every function ----------------------------===//
//
// One translation unit made of parts: the compiler embeds its assembly and adds
// it to each object with local symbols; the unit tests compile it as
// ordinary C. It uses nothing of libc but malloc, free and getenv.
//
// The order of the checks is fixed (runtime, pointers, rank, type, device,
// shape, strides, overlap, preconditions, values, processor), so that one
// mistake always gives one status. For tensors on a device, the processor comes
// before the values, which it has to read. Tests: test/Unit/Emit/EntryTest.cpp
//
//===----------------------------------------------------------------------===//

#include "entry.h"
#include "frame.h"

/* In this order: each part uses the ones before it. */
/* clang-format off */
#include "message.c"
#include "sizes.c"
#include "tensors.c"
#include "layout.c"
#include "values.c"
#include "cpu.c"
#include "run.c"
/* clang-format on */

/* "runtime: size is 0, expected 88": the caller forgot sizeof, or compiled with
   the header of another object. */
static ATTNC_COLD attnc_status report_size(const struct attnc_frame *frame,
                                           const char *what, uint32_t size,
                                           uint32_t expected) {
  struct message message;
  message.length = 0;
  put(&message, what);
  put(&message, ": size is ");
  put_number(&message, size);
  put(&message, ", expected ");
  put_number(&message, expected);
  put(&message, " (sizeof the struct in this object's header)");
  return report(frame, &message, ATTNC_BAD_ABI);
}

/* parallel_for and threads are set together: one of them alone would run on the
   calling thread, which is not what the caller asked for. */
static attnc_status check_threads(const struct attnc_frame *frame) {
  const attnc_runtime *runtime = &frame->runtime;
  if (runtime->threads < 0)
    return report_text(frame, ATTNC_BAD_VALUE, "runtime: threads is negative");
  if (runtime->parallel_for && runtime->threads == 0)
    return report_text(frame, ATTNC_BAD_VALUE,
                       "runtime: parallel_for is set but threads is 0; set "
                       "threads to the number of workers");
  if (!runtime->parallel_for && runtime->threads > 1)
    return report_text(frame, ATTNC_BAD_VALUE,
                       "runtime: threads is greater than 1 but parallel_for "
                       "is NULL; set it, for example with attnc_threads_use");
  return ATTNC_OK;
}

/* The runtime of a caller whose header may be older: fields that it does not
   have are zero. One by one, since `rep movs` takes longer than all of them. */
static void copy_runtime(attnc_runtime *to, const attnc_runtime *from) {
  to->size = from->size;
  to->threads = from->threads;
  to->user = from->user;
  to->parallel_for = from->parallel_for;
  to->allocate = from->allocate;
  to->release = from->release;
  to->report = from->report;
  to->workspace = from->workspace;
  to->workspace_bytes = from->workspace_bytes;
  to->stream = from->stream;
  to->cpu = from->size > ATTNC_FIRST_RUNTIME_BYTES ? from->cpu : 0;
}

/* Reads the runtime of a caller whose header may be newer: fields that this
   object does not know must be zero, since it cannot honor them. */
static attnc_status open_frame(struct attnc_frame *frame,
                               const struct attnc_function *function,
                               const attnc_runtime *runtime) {
  static const attnc_runtime none;
  frame->function = function;
  frame->runtime = none;
  frame->memory = 0;
  frame->device = 0;
  for (int32_t t = 0; t < function->tensor_count; ++t) {
    frame->views[t].data = 0;
    frame->views[t].elements = 0;
  }
  if (!runtime)
    return ATTNC_OK;
  /* A struct of this ABI has `report`, unless its size says otherwise; a size
     of 0 was not set. */
  if (runtime->size && runtime->size < offsetof(attnc_runtime, workspace))
    return ATTNC_BAD_ABI;
  frame->runtime.user = runtime->user;
  frame->runtime.report = runtime->report;
  if ((runtime->size < sizeof(attnc_runtime) &&
       runtime->size != ATTNC_FIRST_RUNTIME_BYTES) ||
      runtime->size > ATTNC_MAX_RUNTIME_BYTES)
    return report_size(frame, "runtime", runtime->size, sizeof(attnc_runtime));
  copy_runtime(&frame->runtime, runtime);
  for (uint32_t i = sizeof(attnc_runtime); i < runtime->size; ++i)
    if (((const char *)runtime)[i])
      return report_text(frame, ATTNC_BAD_ABI,
                         "runtime: sets a field that this object is too old "
                         "to know");
  if (!runtime->allocate != !runtime->release)
    return report_text(frame, ATTNC_BAD_POINTER,
                       "runtime: set both allocate and release, or neither");
  return check_threads(frame);
}

static attnc_status check_and_run(struct attnc_frame *frame) {
  if (!frame->memory) /* raw arguments do not say */
    frame->memory = DEVICE_CPU;
  attnc_status status = check_overlaps(frame);
  if (status == ATTNC_OK)
    status = check_conditions(frame);
  if (status == ATTNC_OK && !is_on_host(frame))
    status = take_part(frame);
  if (status == ATTNC_OK)
    status = check_values(frame);
  if (status == ATTNC_OK && is_on_host(frame))
    status = take_part(frame);
  if (status == ATTNC_OK)
    status = run_kernel(frame);
  if (ATTNC_ENTRY_HAS_DEVICES && frame->device)
    frame->device->close(&frame->device_call);
  return status;
}

attnc_status attnc_entry_tensors(const struct attnc_function *function,
                                 const attnc_tensor *const *tensors,
                                 const attnc_runtime *runtime) {
  struct attnc_frame frame;
  attnc_status status = open_frame(&frame, function, runtime);
  if (status == ATTNC_OK)
    status = read_tensors(&frame, tensors);
  if (status != ATTNC_OK)
    return status;
  bind_sizes(&frame);
  status = derive_sizes(&frame);
  if (status == ATTNC_OK)
    status = check_shapes(&frame, tensors);
  for (int32_t t = 0; status == ATTNC_OK && t < function->tensor_count; ++t) {
    const attnc_tensor *tensor = tensors[t];
    if (!tensor)
      continue;
    char *data = (char *)tensor->data;
    if (data && has_handles(&frame)) {
      frame.views[t].handle = data;
      data = (char *)HANDLE_BASE;
    }
    if (data && tensor->byte_offset > UINTPTR_MAX - (uintptr_t)data)
      status = report_tensor(&frame, t, ATTNC_BAD_POINTER,
                             "byte_offset leads out of the address space");
    else
      status = place_tensor(&frame, t, data ? data + tensor->byte_offset : data,
                            tensor->strides);
  }
  return status == ATTNC_OK ? check_and_run(&frame) : status;
}

/* Reads one field of the raw arguments and moves on; fields are aligned. */
static const char *next_field(const char **at, size_t bytes) {
  uintptr_t address = ((uintptr_t)*at + bytes - 1) & ~(uintptr_t)(bytes - 1);
  const char *field = *at + (address - (uintptr_t)*at);
  *at = field + bytes;
  return field;
}

/* Layout of NAME_raw_args: uint32_t size; int64_t per run-time size; a pointer
   per tensor; int64_t strides[rank] per tensor with axes. */
static attnc_status read_raw(struct attnc_frame *frame, const char *at) {
  const struct attnc_function *function = frame->function;
  char *data[ATTNC_MAX_TENSORS];
  at += sizeof(uint32_t);
  for (int32_t s = 0; s < function->size_count; ++s)
    if (function->sizes[s].is_runtime)
      frame->sizes[s] = *(const int64_t *)next_field(&at, sizeof(int64_t));
  attnc_status status = derive_sizes(frame);
  for (int32_t t = 0; t < function->tensor_count; ++t)
    data[t] = *(char *const *)next_field(&at, sizeof(char *));
  for (int32_t t = 0; status == ATTNC_OK && t < function->tensor_count; ++t) {
    const struct attnc_tensor_info *info = tensor_of(frame, t);
    const int64_t *strides = 0;
    for (int32_t a = 0; a < info->rank; ++a) {
      const char *field = next_field(&at, sizeof(int64_t));
      if (a == 0)
        strides = (const int64_t *)field;
      if (!expected_extent(frame, &function->axes[info->axes + a],
                           &frame->views[t].shape[a]))
        return report_impossible(frame, t, &function->axes[info->axes + a]);
    }
    if (data[t] || !(info->flags & ATTNC_TENSOR_NULLABLE))
      status = place_tensor(frame, t, data[t], strides);
    else
      skip_tensor(frame, t);
  }
  return status;
}

attnc_status attnc_entry_raw(const struct attnc_function *function,
                             const void *args, const attnc_runtime *runtime) {
  struct attnc_frame frame;
  attnc_status status = open_frame(&frame, function, runtime);
  if (status != ATTNC_OK)
    return status;
  if (!args)
    return report_text(&frame, ATTNC_BAD_POINTER, "args: the pointer is null");
  if (*(const uint32_t *)args != function->raw_size)
    return report_size(&frame, "args", *(const uint32_t *)args,
                       function->raw_size);
  status = read_raw(&frame, (const char *)args);
  return status == ATTNC_OK ? check_and_run(&frame) : status;
}

/* The most that any part needs that the processor supports, so that it is
   enough for a call with runtime.cpu. 0 also for sizes that no call accepts. */
size_t attnc_entry_workspace(const struct attnc_function *function,
                             const int64_t *sizes, int32_t threads) {
  int64_t all[ATTNC_MAX_SIZES], shared, scratch, total;
  for (int32_t s = 0; s < function->size_count; ++s)
    if (function->sizes[s].is_runtime)
      all[s] = *sizes++;
  if (complete_sizes(function, all) >= 0)
    return 0;
  struct attnc_call call = {all, 0, 0, 0, 0, 0, 0};
  uint32_t supported = read_state(function) >> STATE_PARTS_SHIFT;
  size_t most = 0;
  for (int32_t p = 0; p < function->part_count; ++p) {
    if (!(supported >> p & 1))
      continue;
    if (!count_bytes(choose_kernel(function, p, all), &call,
                     threads < 1 ? 1 : threads, &shared, &scratch, &total) ||
        (uint64_t)total > SIZE_MAX)
      return 0;
    most = (size_t)total > most ? (size_t)total : most;
  }
  return most;
}
