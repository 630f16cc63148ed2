// Results whose sizes values decide: WHERE with one operand, UNIQUE.
#include "ops/tfl/tfl_op.h"

// Of TensorType in the schema.
enum { TYPE_INT32 = 2, TYPE_INT64 = 4 };

tenon_status tenon_tfl_where_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim open;
  int64_t fixed = tenon_tfl_product(c, x->dims, x->rank, &open);
  tenon_dim count = c->api->dim(c, TENON_DIM_MUL, tenon_tfl_fixed(fixed), open);
  tenon_tfl_shape y = {{c->api->decided(c, count), tenon_tfl_fixed(x->rank)},
                       2};
  return tenon_tfl_result(c, 0, &y, TENON_S64, NULL);
}

tenon_status tenon_tfl_unique_infer(tenon_infer *c) {
  const tenon_tfl_unique_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 1, &x));
  if (a->idx_out_type != TYPE_INT32 && a->idx_out_type != TYPE_INT64)
    return tenon_infer_fail(c, "idx_out_type is %lld, expected INT32 or INT64",
                            (long long)a->idx_out_type);
  tenon_dtype index = a->idx_out_type == TYPE_INT64 ? TENON_S64 : TENON_S32;
  tenon_tfl_shape rows = {{c->api->decided(c, x->dims[0])}, 1};
  tenon_tfl_shape all = tenon_tfl_shape_of(x);
  TENON_TRY(tenon_tfl_result(c, 0, &rows, x->dtype, NULL));
  return tenon_tfl_result(c, 1, &all, index, NULL);
}

// In the order in which they first occur.
tenon_status tenon_tfl_unique_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *out[3] = {NULL, NULL, NULL};
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tfl_shape row = {{t->dims[0], tenon_tfl_fixed(1)}, 2};
  x = tenon_tfl_reshape(rw, x, &row, NULL);
  tenon_rw_build(rw, "core::unique", &x, 1,
                 TENON_ARGS(tenon_arg_bool("first", true)), out, 3, NULL);
  if (!out[0]) return rw->api->replace(rw, node, out, 2);
  const tenon_type *rows = tenon_rw_type(rw, out[0]);
  const tenon_tfl_shape line = {{rows->dims[0]}, 1};
  out[0] = tenon_tfl_reshape(rw, out[0], &line, NULL);
  out[1] = tenon_tfl_cast(rw, out[1], rw->api->result(rw, node, 1)->dtype);
  return rw->api->replace(rw, node, out, 2);
}
