//===- entry.h - What the compiler tells the entry about a function -------===//
//
// The entry of an object is ordinary C, the same for every function: it checks
// a call against a constant description and runs the kernels. Emit writes the
// description (lib/Emit/EntryDescriptor.cpp) from the Interface; both sides
// read this file. Texts and expressions lie in two pools, named by offsets, so
// that the description needs few relocations.
// Tests: test/Unit/Emit/EntryTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ABI_ENTRY_H
#define ATTNC_LIB_EMIT_ABI_ENTRY_H

#include "attnc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ATTNC_MAX_RANK = 5,
  ATTNC_MAX_TENSORS = 32,
  ATTNC_MAX_SIZES = 32,
  ATTNC_MAX_DEPTH = 16,
  /* grids with `units` in a row, and the one before them */
  ATTNC_MAX_JOINED = 4,
  /* words about the processor, in the order of cpu.h */
  ATTNC_CPU_WORDS = 9,
  ATTNC_ALIGNMENT = 64,
  ATTNC_MAX_PARTS = 24,
  ATTNC_FAILURE_BYTES = 240,
  /* attnc_runtime before the first field was added */
  ATTNC_FIRST_RUNTIME_BYTES = offsetof(attnc_runtime, cpu),
  /* a greater attnc_runtime::size was not initialized */
  ATTNC_MAX_RUNTIME_BYTES = 4096
};

/* What a task of a device reports: the status of the first failure, else
   ATTNC_OK, and a sentence that ends with a 0. */
struct attnc_failure {
  int32_t status;
  char text[ATTNC_FAILURE_BYTES];
};

struct attnc_device_call;

/* What a kernel gets: everything in Interface order. Strides in elements; the
   data of an absent optional output is null. NAME.scratch and NAME.workspace
   may read only the sizes. */
struct attnc_call {
  const int64_t *sizes;
  void *const *data;
  const int64_t *const *strides;
  void *workspace;
  const int64_t *const *shapes;
  struct attnc_failure *failure;    /* ATTNC_OK before the first task */
  struct attnc_device_call *device; /* null: the kernel runs on the host */
};

/* Steps code[2 * begin ..], pairs of SizeExpr::Op and operand: the number of a
   constant, the index of a size. In postfix order. */
struct attnc_expr {
  int32_t begin, count;
};

struct attnc_size_info {
  int32_t name;         /* text */
  int32_t is_runtime;   /* else `value` gives it from run-time sizes */
  int32_t tensor, axis; /* where a run-time size is read */
  struct attnc_expr value;
  int64_t less; /* what the axis has more than the run-time size */
};

struct attnc_axis_info {
  int32_t text; /* "head_dim ", "kv_len + 1 = ": what stands before its value */
  int32_t size; /* the run-time size that it is, or -1 */
  struct attnc_expr value;
};

enum {
  ATTNC_TENSOR_OUTPUT = 1,
  ATTNC_TENSOR_NULLABLE = 2,
  ATTNC_TENSOR_NONDECREASING = 4,
  ATTNC_TENSOR_RANGE = 8,
  ATTNC_TENSOR_INOUT = 16
};

struct attnc_tensor_info {
  int32_t name, axes; /* text; index of the first axis */
  int32_t rank, flags;
  int32_t code, bits; /* of DLDataType */
  int32_t may_be;     /* the tensor that an output may be itself, or -1 */
  int32_t reserved;
  struct attnc_expr low, high; /* with ATTNC_TENSOR_RANGE, inclusive */
};

enum { ATTNC_CONDITION_LESS_EQUAL, ATTNC_CONDITION_POSITION };

struct attnc_condition {
  int32_t kind, text; /* the sentence, or the text of the position */
  struct attnc_expr lhs, rhs;
};

/* Tasks of a grid wait for all of the grid before. If `units` is not null both
   divide their tasks into so many equal parts in order, and it suffices if a
   task waits for the part with the number of its own. */
struct attnc_grid {
  int64_t (*tasks)(const struct attnc_call *call);
  void (*body)(const struct attnc_call *call, void *scratch, int64_t task);
  int64_t (*units)(const struct attnc_call *call);
};

/* Bytes low <= address < high hold the elements of a tensor, the first one from
   `first` on; all are 0 if there are none. In a buffer that has a handle,
   addresses count from its begin. */
