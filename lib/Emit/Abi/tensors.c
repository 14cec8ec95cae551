//===- tensors.c - DLPack tensors against the signature -------------------===//
//
// First what a tensor is (rank, type, device), then what its extents are: a
// run-time size is read from one axis, and every other axis must agree.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

/* The spelling of a spec, or the raw numbers. */
static void put_dtype(struct message *m, unsigned code, unsigned bits,
                      unsigned lanes) {
  static const char kinds[] = "iuf";
  if (lanes == 1 && code == 4 && bits == 16) {
    put(m, "bf16");
  } else if (lanes == 1 && code == 6 && bits == 8) {
    put(m, "bool");
  } else if (lanes == 1 && code < 3) {
    put_char(m, kinds[code]);
    put_number(m, bits);
  } else {
    put(m, "(code ");
    put_number(m, code);
    put(m, ", ");
    put_number(m, bits);
    put(m, " bits, ");
    put_number(m, lanes);
    put(m, " lanes)");
  }
}

static int has_dtype(const struct attnc_tensor_info *info,
                     const attnc_tensor *tensor) {
  return tensor->dtype.code == info->code && tensor->dtype.bits == info->bits &&
         tensor->dtype.lanes == 1;
}

static ATTNC_COLD attnc_status report_dtype(const struct attnc_frame *frame,
                                            int32_t t,
                                            const attnc_tensor *tensor) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, "dtype ");
  put_dtype(&message, tensor->dtype.code, tensor->dtype.bits,
            tensor->dtype.lanes);
  put(&message, ", expected ");
  put_dtype(&message, (unsigned)info->code, (unsigned)info->bits, 1);
  return report(frame, &message, ATTNC_BAD_DTYPE);
}

/* Whether some part takes tensors in such memory. */
static int has_memory(const struct attnc_function *function, int32_t memory) {
  for (int32_t k = 0; ATTNC_ENTRY_HAS_DEVICES && k < function->kernel_count;
       ++k)
    if (device_of(&function->kernels[k]) &&
        device_of(&function->kernels[k])->type == memory)
      return 1;
  return memory == DEVICE_CPU;
}

static int32_t memory_of(int32_t type) {
  if (type == DEVICE_CUDA_HOST || type == DEVICE_ROCM_HOST)
    return DEVICE_CPU; /* memory that this processor reads */
  return ATTNC_ENTRY_HAS_DEVICES && type == DEVICE_CUDA_MANAGED ? DEVICE_CUDA
                                                                : type;
}

static ATTNC_COLD attnc_status report_device(const struct attnc_frame *frame,
                                             int32_t t, int32_t type,
                                             int32_t ordinal) {
  const struct attnc_function *function = frame->function;
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, "device type ");
  put_number(&message, type);
  if (!ATTNC_ENTRY_HAS_DEVICES || !has_memory(function, memory_of(type))) {
    put(&message, ", expected the CPU (1, or pinned 3, 11)");
    put(&message,
        has_memory(function, DEVICE_CUDA) ? " or CUDA (2, or managed 13)" : "");
    put(&message, has_memory(function, DEVICE_OPENCL) ? " or OpenCL (4)" : "");
    put(&message, has_memory(function, DEVICE_VULKAN) ? " or Vulkan (7)" : "");
    return report(frame, &message, ATTNC_BAD_DEVICE);
  }
  put(&message, ", id ");
  put_number(&message, ordinal);
  put(&message, ", but the tensors before it have type ");
  put_number(&message, frame->memory);
  put(&message, ", id ");
  put_number(&message, frame->ordinal);
  return report(frame, &message, ATTNC_BAD_DEVICE);
}

/* The first tensor decides where all of them are. */
static attnc_status check_device(struct attnc_frame *frame, int32_t t,
                                 const attnc_tensor *tensor) {
  int32_t type = (int32_t)tensor->device.type, memory = memory_of(type);
  if (!ATTNC_ENTRY_HAS_DEVICES && memory == DEVICE_CPU)
    return ATTNC_OK;
  int32_t ordinal = memory == DEVICE_CPU ? 0 : (int32_t)tensor->device.id;
  if (!ATTNC_ENTRY_HAS_DEVICES || !has_memory(frame->function, memory))
    return report_device(frame, t, type, ordinal);
  if (!frame->memory) {
    frame->memory = memory;
    frame->ordinal = ordinal;
  }
  return frame->memory == memory && frame->ordinal == ordinal
             ? ATTNC_OK
             : report_device(frame, t, type, ordinal);
}

static ATTNC_COLD attnc_status report_rank(const struct attnc_frame *frame,
                                           int32_t t, int32_t rank) {
  struct message message;
  put_tensor(&message, frame, t);
  put_number(&message, rank);
  put(&message, " axes, expected ");
  put_number(&message, tensor_of(frame, t)->rank);
  return report(frame, &message, ATTNC_BAD_RANK);
}

