//===- slots.c - The tensors of a call on a device ------------------------===//
//
// A call computes its steps one after the other. Each tensor is on the device
// from the first step that uses it to the last one: inputs are copied there
// once, results are copied back once, and intermediate results have memory of
// the device only. What a step has written, the next one reads there.
//
// Tensors of the host are dense on the device. Memory that is not dense is
// copied element by element to dense memory first; outputs are copied, too,
// because kernels may leave elements as they are. Tensors of the device are
// used where they are.
//
// It is compiled and linked like launch.c. Tests:
// test/Integration/halide/steps/resident.test
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

#include "slots.h"

void *halide_malloc(void *context, size_t bytes);
void halide_free(void *context, void *block);
int32_t halide_device_free(void *context, struct buffer *buffer);
int32_t halide_device_malloc(void *context, struct buffer *buffer,
                             const void *interface);
int32_t halide_buffer_copy(void *context, struct buffer *from,
                           const void *interface, struct buffer *to);

/* The first element of a tensor is some elements after the begin of its buffer.
   Kernels index the last axis from a minimum; they see an axis that begins
   earlier. Otherwise the buffer is bound from its first element on, which the
   device may not be able to. */
int32_t attnc_device_describe_in_place(struct attnc_slot *slot,
                                       const int64_t *extents,
                                       const int64_t *strides) {
  const struct attnc_span *span = slot->span;
  int32_t rank = slot->buffer.rank;
  int64_t first = (int64_t)(span->first / (uintptr_t)slot->bytes);
  int64_t end = (int64_t)(span->high / (uintptr_t)slot->bytes);
  for (int32_t d = 0; d < rank; ++d)
    slot->dims[d] =
        (struct dimension){0, (int32_t)extents[d], (int32_t)strides[d], 0};
  slot->offset = 0;
  slot->elements = 1; /* nothing is allocated */
  struct dimension *last = &slot->dims[rank - 1];
  int64_t step = rank == 0 ? 0 : last->extent == 1 ? 1 : last->stride;
  int is_indexed = first == 0 || (step > 0 && first % step == 0);
  if (end <= INT32_MAX && is_indexed) {
    if (first) {
      last->stride = (int32_t)step;
      last->min = (int32_t)(-first / step);
      last->extent -= last->min;
    }
    return ATTNC_OK;
  }
  slot->offset = (int64_t)span->first;
  if (span->low == span->first)
    return end - first <= INT32_MAX ? ATTNC_OK : ATTNC_NO_MEMORY;
  return is_indexed ? ATTNC_NO_MEMORY : ATTNC_BAD_STRIDE;
}

/* `number` is that of the tensor in the call, -1 for an intermediate result. */
void attnc_device_describe(struct attnc_slot *slot,
                           const struct attnc_call *call, int32_t number,
                           const int64_t *extents, int32_t rank, int32_t type,
                           int32_t is_written) {
  const int64_t *strides = number < 0 ? 0 : call->strides[number];
  int64_t dense = 1;
  int is_dense = 1, is_empty = number >= 0 && !call->data[number];
  slot->buffer = (struct buffer){0};
  slot->buffer.type = (uint32_t)type;
  slot->buffer.rank = rank;
  slot->buffer.dims = slot->dims;
  slot->packed = 0;
  slot->bytes = (type >> 8 & 255) / 8;
  slot->number = number;
  slot->is_written = is_written;
  slot->is_open = 0;
  slot->span = 0;
  for (int32_t d = rank; d-- > 0;) {
    is_empty |= extents[d] <= 0;
    slot->strides[d] = strides ? strides[d] : dense;
    is_dense &= extents[d] == 1 || slot->strides[d] == dense;
    slot->dims[d] =
        (struct dimension){0, (int32_t)extents[d], (int32_t)dense, 0};
    dense = extents[d] > 0 && dense > INT32_MAX / extents[d]
                ? INT64_C(1) << 31
                : dense * extents[d];
  }
  slot->elements = is_empty ? 0 : dense <= INT32_MAX ? dense : -1;
  slot->data = is_empty || number < 0 ? 0 : call->data[number];
  slot->buffer.host = is_dense ? (uint8_t *)slot->data : 0;
  if (!slot->data || !call->device || !call->device->is_on_device)
    return;
  slot->span = &call->device->spans[number];
  slot->buffer.host = 0;
  attnc_device_describe_in_place(slot, extents, strides);
}

/* Between the caller's strided elements and packed ones. */
static void copy_packed(struct attnc_slot *slot, int to_caller) {
  int64_t dense[MAX_RANK], shape[MAX_RANK];
  for (int32_t d = 0; d < slot->buffer.rank; ++d) {
    dense[d] = slot->dims[d].stride;
    shape[d] = slot->dims[d].extent;
  }
  if (to_caller)
    copy_elements(slot->data, slot->strides, slot->packed, dense, shape,
                  slot->buffer.rank, slot->bytes);
  else
    copy_elements(slot->packed, dense, slot->data, slot->strides, shape,
                  slot->buffer.rank, slot->bytes);
}

