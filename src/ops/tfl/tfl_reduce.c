// Operators over axes: SOFTMAX, L2_NORMALIZATION, MEAN, SUM.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// SOFTMAX
// ---------------------------------------------------------------------------

// Results lie in [0, 1], and the format fixes the scale for that; kernels for
// whole numbers rely on it.
static tenon_status check_unit_scale(tenon_infer *c, const tenon_type *y) {
  const tenon_quant *q = y->quant;
  double scale = y->dtype == TENON_S16 ? 1.0 / 32768 : 1.0 / 256;
  int32_t zero = y->dtype == TENON_S8 ? -128 : 0;
  if (!q) return TENON_OK;
  if (fabs((double)q->scale[0] - scale) > 0.001 * scale ||
      (q->zero ? q->zero[0] : 0) != zero)
    return tenon_infer_fail(
        c, "the result has scale %g and zero point %d, expected %g and %d",
        (double)q->scale[0], (int)(q->zero ? q->zero[0] : 0), scale, (int)zero);
  return TENON_OK;
}

tenon_status tenon_tfl_softmax_infer(tenon_infer *c) {
  const tenon_tfl_softmax_attrs *a =
      (const tenon_tfl_softmax_attrs *)tenon_infer_attrs(c);
  const tenon_type *x, *y = tenon_tfl_declared(c, 0);
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  if (!(a->beta >= 0 && isfinite(a->beta)) || (x->quant && a->beta == 0))
    return tenon_infer_fail(c, "beta is %g", a->beta);
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  if (!x->quant || !y) return tenon_tfl_number(c, &shape, x);
  // 8 bits in may mean 16 bits out.
  TENON_TRY(tenon_tfl_check_scale(c, y, "result"));
  TENON_TRY(check_unit_scale(c, y));
  return tenon_tfl_result(c, 0, &shape,
                          y->dtype == TENON_S16 ? TENON_S16 : x->dtype, x);
}

tenon_status tenon_tfl_softmax_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_tfl_softmax_attrs *a =
      (const tenon_tfl_softmax_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_int("axis", -1));
  tenon_tfl_arg(&args, tenon_arg_float("beta", a->beta));
  return tenon_tfl_become(rw, node, "core::softmax", &x, 1, &args);
}

// ---------------------------------------------------------------------------
// LOG_SOFTMAX
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_log_softmax_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  return tenon_tfl_unary_infer(c);
}

tenon_status tenon_tfl_log_softmax_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_int("axis", -1));
  return tenon_tfl_become(rw, node, "core::log_softmax", &x, 1, &args);
}

// ---------------------------------------------------------------------------
// LOCAL_RESPONSE_NORMALIZATION
// ---------------------------------------------------------------------------

// So many channels on either side are a sum of as many windows.
#define MAX_RADIUS 64

tenon_status tenon_tfl_lrn_infer(tenon_infer *c) {
  const tenon_tfl_lrn_attrs *a =
      (const tenon_tfl_lrn_attrs *)tenon_infer_attrs(c);
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  if (a->radius < 0)
    return tenon_infer_fail(c, "radius is %lld", (long long)a->radius);
  return tenon_tfl_unary_infer(c);
}

// The sum of what lies up to `radius` before and behind, along the last axis.
static tenon_value *neighbours(tenon_rewriter *rw, tenon_value *x,
                               int64_t radius) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const int64_t pad[] = {0, 0, 0, radius}, step[] = {1, 1, 1, 1};
  tenon_value *wide, *sum = NULL;
  tenon_tfl_args args = {0};
  if (!t) return x;
  tenon_tfl_shape shape = tenon_tfl_shape_of(t);
  tenon_tfl_arg(&args, tenon_arg_ints("before", pad, 4));
  tenon_tfl_arg(&args, tenon_arg_ints("after", pad, 4));
  wide = tenon_tfl_make(rw, "core::pad", &x, 1, &args, NULL);
  for (int64_t i = 0; i <= 2 * radius; ++i) {
    const tenon_dim begin[] = {{0, 0}, {0, 0}, {0, 0}, {i, 0}};
    tenon_value *part = tenon_tfl_slice(rw, wide, begin, shape.dims, step, t);
    sum = sum ? tenon_rw_op2(rw, "core::add", sum, part) : part;
  }
  return sum;
}

tenon_status tenon_tfl_lrn_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lrn_attrs *a =
      (const tenon_tfl_lrn_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!tenon_tfl_is_float(t))
    return tenon_rw_fail(rw, "%s operands are not supported",
                         tenon_tfl_dtype_name(t->dtype));
  if (a->radius > MAX_RADIUS)
    return tenon_rw_fail(rw, "a radius of %lld is not supported",
                         (long long)a->radius);
  tenon_value *s =
      neighbours(rw, tenon_rw_op2(rw, "core::mul", x, x), a->radius);
  s = tenon_rw_op2(rw, "core::mul", s,
                   tenon_rw_scalar(rw, TENON_F32, a->alpha));
  s = tenon_rw_op2(rw, "core::add", s, tenon_rw_scalar(rw, TENON_F32, a->bias));
  s = tenon_rw_op2(rw, "core::pow", s,
                   tenon_rw_scalar(rw, TENON_F32, -a->beta));
  return tenon_rw_replace(rw, node, tenon_rw_op2(rw, "core::mul", x, s));
}

