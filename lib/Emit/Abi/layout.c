//===- layout.c - Strides, spans and overlap ------------------------------===//
//
// Inputs may have any strides. What is written must not be written twice, and
// must not be read through another tensor. All of it is decided by arithmetic
// on strides, without touching the data.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

/* Of an element: a power of two. */
static int64_t bytes_of(const struct attnc_frame *frame, int32_t t) {
  return (int64_t)((uint32_t)tensor_of(frame, t)->bits / 8);
}

static ATTNC_COLD attnc_status report_strides(const struct attnc_frame *frame,
                                              int32_t t, const char *what) {
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, "strides ");
  put_numbers(&message, frame->views[t].strides, tensor_of(frame, t)->rank);
  put(&message, " of shape ");
  put_numbers(&message, frame->views[t].shape, tensor_of(frame, t)->rank);
  put(&message, what);
  return report(frame, &message, ATTNC_BAD_STRIDE);
}

static ATTNC_COLD attnc_status report_bytes_of(const struct attnc_frame *frame,
                                               int32_t t) {
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, "shape ");
  put_numbers(&message, frame->views[t].shape, tensor_of(frame, t)->rank);
  put(&message, ", its bytes exceed 63 bits");
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

/* Counts elements; a tensor whose bytes exceed 63 bits cannot exist. */
static attnc_status count_elements(struct attnc_frame *frame, int32_t t) {
  struct attnc_view *view = &frame->views[t];
  int32_t rank = tensor_of(frame, t)->rank, overflows = 0;
  int64_t elements = 1, bytes;
  for (int32_t a = 0; a < rank; ++a) {
    if (view->shape[a] == 0)
      return ATTNC_OK; /* elements = 0 */
    overflows |= multiply_overflows(elements, view->shape[a], &elements);
  }
  if (overflows || multiply_overflows(elements, bytes_of(frame, t), &bytes))
    return report_bytes_of(frame, t);
  view->elements = elements;
  return ATTNC_OK;
}

/* The caller's strides, or those of a compact tensor if they are null. */
static void take_strides(struct attnc_frame *frame, int32_t t,
                         const int64_t *strides) {
  struct attnc_view *view = &frame->views[t];
  int32_t last = tensor_of(frame, t)->rank - 1;
  int64_t compact = 1;
  for (int32_t a = last; a >= 0; --a) {
    /* A stride that no element uses may be anything; kernels want no surprise
       (overflow in an address, an odd innermost stride). */
    if (view->elements == 0 || view->shape[a] == 1) {
      view->strides[a] = a == last;
      continue;
    }
    view->strides[a] = strides ? strides[a] : compact;
    compact *= view->shape[a];
  }
}

/* Bytes from the first element down to the lowest and up to behind the
   highest; 0 on overflow. */
static int byte_span(const struct attnc_frame *frame, int32_t t, int64_t *down,
                     int64_t *up) {
  const struct attnc_view *view = &frame->views[t];
  int64_t bytes = bytes_of(frame, t), low = 0, high = 1;
  for (int32_t a = 0; a < tensor_of(frame, t)->rank; ++a) {
    int64_t *end = view->strides[a] < 0 ? &low : &high;
    int64_t reach;
    if (multiply_overflows(view->shape[a] - 1, view->strides[a], &reach) ||
        __builtin_add_overflow(*end, reach, end))
      return 0;
  }
  return !multiply_overflows(low, bytes, down) &&
         !multiply_overflows(high, bytes, up) && *down != INT64_MIN;
}

/* Sets data, low and high of a tensor with elements. */
static attnc_status locate(struct attnc_frame *frame, int32_t t, char *data) {
  struct attnc_view *view = &frame->views[t];
  int64_t down, up;
  if (!data)
    return report_tensor(frame, t, ATTNC_BAD_POINTER, "the data is null");
  if ((uintptr_t)data & ((uintptr_t)bytes_of(frame, t) - 1))
    return report_tensor(frame, t, ATTNC_BAD_POINTER,
                         "the data is not aligned to its element size");
  uintptr_t base = (uintptr_t)data,
            least = has_handles(frame) ? HANDLE_BASE : 0;
  if (!byte_span(frame, t, &down, &up) || base - least < (uint64_t)-down ||
      (uint64_t)up > UINTPTR_MAX - base)
    return report_strides(frame, t,
                          has_handles(frame)
                              ? " reach before the begin of the buffer"
                              : " reach outside the address space");
  view->data = data;
  view->low = base - (uintptr_t)-down;
  view->high = base + (uintptr_t)up;
  return ATTNC_OK;
}

static int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

/* Whether every element has its own place: with axes sorted by stride, each
   step must go beyond all that the smaller ones reach. (Sufficient; a layout
   that interleaves axes without meeting is refused as well.) */
static int is_injective(const struct attnc_view *view, int32_t rank) {
  int64_t last = 0;
  uint64_t reached = 0;
  for (int32_t round = 0; round < rank; ++round) {
    int32_t next = -1;
    for (int32_t a = 0; a < rank; ++a) {
      int64_t stride = magnitude(view->strides[a]);
      if (view->shape[a] > 1 && stride > last &&
          (next < 0 || stride < magnitude(view->strides[next])))
        next = a;
    }
    if (next < 0)
      return 1;
    last = magnitude(view->strides[next]);
    if ((uint64_t)last <= reached)
      return 0;
    reached += (uint64_t)(view->shape[next] - 1) * (uint64_t)last;
  }
  return 1;
}

/* The same for axes that are sorted as they are, which nearly all are; 0 does
   not mean that elements overlap. */
