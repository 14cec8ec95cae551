//===- storage.c - Rows behind each other and rows in pages ---------------===//
//
// Each sequence is compared with the definition on a dense copy of its rows.
// Rows that no sequence has and pages that nobody points to hold NaN in K and V,
// and O holds another number where nothing may be written.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { HEADS = 2, DIM = 8, ROW = HEADS * DIM, PAGE = 4 };
static const double untouched = 7;

static attnc_runtime quiet(void) {
  attnc_runtime runtime;
  memset(&runtime, 0, sizeof runtime);
  runtime.size = sizeof runtime;
  runtime.report = report;
  return runtime;
}

static int causal(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b;
  return k <= i + p->keys - p->queries;
}

/* Rows `first` .. of [rows, heads, dim] as [1, heads, rows, dim]. */
static void take(float *to, const float *from, int64_t first, int64_t rows) {
  for (int64_t h = 0; h < HEADS; ++h)
    for (int64_t i = 0; i < rows; ++i)
      memcpy(to + (h * rows + i) * DIM, from + (first + i) * ROW + h * DIM,
             DIM * sizeof *to);
}

static attnc_status call_varlen(problem *p, int32_t *start, int64_t batch,
                                int64_t tokens) {
  int64_t shape[3] = {tokens, HEADS, DIM}, starts[1] = {batch + 1};
  attnc_tensor Q = tensor(p->Q, 3, shape), K = tensor(p->K, 3, shape);
  attnc_tensor V = tensor(p->V, 3, shape), O = tensor(p->O, 3, shape);
  attnc_tensor lse = tensor(p->lse, 2, shape);
  attnc_tensor S = typed(start, 0, 32, 1, starts);
  attnc_runtime runtime = quiet();
  return varlen(&Q, &K, &V, &S, &O, &lse, &runtime);
}

/* `tokens` rows, of which sequence b has start[b] .. start[b + 1] - 1. */
static void check_varlen(int32_t *start, int64_t batch, int64_t tokens) {
  problem p = make(1, HEADS, tokens, tokens, DIM, DIM);
  fill(p.O, tokens * ROW + 16, untouched);
  fill(p.lse, tokens * HEADS + 16, untouched);
  for (int64_t row = 0; row < tokens; ++row)
    if (row < start[0] || row >= start[batch])
      fill(p.K + row * ROW, ROW, NAN), fill(p.V + row * ROW, ROW, NAN);
  expect_ok("varlen", call_varlen(&p, start, batch, tokens));
  for (int64_t b = 0; b < batch; ++b) {
    int64_t first = start[b], rows = start[b + 1] - first;
    problem own = make(1, HEADS, rows, rows, DIM, DIM);
    own.mask = causal;
    take(own.Q, p.Q, first, rows), take(own.K, p.K, first, rows);
    take(own.V, p.V, first, rows), take(own.O, p.O, first, rows);
    for (int64_t i = 0; i < rows * HEADS; ++i)
      own.lse[i % HEADS * rows + i / HEADS] = p.lse[first * HEADS + i];
    expect_all("sequence", &own, 1, 4e-6);
    drop(&own);
  }
  for (int64_t row = 0; row < tokens + 1; ++row)
    if (row < start[0] || row >= start[batch])
      expect("row of no sequence", row, p.O[row * ROW], untouched, 0);
  drop(&p);
}

static void refuse_starts(int32_t *start, int64_t batch, int64_t tokens) {
  problem p = make(1, HEADS, tokens, tokens, DIM, DIM);
  fill(p.O, 1, untouched);
  expect("status", start[0], call_varlen(&p, start, batch, tokens),
         ATTNC_BAD_VALUE, 0);
  expect("written", 0, p.O[0], untouched, 0);
  drop(&p);
}

typedef struct pool {
  int64_t pages, width, queries, batch;
  const int32_t *table, *length;
  float *K, *V;
} pool;

static attnc_status call_paged(const pool *s, problem *p, int with_length) {
  int64_t shape[4] = {s->pages, HEADS, PAGE, DIM};
  int64_t entries[2] = {s->batch, s->width}, lengths[1] = {s->batch};
  attnc_tensor Q = tensor(p->Q, 4, p->q_shape), O = tensor(p->O, 4, p->q_shape);
  attnc_tensor K = tensor(s->K, 4, shape), V = tensor(s->V, 4, shape);
  attnc_tensor table = typed((void *)s->table, 0, 32, 2, entries);
  attnc_tensor length = typed((void *)s->length, 0, 32, 1, lengths);
  attnc_runtime runtime = quiet();
  if (!with_length)
    return fixed(&Q, &K, &V, &table, &O, &runtime);
  return paged(&Q, &K, &V, &table, &length, &O, &runtime);
}

