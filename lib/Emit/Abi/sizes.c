//===- sizes.c - Sizes of a call and the conditions on them ---------------===//
//
// Tests: test/Unit/Emit/EntryTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frame.h"

/* Rounds towards minus infinity; 0 on overflow. */
static int divide(int64_t lhs, int64_t rhs, int64_t *quotient,
                  int64_t *remainder) {
  if (rhs == 0 || (lhs == INT64_MIN && rhs == -1))
    return 0;
  *quotient = lhs / rhs;
  *remainder = lhs % rhs;
  if (*remainder != 0 && (*remainder < 0) != (rhs < 0)) {
    --*quotient;
    *remainder += rhs;
  }
  return 1;
}

/* One step of SizeExpr::apply; 0 on overflow. */
static int apply(int64_t op, int64_t lhs, int64_t rhs, int64_t *result) {
  int64_t other;
  switch (op) {
  case 2:
    return !__builtin_add_overflow(lhs, rhs, result);
  case 3:
    return !__builtin_sub_overflow(lhs, rhs, result);
  case 4:
    return !multiply_overflows(lhs, rhs, result);
  case 5:
    return divide(lhs, rhs, result, &other);
  case 6:
    if (rhs == -1) {
      *result = 0;
      return 1;
    }
    return divide(lhs, rhs, &other, result);
  case 7:
    *result = lhs < rhs ? lhs : rhs;
    return 1;
  default:
    *result = lhs < rhs ? rhs : lhs;
    return 1;
  }
}

/* The value over sizes that are known already; 0 on overflow. */
static int evaluate(const struct attnc_function *function, const int64_t *sizes,
                    struct attnc_expr expr, int64_t *result) {
  int64_t stack[ATTNC_MAX_DEPTH];
  int top = 0;
  const int64_t *step = function->code + 2 * (int64_t)expr.begin;
  for (int32_t i = 0; i < expr.count; ++i, step += 2) {
    if (step[0] == 0) {
      stack[top++] = step[1];
    } else if (step[0] == 1) {
      stack[top++] = sizes[step[1]];
    } else {
      --top;
      if (!apply(step[0], stack[top - 1], stack[top], &stack[top - 1]))
        return 0;
    }
  }
  *result = stack[0];
  return 1;
}

/* The same for where a call spends its time: most formulas are a constant or a
   size, and there is one for each axis. */
static inline __attribute__((always_inline)) int
evaluate_fast(const struct attnc_function *function, const int64_t *sizes,
              struct attnc_expr expr, int64_t *result) {
  const int64_t *step = function->code + 2 * (int64_t)expr.begin;
  if (expr.count != 1)
    return evaluate(function, sizes, expr, result);
  *result = step[0] == 0 ? step[1] : sizes[step[1]];
  return 1;
}

/* Fixed and derived sizes from the run-time ones; the index of a size that
   overflows or is negative, or -1. */
static int32_t complete_sizes(const struct attnc_function *function,
                              int64_t *sizes) {
  for (int32_t s = 0; s < function->size_count; ++s) {
    const struct attnc_size_info *info = &function->sizes[s];
    if (!info->is_runtime) {
      sizes[s] = INT64_MIN; /* if it overflows */
      if (!evaluate_fast(function, sizes, info->value, &sizes[s]))
        return s;
    }
    if (sizes[s] < 0)
      return s;
  }
  return -1;
}

static attnc_status derive_sizes(struct attnc_frame *frame) {
  int32_t wrong = complete_sizes(frame->function, frame->sizes);
  if (wrong < 0)
    return ATTNC_OK;
  struct message message;
  message.length = 0;
  put(&message, frame->function->text + frame->function->sizes[wrong].name);
  if (frame->sizes[wrong] == INT64_MIN) {
    put(&message, " exceeds 63 bits");
  } else {
    put(&message, " is ");
    put_number(&message, frame->sizes[wrong]);
    put(&message, ", a size cannot be negative");
  }
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

/* Positions are 32-bit numbers in kernels. */
static int fits_position(int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

/* ", got kv_len = 3, m = 2": the sizes in the formula that `told` lacks. */
static void put_sizes(struct message *message, const struct attnc_frame *frame,
                      struct attnc_expr expr, uint32_t *told) {
  const struct attnc_function *function = frame->function;
  const int64_t *step = function->code + 2 * (int64_t)expr.begin;
  for (int32_t i = 0; i < expr.count; ++i, step += 2) {
    if (step[0] != 1 || (*told >> step[1] & 1))
      continue;
    put(message, *told ? ", " : ", got ");
    put(message, function->text + function->sizes[step[1]].name);
    put(message, " = ");
    put_number(message, frame->sizes[step[1]]);
    *told |= UINT32_C(1) << step[1];
  }
}

static attnc_status check_condition(const struct attnc_frame *frame,
                                    const struct attnc_condition *condition) {
  const struct attnc_function *function = frame->function;
  int64_t lhs = 0, rhs = 0;
  int known = evaluate(function, frame->sizes, condition->lhs, &lhs) &&
              evaluate(function, frame->sizes, condition->rhs, &rhs);
  int position = condition->kind == ATTNC_CONDITION_POSITION;
  if (known && (position ? fits_position(lhs) : lhs <= rhs))
    return ATTNC_OK;
  struct message message;
  message.length = 0;
  put(&message, function->text + condition->text);
  if (!known) {
    put(&message, ": exceeds 63 bits");
  } else if (position) {
    put(&message, " is ");
    put_number(&message, lhs);
    put(&message, ", positions must be in -2**31 .. 2**31 - 1");
  } else {
    uint32_t told = 0;
    put_sizes(&message, frame, condition->lhs, &told);
    put_sizes(&message, frame, condition->rhs, &told);
  }
  return report(frame, &message, ATTNC_BAD_SHAPE);
}

static attnc_status check_conditions(const struct attnc_frame *frame) {
  for (int32_t c = 0; c < frame->function->condition_count; ++c) {
    attnc_status status =
        check_condition(frame, &frame->function->conditions[c]);
    if (status != ATTNC_OK)
      return status;
  }
  return ATTNC_OK;
}