/* One element that has every index, and is 0. */
static void fill_empty(struct attnc_slot *slot) {
  for (int32_t i = 0; i < slot->bytes; ++i)
    slot->packed[i] = 0;
  for (int32_t d = 0; d < slot->buffer.rank; ++d) {
    slot->dims[d].stride = 0;
    if (slot->dims[d].extent <= 0)
      slot->dims[d].extent = 1;
  }
}

/* A tensor without elements, or one that the caller left out, is one element.
   Halide copies to the device, or allocates memory of it, at the first launch.
 */
static int32_t open_slot(struct attnc_slot *slot,
                         struct attnc_failure *failure) {
  int is_empty = slot->elements == 0;
  if (slot->is_open)
    return 1;
  if (slot->elements < 0) {
    fail(failure, ATTNC_NO_MEMORY,
         "a tensor has more than 2147483647 elements");
    return 0;
  }
  if (slot->span)
    return slot->is_open = attnc_device_wrap(
               failure, &slot->buffer, slot->data, slot->offset,
               (int64_t)slot->span->high - slot->offset);
  if (!slot->buffer.host && (slot->data || is_empty)) {
    size_t elements = is_empty ? 1 : (size_t)slot->elements;
    slot->packed = halide_malloc(0, elements * (size_t)slot->bytes);
    if (!slot->packed) {
      fail(failure, ATTNC_NO_MEMORY,
           "cannot allocate memory for copies of tensors");
      return 0;
    }
    slot->buffer.host = (uint8_t *)slot->packed;
    if (is_empty)
      fill_empty(slot);
    else
      copy_packed(slot, 0);
  }
  if (slot->buffer.host)
    slot->buffer.flags = HOST_DIRTY;
  slot->is_open = 1;
  return 1;
}

/* After a step that has stored nothing in it: 0 on the host again. */
static void keep_empty(struct attnc_slot *slot, struct attnc_failure *failure) {
  if (slot->buffer.device)
    halide_device_free(failure, &slot->buffer);
  slot->buffer.flags = HOST_DIRTY;
}

/* The caller's memory has what steps have stored. */
static void copy_back(struct attnc_slot *slot, struct attnc_failure *failure) {
  if (halide_copy_to_host(failure, &slot->buffer))
    fail(failure, ATTNC_DEVICE_FAILED, "cannot copy a result to the host");
  else if (slot->packed)
    copy_packed(slot, 1);
}

/* After the last step that uses a tensor. */
void attnc_device_release(struct attnc_slot *slot, struct attnc_call *call) {
  struct attnc_failure *failure = call->failure;
  if (!slot->is_open)
    return;
  slot->is_open = 0;
  if (slot->span) {
    attnc_device_unwrap(failure, &slot->buffer);
    return;
  }
  if (slot->is_written && slot->data && attnc_device_is_ok(failure))
    copy_back(slot, failure);
  if (slot->buffer.device)
    halide_device_free(failure, &slot->buffer);
  halide_free(0, slot->packed);
}

/* `copy` has the elements of an open slot that is not empty. Where they are on
   the device already, they are copied there. */
static int32_t copy_slot(struct attnc_slot *copy, struct attnc_slot *slot,
                         struct attnc_failure *failure) {
  const void *interface = slot->buffer.interface;
  int32_t dense = 1;
  *copy = *slot;
  copy->buffer.dims = copy->dims;
  copy->buffer.device = 0;
  copy->buffer.interface = 0;
  copy->packed = 0;
  if (!slot->buffer.device)
    return 1;
  for (int32_t d = copy->buffer.rank; d-- > 0;) {
    copy->dims[d].extent += copy->dims[d].min;
    copy->dims[d].min = 0;
    copy->dims[d].stride = dense;
    dense *= copy->dims[d].extent;
  }
  copy->span = 0;
  copy->buffer.host = 0;
  copy->buffer.flags = 0;
  int32_t is_ok =
      !halide_device_malloc(failure, &copy->buffer, interface) &&
      !halide_buffer_copy(failure, &slot->buffer, interface, &copy->buffer);
  if (!is_ok)
    fail(failure, ATTNC_DEVICE_FAILED, "cannot copy a tensor on the device");
  return is_ok;
}

static int32_t is_stored_over(const struct attnc_slot *slot,
                              struct attnc_slot *const *outputs,
                              int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (slot->elements &&
        (outputs[i] == slot ||
         (slot->span && outputs[i]->span && outputs[i]->data == slot->data &&
          outputs[i]->span->low < slot->span->high &&
          slot->span->low < outputs[i]->span->high)))
      return 1;
  return 0;
}

