// Operators over axes: SOFTMAX, L2_NORMALIZATION, MEAN, SUM.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// SOFTMAX
// ---------------------------------------------------------------------------

// Results lie in [0, 1], and the format fixes the scale for that; kernels for
// whole numbers rely on it.
static tenon_status check_unit_scale(tenon_infer *c, const tenon_type *y,
                                     bool is_wider) {
  const tenon_quant *q = y->quant;
  double scale = is_wider                ? 1.0 / 65536
                 : y->dtype == TENON_S16 ? 1.0 / 32768
                                         : 1.0 / 256;
  int32_t zero = is_wider ? -32768 : y->dtype == TENON_S8 ? -128 : 0;
  if (!q) return TENON_OK;
  if (fabs((double)q->scale[0] - scale) > 0.001 * scale ||
      (q->zero ? q->zero[0] : 0) != zero)
    return tenon_infer_fail(
        c, "the result has scale %g and zero point %d, expected %g and %d",
        (double)q->scale[0], (int)(q->zero ? q->zero[0] : 0), scale, (int)zero);
  return TENON_OK;
}

tenon_status tenon_tfl_softmax_infer(tenon_infer *c) {
  const tenon_tfl_softmax_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_tfl_declared(c, 0);
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  if (!(a->beta >= 0 && isfinite(a->beta)) || (x->quant && a->beta == 0))
    return tenon_infer_fail(c, "beta is %g", a->beta);
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  if (!x->quant || !y) return tenon_tfl_number(c, &shape, x);
  // 8 bits in may mean 16 bits out, which alone have a zero point.
  const bool is_wider = x->dtype == TENON_S8 && y->dtype == TENON_S16 &&
                        y->quant && y->quant->channels == 1;
  if (!is_wider) TENON_TRY(tenon_tfl_check_scale(c, y, "result"));
  TENON_TRY(check_unit_scale(c, y, is_wider));
  return tenon_tfl_result(c, 0, &shape,
                          y->dtype == TENON_S16 ? TENON_S16 : x->dtype, x);
}

// Of 16-bit floats LiteRT computes in 32 bits, adds up from the first to the
// last, and rounds the exponentials before they are divided.
static tenon_status softmax_of_halves(tenon_rewriter *rw,
                                      const tenon_node *node, double beta) {
  tenon_value *x = tenon_tfl_cast(rw, tenon_tfl_in(rw, node, 0), TENON_F32);
  const tenon_type *t = tenon_rw_type(rw, x);
  const int64_t last = t->rank - 1;
  if (t->dims[last].symbol || t->dims[last].value < 1)
    return tenon_rw_fail(rw, "%s rows of %lld are not supported", "f16",
                         (long long)t->dims[last].value);
  const tenon_dim end = tenon_tfl_fixed(t->dims[last].value - 1);
  tenon_value *sum = tenon_aten_formula(
      rw,
      "x @bits #beta @last &worth: "
      "worth = exp((x - amax(x, bits, 1)) * beta); cumsum(worth, last)",
      x, 1 << last, (double)(float)beta, (int)last, &x);
  sum = tenon_tfl_part(rw, sum, (int)last, end, tenon_tfl_fixed(1), 1);
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(rw, "x sum: f16(f32(f16(x)) / sum)", x, sum));
}

tenon_status tenon_tfl_softmax_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_tfl_softmax_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  if (x->dtype == TENON_F16) return softmax_of_halves(rw, node, a->beta);
  return tenon_tfl_become_of(
      rw, node, "core::softmax", 1,
      TENON_ARGS(tenon_arg_int("axis", -1), tenon_arg_float("beta", a->beta)));
}

// ---------------------------------------------------------------------------
// LOG_SOFTMAX
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_log_softmax_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  return tenon_tfl_unary_infer(c);
}

tenon_status tenon_tfl_log_softmax_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  return tenon_tfl_become_of(rw, node, "core::log_softmax", 1,
                             TENON_ARGS(tenon_arg_int("axis", -1)));
}

// ---------------------------------------------------------------------------
// LOCAL_RESPONSE_NORMALIZATION
// ---------------------------------------------------------------------------

// So many channels on either side are a sum of as many windows.
#define MAX_RADIUS 64

tenon_status tenon_tfl_lrn_infer(tenon_infer *c) {
  const tenon_tfl_lrn_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  if (a->radius < 0)
    return tenon_infer_fail(c, "radius is %lld", (long long)a->radius);
  return tenon_tfl_unary_infer(c);
}

// The sum of what lies up to `radius` before and behind, along the last axis.
static tenon_value *tfl_reduce_neighbours(tenon_rewriter *rw, tenon_value *x,
                                          int64_t radius) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const int64_t pad[] = {0, 0, 0, radius};
  tenon_value *sum = NULL;
  if (!t) return x;
  const tenon_dim n = t->dims[3];
  tenon_value *wide = tenon_tfl_padded(rw, x, pad, pad, NULL);
  for (int64_t i = 0; i <= 2 * radius; ++i) {
    tenon_value *part = tenon_tfl_part(rw, wide, 3, tenon_tfl_fixed(i), n, 1);
    sum = sum ? tenon_rw_op2(rw, "core::add", sum, part) : part;
  }
  return sum;
}

