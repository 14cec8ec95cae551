/* caller.c: calls two kernels with a pool of threads. */
#include "causal.h"
#include "doubled.h"

#include <attnc_threads.h>
#include <stdio.h>

static attnc_tensor tensor(float *data, int64_t *shape) {
  attnc_tensor t = {0};
  t.data = data;
  t.device.type = 1;
  t.ndim = 4;
  t.dtype.code = 2;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}

int main(void) {
  /* One query and one key: the result is its value. */
  float q[8] = {1, 2, 3, 4}, k[8] = {1}, v[8] = {7, 8, 9, 10}, o[8] = {0};
  int64_t shape[] = {1, 2, 1, 4};
  attnc_tensor Q = tensor(q, shape), K = tensor(k, shape),
               V = tensor(v, shape), O = tensor(o, shape);
  attnc_threads *pool = attnc_threads_create(2);
  attnc_runtime runtime = {.size = sizeof runtime};
  attnc_threads_use(pool, &runtime);
  attnc_status first = causal(&Q, &K, &V, &O, &runtime);
  attnc_status second = doubled(&Q, &K, &V, &O, &runtime);
  attnc_threads_destroy(pool);
  printf("c: %s, %s, %g %g\n", attnc_status_text(first),
         attnc_status_text(second), o[0], o[3]);
  return 0;
}