/* Whether the pipeline of a step may be called, with `slots`: its inputs, then
   its outputs. An input that the step also writes, as the caller permits for
   some tensors, is a copy then, in `copies`: kernels of a step may read it
   after they have written. */
int32_t attnc_device_begin_step(struct attnc_slot **slots,
                                struct attnc_slot *copies, int32_t inputs,
                                int32_t outputs, int32_t has_wide_indices,
                                struct attnc_call *call) {
  struct attnc_failure *failure = call->failure;
  if (attnc_device_is_ok(failure) && has_wide_indices)
    fail(failure, ATTNC_BAD_VALUE,
         "an integer of a formula needs more than 32 bits with the sizes and "
         "tables of this call, and kernels for this device have 32");
  if (!attnc_device_is_ok(failure))
    return 0;
  for (int32_t i = 0; i < inputs + outputs; ++i)
    if (!open_slot(slots[i], failure))
      return 0;
  for (int32_t i = inputs; i < inputs + outputs; ++i)
    if (!slots[i]->elements)
      slots[i]->buffer.flags = 0;
  for (int32_t i = 0; i < inputs; ++i)
    if (is_stored_over(slots[i], slots + inputs, outputs)) {
      int32_t is_ok = copy_slot(&copies[i], slots[i], failure);
      slots[i] = &copies[i];
      if (!is_ok)
        return 0;
    }
  return 1;
}

/* After the pipeline returned `code`, or was not called. */
void attnc_device_end_step(struct attnc_slot *const *slots,
                           struct attnc_slot *copies, int32_t inputs,
                           int32_t outputs, int32_t code,
                           struct attnc_call *call) {
  if (code)
    fail(call->failure, ATTNC_DEVICE_FAILED,
         "Halide's runtime failed without a reason");
  for (int32_t i = 0; i < inputs; ++i)
    if (slots[i] == &copies[i] && copies[i].buffer.device)
      halide_device_free(call->failure, &copies[i].buffer);
  for (int32_t i = inputs; i < inputs + outputs; ++i)
    if (!slots[i]->elements && slots[i]->is_open)
      keep_empty(slots[i], call->failure);
}

/* Before the first step of a call, and after the last one. */
void attnc_device_begin(const struct attnc_call *call) {
  if (!call->device) /* else the call has the lock */
    attnc_device_lock_call();
}

void attnc_device_end(const struct attnc_call *call) {
  if (!call->device)
    attnc_device_unlock_call();
}

static void range_on_host(int64_t *ends, const int32_t *data,
                          const int64_t *extents, const int64_t *strides,
                          int32_t rank) {
  int64_t index[MAX_RANK] = {0};
  ends[0] = ends[1] = data[0];
  for (;;) {
    int64_t at = 0;
    for (int32_t d = 0; d < rank; ++d)
      at += index[d] * strides[d];
    ends[0] = data[at] < ends[0] ? data[at] : ends[0];
    ends[1] = data[at] > ends[1] ? data[at] : ends[1];
    int32_t d = rank - 1;
    for (; d >= 0 && ++index[d] == extents[d]; --d)
      index[d] = 0;
    if (d < 0)
      return;
  }
}

/* The least and the greatest value of a tensor of int32_t, as steps before have
   left it; 0 and 0 without elements. */
void attnc_device_range(int64_t *ends, struct attnc_slot *slot,
                        struct attnc_call *call) {
  struct attnc_failure *failure = call->failure;
  int64_t extents[MAX_RANK];
  ends[0] = ends[1] = 0;
  if (!slot->data || !attnc_device_is_ok(failure))
    return;
  for (int32_t d = 0; d < slot->buffer.rank; ++d)
    extents[d] = slot->dims[d].extent + slot->dims[d].min;
  if (!slot->span) {
    if (slot->is_open && (slot->buffer.flags & DEVICE_DIRTY))
      copy_back(slot, failure);
    range_on_host(ends, (const int32_t *)slot->data, extents, slot->strides,
                  slot->buffer.rank);
    return;
  }
  const struct attnc_span *span = slot->span;
  int64_t bytes = (int64_t)(span->high - span->low);
  char *copy = malloc((size_t)bytes);
  if (!copy)
    fail(failure, ATTNC_NO_MEMORY,
         "cannot allocate memory for a copy of a table on the host");
  else if (attnc_device_read_buffer(copy, slot->data, (int64_t)span->low, bytes,
                                    failure))
    range_on_host(ends, (const int32_t *)(copy + (span->first - span->low)),
                  extents, slot->strides, slot->buffer.rank);
  free(copy);
}
