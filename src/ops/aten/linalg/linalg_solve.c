// Factors by elimination and by Cholesky, and equations that they solve.
#include <math.h>
#include <string.h>

#include "ops/aten/linalg/linalg_op.h"

static tenon_status no_pivot(tenon_rewriter *rw, const tenon_node *n) {
  if (!tenon_aten_bool(rw, n, "pivot"))
    return tenon_rw_fail(rw, "without pivots (pivot=False)");
  return TENON_OK;
}

static tenon_value *triangle(tenon_rewriter *rw, tenon_value *x, bool is_upper,
                             int64_t diagonal) {
  return tenon_rw_op(rw, "core::triangular", &x, 1,
                     TENON_ARGS(tenon_arg_bool("upper", is_upper),
                                tenon_arg_int("diagonal", diagonal)));
}

// The matrix that puts rows back, and both triangles.
static tenon_status give_parts(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value *lu, tenon_value *permutation) {
  const tenon_type *t = tenon_rw_type(rw, lu);
  if (!t || t->dims[t->rank - 2].symbol || t->dims[t->rank - 1].symbol)
    return tenon_rw_fail(rw, "an open size");
  const int rank = t->rank;
  const tenon_dim m = t->dims[rank - 2], k = t->dims[rank - 1];
  const tenon_dim least = m.value < k.value ? m : k;
  tenon_value *rows =
      tenon_aten_unsqueeze(rw, tenon_aten_ramp(rw, TENON_S64, m), 1);
  tenon_value *p = tenon_rw_op2(
      rw, "core::eq", tenon_aten_unsqueeze(rw, permutation, rank - 2), rows);
  tenon_value *l = tenon_nn_cut(rw, lu, rank - 1, 0, least);
  tenon_value *u = tenon_nn_cut(rw, lu, rank - 2, 0, least);
  tenon_value *unit = tenon_linalg_unit(rw, t->dtype, m);
  unit = tenon_nn_cut(rw, unit, 1, 0, least);
  tenon_value *out[3] = {tenon_aten_cast(rw, p, t->dtype),
                         tenon_nn_add(rw, triangle(rw, l, false, -1), unit),
                         triangle(rw, u, true, 0)};
  return rw->api->replace(rw, n, out, 3);
}

TENON_ATEN_LOWER(lu) {
  tenon_value *x = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  TENON_TRY(no_pivot(rw, n));
  tenon_linalg_lu f = tenon_linalg_factor(rw, x, false);
  return give_parts(rw, n, f.lu, f.permutation);
}

static tenon_status permutation_of(tenon_rewriter *rw, tenon_value *lu,
                                   tenon_value *pivots, tenon_value **out) {
  tenon_dim rows = tenon_nn_dim(rw, lu, -2);
  if (rows.symbol) return tenon_rw_fail(rw, "an open size");
  *out = tenon_rw_op(rw, "core::permutation", &pivots, 1,
                     TENON_ARGS(tenon_arg_int("rows", rows.value)));
  return TENON_OK;
}

TENON_ATEN_LOWER(lu_unpack) {
  tenon_value *lu = NULL, *permutation = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &lu));
  if (!tenon_aten_bool(rw, n, "unpack_data") ||
      !tenon_aten_bool(rw, n, "unpack_pivots"))
    return tenon_rw_fail(rw, "without some of its results");
  TENON_TRY(permutation_of(rw, lu, tenon_aten_in(rw, n, 1), &permutation));
  return give_parts(rw, n, lu, permutation);
}

// Rows in the place that the permutation took them from.
static tenon_value *put_back(tenon_rewriter *rw, tenon_value *permutation,
                             tenon_value *y) {
  const tenon_type *t = tenon_rw_type(rw, y);
  tenon_value *sorted[2] = {NULL, NULL};
  if (!t) return y;
  const int rank = t->rank;
  tenon_aten_sort(rw, permutation, rank - 2, false, sorted);
  tenon_value *rows = tenon_aten_unsqueeze(rw, sorted[1], rank - 1);
  rows = tenon_aten_expand(rw, rows, t->dims, rank);
  return tenon_aten_gather(rw, y, rows, rank - 2);
}

