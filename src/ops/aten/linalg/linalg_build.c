// How: as aten_build.c, for matrices.
#include "ops/aten/linalg/linalg_op.h"

tenon_status tenon_linalg_read(tenon_rewriter *rw, const tenon_node *n, int i,
                               tenon_value **x) {
  *x = tenon_aten_in(rw, n, i);
  return tenon_aten_check_matrix(rw, *x, i);
}

tenon_value *tenon_linalg_turned(tenon_rewriter *rw, tenon_value *x) {
  int rank = tenon_nn_rank(rw, x);
  return rank < 2 ? x : tenon_nn_swap(rw, x, rank - 2, rank - 1);
}

tenon_status tenon_linalg_both(tenon_rewriter *rw, tenon_value **a,
                               tenon_value **b) {
  const tenon_type *ta = tenon_rw_type(rw, *a), *tb = tenon_rw_type(rw, *b);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = 0;
  if (!ta || !tb) return TENON_OK;
  if (ta->rank < 2 || tb->rank < 2) return tenon_rw_fail(rw, "no matrices");
  tenon_type x = *ta, y = *tb;
  const tenon_dim last[2][2] = {
      {ta->dims[ta->rank - 2], ta->dims[ta->rank - 1]},
      {tb->dims[tb->rank - 2], tb->dims[tb->rank - 1]}};
  x.rank = (uint8_t)(x.rank - 2);
  y.rank = (uint8_t)(y.rank - 2);
  TENON_TRY(tenon_aten_broadcast(rw, &x, &y, dims, &rank));
  for (int i = 0; i < 2; ++i) {
    dims[rank] = last[i][0];
    dims[rank + 1] = last[i][1];
    tenon_value **v = i ? b : a;
    *v = tenon_aten_expand(rw, *v, dims, rank + 2);
  }
  return TENON_OK;
}

tenon_value *tenon_linalg_triangular(tenon_rewriter *rw, tenon_value *a,
                                     tenon_value *b, bool is_upper,
                                     bool is_unit) {
  tenon_value *in[] = {a, b};
  return tenon_rw_op(rw, "core::solve_triangular", in, 2,
                     TENON_ARGS(tenon_arg_bool("upper", is_upper),
                                tenon_arg_bool("unit", is_unit)));
}

tenon_linalg_lu tenon_linalg_factor(tenon_rewriter *rw, tenon_value *x,
                                    bool checks) {
  tenon_value *out[4] = {NULL, NULL, NULL, NULL};
  tenon_aten_make_all(rw, "core::lu", &x, 1,
                      TENON_ARGS(tenon_arg_bool("check", checks)), out, 4);
  tenon_linalg_lu f = {out[0], out[1], out[2], out[3]};
  return f;
}

tenon_value *tenon_linalg_solved(tenon_rewriter *rw, const tenon_linalg_lu *f,
                                 tenon_value *b) {
  const tenon_type *t = tenon_rw_type(rw, b);
  if (!t) return b;
  int rank = t->rank;
  tenon_value *rows = tenon_aten_unsqueeze(rw, f->permutation, rank - 1);
  rows = tenon_aten_expand(rw, rows, t->dims, rank);
  b = tenon_aten_gather(rw, b, rows, rank - 2);
  b = tenon_linalg_triangular(rw, f->lu, b, false, true);
  return tenon_linalg_triangular(rw, f->lu, b, true, false);
}

tenon_value *tenon_linalg_unit(tenon_rewriter *rw, tenon_dtype t,
                               tenon_dim size) {
  tenon_value *i = tenon_aten_ramp(rw, TENON_S64, size);
  return tenon_aten_cast(
      rw, tenon_rw_op2(rw, "core::eq", tenon_aten_unsqueeze(rw, i, 1), i), t);
}

tenon_value *tenon_linalg_diagonal(tenon_rewriter *rw, tenon_value *x) {
  return tenon_rw_op(
      rw, "aten::diagonal", &x, 1,
      TENON_ARGS(tenon_arg_int("dim1", -2), tenon_arg_int("dim2", -1)));
}
