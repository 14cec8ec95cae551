//===- misaligned.c - Tensors off the lines of the cache ------------------===//
//
// One function for both element types; every tensor has its own shift.
//
//===----------------------------------------------------------------------===//

#include "trap.h"

#include "definition.h"

enum { QUERIES = 37, KEYS = 50, HEADS = 2, WIDTH = 16, ROOM = 1 << 14 };

/* A copy in an aligned block, `shift` elements in. */
static char *place(const char *data, int bytes, int shift, void **block) {
  char *start;
  *block = malloc(ROOM);
  if (!*block)
    exit(2);
  start = (char *)*block + (64 - (size_t)*block % 64) + bytes * shift;
  memcpy(start, data, HEADS * KEYS * WIDTH * (size_t)bytes);
  return start;
}

static void check(four *function, int bytes, const char *data) {
  static const int shifts[][4] = {
      {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0},
      {0, 0, 0, 1}, {1, 1, 1, 1}, {3, 5, 7, 9},
  };
  static char expected[ROOM];
  int64_t rows[4] = {1, HEADS, QUERIES, WIDTH};
  int64_t keys[4] = {1, HEADS, KEYS, WIDTH};
  int size = HEADS * QUERIES * WIDTH * bytes;
  for (int s = 0; s < 7; ++s) {
    attnc_tensor t[4];
    void *blocks[4];
    for (int j = 0; j < 4; ++j)
      t[j] = typed(place(data + 1024 * j, bytes, shifts[s][j], &blocks[j]), 2,
                   8 * bytes, 4, j == 1 || j == 2 ? keys : rows);
    expect_ok("misaligned", function(&t[0], &t[1], &t[2], &t[3], NULL));
    const char *O = t[3].data;
    if (s == 0)
      memcpy(expected, O, (size_t)size);
    for (int n = 0; n < size; ++n)
      expect("byte of O", s * 10000 + n, O[n], expected[n], 0);
    for (int n = size; n < HEADS * KEYS * WIDTH * bytes; ++n)
      expect("behind O", n, O[n], data[1024 * 3 + n], 0);
    for (int j = 0; j < 4; ++j)
      free(blocks[j]);
  }
}

int main(void) {
  static float single[ROOM];
  static uint16_t half[ROOM];
  for (int j = 0; j < ROOM; ++j) {
    single[j] = (float)uniform();
    half[j] = (uint16_t)(0x3000 + (int)(uniform() * 2000) + (j % 2 << 15));
  }
  check(words, 4, (const char *)single);
  check(halves, 2, (const char *)half);
  return verdict("misaligned");
}
