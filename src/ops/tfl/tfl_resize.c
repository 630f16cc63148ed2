// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: one axis after the other, with
// the places that LiteRT computes in floats.
//
// Bilinear, an element is a sum of two with weights; nearest it is one, which
// core::index takes whatever its type.
#include <math.h>

#include "ops/tfl/tfl_op.h"

// Along one axis.
typedef struct axis {
  int64_t from, to;
  bool align, half;
} axis;

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

static float scale_of(const axis *a) {
  return a->align && a->to > 1 ? (float)(a->from - 1) / (float)(a->to - 1)
                               : (float)a->from / (float)a->to;
}

static int32_t nearest(const axis *a, int64_t i) {
  float at = ((float)i + (a->half ? 0.5f : 0.0f)) * scale_of(a);
  int64_t place = (int64_t)(a->align ? roundf(at) : floorf(at));
  if (place > a->from - 1) place = a->from - 1;
  return (int32_t)(place < 0 ? 0 : place);
}

// The two elements that i lies between, and how much of the second.
static void between(const axis *a, int64_t i, int32_t *at, float *weight) {
  float place =
      a->half ? ((float)i + 0.5f) * scale_of(a) - 0.5f : (float)i * scale_of(a);
  float low = floorf(place), high = ceilf(place);
  at[0] = low < 0 ? 0 : (int32_t)low;
  at[1] = high > (float)(a->from - 1) ? (int32_t)(a->from - 1) : (int32_t)high;
  if (at[1] < 0) at[1] = 0;
  weight[1] = place - (float)at[0];
  weight[0] = 1 - weight[1];
}

// ---------------------------------------------------------------------------
// Tables, as constants in parts of CHUNK
// ---------------------------------------------------------------------------

enum { CHUNK = 256, MAX_CHUNKS = 128 };

static tenon_value *places(tenon_rewriter *rw, const axis *a) {
  tenon_value *parts[MAX_CHUNKS];
  int32_t at[CHUNK];
  uint32_t n = 0;
  for (int64_t first = 0; first < a->to; first += CHUNK) {
    tenon_dim size =
        tenon_tfl_fixed(a->to - first < CHUNK ? a->to - first : CHUNK);
    const tenon_type t = {&size, NULL, TENON_S32, 1, 0};
    for (int64_t i = 0; i < size.value; ++i)
      at[i] = nearest(a, first + i);
    parts[n++] = rw->api->literal(rw, &t, at);
  }
  return n == 1 ? parts[0] : tenon_tfl_join(rw, parts, n, 0, NULL);
}

static void pairs(tenon_rewriter *rw, const axis *a, tenon_value **index,
                  tenon_value **weight) {
  tenon_value *parts[MAX_CHUNKS], *weights[MAX_CHUNKS];
  int32_t at[2 * CHUNK];
  float w[2 * CHUNK];
  uint32_t n = 0;
  for (int64_t first = 0; first < a->to; first += CHUNK) {
    tenon_dim size[] = {
        tenon_tfl_fixed(a->to - first < CHUNK ? a->to - first : CHUNK),
        tenon_tfl_fixed(2)};
    tenon_type t = {size, NULL, TENON_S32, 2, 0};
    for (int64_t i = 0; i < size[0].value; ++i)
      between(a, first + i, at + 2 * i, w + 2 * i);
    parts[n] = rw->api->literal(rw, &t, at);
    t.dtype = TENON_F32;
    weights[n++] = rw->api->literal(rw, &t, w);
  }
  *index = n == 1 ? parts[0] : tenon_tfl_join(rw, parts, n, 0, NULL);
  *weight = n == 1 ? weights[0] : tenon_tfl_join(rw, weights, n, 0, NULL);
}

// ---------------------------------------------------------------------------
// Operators
// ---------------------------------------------------------------------------

