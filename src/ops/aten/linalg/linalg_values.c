// Orthogonal factors, eigenvalues and singular values, and what is made of
// them: norms, ranks, pseudo-inverses.
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/aten/linalg/linalg_op.h"

static void eigen_make(tenon_rewriter *rw, const char *op, const char *flag,
                       bool value, tenon_value *x, uint32_t count,
                       tenon_value **out) {
  tenon_aten_make_all(rw, op, &x, 1, TENON_ARGS(tenon_arg_bool(flag, value)),
                      out, count);
}

// mode "r" gives an empty q.
TENON_ATEN_LOWER(qr) {
  const bool is_old = tenon_aten_user(rw) != NULL;
  const char *mode = is_old ? NULL : tenon_aten_str(rw, n, "mode");
  tenon_value *x = NULL, *out[2] = {NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  bool complete = is_old ? !tenon_aten_bool(rw, n, "some")
                         : mode && strcmp(mode, "complete") == 0;
  eigen_make(rw, "core::qr", "complete", complete, x, 2, out);
  if (mode && strcmp(mode, "r") == 0) {
    const tenon_dim none = tenon_aten_fixed(0);
    out[0] = tenon_nn_filled(rw, tenon_nn_type(rw, x), &none, 1, 0);
  }
  return rw->api->replace(rw, n, out, 2);
}

static void eigh(tenon_rewriter *rw, tenon_value *x, bool is_upper,
                 tenon_value *out[2]) {
  eigen_make(rw, "core::eigh", "upper", is_upper, x, 2, out);
}

// "2": vectors as well.
TENON_ATEN_LOWER(eigh) {
  const int count = *tenon_aten_user(rw) - '0';
  const char *side = tenon_aten_str(rw, n, "UPLO");
  tenon_value *x = NULL, *out[2] = {NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  eigh(rw, x, side && (side[0] == 'U' || side[0] == 'u'), out);
  const tenon_type *vectors = count == 2 ? tenon_aten_result(rw, n, 1) : NULL;
  // Asked not to, _linalg_eigh gives none.
  if (vectors && vectors->rank == 1)
    out[1] = tenon_nn_filled(rw, vectors->dtype, vectors->dims, 1, 0);
  return rw->api->replace(rw, n, out, count);
}

// "full_matrices" and "some" say which; svd gives v and not its transpose.
TENON_ATEN_LOWER(svd) {
  // How, not what.
  tenon_aten_without_effect(rw, n, "driver");
  const char *form = tenon_aten_user(rw);
  bool is_old = strcmp(form, "some") == 0;
  tenon_value *x = NULL, *out[3] = {NULL, NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  if (strcmp(form, "values") == 0) {
    eigen_make(rw, "core::svd", "complete", false, x, 3, out);
    return tenon_rw_replace(rw, n, out[1]);
  }
  if (strcmp(form, "full_matrices") != 0 &&
      !tenon_aten_bool(rw, n, "compute_uv")) {
    const tenon_type *u = tenon_aten_result(rw, n, 0);
    const tenon_type *v = tenon_aten_result(rw, n, 2);
    if (!u || !v) return tenon_rw_fail(rw, "the file does not say its results");
    eigen_make(rw, "core::svd", "complete", false, x, 3, out);
    out[0] = tenon_nn_filled(rw, u->dtype, u->dims, u->rank, 0);
    out[2] = tenon_nn_filled(rw, v->dtype, v->dims, v->rank, 0);
    return rw->api->replace(rw, n, out, 3);
  }
  bool complete = is_old ? !tenon_aten_bool(rw, n, "some")
                         : tenon_aten_bool(rw, n, "full_matrices");
  eigen_make(rw, "core::svd", "complete", complete, x, 3, out);
  if (is_old) out[2] = tenon_linalg_turned(rw, out[2]);
  return rw->api->replace(rw, n, out, 3);
}

static tenon_value *singular_values(tenon_rewriter *rw, tenon_value *x) {
  tenon_value *out[3] = {NULL, NULL, NULL};
  eigen_make(rw, "core::svd", "complete", false, x, 3, out);
  return out[1];
}

// --- Norms -------------------------------------------------------------------

// Of vectors along bits of `axes`.
static tenon_value *vector_norm(tenon_rewriter *rw, tenon_value *x, double p,
                                uint32_t axes, bool keepdim) {
  int64_t dims[TENON_MAX_RANK];
  size_t count = 0;
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (axes >> d & 1) dims[count++] = d;
  tenon_scalar order = {TENON_KIND_FLOAT, {0}};
  order.as.f = p;
  return tenon_rw_op(rw, "aten::linalg_vector_norm", &x, 1,
                     TENON_ARGS(tenon_arg_scalar("ord", order),
                                tenon_arg_ints("dim", dims, count),
                                tenon_arg_bool("keepdim", keepdim)));
}

// Of matrices whose rows and columns are the last two dimensions; the result
// has neither. The orders of names: NaN is "fro", 0 "nuc".
static tenon_status matrix_norm(tenon_rewriter *rw, tenon_value *x, double p,
                                tenon_value **out) {
  const int rank = tenon_nn_rank(rw, x);
  const uint32_t rows = 1u << (rank - 2), columns = 1u << (rank - 1);
  if (p != p) {
    *out = vector_norm(rw, x, 2, rows | columns, false);
    return TENON_OK;
  }
  if (p == 0 || p == 2 || p == -2) {
    const char *op = p == 0 ? "core::sum" : p > 0 ? "core::amax" : "core::amin";
    *out = tenon_aten_reduce(rw, op, singular_values(rw, x), rows, false);
    return TENON_OK;
  }
  bool is_by_rows = isinf(p);
  if (!is_by_rows && p != 1 && p != -1)
    return tenon_rw_fail(rw, "there is no such norm of matrices");
  *out = tenon_aten_formula(rw,
                            p > 0 ? "x @d @rows: amax(sum(abs(x), d), rows)"
                                  : "x @d @rows: amin(sum(abs(x), d), rows)",
                            x, (int)(is_by_rows ? columns : rows), (int)rows);
  return TENON_OK;
}

static tenon_status eigen_order_of(tenon_rewriter *rw, const tenon_node *n,
                                   const char *name, bool is_text, double *p) {
  *p = (double)NAN;
  if (is_text) {
    const char *text = tenon_aten_str(rw, n, name);
    if (text && strcmp(text, "nuc") == 0)
      *p = 0;
    else if (!text || strcmp(text, "fro") != 0)
      return tenon_rw_fail(rw, "there is no norm '%s'", text ? text : "");
    return TENON_OK;
  }
  tenon_scalar s = tenon_aten_scalar(rw, n, name);
  if (s.kind) *p = tenon_aten_real_of(s);
  return *p == 0 ? tenon_rw_fail(rw, "there is no norm 0 of matrices")
                 : TENON_OK;
}

// Over two dimensions, which become the last ones.
static tenon_status give_norm(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *x, double p, int row, int column) {
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const int rank = tenon_nn_rank(rw, x);
  if (row == column) return tenon_rw_fail(rw, "a dimension stands twice");
  x = tenon_aten_move(rw, x, row, rank - 1);
  if (column > row) --column;
  x = tenon_aten_move(rw, x, column, rank - 1);
  TENON_TRY(matrix_norm(rw, x, p, &x));
  if (y) {
    tenon_aten_without_effect(rw, n, "keepdim");  // the result's type says it
    x = tenon_aten_reshape(rw, x, y->dims, y->rank);
  }
  return tenon_rw_replace(rw, n, x);
}

static tenon_value *with_dtype(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  return t ? tenon_aten_cast(rw, x, t) : x;
}

// The user says that the order is a name.
TENON_ATEN_LOWER(matrix_norm) {
  tenon_value *x = with_dtype(rw, n);
  tenon_ints dims = tenon_aten_ints(rw, n, "dim");
  double p;
  int axes[2] = {0, 0};
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(eigen_order_of(rw, n, "ord", tenon_aten_user(rw) != NULL, &p));
  if (dims.count != 2) return tenon_rw_fail(rw, "not two dimensions");
  for (int i = 0; i < 2; ++i)
    TENON_TRY(
        tenon_aten_axis(rw, dims.data[i], tenon_nn_rank(rw, x), axes + i));
  return give_norm(rw, n, x, p, axes[0], axes[1]);
}

TENON_ATEN_LOWER(nuclear_norm) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const int rank = tenon_nn_rank(rw, x);
  int axes[2] = {0, 1};
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (tenon_aten_arg(rw, n, "dim")->name) {
    tenon_ints dims = tenon_aten_ints(rw, n, "dim");
    if (dims.count != 2) return tenon_rw_fail(rw, "not two dimensions");
    for (int i = 0; i < 2; ++i)
      TENON_TRY(tenon_aten_axis(rw, dims.data[i], rank, axes + i));
  } else if (rank != 2) {
    return tenon_rw_fail(rw, "a tensor of %d dimensions, no matrix", rank);
  }
  return give_norm(rw, n, x, 0, axes[0], axes[1]);
}

TENON_ATEN_LOWER(frobenius_norm) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  uint32_t axes = 0;
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(tenon_aten_axes(rw, tenon_aten_ints(rw, n, "dim"),
                            tenon_nn_rank(rw, x), true, &axes));
  return tenon_rw_replace(
      rw, n, vector_norm(rw, x, 2, axes, tenon_aten_bool(rw, n, "keepdim")));
}

// -1: of all there is.
TENON_ATEN_LOWER(norm_except_dim) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const int rank = tenon_nn_rank(rw, x);
  const int64_t dim = tenon_aten_int(rw, n, "dim");
  double p = (double)tenon_aten_int(rw, n, "pow");
  uint32_t all = (1u << rank) - 1;
  int axis = 0;
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (dim == -1)
    return tenon_rw_replace(rw, n, vector_norm(rw, x, p, all, false));
  TENON_TRY(tenon_aten_axis(rw, dim, rank, &axis));
  return tenon_rw_replace(rw, n,
                          vector_norm(rw, x, p, all & ~(1u << axis), true));
}