// ---------------------------------------------------------------------------
// L2_NORMALIZATION
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_l2_norm_infer(tenon_infer *c) {
  const tenon_tfl_fused_attrs *a =
      (const tenon_tfl_fused_attrs *)tenon_infer_attrs(c);
  const tenon_type *x;
  if (a->fused_activation_function != TFL_ACT_NONE)
    return tenon_infer_fail(c, "fused activation %lld, expected none",
                            (long long)a->fused_activation_function);
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  return tenon_tfl_unary_infer(c);
}

// ---------------------------------------------------------------------------
// MEAN, SUM
// ---------------------------------------------------------------------------

// Axes as the operand gives them, as a set of bits; they may be repeated.
static bool axes_of(const int64_t *axes, int n, int rank, uint32_t *set,
                    int64_t *bad) {
  *set = 0;
  for (int i = 0; i < n; ++i) {
    *bad = axes[i];
    if (axes[i] < -rank || axes[i] >= rank) return false;
    *set |= 1u << (axes[i] < 0 ? axes[i] + rank : axes[i]);
  }
  return true;
}

// More than this many are repetitions in any file that makes sense.
#define MAX_AXES 64

tenon_status tenon_tfl_reduce_infer(tenon_infer *c) {
  const tenon_tfl_reduce_attrs *a =
      (const tenon_tfl_reduce_attrs *)tenon_infer_attrs(c);
  const tenon_type *x, *t;
  int64_t axes[MAX_AXES], bad = 0;
  uint32_t set;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "axes", -1, &t));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_as_declared(c);
  int n = tenon_tfl_ints(constant, axes, MAX_AXES);
  if (n < 0) return tenon_infer_fail(c, "'axes' is no short list of integers");
  // Nothing is left to reduce in a number, whatever the axes say.
  if (x->rank == 0) n = 0;
  if (!axes_of(axes, n, x->rank, &set, &bad))
    return tenon_infer_fail(c, "axis %lld of %d dimensions", (long long)bad,
                            x->rank);
  tenon_tfl_shape y = {.rank = 0};
  for (int i = 0; i < x->rank; ++i) {
    if (!(set >> i & 1)) {
      y.dims[y.rank++] = x->dims[i];
    } else if (a->keep_dims) {
      y.dims[y.rank++] = tenon_tfl_fixed(1);
    }
  }
  return tenon_tfl_number(c, &y, x);
}

// `as_stored`: numbers with a scale are compared as they are stored.
static tenon_status reduce(tenon_rewriter *rw, const tenon_node *node,
                           bool as_stored) {
  const tenon_tfl_reduce_attrs *a =
      (const tenon_tfl_reduce_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t axes[MAX_AXES], dims[TENON_MAX_RANK], bad = 0;
  uint32_t set = 0;
  int n = tenon_tfl_in_ints(rw, node, 1, axes, MAX_AXES), count = 0;
  if (n < 0)
    return tenon_rw_fail(rw,
                         "axes that are computed in a run are not supported");
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  if (t->rank && !axes_of(axes, n, t->rank, &set, &bad))
    return tenon_rw_fail(rw, "axis %lld of %d dimensions", (long long)bad,
                         t->rank);
  for (int i = 0; i < t->rank; ++i) {
    if (set >> i & 1) dims[count++] = i;
  }
  // No axes: core would take all.
  if (count == 0 && tenon_tfl_same_scale(t, rw->api->result(rw, node, 0)))
    return tenon_tfl_become(rw, node, "core::copy", &x, 1, NULL);
  if (count == 0)
    return tenon_rw_fail(rw, "no axes and another scale are not supported");
  const char *op = (const char *)rw->api->user(rw);
  // LiteRT stores 0 for a mean of nothing, whatever the zero point.
  for (int i = 0; i < count; ++i)
    if (t->quant && strcmp(op, "core::mean") == 0 &&
        tenon_tfl_is(t->dims[dims[i]], 0))
      return tenon_rw_fail(rw, "a mean of no elements is not supported");
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("dims", dims, (size_t)count));
  tenon_tfl_arg(&args, tenon_arg_bool("keepdim", a->keep_dims));
  const tenon_type *y = rw->api->result(rw, node, 0);
  if (!as_stored || !t->quant)
    return tenon_tfl_become(rw, node, op, &x, 1, &args);
  x = tenon_tfl_stored(rw, x, NULL);
  x = tenon_tfl_make(rw, op, &x, 1, &args, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

tenon_status tenon_tfl_reduce_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  return reduce(rw, node, false);
}

tenon_status tenon_tfl_extreme_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  if (!tenon_tfl_same_scale(x, rw->api->result(rw, node, 0)))
    return tenon_rw_fail(rw, "a result of another scale is not supported");
  return reduce(rw, node, true);
}
