// Operators that go along a dimension: running sums, differences, areas.
#include "ops/aten/index_op.h"

static tenon_value *along(tenon_rewriter *rw, const char *op, tenon_value *x,
                          int axis) {
  tenon_aten_args a = {0};
  tenon_aten_add(&a, tenon_arg_int("axis", axis));
  return tenon_aten_make(rw, op, &x, 1, &a, NULL);
}

// The core operator is what the row gives. Integers become s64.
tenon_status tenon_aten_cumulate_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  const char *op = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  tenon_dtype from = tenon_aten_known(rw, x)->dtype;
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (!t) t = tenon_aten_is_float(from) ? from : TENON_S64;
  return tenon_rw_replace(rw, n,
                          along(rw, op, tenon_aten_cast(rw, x, t), axis));
}

tenon_status tenon_aten_cummax_lower(tenon_rewriter *rw, const tenon_node *n) {
  const char *op = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[2] = {NULL, NULL};
  tenon_aten_args a = {0};
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  tenon_aten_add(&a, tenon_arg_int("axis", axis));
  tenon_aten_make_all(rw, op, &x, 1, &a, out, 2);
  return rw->api->replace(rw, n, out, 2);
}

tenon_status tenon_aten_logcumsumexp_lower(tenon_rewriter *rw,
                                           const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  return tenon_rw_replace(rw, n, along(rw, "core::logcumsumexp", x, axis));
}

// --- neighbours --------------------------------------------------------------

// All elements along an axis but the first, or but the last.
static void neighbours(tenon_rewriter *rw, tenon_value *x, int axis,
                       tenon_value *out[2]) {
  tenon_dim one = tenon_aten_fixed(1);
  tenon_dim n = tenon_aten_minus(rw, tenon_aten_size(rw, x, axis), one);
  out[0] = tenon_aten_cut(rw, x, axis, tenon_aten_fixed(0), n, 1);
  out[1] = tenon_aten_cut(rw, x, axis, one, n, 1);
}

tenon_status tenon_aten_diff_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[3], *two[2];
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  int64_t times = tenon_aten_int(rw, n, "n");
  int axis, count = 0;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (tenon_aten_known(rw, x)->rank == 0 || times < 0 || times > 64)
    return tenon_rw_fail(rw, "difference %lld of rank %d", (long long)times,
                         tenon_aten_known(rw, x)->rank);
  if (tenon_aten_in(rw, n, 1)) parts[count++] = tenon_aten_in(rw, n, 1);
  parts[count++] = x;
  if (tenon_aten_in(rw, n, 2)) parts[count++] = tenon_aten_in(rw, n, 2);
  for (int i = 0; i < count; ++i)
    if (tenon_aten_known(rw, parts[i])->dtype != t)
      return tenon_rw_fail(rw, "tensors of different types");
  if (times > 0) x = tenon_aten_join(rw, parts, count, axis);
  for (; times > 0; --times) {
    if (tenon_aten_is(tenon_aten_size(rw, x, axis), 0)) break;
    neighbours(rw, x, axis, two);
    x = tenon_aten_two(rw, t == TENON_BOOL ? "core::ne" : "core::sub", two[1],
                       two[0]);
  }
  return tenon_rw_replace(rw, n, x);
}

// "c" sums up to each place. With operand 1 the distances are its, else `dx`.
tenon_status tenon_aten_trapezoid_lower(tenon_rewriter *rw,
                                        const tenon_node *n) {
  bool is_running = tenon_aten_user(rw) != NULL;
  const tenon_arg *dx = tenon_aten_arg(rw, n, "dx");
  tenon_scalar s = tenon_aten_scalar(rw, n, "dx");
  tenon_value *y = tenon_aten_in(rw, n, 0), *two[2], *sum;
  const tenon_type *stated = tenon_aten_stated(rw, n, 0);
  tenon_dtype t = tenon_aten_known(rw, y)->dtype;
  double step = s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
  int axis, rank;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", y, &axis));
  rank = tenon_aten_known(rw, y)->rank;
  if (rank == 0 || !tenon_aten_is_float(t) || (stated && stated->dtype != t))
    return tenon_rw_fail(rw, "an area under %s", tenon_aten_dtype_name(t));
  neighbours(rw, y, axis, two);
  sum = tenon_aten_two(rw, "core::add", two[1], two[0]);
  if (!dx->kind) {
    tenon_value *x = tenon_aten_in(rw, n, 1);
    tenon_dim dims[TENON_MAX_RANK];
    if (tenon_aten_known(rw, x)->dtype != t)
      return tenon_rw_fail(rw, "places of another type");
    if (tenon_aten_known(rw, x)->rank == 1 && rank > 1) {
      for (int d = 0; d < rank; ++d)
        dims[d] = d == axis ? tenon_aten_size(rw, x, 0) : tenon_aten_fixed(1);
      x = tenon_aten_reshape(rw, x, dims, rank);
    }
    if (tenon_aten_known(rw, x)->rank != rank)
      return tenon_rw_fail(rw, "places of another rank");
    neighbours(rw, x, axis, two);
    sum = tenon_aten_two(rw, "core::mul", sum,
                         tenon_aten_two(rw, "core::sub", two[1], two[0]));
    step = 1.0;
  }
  sum = is_running ? along(rw, "core::cumsum", sum, axis)
                   : tenon_aten_reduce(rw, "core::sum", sum, 1u << axis, false);
  return tenon_rw_replace(
      rw, n,
      tenon_aten_two(rw, "core::mul", sum, tenon_aten_real(rw, t, step / 2)));
}
