//===- cpu.c - The processor and its floating-point state -----------------===//
//
// Reading the features may take long, so they and the environment are read
// once, at the first call of an object, and the answer is one atomic integer
// that all functions of the object share: the part that calls run, and which
// parts the processor supports. Two threads may both compute it; they agree.
//
//===----------------------------------------------------------------------===//

#include "cpu.h"
#include "frame.h"

/* Each defines read_cpu, which fills in the words of cpu.h and asks the system
   for those of some registers (a word of them) that it gives on request, and
   enter_arithmetic and leave_arithmetic: rounding to nearest without traps
   whatever the caller's state is, so that results depend on nothing but the
   arguments, and flushing of subnormals if the processor has it. */
#if defined(__x86_64__)
#include "cpu_x86_64.c"
#elif defined(__aarch64__)
#include "cpu_aarch64.c"
#elif defined(__wasm32__)
#include "cpu_wasm32.c"
#elif defined(__riscv) && __riscv_xlen == 64
#include "cpu_riscv64.c"
#else
#error "no entry for this architecture"
#endif

#ifndef __wasm__
extern char *getenv(const char *name);
#endif

/* The integer: bit 0 that it was computed, then a number, then a bit for each
   part that the processor supports. The number is 0 for no part, 1 + the index
   of a part, or STATE_BAD_NAME if ATTNC_CPU names none that can run. */
enum {
  STATE_KNOWN = 1,
  STATE_NUMBER_SHIFT = 1,
  STATE_BAD_NAME = 127,
  STATE_PARTS_SHIFT = 8
};

static const struct attnc_kernel *
first_kernel(const struct attnc_function *function, int32_t part) {
  return &function->kernels[part * function->kernels_per_part];
}

static const char *label_of(const struct attnc_function *function,
                            int32_t part) {
  return function->text + first_kernel(function, part)->label;
}

/* Whether a processor has all of some bits. */
static int has_bits(const uint32_t *words, const uint32_t *bits) {
  uint32_t missing = 0;
  for (int32_t w = 0; w < ATTNC_CPU_WORDS; ++w)
    missing |= bits[w] & ~words[w];
  return !missing;
}

/* A bit for each part that the processor supports, and the number of the best
   one, from 1 on; 0 without any. Tensors of the host stay there if a part can
   run there, a slow one, too. */
static uint32_t supported_parts(const struct attnc_function *function,
                                uint32_t *best) {
  uint32_t words[ATTNC_CPU_WORDS] = {0}, parts = 0, registers = 0;
#if defined(__x86_64__)
  for (int32_t p = 0; p < function->part_count; ++p)
    registers |= first_kernel(function, p)->needs[ATTNC_CPU_XCR0];
#endif
  read_cpu(words, registers);
  int least = 4;
  for (int32_t p = 0; p < function->part_count; ++p) {
    const struct attnc_kernel *kernel = first_kernel(function, p);
    if (!has_bits(words, kernel->needs))
      continue;
    parts |= UINT32_C(1) << p;
    int rank = 2 * (device_of(kernel) != 0) + has_bits(words, kernel->slow_on);
    if (rank >= least)
      continue;
    least = rank;
    *best = 1 + (uint32_t)p;
  }
  return parts;
}

static int is_same_text(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return *a == *b;
}

/* The index of the part with this label; part_count if there is none. */
static int32_t find_part(const struct attnc_function *function,
                         const char *label) {
  int32_t part = 0;
  while (part < function->part_count &&
         !is_same_text(label_of(function, part), label))
    ++part;
  return part;
}

static uint32_t part_number(const struct attnc_function *function,
                            uint32_t supported, uint32_t best) {
  const char *label = getenv("ATTNC_CPU");
  if (!label || !*label)
    return best;
  int32_t part = find_part(function, label);
  return part < function->part_count && supported >> part & 1
             ? 1 + (uint32_t)part
             : STATE_BAD_NAME;
}

static uint32_t read_state(const struct attnc_function *function) {
  uint32_t state = __atomic_load_n(function->state, __ATOMIC_RELAXED);
  if (state == 0) {
    uint32_t best = 0, supported = supported_parts(function, &best);
    state = STATE_KNOWN |
            part_number(function, supported, best) << STATE_NUMBER_SHIFT |
            supported << STATE_PARTS_SHIFT;
    __atomic_store_n(function->state, state, __ATOMIC_RELAXED);
  }
  return state;
}

/* "x86-64-v4 or x86-64-v3" */
static void put_parts(struct message *message,
                      const struct attnc_function *function,
                      const char *separator) {
  for (int32_t p = 0; p < function->part_count; ++p) {
    put(message, p ? separator : "");
    put(message, label_of(function, p));
  }
}

