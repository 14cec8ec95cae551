//===- values.c - Promises on the values of tables ------------------------===//
//
// `nondecreasing` and `in lo..hi` of a spec are checked by each call, in one
// pass, because kernels skip work by them.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

static int64_t load_integer(const char *at, int32_t code, int32_t bits) {
  if (bits == 64)
    return *(const int64_t *)at;
  if (bits == 32)
    return *(const int32_t *)at;
  return code == 0 ? *(const int8_t *)at : *(const uint8_t *)at;
}

/* What the values of a table have to be. */
struct promise {
  int64_t low, high;
  int rising;
};

/* Reports element `index` of table t: "doc[0, 3] is 9, expected 0 .. 7". */
static ATTNC_COLD attnc_status report_value(const struct attnc_frame *frame,
                                            int32_t t,
                                            const struct promise *promise,
                                            const int64_t *index, int64_t value,
                                            int64_t before) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  struct message message;
  message.length = 0;
  put(&message, frame->function->text + info->name);
  if (info->rank)
    put_numbers(&message, index, info->rank);
  put(&message, " is ");
  put_number(&message, value);
  if (value < promise->low || value > promise->high) {
    put(&message, ", expected ");
    put_number(&message, promise->low);
    put(&message, " .. ");
    put_number(&message, promise->high);
    if (promise->low > promise->high) { /* rows without room in a cache */
      uint32_t told = 0;
      put(&message, ": this range is empty");
      put_sizes(&message, frame, info->low, &told);
      put_sizes(&message, frame, info->high, &told);
    }
  } else {
    put(&message, " after ");
    put_number(&message, before);
    put(&message, ", expected nondecreasing values");
  }
  return report(frame, &message, ATTNC_BAD_VALUE);
}

/* One row along the last axis, beginning at `row`. */
static attnc_status check_row(const struct attnc_frame *frame, int32_t t,
                              const struct promise *promise, const char *row,
                              int64_t *index) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  const struct attnc_view *view = &frame->views[t];
  int32_t last = info->rank - 1;
  int64_t extent = info->rank ? view->shape[last] : 1;
  int64_t step = info->rank ? view->strides[last] * (info->bits / 8) : 0;
  int64_t before = INT64_MIN;
  for (int64_t i = 0; i < extent; ++i) {
    int64_t value = load_integer(row + i * step, info->code, info->bits);
    if (value < promise->low || value > promise->high ||
        (promise->rising && value < before)) {
      if (info->rank)
        index[last] = i;
      return report_value(frame, t, promise, index, value, before);
    }
    before = value;
  }
  return ATTNC_OK;
}

/* Bounds are formulas of sizes; 0 on overflow. */
static int read_promise(const struct attnc_frame *frame, int32_t t,
                        struct promise *promise) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  promise->low = INT64_MIN;
  promise->high = INT64_MAX;
  promise->rising = (info->flags & ATTNC_TENSOR_NONDECREASING) != 0;
  return !(info->flags & ATTNC_TENSOR_RANGE) ||
         (evaluate(frame->function, frame->sizes, info->low, &promise->low) &&
          evaluate(frame->function, frame->sizes, info->high, &promise->high));
}

/* The first element is at `row`, on the host. */
static attnc_status check_rows(const struct attnc_frame *frame, int32_t t,
                               const struct promise *promise, const char *row) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  const struct attnc_view *view = &frame->views[t];
  int64_t index[ATTNC_MAX_RANK] = {0};
  for (;;) {
    attnc_status status = check_row(frame, t, promise, row, index);
    if (status != ATTNC_OK)
      return status;
    int32_t a = info->rank - 2;
    for (; a >= 0; --a) {
      int64_t step = view->strides[a] * (info->bits / 8);
      /* A repeated row (stride 0) is looked at once. */
      if (step != 0 && ++index[a] < view->shape[a]) {
        row += step;
        break;
      }
      if (step != 0)
        row -= (view->shape[a] - 1) * step;
      index[a] = 0;
    }
    if (a < 0)
      return ATTNC_OK;
  }
}

static attnc_status check_table(struct attnc_frame *frame, int32_t t) {
  struct promise promise;
  if (!read_promise(frame, t, &promise))
    return report_tensor(frame, t, ATTNC_BAD_SHAPE,
                         "a bound of the values exceeds 63 bits");
  const struct attnc_view *view = &frame->views[t];
  if (is_on_host(frame))
    return check_rows(frame, t, &promise, view->data);
  size_t bytes = (size_t)(view->high - view->low);
  char *copy = (char *)malloc(bytes);
  if (!copy)
    return report_tensor(frame, t, ATTNC_NO_MEMORY,
                         "cannot allocate memory for a copy on the host");
  struct attnc_failure failure;
  failure.status = ATTNC_OK;
  attnc_status status;
  int64_t offset = has_handles(frame) ? (int64_t)(view->low - HANDLE_BASE) : 0;
  if (frame->device->read(&frame->device_call, copy,
                          has_handles(frame) ? view->handle
                                             : (const char *)view->low,
                          offset, (int64_t)bytes, &failure))
    status = check_rows(frame, t, &promise,
                        copy + ((uintptr_t)view->data - view->low));
  else
    status = report_text(frame, (attnc_status)failure.status, failure.text);
  free(copy);
  return status;
}

static attnc_status check_values(struct attnc_frame *frame) {
  const int32_t promised = ATTNC_TENSOR_NONDECREASING | ATTNC_TENSOR_RANGE;
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    if (!(tensor_of(frame, t)->flags & promised) || !frame->views[t].data)
      continue;
    attnc_status status = check_table(frame, t);
    if (status != ATTNC_OK)
      return status;
  }
  return ATTNC_OK;
}
