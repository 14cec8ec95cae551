//===- opencl.c - What objects with kernels for OpenCL call ---------------===//
//
// The caller's command queue, which `stream` of the runtime is, its context,
// and tensors that are buffers (cl_mem) of that context. Without a queue,
// Halide's runtime has a context and a queue of its own.
//
// It is compiled and linked like launch.c. Tests:
// test/Integration/halide/opencl-tensors.test
//
//===----------------------------------------------------------------------===//

#include "entry.h"

#include "launch.h"

#include "api.h"

void *halide_opencl_get_symbol(void *context, const char *name);
int32_t halide_opencl_wrap_cl_mem(void *context, struct buffer *buffer,
                                  uint64_t handle);
int32_t halide_opencl_detach_cl_mem(void *context, struct buffer *buffer);

/* Halide's definition of the function below. */
int32_t attnc_original_halide_acquire_cl_context(void *context,
                                                 void **its_context,
                                                 void **its_queue,
                                                 _Bool create);

/* Of Halide: what `device` of a buffer points to. */
struct device_handle {
  uint64_t offset;
  void *memory;
};

/* Of cl.h. */
enum {
  CONTEXT_DEVICES = 0x1081,
  QUEUE_CONTEXT = 0x1090,
  QUEUE_DEVICE = 0x1091,
  QUEUE_PROPERTIES = 0x1093,
  QUEUE_OUT_OF_ORDER = 1,
  DEVICE_BASE_ALIGNMENT = 0x1019, /* in bits */
  MEMORY_TYPE = 0x1100,
  MEMORY_SIZE = 0x1102,
  MEMORY_CONTEXT = 0x1106,
  MEMORY_PARENT = 0x1107,
  TYPE_BUFFER = 0x10f0
};
typedef int32_t query(void *object, uint32_t what, size_t bytes, void *to,
                      size_t *written);

/* Of the current call; the queue is null if the caller gave none. */
static void *queue, *its_context, *its_device;

int32_t attnc_device_check(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  if (!call->is_on_device || call->stream)
    return 1;
  fail(failure, ATTNC_BAD_VALUE,
       "runtime: stream is NULL, but the tensors are buffers of OpenCL; set it "
       "to a cl_command_queue of their context");
  return 0;
}

/* Whether the driver gives a property of exactly `bytes`. */
static int32_t ask(const char *function, void *object, uint32_t what,
                   size_t bytes, void *to) {
  query *asked = (query *)halide_opencl_get_symbol(0, function);
  size_t written = 0;
  return asked && !asked(object, what, bytes, to, &written) && written == bytes;
}

/* A context may have several devices; Halide builds kernels for the first. */
static void *first_device(void) {
  query *asked = (query *)halide_opencl_get_symbol(0, "clGetContextInfo");
  void *devices[64];
  size_t written = 0;
  return asked &&
                 !asked(its_context, CONTEXT_DEVICES, sizeof devices, devices,
                        &written) &&
                 written
             ? devices[0]
             : 0;
}

int32_t attnc_device_enter(struct attnc_device_call *call,
                           struct attnc_failure *failure) {
  static const char name[] = "clGetCommandQueueInfo";
  uint64_t properties = 0;
  queue = 0;
  if (!call->stream)
    return 1;
  if (!halide_opencl_get_symbol(failure, name))
    return 0;
  if (!ask(name, call->stream, QUEUE_CONTEXT, sizeof its_context,
           &its_context) ||
      !ask(name, call->stream, QUEUE_DEVICE, sizeof its_device, &its_device) ||
      !ask(name, call->stream, QUEUE_PROPERTIES, sizeof properties,
           &properties)) {
    fail(failure, ATTNC_BAD_VALUE,
         "runtime: stream is not a cl_command_queue of OpenCL");
    return 0;
  }
  if (properties & QUEUE_OUT_OF_ORDER) {
    fail(failure, ATTNC_BAD_VALUE,
         "runtime: stream is an out-of-order queue; kernels need one that "
         "executes in order");
    return 0;
  }
  if (first_device() != its_device) {
    fail(failure, ATTNC_BAD_VALUE,
         "runtime: the device of stream is not the first one of its context, "
         "for which kernels are built");
    return 0;
  }
  queue = call->stream;
  return 1;
}

void attnc_device_leave(struct attnc_device_call *call) {
  (void)call;
  queue = 0;
}

int32_t attnc_device_verify(struct attnc_device_call *call, void *handle,
                            int64_t bytes, const char *name,
                            struct attnc_failure *failure) {
  (void)call;
  uint32_t type = 0;
  size_t size = 0;
  void *owner = 0;
  if (!ask("clGetMemObjectInfo", handle, MEMORY_TYPE, sizeof type, &type) ||
      type != TYPE_BUFFER ||
      !ask("clGetMemObjectInfo", handle, MEMORY_SIZE, sizeof size, &size) ||
      !ask("clGetMemObjectInfo", handle, MEMORY_CONTEXT, sizeof owner, &owner))
    return fail_at(failure, ATTNC_BAD_POINTER, name,
                   "the data is not a buffer (cl_mem) of OpenCL");
  if (owner != its_context)
    return fail_at(failure, ATTNC_BAD_DEVICE, name,
                   "the buffer belongs to another context than the queue "
                   "(stream of the runtime)");
  if (size < (uint64_t)bytes)
    return fail_at(failure, ATTNC_BAD_POINTER, name,
                   "the tensor reaches beyond the end of its buffer");
  return 1;
}

/* A sub-buffer has none of its own. */
int64_t attnc_device_alignment(void *handle) {
  uint32_t bits = 0;
  void *parent = 0;
  if (ask("clGetMemObjectInfo", handle, MEMORY_PARENT, sizeof parent,
          &parent) &&
      parent)
    return INT64_MAX;
  return ask("clGetDeviceInfo", its_device, DEVICE_BASE_ALIGNMENT, sizeof bits,
             &bits) &&
                 bits >= 8
             ? bits / 8
             : INT64_C(1) << 16;
}

int32_t attnc_device_wrap(struct attnc_failure *failure, struct buffer *buffer,
                          void *handle, int64_t offset, int64_t bytes) {
  (void)bytes;
  if (halide_opencl_wrap_cl_mem(failure, buffer, (uintptr_t)handle)) {
    fail(failure, ATTNC_NO_MEMORY, "cannot allocate memory");
    return 0;
  }
  ((struct device_handle *)(uintptr_t)buffer->device)->offset =
      (uint64_t)offset;
  return 1;
}

void attnc_device_unwrap(struct attnc_failure *failure, struct buffer *buffer) {
  halide_opencl_detach_cl_mem(failure, buffer);
}

int32_t halide_acquire_cl_context(void *context, void **of_context,
                                  void **of_queue, _Bool create) {
  if (!queue)
    return attnc_original_halide_acquire_cl_context(context, of_context,
                                                    of_queue, create);
  *of_context = its_context;
  *of_queue = queue;
  return 0;
}