/* A part was named, by `who`, that cannot run. */
static ATTNC_COLD attnc_status report_bad_name(const struct attnc_frame *frame,
                                               const char *who,
                                               const char *label) {
  const struct attnc_function *function = frame->function;
  struct message message;
  message.length = 0;
  put(&message, who);
  put(&message, find_part(function, label) < function->part_count
                    ? ": this processor does not support '"
                    : ": this object has no part '");
  for (int i = 0; label[i] && i < 40; ++i) /* leave room for the rest */
    put_char(&message, label[i]);
  put(&message, "'; the object's parts are ");
  put_parts(&message, function, ", ");
  return report(frame, &message, ATTNC_NO_TARGET);
}

/* Whether a part supports this processor and takes the tensors' memory. */
static int is_able(const struct attnc_frame *frame, int32_t part) {
  const struct attnc_device *device =
      device_of(first_kernel(frame->function, part));
  return (read_state(frame->function) >> STATE_PARTS_SHIFT >> part & 1) &&
         (is_on_host(frame) || (device && device->type == frame->memory));
}

/* The part that the caller or the environment names. */
static attnc_status take_named_part(struct attnc_frame *frame, const char *who,
                                    const char *label) {
  const struct attnc_function *function = frame->function;
  int32_t part = find_part(function, label);
  if (part == function->part_count ||
      !(read_state(function) >> STATE_PARTS_SHIFT >> part & 1))
    return report_bad_name(frame, who, label);
  frame->part = part;
  if (is_on_host(frame) || is_able(frame, part))
    return ATTNC_OK;
  struct message message;
  message.length = 0;
  put(&message, who);
  put(&message, ": the part '");
  put(&message, label);
  put(&message, device_of(first_kernel(function, part))
                    ? "' cannot access the tensors, which have device type "
                    : "' runs on the CPU, but the tensors have device type ");
  put_number(&message, frame->memory);
  return report(frame, &message, ATTNC_BAD_DEVICE);
}

/* The part that runtime.cpu or ATTNC_CPU names, else the best one for the
   memory of the tensors. */
static attnc_status choose_part(struct attnc_frame *frame, int *is_named) {
  const struct attnc_function *function = frame->function;
  const char *label = frame->runtime.cpu, *who = "runtime: cpu";
  uint32_t number = read_state(function) >> STATE_NUMBER_SHIFT & 127;
  frame->part = (int32_t)number - 1;
  if (!label && (number == STATE_BAD_NAME || !is_on_host(frame))) {
    who = "ATTNC_CPU";
    label = getenv("ATTNC_CPU");
    if (number == STATE_BAD_NAME) /* null if the program changed it */
      return report_bad_name(frame, who, label ? label : "");
    label = label && *label ? label : 0;
  }
  *is_named = label != 0;
  if (label)
    return take_named_part(frame, who, label);
  if (number == 0) {
    struct message message;
    message.length = 0;
    put(&message, "this processor supports none of the parts of this object: ");
    put_parts(&message, function, " or ");
    return report(frame, &message, ATTNC_NO_TARGET);
  }
  if (!is_on_host(frame))
    frame->part = 0;
  while (!is_on_host(frame) && frame->part + 1 < function->part_count &&
         !is_able(frame, frame->part)) /* check_device found one */
    ++frame->part;
  return ATTNC_OK;
}

/* Opens the device of the part; if that does not support it, one of the next
   parts may, unless this one was named. */
static attnc_status open_device(struct attnc_frame *frame, int is_named) {
  const struct attnc_function *function = frame->function;
  struct attnc_device_call *call = &frame->device_call;
  struct attnc_failure failure;
  call->function = function;
  call->stream = frame->runtime.stream;
  call->is_on_device = !is_on_host(frame);
  call->ordinal = call->is_on_device ? frame->ordinal : -1;
  for (;; ++frame->part) {
    const struct attnc_device *device =
        device_of(first_kernel(function, frame->part));
    if (!device)
      return ATTNC_OK;
    failure.status = ATTNC_OK;
    if (device->open(call, &failure)) {
      frame->device = device;
      return ATTNC_OK;
    }
    int32_t next = frame->part + 1;
    while (next < function->part_count && !is_able(frame, next))
      ++next;
    if (is_named || failure.status != ATTNC_NO_TARGET ||
        next == function->part_count)
      return report_text(frame, (attnc_status)failure.status, failure.text);
    frame->part = next - 1;
  }
}

static attnc_status take_part(struct attnc_frame *frame) {
  int is_named = 0;
  attnc_status status = choose_part(frame, &is_named);
  return status == ATTNC_OK && ATTNC_ENTRY_HAS_DEVICES
             ? open_device(frame, is_named)
             : status;
}

/* The part's kernel for these sizes. */
static const struct attnc_kernel *
choose_kernel(const struct attnc_function *function, int32_t part,
              const int64_t *sizes) {
  const struct attnc_kernel *kernel = first_kernel(function, part);
  for (; kernel->lhs.count; ++kernel) {
    int64_t lhs, rhs;
    if (evaluate(function, sizes, kernel->lhs, &lhs) &&
        evaluate(function, sizes, kernel->rhs, &rhs) && lhs <= rhs)
      break;
  }
  return kernel;
}