static tenon_status resize_infer(tenon_infer *c, bool align, bool half) {
  const tenon_type *x, *t;
  int64_t size[2];
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "size", 1, &t));
  if (align && half)
    return tenon_infer_fail(
        c, "both align_corners and half_pixel_centers are set");
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_as_declared(c);
  if (tenon_tfl_ints(constant, size, 2) != 2)
    return tenon_infer_fail(c, "'size' is not two integers");
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 0; i < 2; ++i) {
    if (size[i] < 1 || size[i] > INT32_MAX || tenon_tfl_is(x->dims[1 + i], 0))
      return tenon_infer_fail(c, "%lld elements become %lld",
                              (long long)x->dims[1 + i].value,
                              (long long)size[i]);
    y.dims[1 + i] = tenon_tfl_fixed(size[i]);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_resize_nearest_infer(tenon_infer *c) {
  const tenon_tfl_resize_attrs *a =
      (const tenon_tfl_resize_attrs *)tenon_infer_attrs(c);
  return resize_infer(c, a->align_corners, a->half_pixel_centers);
}

tenon_status tenon_tfl_resize_bilinear_infer(tenon_infer *c) {
  const tenon_tfl_resize_bilinear_attrs *a =
      (const tenon_tfl_resize_bilinear_attrs *)tenon_infer_attrs(c);
  return resize_infer(c, a->align_corners, a->half_pixel_centers);
}

// Both axes, or a failure.
static tenon_status axes_of(tenon_rewriter *rw, const tenon_node *node,
                            bool align, bool half, axis axes[2]) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const tenon_type *y = rw->api->result(rw, node, 0);
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  for (int i = 0; i < 2; ++i) {
    if (x->dims[1 + i].symbol || y->dims[1 + i].symbol ||
        y->dims[1 + i].value > (int64_t)CHUNK * MAX_CHUNKS)
      return tenon_rw_fail(rw, "dimension %d is open, or too large", 1 + i);
    axes[i].from = x->dims[1 + i].value;
    axes[i].to = y->dims[1 + i].value;
    axes[i].align = align;
    axes[i].half = half;
  }
  return TENON_OK;
}

tenon_status tenon_tfl_resize_nearest_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  const tenon_tfl_resize_attrs *a =
      (const tenon_tfl_resize_attrs *)tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  axis axes[2];
  TENON_TRY(axes_of(rw, node, a->align_corners, a->half_pixel_centers, axes));
  for (int i = 0; i < 2; ++i) {
    tenon_value *at = places(rw, &axes[i]);
    x = tenon_tfl_index(rw, x, &at, 1, 1 + i, i ? y : NULL);
  }
  return tenon_rw_replace(rw, node, x);
}

static tenon_status in_integers(tenon_rewriter *rw, const tenon_node *node,
                                const tenon_tfl_resize_bilinear_attrs *a,
                                const axis axes[2]) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const int64_t size[] = {axes[0].to, axes[1].to};
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("size", size, 2));
  tenon_tfl_arg(&args, tenon_arg_bool("align_corners", a->align_corners));
  tenon_tfl_arg(&args,
                tenon_arg_bool("half_pixel_centers", a->half_pixel_centers));
  return tenon_tfl_become(rw, node, "core::resize_bilinear", &x, 1, &args);
}

tenon_status tenon_tfl_resize_bilinear_lower(tenon_rewriter *rw,
                                             const tenon_node *node) {
  const tenon_tfl_resize_bilinear_attrs *a =
      (const tenon_tfl_resize_bilinear_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  axis axes[2];
  TENON_TRY(axes_of(rw, node, a->align_corners, a->half_pixel_centers, axes));
  if (t->quant) return in_integers(rw, node, a, axes);
  if (!tenon_tfl_is_float(t))
    return tenon_rw_fail(rw, "%s operands are not supported",
                         tenon_tfl_dtype_name(t->dtype));
  for (int i = 0; i < 2; ++i) {
    tenon_value *in[3] = {x};
    tenon_tfl_args args = {0};
    pairs(rw, &axes[i], &in[1], &in[2]);
    tenon_tfl_arg(&args, tenon_arg_int("axis", 1 + i));
    x = tenon_tfl_make(rw, "core::resample", in, 3, &args, NULL);
  }
  return tenon_rw_replace(rw, node, x);
}
