// pt2_values.c - nodes that the import makes of its own: conversions, and
// numbers as tensors of rank 0.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-argument", __VA_ARGS__)

tenon_status tenon_pt2_convert(tenon_pt2_scope *s, const char *op,
                               const tenon_arg *args, const tenon_type *type,
                               tenon_loc loc, tenon_value **value) {
  *value = tenon_build_value(
      s->graph, NULL, op, type,
      (tenon_node_spec){.args = args, .in = value, .n_in = 1, .loc = loc});
  return *value ? TENON_OK : tenon_pt2_built(s->im);
}

tenon_status tenon_pt2_item(tenon_pt2_scope *s, tenon_value *value,
                            const uint32_t *symbol, tenon_loc loc) {
  tenon_node_spec spec = {.op = tenon_module_op(s->im->m, "core::item"),
                          .in = &value,
                          .n_in = 1,
                          .decided = symbol,
                          .n_decided = 1,
                          .loc = loc};
  bool done = spec.op && tenon_build_node(s->graph, NULL, &spec);
  return done ? TENON_OK : tenon_pt2_built(s->im);
}

tenon_status tenon_pt2_number_node(tenon_pt2_scope *s, tenon_dim dim,
                                   const tenon_type *type, tenon_loc loc,
                                   tenon_value **out) {
  tenon_arg dtype = {"dtype", TENON_KIND_DTYPE, {0}};
  dtype.as.i = type->dtype;
  tenon_arg args[] = {tenon_arg_dims("value", &dim, 1), dtype, TENON_END_ARGS};
  *out = tenon_build_value(s->graph, NULL, "core::number", type,
                           (tenon_node_spec){.args = args, .loc = loc});
  return *out ? TENON_OK : tenon_pt2_built(s->im);
}

static tenon_status compute_number(tenon_pt2_scope *s, const tenon_arg *number,
                                   uint16_t flags, tenon_loc loc,
                                   tenon_value **out) {
  tenon_dim dim = number->as.dims.data[0];
  tenon_type type = {NULL, NULL, TENON_S64, 0, flags};
  if (!tenon_dim_is_integer(dim))
    type.dtype = dim.value == TENON_KIND_BOOL ? TENON_BOOL : TENON_F64;
  return tenon_pt2_number_node(s, dim, &type, loc, out);
}

tenon_status tenon_pt2_number_value(tenon_pt2_scope *s, const tenon_json *at,
                                    const tenon_arg *number, uint16_t flags,
                                    tenon_loc loc, tenon_value **out) {
  tenon_type type = {NULL, NULL, TENON_S64, 0, flags};
  uint8_t truth = number->as.i != 0;
  const void *data = &number->as.i;
  switch (number->kind) {
    case TENON_KIND_INT:
      break;
    case TENON_KIND_BOOL:
      type.dtype = TENON_BOOL;
      data = &truth;
      break;
    case TENON_KIND_FLOAT:
      type.dtype = TENON_F64;
      data = &number->as.f;
      break;
    case TENON_KIND_DIMS:
      return compute_number(s, number, flags, loc, out);
    default:
      return fail(at, "is no number");
  }
  *out = tenon_build_constant(s->im->m, "", &type, data, false, loc);
  return *out ? TENON_OK : tenon_pt2_built(s->im);
}