struct attnc_span {
  uintptr_t low, high, first;
  int32_t is_written;
};

/* A call of a part with memory of its own. */
struct attnc_device_call {
  const struct attnc_function *function;
  void *stream;             /* the caller's */
  int32_t ordinal;          /* of the device; negative: the part chooses it */
  int32_t is_on_device;     /* tensors and the caller's workspace are there */
  int64_t workspace_bytes;  /* that the part allocates, or gets from the host */
  void **data;              /* attnc_call::data: addresses or handles */
  struct attnc_span *spans; /* of the tensors */
  /* For the part: */
  int32_t device, is_pushed, image, block_count, has_copies, is_entered;
  uintptr_t workspace;
  struct {
    uintptr_t low, high, device;
  } blocks[ATTNC_MAX_TENSORS];
};

/* A part whose kernels run on a device, with memory of its own. A call opens
   the device, may read tables, begins, runs the bodies of its grids, ends and
   closes. What returns an int32_t gives 0 after a failure. */
struct attnc_device {
  int32_t type; /* of the tensors' DLDevice, besides those of the host; 1, the
                   host's, if there are no others */
  /* Makes the device current. A failure with ATTNC_NO_TARGET: another part may
     support it. */
  int32_t (*open)(struct attnc_device_call *call,
                  struct attnc_failure *failure);
  /* Copies `bytes` of the device, `offset` after `from`, which is an address or
     a handle, to the host, after all work of the stream. */
  int32_t (*read)(struct attnc_device_call *call, void *to, const void *from,
                  int64_t offset, int64_t bytes, struct attnc_failure *failure);
  /* Allocates the workspace, and copies tensors of the host to the device:
     replaces `workspace` and `data`. */
  int32_t (*begin)(struct attnc_call *call);
  /* Copies results to the host, unless the call failed, and frees memory. */
  void (*end)(struct attnc_call *call);
  void (*close)(struct attnc_device_call *call);
};

/* shapes and strides have to fit into 32 bits */
enum { ATTNC_KERNEL_NARROW = 1 };

/* The code of one part for some sizes: if lhs <= rhs, or if there are no such
   formulas. The kernels of a part are consecutive, the last one is for all
   sizes; each part has the same number of them. */
struct attnc_kernel {
  uint32_t needs[ATTNC_CPU_WORDS];
  /* The part is the last choice on a processor with these bits. With all bits
     set it never is: no processor has all of them. */
  uint32_t slow_on[ATTNC_CPU_WORDS];
  int32_t grid_count;
  int32_t label; /* text: the part's, "x86-64-v3" */
  int32_t flags;
  const struct attnc_grid *grids;
  int64_t (*scratch)(const struct attnc_call *call);
  int64_t (*workspace)(const struct attnc_call *call);
  struct attnc_expr lhs, rhs;
  const struct attnc_device *device; /* null: the host's processor */
  /* What a worker calls before its first task and after its last one, to set
     registers that all tasks need. Null: nothing. */
  void (*begin)(void *scratch);
  void (*end)(void);
};

enum { ATTNC_FUNCTION_FLUSHES = 1 /* subnormals may count as zero */ };

struct attnc_function {
  const char *text;
  const int64_t *code;
  const struct attnc_size_info *sizes;
  const struct attnc_tensor_info *tensors;
  const struct attnc_axis_info *axes;
  const struct attnc_condition *conditions;
  const struct attnc_kernel *kernels; /* best part first */
  uint32_t *state;                    /* of the object, see cpu.c; 0 at first */
  int32_t size_count, tensor_count, condition_count, kernel_count;
  uint32_t raw_size; /* sizeof of the raw arguments */
  int32_t flags;
  int32_t part_count;
  int32_t kernels_per_part;
};

/* The bodies of NAME, NAME_raw and NAME_workspace. `tensors` has one pointer
   per tensor, `sizes` one number per run-time size. */
attnc_status attnc_entry_tensors(const struct attnc_function *function,
                                 const attnc_tensor *const *tensors,
                                 const attnc_runtime *runtime);
attnc_status attnc_entry_raw(const struct attnc_function *function,
                             const void *args, const attnc_runtime *runtime);
size_t attnc_entry_workspace(const struct attnc_function *function,
                             const int64_t *sizes, int32_t threads);

#ifdef __cplusplus
}
#endif
#endif