// Of vectors or matrices, by how many dimensions there are; of all elements
// where nothing is said.
TENON_ATEN_LOWER(linalg_norm) {
  const bool is_text = tenon_aten_user(rw) != NULL;
  tenon_value *x = with_dtype(rw, n);
  tenon_ints dims = tenon_aten_ints(rw, n, "dim");
  bool has_order = is_text || tenon_aten_has(rw, n, "ord");
  bool keepdim = tenon_aten_bool(rw, n, "keepdim");
  const int rank = tenon_nn_rank(rw, x);
  double p = 2;
  int axes[2] = {rank - 2, rank - 1};
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (has_order &&
      ((dims.data && dims.count == 2) || (!dims.data && rank == 2))) {
    TENON_TRY(eigen_order_of(rw, n, "ord", is_text, &p));
    for (int i = 0; dims.data && i < 2; ++i)
      TENON_TRY(tenon_aten_axis(rw, dims.data[i], rank, axes + i));
    return give_norm(rw, n, x, p, axes[0], axes[1]);
  }
  if (is_text) return tenon_rw_fail(rw, "a norm of matrices, of no matrices");
  if (has_order) p = tenon_aten_float(rw, n, "ord");
  uint32_t bits = 0;
  TENON_TRY(tenon_aten_axes(rw, dims, rank, true, &bits));
  return tenon_rw_replace(rw, n, vector_norm(rw, x, p, bits, keepdim));
}

