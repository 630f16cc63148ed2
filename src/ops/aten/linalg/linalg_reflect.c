// Householder's reflections, and factors of symmetric matrices.
#include "ops/aten/linalg/linalg_op.h"

TENON_ATEN_LOWER(geqrf) {
  tenon_value *x = NULL, *out[2] = {NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  tenon_aten_make_all(rw, "core::reflections", &x, 1, NULL, out, 2);
  return rw->api->replace(rw, n, out, 2);
}

static tenon_value *reflected(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *x, bool is_complete) {
  tenon_value *in[] = {x, tenon_aten_in(rw, n, 1)};
  return tenon_rw_op(rw, "core::reflected", in, 2,
                     TENON_ARGS(tenon_arg_bool("complete", is_complete)));
}

TENON_ATEN_LOWER(householder) {
  tenon_value *x = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  return tenon_rw_replace(rw, n, reflected(rw, n, x, false));
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

// "3": info as well. Of real numbers, hermitian matrices are symmetric ones.
TENON_ATEN_LOWER(ldl_factor) {
  const int count = *tenon_aten_user(rw) - '0';
  tenon_value *x = NULL, *out[3] = {NULL, NULL, NULL};
  tenon_aten_args args = {0};
  tenon_aten_without_effect(rw, n, "hermitian");
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  // linalg_ldl_factor takes singular matrices: their factors exist.
  tenon_aten_add(
      &args, tenon_arg_bool("check", count == 3 && tenon_aten_bool(
                                                       rw, n, "check_errors")));
  tenon_aten_make_all(rw, "core::ldl", &x, 1, args.list, out, 3);
  return rw->api->replace(rw, n, out, count);
}

TENON_ATEN_LOWER(ldl_solve) {
  tenon_value *ld = NULL, *b = NULL, *in[3];
  tenon_aten_without_effect(rw, n, "hermitian");
  TENON_TRY(tenon_linalg_read(rw, n, 0, &ld));
  TENON_TRY(tenon_linalg_read(rw, n, 2, &b));
  TENON_TRY(tenon_linalg_both(rw, &ld, &b));
  const tenon_type *t = tenon_rw_type(rw, ld);
  if (!t) return tenon_rw_replace(rw, n, ld);
  in[0] = ld;
  in[1] = tenon_aten_expand(rw, tenon_aten_in(rw, n, 1), t->dims, t->rank - 1);
  in[2] = b;
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::ldl_solve", in, 3, NULL));
}