static attnc_status check_kind(struct attnc_frame *frame, int32_t t,
                               const attnc_tensor *tensor) {
  const struct attnc_tensor_info *info = tensor_of(frame, t);
  if (tensor->ndim != info->rank)
    return report_rank(frame, t, tensor->ndim);
  if (!has_dtype(info, tensor))
    return report_dtype(frame, t, tensor);
  attnc_status status = check_device(frame, t, tensor);
  if (status != ATTNC_OK)
    return status;
  if (info->rank > 0 && !tensor->shape)
    return report_tensor(frame, t, ATTNC_BAD_POINTER, "the shape is null");
  return ATTNC_OK;
}

static ATTNC_COLD attnc_status report_negative(const struct attnc_frame *frame,
                                               int32_t t,
                                               const attnc_tensor *tensor) {
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, "shape ");
  put_numbers(&message, tensor->shape, tensor_of(frame, t)->rank);
  put(&message, ", an extent is negative");
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

/* Copies the shape; refuses what no size can be. */
static attnc_status copy_shape(struct attnc_frame *frame, int32_t t,
                               const attnc_tensor *tensor) {
  int32_t rank = tensor_of(frame, t)->rank;
  int64_t *shape = frame->views[t].shape, signs = 0;
  for (int32_t a = 0; a < rank; ++a) {
    shape[a] = tensor->shape[a];
    signs |= shape[a];
  }
  return signs < 0 ? report_negative(frame, t, tensor) : ATTNC_OK;
}

/* Kernels of devices get the shape and the strides of an absent tensor, too. */
static void skip_tensor(struct attnc_frame *frame, int32_t t) {
  struct attnc_view *view = &frame->views[t];
  for (int32_t a = 0; ATTNC_ENTRY_HAS_DEVICES && a < ATTNC_MAX_RANK; ++a)
    view->shape[a] = view->strides[a] = 0;
}

static attnc_status read_tensors(struct attnc_frame *frame,
                                 const attnc_tensor *const *tensors) {
  for (int32_t t = 0; t < frame->function->tensor_count; ++t) {
    if (!tensors[t]) {
      if (!(tensor_of(frame, t)->flags & ATTNC_TENSOR_NULLABLE))
        return report_tensor(frame, t, ATTNC_BAD_POINTER, "the tensor is null");
      skip_tensor(frame, t);
      continue;
    }
    attnc_status status = check_kind(frame, t, tensors[t]);
    if (status == ATTNC_OK)
      status = copy_shape(frame, t, tensors[t]);
    if (status != ATTNC_OK)
      return status;
  }
  return ATTNC_OK;
}

static void bind_sizes(struct attnc_frame *frame) {
  const struct attnc_function *function = frame->function;
  const struct attnc_size_info *info = function->sizes;
  for (int32_t s = 0; s < function->size_count; ++s, ++info) {
    if (info->is_runtime)
      frame->sizes[s] =
          frame->views[info->tensor].shape[info->axis] - info->less;
  }
}

/* The extent that the sizes ask for; 0 on overflow or if it is negative. */
static int expected_extent(const struct attnc_frame *frame,
                           const struct attnc_axis_info *axis,
                           int64_t *extent) {
  return evaluate(frame->function, frame->sizes, axis->value, extent) &&
         *extent >= 0;
}

/* An extent that no tensor can have: the sizes of the call are to blame. */
static ATTNC_COLD attnc_status
report_impossible(const struct attnc_frame *frame, int32_t t,
                  const struct attnc_axis_info *axis) {
  const struct attnc_function *function = frame->function;
  struct message message;
  int64_t extent = 0;
  put_tensor(&message, frame, t);
  put(&message, "impossible at the sizes of this call: ");
  put(&message, function->text + axis->text);
  if (evaluate(function, frame->sizes, axis->value, &extent))
    put_number(&message, extent);
  else
    put(&message, "more than 63 bits");
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

static ATTNC_COLD attnc_status
report_extent(const struct attnc_frame *frame, int32_t t,
              const struct attnc_axis_info *axis) {
  const struct attnc_function *function = frame->function;
  struct message message;
  int64_t extent;
  if (!expected_extent(frame, axis, &extent))
    return report_impossible(frame, t, axis);
  put_tensor(&message, frame, t);
  put(&message, "shape ");
  put_numbers(&message, frame->views[t].shape, tensor_of(frame, t)->rank);
  put(&message, ", expected ");
  put(&message, function->text + axis->text);
  put_number(&message, extent);
  if (axis->size >= 0) {
    int32_t source = function->sizes[axis->size].tensor;
    put(&message, " as in ");
    put(&message, function->text + tensor_of(frame, source)->name);
  }
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

static attnc_status check_shapes(const struct attnc_frame *frame,
                                 const attnc_tensor *const *tensors) {
  const struct attnc_function *function = frame->function;
  for (int32_t t = 0; t < function->tensor_count; ++t) {
    if (!tensors[t])
      continue;
    const struct attnc_tensor_info *info = &function->tensors[t];
    const struct attnc_axis_info *axis = &function->axes[info->axes];
    const int64_t *shape = frame->views[t].shape;
    for (int32_t a = 0; a < info->rank; ++a, ++axis) {
      int64_t extent;
      if (!evaluate_fast(function, frame->sizes, axis->value, &extent) ||
          extent != shape[a]) /* which is not negative */
        return report_extent(frame, t, axis);
    }
  }
  return ATTNC_OK;
}