TENON_ATEN_LOWER(cond_number) {
  const bool is_text = tenon_aten_user(rw) != NULL;
  tenon_value *x = NULL, *inverse[2] = {NULL, NULL}, *far = NULL;
  double p = 2;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  if (is_text || tenon_aten_has(rw, n, "p"))
    TENON_TRY(eigen_order_of(rw, n, "p", is_text, &p));
  const uint32_t last = 1u << (tenon_nn_rank(rw, x) - 2);
  if (p == 2 || p == -2) {
    return tenon_rw_replace(
        rw, n,
        tenon_aten_formula(rw,
                           p > 0 ? "s @d: amax(s, d) / amin(s, d)"
                                 : "s @d: amin(s, d) / amax(s, d)",
                           singular_values(rw, x), (int)last));
  }
  eigen_make(rw, "core::inverse", "check", true, x, 2, inverse);
  TENON_TRY(matrix_norm(rw, inverse[0], p, &far));
  TENON_TRY(matrix_norm(rw, x, p, &x));
  return tenon_rw_replace(rw, n, tenon_nn_mul(rw, x, far));
}

// --- What counts as zero -----------------------------------------------------

// A number or a tensor as operand of the values; null: none.
static tenon_value *limit_of(tenon_rewriter *rw, const tenon_node *n,
                             const char *name, int operand, bool is_tensor,
                             tenon_dtype t) {
  if (!is_tensor)
    return tenon_aten_has(rw, n, name)
               ? tenon_aten_real(rw, t, tenon_aten_float(rw, n, name))
               : NULL;
  tenon_value *x = tenon_aten_in(rw, n, operand);
  if (!x) return NULL;
  x = tenon_aten_cast(rw, x, t);
  return tenon_aten_unsqueeze(rw, x, tenon_nn_rank(rw, x));
}

