//===- message.c - Sentences without snprintf -----------------------------===//
//
// A formatter of twenty lines instead of libc's: smaller in every object, no
// locale, and it exists on targets without stdio.
//
//===----------------------------------------------------------------------===//

#include "frame.h"

struct message {
  char text[240];
  int length;
};

static void put_char(struct message *m, char c) {
  if (m->length < (int)sizeof m->text - 1) /* a long sentence is cut */
    m->text[m->length++] = c;
}

static void put(struct message *m, const char *text) {
  for (; *text; ++text)
    put_char(m, *text);
}

static void put_number(struct message *m, int64_t value) {
  char digits[20];
  int count = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  if (value < 0)
    put_char(m, '-');
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  while (count)
    put_char(m, digits[--count]);
}

/* [1, 12, 9, 64] */
static void put_numbers(struct message *m, const int64_t *values,
                        int32_t count) {
  put_char(m, '[');
  for (int32_t i = 0; i < count; ++i) {
    if (i)
      put(m, ", ");
    put_number(m, values[i]);
  }
  put_char(m, ']');
}

/* Begins a sentence about tensor t: "K: ". */
static void put_tensor(struct message *m, const struct attnc_frame *frame,
                       int32_t t) {
  m->length = 0;
  put(m, frame->function->text + tensor_of(frame, t)->name);
  put(m, ": ");
}

/* Tells the caller and hands the status back. */
static ATTNC_COLD attnc_status report(const struct attnc_frame *frame,
                                      struct message *message,
                                      attnc_status status) {
  message->text[message->length] = 0;
  if (frame->runtime.report)
    frame->runtime.report(frame->runtime.user, status, message->text);
  return status;
}

static ATTNC_COLD attnc_status report_text(const struct attnc_frame *frame,
                                           attnc_status status,
                                           const char *text) {
  struct message message;
  message.length = 0;
  put(&message, text);
  return report(frame, &message, status);
}

static ATTNC_COLD attnc_status report_tensor(const struct attnc_frame *frame,
                                             int32_t t, attnc_status status,
                                             const char *text) {
  struct message message;
  put_tensor(&message, frame, t);
  put(&message, text);
  return report(frame, &message, status);
}