// linalg_lu_solve(lu, pivots, b) and lu_solve(b, lu, pivots); from the right is
// what the transpose solves from the left.
TENON_ATEN_LOWER(lu_solve) {
  const bool is_old = tenon_aten_user(rw) != NULL;
  const bool is_left = is_old || tenon_aten_bool(rw, n, "left");
  const bool adjoint = !is_old && tenon_aten_bool(rw, n, "adjoint");
  tenon_value *b = NULL, *lu = NULL;
  tenon_linalg_lu f = {NULL, NULL, NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, is_old ? 0 : 2, &b));
  TENON_TRY(tenon_linalg_read(rw, n, is_old ? 1 : 0, &lu));
  TENON_TRY(permutation_of(rw, lu, tenon_aten_in(rw, n, is_old ? 2 : 1),
                           &f.permutation));
  if (!is_left) b = tenon_linalg_turned(rw, b);
  TENON_TRY(tenon_linalg_both(rw, &lu, &b));
  const tenon_type *t = tenon_rw_type(rw, lu);
  f.lu = lu;
  f.permutation = tenon_aten_expand(rw, f.permutation, t->dims, t->rank - 1);
  if (is_left != adjoint) {
    b = tenon_linalg_solved(rw, &f, b);
  } else {
    lu = tenon_linalg_turned(rw, lu);
    b = tenon_linalg_triangular(rw, lu, b, false, false);
    b = tenon_linalg_triangular(rw, lu, b, true, true);
    b = put_back(rw, f.permutation, b);
  }
  return tenon_rw_replace(rw, n, is_left ? b : tenon_linalg_turned(rw, b));
}

// What no lowering gives: the factors of _linalg_solve_ex and its like are
// those of the transpose or not, by the strides that x had. Whoever reads them
// finds an operator that nothing covers.
static void refuse_rest(tenon_rewriter *rw, const tenon_node *n, tenon_value *x,
                        int first, int count, tenon_value **out) {
  const tenon_type *types[2] = {tenon_aten_result(rw, n, first),
                                tenon_aten_result(rw, n, first + 1)};
  tenon_rw_build(rw, "aten::linalg_eig", &x, 1, NULL, out + first,
                 (uint32_t)count, types);
}

// b is a vector, or vectors, where it has no more dimensions than the batch of
// a and its rows.
static bool is_vector(const tenon_type *a, const tenon_type *b) {
  bool is_one = b->rank == 1;
  if (b->rank != a->rank - 1) return is_one;
  for (int d = 0; d < b->rank; ++d)
    if (!tenon_aten_same(a->dims[d], b->dims[d])) return is_one;
  return true;
}

// "1": the solution, "2": and info, "4": factors between them.
TENON_ATEN_LOWER(linalg_solve) {
  const int count = *tenon_aten_user(rw) - '0';
  bool checks = count == 1 || tenon_aten_bool(rw, n, "check_errors");
  tenon_value *a = NULL, *b = tenon_aten_in(rw, n, 1), *x = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &a));
  const tenon_type *ta = tenon_rw_type(rw, a), *tb = tenon_rw_type(rw, b);
  if (!ta || !tb) return tenon_rw_replace(rw, n, a);
  if (ta->dtype != tb->dtype) return tenon_rw_fail(rw, "two element types");
  bool is_left = tenon_aten_bool(rw, n, "left"), is_line = is_vector(ta, tb);
  x = a;
  if (is_line) {
    if (!is_left) return tenon_rw_fail(rw, "a vector from the right");
    b = tenon_aten_unsqueeze(rw, b, tb->rank);
  }
  if (!is_left) {
    a = tenon_linalg_turned(rw, a);
    b = tenon_linalg_turned(rw, b);
  }
  tenon_linalg_lu f = tenon_linalg_factor(rw, a, checks);
  tenon_value *info = f.info;
  TENON_TRY(tenon_linalg_both(rw, &f.lu, &b));
  const tenon_type *t = tenon_rw_type(rw, f.lu);
  if (t)
    f.permutation = tenon_aten_expand(rw, f.permutation, t->dims, t->rank - 1);
  tenon_value *y = tenon_linalg_solved(rw, &f, b);
  if (!is_left) y = tenon_linalg_turned(rw, y);
  if (is_line) y = tenon_aten_squeeze(rw, y, tenon_nn_rank(rw, y) - 1);
  tenon_value *out[4] = {y, info, NULL, NULL};
  if (count == 4) {
    refuse_rest(rw, n, x, 1, 2, out);
    out[3] = info;
  }
  return rw->api->replace(rw, n, out, count);
}

// --- Determinants ------------------------------------------------------------

