// Tables: HASHTABLE and what fills and asks it, which pass `functional` makes
// constants of, and HASHTABLE_LOOKUP, whose keys stand in ascending order.
#include "ops/tfl/tfl_op.h"

tenon_status tenon_tfl_hashtable_find_infer(tenon_infer *c) {
  const tenon_type *keys = tenon_infer_in(c, 1), *other = tenon_infer_in(c, 2);
  tenon_dim open;
  if (tenon_tfl_product(c, other->dims, other->rank, &open) != 1 || open.symbol)
    return tenon_infer_fail(c, "'other' is not one element");
  tenon_tfl_shape y = tenon_tfl_shape_of(keys);
  return tenon_tfl_result(c, 0, &y, other->dtype, other);
}

tenon_status tenon_tfl_hashtable_size_infer(tenon_infer *c) {
  const tenon_type whole = {.dtype = TENON_S64};
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1)}, 1};
  return tenon_tfl_result(c, 0, &one, TENON_S64, &whole);
}

// ---------------------------------------------------------------------------
// HASHTABLE_LOOKUP
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_hashtable_lookup_infer(tenon_infer *c) {
  const tenon_type *x, *keys, *values = tenon_infer_in(c, 2);
  const tenon_type byte = {.dtype = TENON_U8};
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "keys", 1, &keys));
  if (x->dtype != TENON_S32 || keys->dtype != TENON_S32)
    return tenon_infer_fail(c, "'x' is %s and 'keys' is %s, expected s32",
                            tenon_dtype_name(x->dtype),
                            tenon_dtype_name(keys->dtype));
  if (values->rank < 1 || tenon_tfl_differ(values->dims[0], keys->dims[0]) ||
      (values->dtype == TENON_STR && values->rank != 1))
    return tenon_infer_fail(c, "'values' has no row for each key");
  tenon_tfl_shape y = tenon_tfl_shape_of(values), hits = {{x->dims[0]}, 1};
  y.dims[0] = x->dims[0];
  TENON_TRY(tenon_tfl_result(c, 0, &y, values->dtype, values));
  return tenon_tfl_result(c, 1, &hits, TENON_U8, &byte);
}

// LiteRT searches by halves, which finds something else in keys that do not
// ascend, and one or another of equal ones.
static tenon_status tables_require_order(tenon_rewriter *rw,
                                         tenon_value *keys) {
  const tenon_type *t = tenon_rw_type(rw, keys);
  if (t->dims[0].symbol)
    return tenon_rw_fail(rw, "keys of an open size are not supported");
  return tenon_tfl_require_order(rw, keys, "core::lt",
                                 "keys of HASHTABLE_LOOKUP that do not ascend");
}

tenon_status tenon_tfl_hashtable_lookup_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  tenon_value *values = tenon_tfl_in(rw, node, 2), *out[2];
  const tenon_type *t = tenon_rw_type(rw, values);
  const int64_t after[TENON_MAX_RANK] = {1};
  TENON_TRY(tables_require_order(rw, in[1]));
  tenon_value *at = tenon_rw_op(rw, "core::find", in, 2, NULL);
  out[1] = tenon_tfl_by(rw, "core::ge", at, 0);
  out[1] = tenon_tfl_cast(rw, out[1], TENON_U8);
  // -1 becomes the row of zeros behind the last.
  at = tenon_tfl_by(rw, "core::remainder", at, (double)(t->dims[0].value + 1));
  values = tenon_tfl_stored(rw, values, NULL);
  values = tenon_tfl_padded(rw, values, NULL, after, NULL);
  out[0] = tenon_tfl_stored(rw, tenon_tfl_index(rw, values, &at, 1, 0, NULL),
                            rw->api->result(rw, node, 0)->quant);
  return rw->api->replace(rw, node, out, 2);
}
