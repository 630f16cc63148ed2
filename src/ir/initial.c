// How: a value that is given twice counts as it was given last, for a state
// that is there and for one that is made later.
#include "ir/initial.h"

#include <string.h>

#include "ir/build.h"

const tenon_state *tenon_module_find_given(const tenon_module *m,
                                           const char *name) {
  for (size_t i = m->given.count; i-- > 0;)
    if (strcmp(m->given.data[i].name, name) == 0) return &m->given.data[i];
  return NULL;
}

tenon_status tenon_module_give(tenon_module *m, const char *name,
                               const tenon_tensor *value) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type type = {.dims = dims,
                     .quant = value->quant,
                     .dtype = value->dtype,
                     .rank = value->rank};
  size_t size = 0;
  for (int d = 0; d < value->rank; ++d)
    dims[d] = tenon_dim_fixed(value->dims[d]);
  if (value->dtype == TENON_STR || value->strides ||
      !tenon_type_size(&type, &size))
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "module-state-value",
                      NULL, "the value of state '%s' is not dense", name);
  int at = tenon_module_find_state(m, name);
  if (at >= 0 && !tenon_type_equals(&m->states.data[at].type, &type))
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "module-state-value",
                      NULL, "the value of state '%s' has another type", name);
  tenon_state s = {.name = tenon_arena_string(&m->arena, name),
                   .type = tenon_type_copy(&m->arena, &type),
                   .is_borrowed = true};
  tenon_tensor *copy = tenon_arena_new(&m->arena, tenon_tensor);
  int32_t *sizes = tenon_arena_array(&m->arena, int32_t, value->rank);
  void *data = tenon_arena_copy(&m->arena, value->data, size, 64);
  if (m->arena.failed || !s.name || !copy || !sizes || !data)
    return tenon_fail_memory(&m->report, "giving a state its value");
  if (value->rank) memcpy(sizes, value->dims, value->rank * sizeof *sizes);
  *copy = (tenon_tensor){.data = data,
                         .dims = sizes,
                         .quant = s.type.quant,
                         .dtype = value->dtype,
                         .rank = value->rank};
  s.initial = copy;
  if (at >= 0) m->states.data[at].initial = copy;
  return tenon_vec_push(&m->given, s)
             ? TENON_OK
             : tenon_fail_memory(&m->report, "giving a state its value");
}
