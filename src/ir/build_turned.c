// ir/build_turned.c - constants that are other bytes in another order.
#include "ir/build.h"
#include "ir/turned.h"

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
