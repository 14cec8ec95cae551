//===- denormals.c - Denormal numbers and MXCSR ---------------------------===//
//
// The control bits of MXCSR (flush to zero, denormals are zero, rounding,
// masks) are compared around the call and in each callback; f32 may flush.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

#include <xmmintrin.h>

enum { CONTROL = 0xFFC0, FLUSH = 0x8040, UPWARD = 0x4000 };
static unsigned state;

static void expect_state(const char *what) {
  expect(what, state, _mm_getcsr() & CONTROL, state, 0);
}

static attnc_status loop(void *user, int64_t tasks,
                         void (*body)(void *context, int64_t task),
                         void *context) {
  (void)user;
  expect_state("parallel_for");
  for (int64_t t = 0; t < tasks; ++t) {
    body(context, t);
    expect_state("after a task");
  }
  return ATTNC_OK;
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
  (void)user;
  expect_state("allocate");
  char *block = malloc(bytes + alignment + sizeof(void *));
  char *at = block + sizeof(void *);
  at += (alignment - (size_t)at % alignment) % alignment;
  memcpy(at - sizeof block, &block, sizeof block);
  return at;
}

static void release(void *user, void *at) {
  void *block;
  (void)user;
  expect_state("release");
  memcpy(&block, (char *)at - sizeof block, sizeof block);
  free(block);
}

static void check_single(double in_q, double in_k, double in_v) {
  attnc_runtime runtime = {.size = sizeof runtime,
                           .threads = 3,
                           .parallel_for = loop,
                           .allocate = allocate,
                           .release = release,
                           .report = report};
  problem p = make(1, 2, 40, 50, 8, 8);
  fill(p.Q, 640, in_q), fill(p.K, 800, in_k), fill(p.V, 800, in_v);
  attnc_tensor Q = tensor(p.Q, 4, p.q_shape), K = tensor(p.K, 4, p.k_shape);
  attnc_tensor V = tensor(p.V, 4, p.v_shape), O = tensor(p.O, 4, p.o_shape);
  attnc_tensor lse = tensor(p.lse, 3, p.o_shape);
  _mm_setcsr(state | 0x1F80u);
  state = _mm_getcsr() & CONTROL;
  attnc_status status = single(&Q, &K, &V, &O, &lse, &runtime);
  expect_state("after the call");
  _mm_setcsr(0x1F80);
  expect_ok("single", status);
  expect_all("single", &p, 1, 1e-6);
  /* Denormal or flushed, but not another number. */
  for (int j = 0; in_v < 1e-30 && j < 640; ++j)
    expect("denormal O", j, p.O[j], 0, 1.2e-38);
  drop(&p);
}

static void check_twice(void) {
  static double data[4][5 * 8];
  int64_t shape[4] = {1, 1, 5, 8};
  for (int j = 0; j < 5 * 8; ++j)
    data[0][j] = -0.0, data[1][j] = 4e-320, data[2][j] = 1e-310;
  attnc_tensor Q = typed(data[0], 2, 64, 4, shape);
  attnc_tensor K = typed(data[1], 2, 64, 4, shape);
  attnc_tensor V = typed(data[2], 2, 64, 4, shape);
  attnc_tensor O = typed(data[3], 2, 64, 4, shape);
  expect_ok("twice", twice(&Q, &K, &V, &O, NULL));
  for (int j = 0; j < 5 * 8; ++j)
    expect("f64 O", j, data[3][j], 1e-310, 1e-322);
}

int main(void) {
  static const unsigned states[] = {0, FLUSH, UPWARD, FLUSH | UPWARD};
  for (int j = 0; j < 4; ++j) {
    state = states[j];
    check_single(1e-40, 1e-40, 1e-40);
    check_single(1, 1e-40, 1);
    check_single(-0.0, -0.0, -0.0);
    check_single(0.5, -0.25, 0.75);
  }
  check_twice();
  return verdict("denormals");
}