tenon_status tenon_tfl_lrn_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lrn_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!tenon_tfl_is_float(t)) return tenon_tfl_refuse(rw, t);
  if (a->radius > MAX_RADIUS)
    return tenon_rw_fail(rw, "a radius of %lld is not supported",
                         (long long)a->radius);
  tenon_value *s =
      tfl_reduce_neighbours(rw, tenon_rw_op2(rw, "core::mul", x, x), a->radius);
  s = tenon_tfl_by(rw, "core::mul", s, a->alpha);
  s = tenon_tfl_by(rw, "core::add", s, a->bias);
  s = tenon_tfl_by(rw, "core::pow", s, -a->beta);
  return tenon_rw_replace(rw, node, tenon_rw_op2(rw, "core::mul", x, s));
}

// ---------------------------------------------------------------------------
// L2_NORMALIZATION
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_l2_norm_infer(tenon_infer *c) {
  const tenon_tfl_fused_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (a->fused_activation_function != TFL_ACT_NONE)
    return tenon_infer_fail(c, "fused activation %lld, expected none",
                            (long long)a->fused_activation_function);
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  return tenon_tfl_unary_infer(c);
}

// ---------------------------------------------------------------------------
// MEAN, SUM
// ---------------------------------------------------------------------------

// Axes as the operand gives them, as a set of bits; they may be repeated.
static bool tfl_reduce_axes_of(const int64_t *axes, int n, int rank,
                               uint32_t *set, int64_t *bad) {
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
  const tenon_tfl_reduce_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *t = tenon_infer_in(c, 1);
  int64_t axes[MAX_AXES], bad = 0;
  uint32_t set;
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_decided_reduction(c, x, t, a->keep_dims);
  int n = tenon_tfl_ints(constant, axes, MAX_AXES);
  if (n < 0) return tenon_infer_fail(c, "'axes' is no short list of integers");
  // Nothing is left to reduce in a number, whatever the axes say.
  if (x->rank == 0) n = 0;
  if (!tfl_reduce_axes_of(axes, n, x->rank, &set, &bad))
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

static bool is_computed(tenon_rewriter *rw, const tenon_node *node) {
  return !rw->api->constant(rw, tenon_tfl_in(rw, node, 1));
}

// The axes of a node, each once, in `dims`; how many there are.
static tenon_status axes_in(tenon_rewriter *rw, const tenon_node *node,
                            int64_t *dims, int *count) {
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  int64_t axes[MAX_AXES], bad = 0;
  uint32_t set = 0;
  int n = tenon_tfl_in_ints(rw, node, 1, axes, MAX_AXES);
  *count = 0;
  if (n < 0) return tenon_rw_fail(rw, "'axes' is no short list of integers");
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  if (t->rank && !tfl_reduce_axes_of(axes, n, t->rank, &set, &bad))
    return tenon_rw_fail(rw, "axis %lld of %d dimensions", (long long)bad,
                         t->rank);
  for (int i = 0; i < t->rank; ++i) {
    if (set >> i & 1) dims[(*count)++] = i;
  }
  return TENON_OK;
}

// Whether each element of the result is made of none.
static bool is_of_nothing(const tenon_type *x, const int64_t *dims, int count) {
  for (int i = 0; i < count; ++i)
    if (tenon_tfl_is(x->dims[dims[i]], 0)) return true;
  return false;
}

static tenon_value *tfl_reduce_reduced(tenon_rewriter *rw,
                                       const tenon_node *node, const char *op,
                                       tenon_value *x, const int64_t *dims,
                                       int count, const tenon_type *type) {
  const tenon_tfl_reduce_attrs *a = tenon_rw_attrs(rw, node);
  return tenon_tfl_make(rw, op, &x, 1,
                        TENON_ARGS(tenon_arg_ints("dims", dims, (size_t)count),
                                   tenon_arg_bool("keepdim", a->keep_dims)),
                        type);
}

// No axes, and another scale: an axis of its own for each element.
static tenon_status tfl_reduce_each(tenon_rewriter *rw, const tenon_node *node,
                                    const char *op) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  const int64_t last = shape.rank;
  if (shape.rank == TENON_MAX_RANK)
    return tenon_rw_fail(rw,
                         "no axes of %d dimensions and another scale are "
                         "not supported",
                         shape.rank);
  shape.dims[shape.rank++] = tenon_tfl_fixed(1);
  x = tenon_tfl_reshape(rw, x, &shape, NULL);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_make(rw, op, &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", &last, 1)), y));
}

// One stored number everywhere.
static tenon_status tfl_reduce_all_of(tenon_rewriter *rw,
                                      const tenon_node *node, tenon_value *v) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  v = tenon_tfl_expand(rw, v, &shape);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, v, y->quant));
}

