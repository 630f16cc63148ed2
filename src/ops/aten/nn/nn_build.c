// How: as aten_build.c, for what networks need.
#include "ops/aten/nn/aten_nn.h"

tenon_value *tenon_nn_wide(tenon_rewriter *rw, tenon_value *x) {
  switch (tenon_nn_type(rw, x)) {
    case TENON_F16:
    case TENON_BF16:
      return tenon_aten_cast(rw, x, TENON_F32);
    case TENON_S8:
    case TENON_U8:
    case TENON_S16:
      return tenon_aten_cast(rw, x, TENON_S32);
    default:
      return x;
  }
}

tenon_value *tenon_nn_rounded(tenon_rewriter *rw, const tenon_node *n, int i) {
  tenon_value *x = tenon_aten_in(rw, n, i);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const bool is_narrow = y && (y->dtype == TENON_F16 || y->dtype == TENON_BF16);
  return is_narrow && tenon_nn_type(rw, x) == TENON_F32
             ? tenon_aten_cast(rw, x, y->dtype)
             : x;
}

tenon_dtype tenon_nn_type(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  return t ? t->dtype : 0;
}

int tenon_nn_rank(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  return t ? t->rank : 0;
}

tenon_dim tenon_nn_dim(tenon_rewriter *rw, tenon_value *x, int d) {
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  if (t && d < 0) d += t->rank;
  return t && d >= 0 && d < t->rank ? t->dims[d] : tenon_aten_fixed(1);
}

tenon_status tenon_nn_need_float(tenon_rewriter *rw, tenon_value *x) {
  tenon_dtype t = tenon_nn_type(rw, x);
  if (t && !tenon_aten_is_float(t))
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t));
  return TENON_OK;
}

// What was widened, where nobody states a type: the first result has that of
// the first operand, unless an argument says another.
static tenon_value *narrowed(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *y) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_dtype t = tenon_nn_type(rw, x);
  if (!x || t == tenon_nn_type(rw, y) ||
      tenon_nn_type(rw, tenon_nn_wide(rw, x)) != tenon_nn_type(rw, y) ||
      tenon_aten_dtype(rw, n, "dtype"))
    return y;
  return tenon_aten_cast(rw, y, t);
}

tenon_value *tenon_nn_as_result(tenon_rewriter *rw, const tenon_node *n, int i,
                                tenon_value *y) {
  const tenon_type *t = tenon_aten_result(rw, n, i);
  tenon_dtype have = tenon_nn_type(rw, y);
  if (!have) return y;
  if (!t) return i == 0 ? narrowed(rw, n, y) : y;
  // Only what was widened is made narrow again: a file that states another kind
  // of elements is wrong.
  if (tenon_aten_is_float(have) != tenon_aten_is_float(t->dtype)) {
    (void)tenon_rw_fail(rw, "result %d would have elements of %s, not %s", i,
                        tenon_dtype_name(have), tenon_dtype_name(t->dtype));
    return y;
  }
  y = tenon_aten_reshape(rw, y, t->dims, t->rank);
  return tenon_aten_cast(rw, y, t->dtype);
}

tenon_status tenon_nn_give(tenon_rewriter *rw, const tenon_node *n,
                           tenon_value *y) {
  return tenon_rw_replace(rw, n, tenon_nn_as_result(rw, n, 0, y));
}

tenon_status tenon_nn_give_all(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value **out, int count) {
  for (int i = 0; i < count; ++i)
    out[i] = tenon_nn_as_result(rw, n, i, out[i]);
  return rw->api->replace(rw, n, out, count);
}

tenon_status tenon_nn_ints(tenon_rewriter *rw, const tenon_node *n,
                           const char *name, int count, int64_t absent,
                           int64_t *out) {
  tenon_dim dims[TENON_MAX_RANK];
  int have = tenon_aten_dims(rw, n, name, dims);
  if (have < 0 || (have > 1 && have != count))
    return tenon_rw_fail(rw, "'%s' has not %d entries", name, count);
  for (int i = 0; i < count; ++i) {
    tenon_dim d = tenon_aten_fixed(absent);
    if (have) d = dims[have == 1 ? 0 : i];
    if (d.symbol)
      return tenon_rw_fail(rw, "'%s' depends on a size that is open", name);
    out[i] = d.value;
  }
  return TENON_OK;
}

tenon_value *tenon_nn_add(tenon_rewriter *rw, tenon_value *x, tenon_value *y) {
  return tenon_rw_op2(rw, "core::add", x, y);
}
tenon_value *tenon_nn_sub(tenon_rewriter *rw, tenon_value *x, tenon_value *y) {
  return tenon_rw_op2(rw, "core::sub", x, y);
}
tenon_value *tenon_nn_mul(tenon_rewriter *rw, tenon_value *x, tenon_value *y) {
  return tenon_rw_op2(rw, "core::mul", x, y);
}
tenon_value *tenon_nn_div(tenon_rewriter *rw, tenon_value *x, tenon_value *y) {
  return tenon_rw_op2(rw, "core::div", x, y);
}

tenon_value *tenon_nn_multiply(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *y) {
  tenon_aten_promotion p = {0, 0, 0};
  tenon_aten_promote_value(rw, &p, x);
  tenon_aten_promote_value(rw, &p, y);
  tenon_dtype t = tenon_aten_promoted(&p);
  if (t == TENON_BOOL) return tenon_rw_op2(rw, "core::bitwise_and", x, y);
  if (!t) return tenon_nn_mul(rw, x, y);
  return tenon_nn_mul(rw, tenon_aten_cast(rw, x, t), tenon_aten_cast(rw, y, t));
}

tenon_value *tenon_nn_scale(tenon_rewriter *rw, tenon_value *x,
                            tenon_scalar factor) {
  bool is_one =
      factor.kind == 0 ||
      (factor.kind == TENON_KIND_FLOAT ? factor.as.f == 1 : factor.as.i == 1);
  tenon_dtype t = tenon_nn_type(rw, x);
  if (is_one || !t) return x;
  return tenon_nn_mul(rw, x, tenon_aten_number(rw, t, factor));
}

tenon_value *tenon_nn_times(tenon_rewriter *rw, tenon_value *x, double factor) {
  tenon_dtype t = tenon_nn_type(rw, x);
  if (factor == 1 || !t) return x;
  return tenon_nn_mul(rw, x, tenon_aten_real(rw, t, factor));
}

tenon_value *tenon_nn_plus(tenon_rewriter *rw, tenon_value *x, double term) {
  tenon_dtype t = tenon_nn_type(rw, x);
  return t ? tenon_nn_add(rw, x, tenon_aten_real(rw, t, term)) : x;
}

tenon_value *tenon_nn_swap(tenon_rewriter *rw, tenon_value *x, int a, int b) {
  int64_t order[TENON_MAX_RANK];
  int rank = tenon_nn_rank(rw, x);
  for (int d = 0; d < rank; ++d)
    order[d] = d == a ? b : d == b ? a : d;
  return tenon_aten_permute(rw, x, order, rank);
}

tenon_value *tenon_nn_beside(tenon_rewriter *rw, tenon_value *x, int rank,
                             int axis) {
  tenon_dim dims[TENON_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    dims[d] = d == axis ? tenon_nn_dim(rw, x, 0) : tenon_aten_fixed(1);
  return tenon_aten_reshape(rw, x, dims, rank);
}

tenon_value *tenon_nn_filled(tenon_rewriter *rw, tenon_dtype t,
                             const tenon_dim *dims, int rank, double value) {
  return tenon_aten_expand(rw, tenon_aten_real(rw, t, value), dims, rank);
}
