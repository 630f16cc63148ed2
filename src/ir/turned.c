// How: rows of the result are written one after the other, in blocks small
// enough that what is read across stays in the cache.
#include "ir/turned.h"

#include <string.h>

#include "ir/build.h"

tenon_value *tenon_build_turned(tenon_module *m, const char *name,
                                const tenon_type *type,
                                const tenon_turned *turned, tenon_loc loc) {
  tenon_turned *own = (tenon_turned *)tenon_arena_copy(
      &m->arena, turned, sizeof *own, _Alignof(tenon_turned));
  if (!own) {
    (void)tenon_fail_memory(&m->report, "building a constant");
    return NULL;
  }
  // Its data are set below, or never.
  tenon_value *v = tenon_build_constant(m, name, type, turned->data, true, loc);
  if (!v) return NULL;
  ((tenon_tensor *)(uintptr_t)v->constant)->data = NULL;
  own->module = m;
  v->turned = own;
  return v;
}

tenon_value *tenon_build_rows(tenon_module *m, const tenon_value *v,
                              int64_t begin, int64_t count, tenon_loc loc) {
  tenon_type type = v->type;
  tenon_dim dims[TENON_MAX_RANK];
  int64_t row = 1;
  for (int d = 0; d < type.rank; ++d) {
    dims[d] = type.dims[d];
    if (d > 0) row *= dims[d].value;
  }
  dims[0] = tenon_dim_fixed(count);
  type.dims = dims;
  const int64_t size = tenon_dtype_look(type.dtype)->bits / 8;
  if (v->turned) {
    tenon_turned part = *v->turned;
    part.data = (const char *)part.data + begin * part.strides[0] * size;
    return tenon_build_turned(m, "", &type, &part, loc);
  }
  // Kernels count on an alignment of 64.
  const char *data = (const char *)v->constant->data + begin * row * size;
  return tenon_build_constant(m, "", &type, data, (uintptr_t)data % 64 == 0,
                              loc);
}

// --- order -------------------------------------------------------------------

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