tenon_status tenon_tfl_reduce_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const char *op = (const char *)rw->api->user(rw);
  int64_t dims[TENON_MAX_RANK];
  int count;
  if (is_computed(rw, node)) return tenon_tfl_reduce_computed(rw, node, op);
  TENON_TRY(axes_in(rw, node, dims, &count));
  // No axes: core would take all.
  if (count == 0 && tenon_tfl_same_scale(t, y))
    return tenon_tfl_become(rw, node, "core::copy", &x, 1, NULL);
  if (count == 0) return tfl_reduce_each(rw, node, op);
  // LiteRT leaves the memory of such a result as it finds it.
  if (t->quant && is_of_nothing(t, dims, count))
    return tenon_rw_fail(rw,
                         "a result of no elements is not supported, which "
                         "LiteRT does not compute");
  return tenon_rw_replace(rw, node,
                          tfl_reduce_reduced(rw, node, op, x, dims, count, y));
}

// Of integers: the sum in 64 bits, divided towards zero.
static tenon_status mean_of_integers(tenon_rewriter *rw, const tenon_node *node,
                                     const int64_t *dims, int count) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_value *n = tenon_rw_scalar(rw, TENON_S64, 1);
  for (int i = 0; i < count; ++i)
    n = tenon_rw_op2(rw, "core::mul", n,
                     tenon_tfl_size(rw, t->dims[dims[i]], TENON_S64));
  const tenon_dtype dtype = t->dtype;
  x = tfl_reduce_reduced(rw, node, "core::sum",
                         tenon_tfl_cast(rw, x, TENON_S64), dims, count, NULL);
  x = tenon_tfl_cast(rw, tenon_rw_op2(rw, "core::div", x, n), dtype);
  return tenon_rw_replace(rw, node, x);
}

tenon_status tenon_tfl_mean_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  int64_t dims[TENON_MAX_RANK];
  int count;
  if (is_computed(rw, node))
    return tenon_tfl_reduce_computed(rw, node, "core::mean");
  TENON_TRY(axes_in(rw, node, dims, &count));
  bool is_integer = t->dtype == TENON_S32 || t->dtype == TENON_S64;
  // LiteRT stores 0 for a mean of nothing, whatever the zero point.
  if ((t->quant || is_integer) && is_of_nothing(t, dims, count))
    return tfl_reduce_all_of(rw, node, tenon_rw_scalar(rw, t->dtype, 0));
  if (t->dtype == TENON_U8 && t->quant)
    return tenon_tfl_as_signed(rw, node, "tfl::MEAN");
  if (is_integer && !t->quant && count)
    return mean_of_integers(rw, node, dims, count);
  return tenon_tfl_reduce_lower(rw, node);
}

// The largest of nothing is the least there is.
static double extreme_of_nothing(const tenon_type *t, bool is_max) {
  static const double ends[][2] = {
      [TENON_F32] = {-0x1.fffffep127, 0x1.fffffep127},
      [TENON_S8] = {-128, 127},
      [TENON_U8] = {0, 255},
      [TENON_S16] = {-32768, 32767},
      [TENON_S32] = {-0x1p31, 0x1p31 - 1},
      [TENON_BOOL] = {0, 1}};
  return ends[t->dtype][!is_max];
}

static tenon_value *extreme_of_type(tenon_rewriter *rw, const tenon_type *t,
                                    bool is_max) {
  const tenon_type one = {.dtype = TENON_S64};
  const int64_t end = is_max ? INT64_MIN : INT64_MAX;  // no float has both
  if (t->dtype == TENON_S64) return rw->api->literal(rw, &one, &end);
  return tenon_rw_scalar(rw, t->dtype, extreme_of_nothing(t, is_max));
}

// The same of no elements along axes that a run says.
static tenon_status extreme_computed(tenon_rewriter *rw, const tenon_node *node,
                                     const char *op, bool is_max) {
  const tenon_tfl_reduce_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  int64_t all[TENON_MAX_RANK];
  tenon_tfl_shape to, kept;
  tenon_value *last;
  for (int i = 0; i < t->rank; ++i)
    all[i] = i;
  if (!is_of_nothing(t, all, t->rank))
    return tenon_tfl_reduce_computed(rw, node, op);
  TENON_TRY(tenon_tfl_reduced_last(rw, node, a->keep_dims, &last, &to, &kept));
  last = tenon_tfl_expand(rw, extreme_of_type(rw, t, is_max), &to);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_stored(rw, last, rw->api->result(rw, node, 0)->quant));
}

// Numbers with a scale are compared as they are stored.
tenon_status tenon_tfl_extreme_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const char *op = (const char *)rw->api->user(rw);
  int64_t dims[TENON_MAX_RANK];
  int count;
  if (!tenon_tfl_same_scale(t, y))
    return tenon_rw_fail(rw, "a result of another scale is not supported");
  bool is_max = strcmp(op, "core::amax") == 0;
  if (is_computed(rw, node)) return extreme_computed(rw, node, op, is_max);
  TENON_TRY(axes_in(rw, node, dims, &count));
  if (is_of_nothing(t, dims, count))
    return tfl_reduce_all_of(rw, node, extreme_of_type(rw, t, is_max));
  if (!t->quant || count == 0) return tenon_tfl_reduce_lower(rw, node);
  x = tfl_reduce_reduced(rw, node, op, tenon_tfl_stored(rw, x, NULL), dims,
                         count, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}
