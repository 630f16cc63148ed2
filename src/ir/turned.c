// How: rows of the result are written one after the other, in blocks small
// enough that what is read across stays in the cache.
#include "ir/turned.h"

#include <math.h>
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

static bool are_finite(const float *x, int64_t n) {
  bool are = true;
  for (int64_t i = 0; i < n; ++i)
    are &= isfinite(x[i]) != 0;
  return are;
}

bool tenon_value_is_finite(const tenon_value *v) {
  const tenon_tensor *y = v->constant;
  const tenon_turned *t = v->turned;
  uint64_t count = 0;
  if (!y || y->dtype != TENON_F32 || (!y->data && !t)) return false;
  if (!t)
    return tenon_type_count(&v->type, &count) &&
           are_finite((const float *)y->data, (int64_t)count);
  // Lines are what lies side by side.
  const int along = t->strides[0] == 1 ? 0 : 1;
  const int64_t step = t->strides[along], lines = y->dims[1 - along];
  for (int64_t i = 0; i < lines; ++i) {
    const float *line = (const float *)t->data + i * t->strides[1 - along];
    for (int64_t j = 0; step != 1 && j < y->dims[along]; ++j)
      if (!isfinite(line[j * step])) return false;
    if (step == 1 && !are_finite(line, y->dims[along])) return false;
  }
  return true;
}
