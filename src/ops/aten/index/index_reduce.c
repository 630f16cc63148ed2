// Operators that reduce dimensions to one element.
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"

static bool keeps(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_aten_bool(rw, n, "keepdim");
}

// PyTorch's result for uint8 is uint8.
TENON_ATEN_LOWER(any) {
  const char *op = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0), *y;
  const tenon_arg *dims = tenon_aten_arg(rw, n, "dim");
  uint32_t axes;
  TENON_TRY(tenon_aten_axes_of(rw, n, x, &axes));
  // An empty list is no dimension here, and the elements become bool.
  if (dims->kind == TENON_KIND_INTS && dims->as.ints.data &&
      dims->as.ints.count == 0)
    axes = 0;
  y = tenon_aten_reduce(rw, op, x, axes, keeps(rw, n));
  if (tenon_aten_known(rw, x)->dtype == TENON_U8)
    y = tenon_aten_cast(rw, y, TENON_U8);
  return tenon_rw_replace(rw, n, y);
}

// --- variance ----------------------------------------------------------------

static tenon_value *var(tenon_rewriter *rw, tenon_value *x, uint32_t axes,
                        double correction, bool keepdim, bool is_mean) {
  int64_t dims[TENON_MAX_RANK];
  size_t count = 0;
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (axes >> d & 1) dims[count++] = d;
  return tenon_rw_op(rw, "core::var", &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, count),
                                tenon_arg_float("correction", correction),
                                tenon_arg_bool("keepdim", keepdim),
                                tenon_arg_bool("mean", is_mean)));
}

// What the row gives: "v" variance, "s" its root; "vm", "sm": and the mean.
TENON_ATEN_LOWER(var) {
  const char *what = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0), *y;
  tenon_scalar s = tenon_aten_scalar(rw, n, "correction");
  const tenon_arg *unbiased = tenon_aten_arg(rw, n, "unbiased");
  double correction = 1.0;
  uint32_t axes;
  TENON_TRY(tenon_aten_axes_of(rw, n, x, &axes));
  if (s.kind) correction = tenon_aten_real_of(s);
  if (unbiased->kind) correction = unbiased->as.i ? 1.0 : 0.0;
  // The variance of floats may lie beyond them where its root does not.
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  bool is_wide = what[0] == 's' && t != TENON_F64;
  y = is_wide ? tenon_aten_cast(rw, x, t == TENON_F16 ? TENON_F32 : TENON_F64)
              : x;
  y = var(rw, y, axes, correction, keeps(rw, n), false);
  if (what[0] == 's') y = tenon_rw_op1(rw, "core::sqrt", y);
  if (is_wide) y = tenon_aten_cast(rw, y, t);
  if (what[1] != 'm') return tenon_rw_replace(rw, n, y);
  return tenon_aten_replace_two(
      rw, n, y, var(rw, x, axes, correction, keeps(rw, n), true));
}

// --- norms -------------------------------------------------------------------

// What a norm is a root of; of 0 the elements that are not 0.
static tenon_value *sum_of_powers(tenon_rewriter *rw, tenon_value *x,
                                  double ord, uint32_t axes, bool keepdim) {
  return tenon_aten_formula(rw,
                            ord == 0 ? "x @d @k #p: sum(like(bool(x), x), d, k)"
                            : ord == 2 ? "x @d @k #p: sum(square(x), d, k)"
                            : ord == 1
                                ? "x @d @k #p: sum(abs(x), d, k)"
                                : "x @d @k #p: sum(pow(abs(x), p), d, k)",
                            x, (int)axes, (int)keepdim, ord);
}

// x without dimensions, or with dimensions that are not in `axes`.
static tenon_value *index_reduce_norm(tenon_rewriter *rw, tenon_value *x,
                                      double ord, uint32_t axes, bool keepdim) {
  if (ord == INFINITY || ord == -INFINITY)
    return tenon_aten_reduce(rw, ord > 0 ? "core::amax" : "core::amin",
                             tenon_rw_op1(rw, "core::abs", x), axes, keepdim);
  x = sum_of_powers(rw, x, ord, axes, keepdim);
  if (ord == 0.0 || ord == 1.0) return x;
  return tenon_aten_formula(
      rw, ord == 2 ? "x #p: sqrt(x)" : "x #p: pow(x, 1 / p)", x, ord);
}

// Half precision is squared and summed in f32.
static tenon_status norm_lower(tenon_rewriter *rw, const tenon_node *n,
                               const char *name, bool has_root) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_scalar s = tenon_aten_scalar(rw, n, name);
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  const double ord = tenon_aten_real_of(s);
  uint32_t axes;
  if (!t) t = tenon_aten_known(rw, x)->dtype;
  if (!tenon_aten_is_float(t))
    return tenon_rw_fail(rw, "the norm of %s", tenon_dtype_name(t));
  TENON_TRY(tenon_aten_axes_of(rw, n, x, &axes));
  x = tenon_aten_cast(rw, x, t == TENON_F64 ? TENON_F64 : TENON_F32);
  x = has_root
          ? index_reduce_norm(rw, x, s.kind ? ord : 2.0, axes, keeps(rw, n))
          : sum_of_powers(rw, x, ord, axes, keeps(rw, n));
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, t));
}

TENON_ATEN_LOWER(norm) {
  return norm_lower(rw, n, tenon_aten_user(rw), true);
}

TENON_ATEN_LOWER(powsum) {
  return norm_lower(rw, n, "ord", false);
}

TENON_ATEN_LOWER(dist) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *y = tenon_aten_in(rw, n, 1);
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  if (t != tenon_aten_known(rw, y)->dtype || (t != TENON_F32 && t != TENON_F64))
    return tenon_rw_fail(rw, "the distance of %s", tenon_dtype_name(t));
  x = tenon_aten_flat(rw, tenon_rw_op2(rw, "core::sub", x, y));
  if (!tenon_rw_type(rw, x)) return tenon_rw_replace(rw, n, x);
  return tenon_rw_replace(
      rw, n, index_reduce_norm(rw, x, tenon_aten_float(rw, n, "p"), 1u, false));
}

// log(sum(exp(x - m))) + m with the largest m, or 0 where that is infinite.
TENON_ATEN_LOWER(logsumexp) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *y;
  tenon_dim dims[TENON_MAX_RANK];
  uint32_t axes;
  if (!tenon_aten_is_float(tenon_aten_known(rw, x)->dtype))
    x = tenon_aten_cast(rw, x, TENON_F32);
  TENON_TRY(tenon_aten_axes_of(rw, n, x, &axes));
  int rank = tenon_aten_dims_of(rw, x, dims), at = 0;
  if (tenon_aten_is(tenon_aten_product(rw, dims, rank),
                    0)) {  // none is largest
    y = tenon_aten_reduce(rw, "core::sum", x, axes, keeps(rw, n));
    return tenon_rw_replace(rw, n, tenon_rw_op1(rw, "core::log", y));
  }
  y = tenon_aten_formula(rw,
                         "x @d: a = amax(x, d, 1); m = isinf(a) ? 0 : a;"
                         "log(sum(exp(x - m), d, 1)) + m",
                         x, (int)axes);
  rank = tenon_aten_dims_of(rw, y, dims);
  for (int d = 0; d < rank; ++d)
    if (keeps(rw, n) || !(axes >> d & 1)) dims[at++] = dims[d];
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, dims, at));
}