// The sign, and the logarithm of the absolute value.
static void slogdet(tenon_rewriter *rw, tenon_value *x, tenon_value **sign,
                    tenon_value **log) {
  tenon_linalg_lu f = tenon_linalg_factor(rw, x, false);
  tenon_value *d = tenon_linalg_diagonal(rw, f.lu);
  const int rank = tenon_nn_rank(rw, d);
  if (rank < 1) {
    *sign = *log = x;
    return;
  }
  const uint32_t last = 1u << (rank - 1);
  *sign = tenon_aten_formula(
      rw,
      "d pivots place @last &log: log = sum(log(abs(d)), last);"
      "prod((like(pivots != place + 1, d) * -2 + 1) * sign(d), last)",
      d, f.pivots, tenon_aten_ramp(rw, TENON_S32, tenon_nn_dim(rw, d, -1)),
      (int)last, log);
}

// "2": sign and logarithm, "4": factors as well; "1": the logarithm, NaN below
// 0.
TENON_ATEN_LOWER(slogdet) {
  const int count = *tenon_aten_user(rw) - '0';
  tenon_value *x = NULL, *out[4] = {NULL, NULL, NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  slogdet(rw, x, out, out + 1);
  if (count == 1)
    out[0] = tenon_aten_formula(rw, "sign log: sign < 0 ? nan : log", out[0],
                                out[1]);
  if (count == 4) refuse_rest(rw, n, x, 2, 2, out);
  return rw->api->replace(rw, n, out, count);
}

// --- Cholesky ----------------------------------------------------------------

// y with l l^T y = b, or u^T u y = b.
static tenon_value *by_cholesky(tenon_rewriter *rw, tenon_value *l,
                                tenon_value *b, bool is_upper) {
  tenon_value *turned = tenon_linalg_turned(rw, l);
  b = tenon_linalg_triangular(rw, is_upper ? turned : l, b, false, false);
  return tenon_linalg_triangular(rw, is_upper ? l : turned, b, true, false);
}

TENON_ATEN_LOWER(cholesky_solve) {
  tenon_value *b = NULL, *l = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &b));
  TENON_TRY(tenon_linalg_read(rw, n, 1, &l));
  TENON_TRY(tenon_linalg_both(rw, &l, &b));
  return tenon_rw_replace(
      rw, n, by_cholesky(rw, l, b, tenon_aten_bool(rw, n, "upper")));
}

TENON_ATEN_LOWER(cholesky_inverse) {
  tenon_value *l = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &l));
  tenon_value *unit =
      tenon_linalg_unit(rw, tenon_nn_type(rw, l), tenon_nn_dim(rw, l, -1));
  TENON_TRY(tenon_linalg_both(rw, &l, &unit));
  return tenon_rw_replace(
      rw, n, by_cholesky(rw, l, unit, tenon_aten_bool(rw, n, "upper")));
}

// --- Triangles ---------------------------------------------------------------

TENON_ATEN_LOWER(solve_triangular) {
  bool is_upper = tenon_aten_bool(rw, n, "upper");
  bool is_left = tenon_aten_bool(rw, n, "left");
  tenon_value *a = NULL, *b = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &a));
  TENON_TRY(tenon_linalg_read(rw, n, 1, &b));
  if (!is_left) {
    a = tenon_linalg_turned(rw, a);
    b = tenon_linalg_turned(rw, b);
    is_upper = !is_upper;
  }
  TENON_TRY(tenon_linalg_both(rw, &a, &b));
  tenon_value *y = tenon_linalg_triangular(
      rw, a, b, is_upper, tenon_aten_bool(rw, n, "unitriangular"));
  return tenon_rw_replace(rw, n, is_left ? y : tenon_linalg_turned(rw, y));
}

// Also the matrix, as it was given.
TENON_ATEN_LOWER(triangular_solve) {
  bool is_upper = tenon_aten_bool(rw, n, "upper");
  tenon_value *a = NULL, *b = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &b));
  TENON_TRY(tenon_linalg_read(rw, n, 1, &a));
  TENON_TRY(tenon_linalg_both(rw, &a, &b));
  tenon_value *out[2] = {NULL, a};
  if (tenon_aten_bool(rw, n, "transpose")) {
    a = tenon_linalg_turned(rw, a);
    is_upper = !is_upper;
  }
  out[0] = tenon_linalg_triangular(rw, a, b, is_upper,
                                   tenon_aten_bool(rw, n, "unitriangular"));
  return rw->api->replace(rw, n, out, 2);
}