static int below_length(const problem *p, int64_t b, int64_t i, int64_t k) {
  (void)b, (void)i;
  return k < p->keys;
}

static void check_paged(pool s) {
  int64_t count = s.pages * HEADS * PAGE * DIM;
  s.K = numbers(count, 0), s.V = numbers(count, 0);
  fill(s.K, count, NAN), fill(s.V, count, NAN);
  problem p = make(s.batch, HEADS, s.queries, 0, DIM, DIM);
  problem *own = calloc((size_t)s.batch, sizeof *own);
  if (!own)
    exit(2);
  for (int64_t b = 0; b < s.batch; ++b) {
    own[b] = make(1, HEADS, s.queries, s.length[b], DIM, DIM);
    own[b].mask = below_length;
    int64_t rows = HEADS * s.queries * DIM;
    memcpy(own[b].Q, p.Q + b * rows, (size_t)rows * sizeof(float));
    for (int64_t h = 0; h < HEADS; ++h)
      for (int64_t k = 0; k < s.length[b]; ++k) {
        int64_t page = s.table[b * s.width + k / PAGE];
        int64_t to = ((page * HEADS + h) * PAGE + k % PAGE) * DIM;
        int64_t from = (h * s.length[b] + k) * DIM;
        memcpy(s.K + to, own[b].K + from, DIM * sizeof(float));
        memcpy(s.V + to, own[b].V + from, DIM * sizeof(float));
      }
  }
  expect_ok("paged", call_paged(&s, &p, 1));
  for (int64_t b = 0; b < s.batch; ++b) {
    int64_t rows = HEADS * s.queries * DIM;
    memcpy(own[b].O, p.O + b * rows, (size_t)rows * sizeof(float));
    expect_all("pages", &own[b], 0, 4e-6);
    drop(&own[b]);
  }
  free(own), free(s.K), free(s.V), drop(&p);
}

static void refuse_pages(pool s, attnc_status status, int with_length) {
  s.K = numbers(s.pages * HEADS * PAGE * DIM, 1);
  s.V = numbers(s.pages * HEADS * PAGE * DIM, 1);
  problem p = make(s.batch, HEADS, s.queries, 0, DIM, DIM);
  expect("status", status, call_paged(&s, &p, with_length), status, 0);
  free(s.K), free(s.V), drop(&p);
}

int main(void) {
  int32_t uneven[] = {0, 0, 70, 71, 71, 100}, inner[] = {3, 20, 20, 90};
  int32_t none[] = {0, 0, 0}, alone[] = {5}, all_empty[] = {4, 4, 4};
  check_varlen(uneven, 5, 100);
  check_varlen(inner, 3, 97);
  check_varlen(none, 2, 0);
  check_varlen(alone, 0, 9);
  check_varlen(all_empty, 2, 9);
  int32_t falls[] = {0, 5, 4}, beyond[] = {0, 5, 10}, negative[] = {-1, 5, 9};
  refuse_starts(falls, 2, 9);
  refuse_starts(beyond, 2, 9);
  refuse_starts(negative, 2, 9);

  int32_t table[] = {6, 0, 3, 5, -1, -1}, length[] = {10, 3}, empty[] = {0, 12};
  int32_t full[] = {1, 2, 3, 6, 5, 4}, lies[] = {6, 0, 3, 5, 1, 7};
  check_paged((pool){7, 3, 5, 2, table, length, NULL, NULL});
  check_paged((pool){7, 3, 1, 2, full, empty, NULL, NULL});
  check_paged((pool){7, 0, 5, 2, table, (int32_t[]){0, 0}, NULL, NULL});
  refuse_pages((pool){7, 3, 5, 2, lies, length, NULL, NULL}, ATTNC_BAD_VALUE, 1);
  refuse_pages((pool){7, 2, 5, 2, full, length, NULL, NULL}, ATTNC_BAD_SHAPE, 0);
  return verdict("storage");
}
