// Small dense matrices.
#include "ops/aten/nn/aten_nn.h"

static tenon_status read_matrix(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value **x) {
  *x = tenon_aten_in(rw, n, 0);
  tenon_dtype t = tenon_nn_type(rw, *x);
  if (t && t != TENON_F32 && t != TENON_F64)
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t));
  return TENON_OK;
}

// The factors that _linalg_det gives as well (of the transpose or not, by
// strides that a program does not have) come from a node that nothing computes:
// a program that reads them is refused by its name.
TENON_ATEN_LOWER(det) {
  const tenon_type *types[] = {tenon_aten_result(rw, n, 1),
                               tenon_aten_result(rw, n, 2)};
  tenon_value *x = NULL, *out[3] = {NULL, NULL, NULL};
  TENON_TRY(read_matrix(rw, n, &x));
  out[0] = tenon_rw_op1(rw, "core::det", x);
  if (!tenon_aten_user(rw)) return tenon_rw_replace(rw, n, out[0]);
  tenon_rw_build(rw, "aten::linalg_ldl_factor", &x, 1, NULL, out + 1, 2, types);
  return rw->api->replace(rw, n, out, 3);
}

// linalg_inv fails in a run that meets a matrix without an inverse; where there
// is a second result, that tells, unless the check is asked for.
TENON_ATEN_LOWER(inverse) {
  tenon_value *x = NULL, *out[2] = {NULL, NULL};
  const bool tells = tenon_aten_user(rw) != NULL;
  bool checks = !tells || tenon_aten_bool(rw, n, "check_errors");
  TENON_TRY(read_matrix(rw, n, &x));
  tenon_aten_make_all(rw, "core::inverse", &x, 1,
                      TENON_ARGS(tenon_arg_bool("check", checks)), out, 2);
  return rw->api->replace(rw, n, out, tells ? 2 : 1);
}
