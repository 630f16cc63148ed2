// Householder's reflections, and factors of symmetric matrices.
#include "ops/aten/linalg/linalg_op.h"

static tenon_value *reflected(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *x, bool is_complete) {
  tenon_value *in[] = {x, tenon_aten_in(rw, n, 1)};
  return tenon_rw_op(rw, "core::reflected", in, 2,
                     TENON_ARGS(tenon_arg_bool("complete", is_complete)));
}

// A matrix times all of the product, which has as many rows as it has.
TENON_ATEN_LOWER(ormqr) {
  const bool is_left = tenon_aten_bool(rw, n, "left");
  tenon_value *x = NULL, *b = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  TENON_TRY(tenon_linalg_read(rw, n, 2, &b));
  tenon_value *q = reflected(rw, n, x, true);
  if (tenon_aten_bool(rw, n, "transpose")) q = tenon_linalg_turned(rw, q);
  return tenon_rw_replace(
      rw, n, is_left ? tenon_nn_product(rw, q, b) : tenon_nn_product(rw, b, q));
}

TENON_ATEN_LOWER(ldl_solve) {
  tenon_value *ld = NULL, *b = NULL, *in[3];
  tenon_aten_without_effect(rw, n, "hermitian");
  TENON_TRY(tenon_linalg_read(rw, n, 0, &ld));
  TENON_TRY(tenon_linalg_read(rw, n, 2, &b));
  TENON_TRY(tenon_linalg_both(rw, &ld, &b));
  const tenon_type *t = tenon_rw_type(rw, ld);
  in[0] = ld;
  in[1] = tenon_aten_expand(rw, tenon_aten_in(rw, n, 1), t->dims, t->rank - 1);
  in[2] = b;
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::ldl_solve", in, 3, NULL));
}