static int is_nested(const struct attnc_view *view, int32_t rank) {
  uint64_t reached = 0;
  for (int32_t a = rank - 1; a >= 0; --a) {
    uint64_t stride = (uint64_t)magnitude(view->strides[a]);
    if (view->shape[a] == 1)
      continue;
    if (stride <= reached)
      return 0;
    reached += (uint64_t)(view->shape[a] - 1) * stride;
  }
  return 1;
}

static ATTNC_COLD attnc_status check_unsorted(const struct attnc_frame *frame,
                                              int32_t t) {
  const struct attnc_view *view = &frame->views[t];
  int32_t rank = tensor_of(frame, t)->rank;
  int is_inout = tensor_of(frame, t)->flags & ATTNC_TENSOR_INOUT;
  const char *overlap = is_inout ? " let elements of an inout tensor overlap"
                                 : " let elements of an output overlap";
  for (int32_t a = 0; a < rank; ++a) {
    if (view->shape[a] == 1)
      continue;
    if (view->strides[a] == 0)
      return report_strides(frame, t,
                            is_inout ? ": an inout tensor cannot have stride 0"
                                     : ": an output cannot have stride 0");
    for (int32_t b = 0; b < a; ++b)
      if (view->shape[b] > 1 &&
          magnitude(view->strides[a]) == magnitude(view->strides[b]))
        return report_strides(frame, t, overlap);
  }
  if (!is_injective(view, rank))
    return report_strides(frame, t, overlap);
  return ATTNC_OK;
}

static attnc_status check_written(const struct attnc_frame *frame, int32_t t) {
  return is_nested(&frame->views[t], tensor_of(frame, t)->rank)
             ? ATTNC_OK
             : check_unsorted(frame, t);
}

/* Fills in everything of a present tensor but its shape. */
static attnc_status place_tensor(struct attnc_frame *frame, int32_t t,
                                 char *data, const int64_t *strides) {
  attnc_status status = count_elements(frame, t);
  if (status != ATTNC_OK)
    return status;
  take_strides(frame, t, strides);
  if (frame->views[t].elements == 0)
    return ATTNC_OK; /* its data may be null */
  status = locate(frame, t, data);
  if (status == ATTNC_OK && is_written(frame, t))
    status = check_written(frame, t);
  return status;
}

/* The bytes modulo `period` that a tensor touches: an arc of `length` from
   `start`. Axes whose stride is a multiple of the period do not count. */
static int arc_of(const struct attnc_frame *frame, int32_t t, uint64_t period,
                  uint64_t *start, uint64_t *length) {
  const struct attnc_view *view = &frame->views[t];
  uint64_t bytes = (uint64_t)bytes_of(frame, t), low = 0, width = bytes;
  for (int32_t a = 0; a < tensor_of(frame, t)->rank; ++a) {
    uint64_t stride = (uint64_t)magnitude(view->strides[a]) * bytes;
    if (stride % period == 0)
      continue;
    uint64_t reach = (uint64_t)(view->shape[a] - 1) * stride;
    width += reach;
    low += view->strides[a] < 0 ? reach : 0;
  }
  *start = ((uintptr_t)view->data - low) % period;
  *length = width;
  return width <= period;
}

/* Whether no byte is in both, as far as a period of one of them shows: slices
   of the rows of one buffer never meet although their spans do. */
static int are_apart(const struct attnc_frame *frame, int32_t t, int32_t u) {
  const struct attnc_view *a = &frame->views[t], *b = &frame->views[u];
  if (a->high <= b->low || b->high <= a->low ||
      (has_handles(frame) && a->handle != b->handle))
    return 1;
  for (int32_t axis = 0; axis < tensor_of(frame, t)->rank; ++axis) {
    uint64_t period =
        (uint64_t)magnitude(a->strides[axis]) * (uint64_t)bytes_of(frame, t);
    uint64_t start_a, start_b, length_a, length_b;
    if (a->shape[axis] == 1 || period == 0 ||
        !arc_of(frame, t, period, &start_a, &length_a) ||
        !arc_of(frame, u, period, &start_b, &length_b))
      continue;
    uint64_t ahead = (start_b + period - start_a) % period;
    uint64_t behind = (start_a + period - start_b) % period;
    if (ahead >= length_a && behind >= length_b)
      return 1;
  }
  return 0;
}

static int is_same(const struct attnc_frame *frame, int32_t t, int32_t u) {
  const struct attnc_view *a = &frame->views[t], *b = &frame->views[u];
  if (a->data != b->data || (has_handles(frame) && a->handle != b->handle))
    return 0;
  for (int32_t axis = 0; axis < tensor_of(frame, t)->rank; ++axis)
    if (a->strides[axis] != b->strides[axis])
      return 0;
  return 1;
}

static attnc_status check_overlap(const struct attnc_frame *frame, int32_t t) {
  const struct attnc_function *function = frame->function;
  for (int32_t u = 0; u < function->tensor_count; ++u) {
    if (u == t || !frame->views[u].data || (is_written(frame, u) && u < t))
      continue;
    if (u == tensor_of(frame, t)->may_be && is_same(frame, t, u))
      continue;
    if (are_apart(frame, t, u) || are_apart(frame, u, t))
      continue;
    struct message message;
    put_tensor(&message, frame, t);
    put(&message, "overlaps ");
    put(&message, function->text + tensor_of(frame, u)->name);
    if (u == tensor_of(frame, t)->may_be)
      put(&message, " without being the same tensor");
    return report(frame, &message, ATTNC_BAD_POINTER);
  }
  return ATTNC_OK;
}

static attnc_status check_overlaps(const struct attnc_frame *frame) {
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    if (!is_written(frame, t) || !frame->views[t].data)
      continue;
    attnc_status status = check_overlap(frame, t);
    if (status != ATTNC_OK)
      return status;
  }
  return ATTNC_OK;
}