// The larger of atol and rtol times the largest value; without both, rtol is
// the longer side times the distance from 1 to the next number.
static tenon_value *threshold(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *x, tenon_value *s, bool is_tensor) {
  tenon_dtype t = tenon_nn_type(rw, x);
  const char *form = tenon_aten_user(rw);
  if (strchr(form, 'a')) return limit_of(rw, n, "tol", 1, is_tensor, t);
  bool is_old = strchr(form, 'o') != NULL;  // one number, which is relative
  const char *names[2] = {"atol", is_old ? "rcond" : "rtol"};
  tenon_value *atol =
      is_old ? NULL : limit_of(rw, n, names[0], 1, is_tensor, t);
  tenon_value *rtol = limit_of(rw, n, names[1], is_old ? 1 : 2, is_tensor, t);
  tenon_dim m = tenon_nn_dim(rw, x, -2), k = tenon_nn_dim(rw, x, -1);
  if (!rtol) {
    double sides = (double)(m.value > k.value ? m.value : k.value);
    double eps = t == TENON_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    rtol = tenon_aten_real(rw, t, sides * eps);
    if (atol)
      rtol =
          tenon_aten_formula(rw, "atol rtol: atol > 0 ? 0 : rtol", atol, rtol);
  }
  const uint32_t last = 1u << (tenon_nn_rank(rw, s) - 1);
  return tenon_aten_formula(rw,
                            "s atol rtol @d: limit = rtol * amax(s, d, 1);"
                            "if(has(atol), maximum(atol, limit), limit)",
                            s, atol, rtol, (int)last);
}

// Matrices without elements have no values.
static bool eigen_is_empty(tenon_rewriter *rw, tenon_value *x) {
  return tenon_aten_is(tenon_nn_dim(rw, x, -1), 0) ||
         tenon_aten_is(tenon_nn_dim(rw, x, -2), 0);
}

static tenon_status give_zeros(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  if (!y) return tenon_rw_fail(rw, "the file does not say its result");
  tenon_aten_without_effect(rw, n, "atol rtol rcond tol hermitian");
  for (int i = 1; i < 3; ++i)
    (void)tenon_aten_in(rw, n, i);  // the same as tensors
  return tenon_rw_replace(rw, n,
                          tenon_nn_filled(rw, y->dtype, y->dims, y->rank, 0));
}

static bool is_hermitian(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_aten_has(rw, n, "hermitian") &&
         tenon_aten_bool(rw, n, "hermitian");
}

// The user's letters: t, limits are tensors; o, there is one, as there used to
// be; a, it is absolute.
TENON_ATEN_LOWER(matrix_rank) {
  const char *form = tenon_aten_user(rw);
  tenon_value *x = NULL, *out[2], *s;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  if (tenon_nn_dim(rw, x, -1).symbol || tenon_nn_dim(rw, x, -2).symbol)
    return tenon_rw_fail(rw, "an open size");
  if (eigen_is_empty(rw, x)) return give_zeros(rw, n);
  if (is_hermitian(rw, n)) {
    eigh(rw, x, false, out);
    s = tenon_rw_op1(rw, "core::abs", out[0]);
  } else {
    s = singular_values(rw, x);
  }
  tenon_value *limit = threshold(rw, n, x, s, strchr(form, 't') != NULL);
  return tenon_rw_replace(
      rw, n,
      tenon_aten_formula(rw, "s limit @d: sum(s64(s > limit), d)", s, limit,
                         (int)(1u << (tenon_nn_rank(rw, s) - 1))));
}

// v times the inverse values, as far as they count, times u transposed.
TENON_ATEN_LOWER(pinv) {
  const char *form = tenon_aten_user(rw);
  tenon_value *x = NULL, *out[3] = {NULL, NULL, NULL};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  if (tenon_nn_dim(rw, x, -1).symbol || tenon_nn_dim(rw, x, -2).symbol)
    return tenon_rw_fail(rw, "an open size");
  if (eigen_is_empty(rw, x)) return give_zeros(rw, n);
  tenon_value *s, *u, *v, *size;
  if (is_hermitian(rw, n)) {
    eigh(rw, x, false, out);
    s = out[0];
    u = v = out[1];
    size = tenon_rw_op1(rw, "core::abs", s);
  } else {
    eigen_make(rw, "core::svd", "complete", false, x, 3, out);
    u = out[0];
    s = size = out[1];
    v = tenon_linalg_turned(rw, out[2]);
  }
  tenon_value *limit = threshold(rw, n, x, size, strchr(form, 't') != NULL);
  s = tenon_aten_formula(rw, "s size limit: size > limit ? 1 / s : 0", s, size,
                         limit);
  s = tenon_aten_unsqueeze(rw, s, tenon_nn_rank(rw, s) - 1);
  return tenon_rw_replace(rw, n,
                          tenon_aten_formula(rw, "v s u: matmul(v * s, u)", v,
                                             s, tenon_linalg_turned(rw, u)));
}
