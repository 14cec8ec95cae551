//===- slots.h - The tensors of a call on a device ------------------------===//
//
// Of launch.c and slots.c. Include entry.h, launch.h and api.h before.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_SLOTS_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_SLOTS_H

enum { MAX_RANK = 16 };

/* A tensor of a call, or an intermediate result. It is open from the first step
   that uses it to the last one. The buffer is first: its address is that of
   both. */
struct attnc_slot {
  struct buffer buffer;
  struct dimension dims[MAX_RANK];
  char *data; /* the caller's; null if it has no elements */
  char *packed;
  int64_t strides[MAX_RANK]; /* of data, in elements */
  int64_t elements;          /* -1: more than kernels can number */
  int32_t bytes, number;     /* number: in the call; -1: not the caller's */
  int32_t is_written, is_open;
  /* Of a tensor in memory of the device, whose handle is `data`; else null. The
     buffer is bound from `offset` on. */
  const struct attnc_span *span;
  int64_t offset;
};
_Static_assert(sizeof(struct attnc_slot) <= 512, "Shim.cpp has room for 512");

/* Describes the buffer of a tensor with a span, and where it is bound. Another
   status than ATTNC_OK for what cannot be described. */
int32_t attnc_device_describe_in_place(struct attnc_slot *slot,
                                       const int64_t *extents,
                                       const int64_t *strides);

/* Copies `bytes` of a buffer from `offset` on, while the lock is held. */
int32_t attnc_device_read_buffer(void *to, void *handle, int64_t offset,
                                 int64_t bytes, struct attnc_failure *failure);

/* Of a call that has no attnc_device_call: the lock of devices. */
void attnc_device_lock_call(void);
void attnc_device_unlock_call(void);

int32_t halide_copy_to_host(void *context, struct buffer *buffer);

#endif
