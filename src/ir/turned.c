// How: rows of the result are written one after the other, in blocks small
// enough that what is read across stays in the cache.
#include "ir/turned.h"

#include <string.h>

#define BLOCK 16

static void turn_matrix(const tenon_turned *t, const tenon_tensor *y,
                        char *to) {
  const size_t size = (size_t)tenon_element_bits(y->dtype) / 8;
  const int64_t rows = y->dims[0], columns = y->dims[1];
  const int64_t down = t->strides[0], right = t->strides[1];
  for (int64_t r0 = 0; r0 < rows; r0 += BLOCK)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = r0; r < r0 + BLOCK && r < rows; ++r)
        memcpy(to + (size_t)(r * columns + c) * size,
               (const char *)t->data + (r * down + c * right) * (int64_t)size,
               size);
}

const tenon_tensor *tenon_value_constant(const tenon_value *v) {
  if (!v || !v->turned) return v ? v->constant : NULL;
  tenon_tensor *y = (tenon_tensor *)(uintptr_t)v->constant;
  size_t size = 0;
  (void)tenon_type_size(&v->type, &size);
  char *data =
      (char *)tenon_arena_alloc(&v->turned->module->arena, size + 64, 64);
  if (!data) return y;
  turn_matrix(v->turned, y, data);
  y->data = data;
  ((tenon_value *)(uintptr_t)v)->turned = NULL;
  return y;
}

// All weights of a model may pass here: in pieces of a length that compilers
// know, as integers, which magnitudes without their sign are in the order of:
// infinity is above all numbers, and NaN above that.
#define LANES 16

static void keep_larger(float *most, const float *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t a = 0, b = 0;
    memcpy(&a, &most[i], sizeof a);
    memcpy(&b, &x[i], sizeof b);
    b &= INT32_MAX;
    a = a > b ? a : b;
    memcpy(&most[i], &a, sizeof a);
  }
}

// Of entries of `x`, each `step` places of `most` further than the one before
// it; where `step` is 0, of LANES places in turn.
static void keep_all(float *most, const float *x, int64_t n, int64_t step) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    keep_larger(most + i * step, x + i, LANES);
  keep_larger(most + i * step, x + i, n - i);
}

const float *tenon_value_largest(tenon_module *m, const tenon_value *v) {
  const tenon_turned *t = v->turned;
  const float *x = (const float *)(t ? t->data : v->constant->data);
  const int64_t rows = v->constant->dims[0];
  const int64_t size = rows ? (int64_t)tenon_count(v->constant) / rows : 0;
  const int64_t down = t ? t->strides[0] : size, right = t ? t->strides[1] : 1;
  float *most = tenon_arena_alloc(&m->arena, ((size_t)rows + 1) * sizeof *most,
                                  sizeof *most);
  if (!most) return NULL;
  memset(most, 0, (size_t)rows * sizeof *most);
  // What lies side by side is read so.
  if (right == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      float row[LANES] = {0.0f};
      keep_all(row, x + r * down, size, 0);
      for (int i = 0; i < LANES; ++i)
        keep_larger(&most[r], &row[i], 1);
    }
  } else if (down == 1) {
    for (int64_t i = 0; i < size; ++i)
      keep_all(most, x + i * right, rows, 1);
  } else {
    for (int64_t i = 0; i < size; ++i)
      for (int64_t r = 0; r < rows; ++r)
        keep_larger(&most[r], &x[r * down + i * right], 1);
  }
  return most;
}
