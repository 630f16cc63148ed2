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

static float tfl_resize_scale_of(const axis *a) {
  return a->align && a->to > 1 ? (float)(a->from - 1) / (float)(a->to - 1)
                               : (float)a->from / (float)a->to;
}

static int32_t tfl_resize_nearest(const axis *a, int64_t i) {
  float at = ((float)i + (a->half ? 0.5f : 0.0f)) * tfl_resize_scale_of(a);
  int64_t place = (int64_t)(a->align ? roundf(at) : floorf(at));
  if (place > a->from - 1) place = a->from - 1;
  return (int32_t)(place < 0 ? 0 : place);
}

// The two elements that i lies between, and how much of the second.
static void tfl_resize_between(const axis *a, int64_t i, int32_t *at,
                               float *weight) {
  float place = a->half ? ((float)i + 0.5f) * tfl_resize_scale_of(a) - 0.5f
                        : (float)i * tfl_resize_scale_of(a);
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

static tenon_value *tfl_resize_places(tenon_rewriter *rw, const axis *a) {
  tenon_value *parts[MAX_CHUNKS];
  int32_t at[CHUNK];
  uint32_t n = 0;
  for (int64_t first = 0; first < a->to; first += CHUNK) {
    tenon_dim size =
        tenon_tfl_fixed(a->to - first < CHUNK ? a->to - first : CHUNK);
    const tenon_type t = {&size, NULL, TENON_S32, 1, 0};
    for (int64_t i = 0; i < size.value; ++i)
      at[i] = tfl_resize_nearest(a, first + i);
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
      tfl_resize_between(a, first + i, at + 2 * i, w + 2 * i);
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
  tenon_dim size[TFL_MAX_NUMBERS];
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "size", 1, &t));
  if (align && half)
    return tenon_infer_fail(
        c, "both align_corners and half_pixel_centers are set");
  if (tenon_tfl_list(c, 1, size) != 2)
    return tenon_infer_fail(c, "'size' is not two integers");
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 0; i < 2; ++i) {
    if (tenon_tfl_is(size[i], TENON_UNKNOWN))
      size[i] = c->api->decided(c, size[i]);
    if ((!size[i].symbol && (size[i].value < 1 || size[i].value > INT32_MAX)) ||
        tenon_tfl_is(x->dims[1 + i], 0))
      return tenon_infer_fail(c, "%lld elements become %lld",
                              (long long)x->dims[1 + i].value,
                              (long long)size[i].value);
    y.dims[1 + i] = size[i];
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_resize_nearest_infer(tenon_infer *c) {
  const tenon_tfl_resize_attrs *a = tenon_infer_attrs(c);
  return resize_infer(c, a->align_corners, a->half_pixel_centers);
}

tenon_status tenon_tfl_resize_bilinear_infer(tenon_infer *c) {
  const tenon_tfl_resize_bilinear_attrs *a = tenon_infer_attrs(c);
  return resize_infer(c, a->align_corners, a->half_pixel_centers);
}

// Both axes. False: a size is open, or a table of places would be too large.
static bool tfl_resize_axes_of(tenon_rewriter *rw, const tenon_node *node,
                               bool align, bool half, tenon_dim size[2],
                               axis axes[2]) {
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  bool is_known = true;
  (void)tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 1), size);
  for (int i = 0; i < 2; ++i) {
    is_known &= !x->dims[1 + i].symbol && !size[i].symbol &&
                size[i].value <= (int64_t)CHUNK * MAX_CHUNKS;
    axes[i].from = x->dims[1 + i].value;
    axes[i].to = size[i].value;
    axes[i].align = align;
    axes[i].half = half;
  }
  return is_known;
}

// ---------------------------------------------------------------------------
// Sizes that are open: the same places, computed in a run
// ---------------------------------------------------------------------------

// What scale_of computes, and the places 0 to `to` - 1 times it.
static tenon_value *tfl_resize_scaled(tenon_rewriter *rw, const axis *a,
                                      tenon_dim from, tenon_dim to,
                                      double shift) {
  tenon_value *n = tenon_tfl_size(rw, from, TENON_F32);
  tenon_value *m = tenon_tfl_size(rw, to, TENON_F32);
  return tenon_aten_formula(
      rw,
      "n m at @align #shift: scale = if(align, "
      "m > 1 ? (n - 1) / (maximum(m, 2) - 1) : n / m, n / m); "
      "if(shift == 0, at, at + shift) * scale",
      n, m, tenon_tfl_line(rw, to, 1, 0, TENON_F32), (int)a->align, shift);
}

// Integers within 0 and `from` - 1.
static tenon_value *tfl_resize_within(tenon_rewriter *rw, tenon_value *at,
                                      tenon_dim from) {
  at = tenon_tfl_cast(rw, at, TENON_S32);
  return tenon_aten_formula(rw, "at n: maximum(minimum(at, n - 1), 0)", at,
                            tenon_tfl_size(rw, from, TENON_S32));
}

static tenon_value *nearest_computed(tenon_rewriter *rw, const axis *a,
                                     tenon_dim from, tenon_dim to) {
  tenon_value *at = tfl_resize_scaled(rw, a, from, to, a->half ? 0.5 : 0);
  // Halves go up, as roundf has them above zero.
  at = tenon_aten_formula(rw,
                          "at @align: low = floor(at); "
                          "if(align, at - low >= 0.5 ? low + 1 : low, low)",
                          at, (int)a->align);
  return tfl_resize_within(rw, at, from);
}

static void between_computed(tenon_rewriter *rw, const axis *a, tenon_dim from,
                             tenon_dim to, tenon_value **index,
                             tenon_value **weight) {
  const tenon_tfl_shape column = {{to, tenon_tfl_fixed(1)}, 2};
  tenon_value *place = tfl_resize_scaled(rw, a, from, to, a->half ? 0.5 : 0),
              *at[2], *w[2];
  if (a->half) place = tenon_tfl_by(rw, "core::sub", place, 0.5);
  at[0] = tfl_resize_within(rw, tenon_rw_op1(rw, "core::floor", place), from);
  at[1] = tfl_resize_within(rw, tenon_rw_op1(rw, "core::ceil", place), from);
  w[0] = tenon_aten_formula(rw, "place at &w: w = place - f32(at); 1 - w",
                            place, at[0], &w[1]);
  for (int i = 0; i < 2; ++i) {
    at[i] = tenon_tfl_reshape(rw, at[i], &column, NULL);
    w[i] = tenon_tfl_reshape(rw, w[i], &column, NULL);
  }
  *index = tenon_tfl_join(rw, at, 2, 1, NULL);
  *weight = tenon_tfl_join(rw, w, 2, 1, NULL);
}

// ---------------------------------------------------------------------------
// Lowerings
// ---------------------------------------------------------------------------

// The axis that comes first: of what lies between there is less, or where that
// is one, columns, since rows are larger blocks to choose from.
static int tfl_resize_first(const axis axes[2], bool is_known) {
  const axis *rows = &axes[0], *columns = &axes[1];
  return is_known && rows->from * columns->to <= rows->to * columns->from;
}

tenon_status tenon_tfl_resize_nearest_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  const tenon_tfl_resize_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_quant *quant = y->quant;
  tenon_dim size[2];
  axis axes[2];
  bool is_known = tfl_resize_axes_of(rw, node, a->align_corners,
                                     a->half_pixel_centers, size, axes);
  const int first = tfl_resize_first(axes, is_known);
  x = tenon_tfl_stored(rw, x, NULL);
  for (int k = 0; k < 2; ++k) {
    const int i = k == 0 ? first : 1 - first;
    if (is_known && axes[i].from == axes[i].to) continue;  // all as they are
    tenon_value *at =
        is_known ? tfl_resize_places(rw, &axes[i])
                 : nearest_computed(rw, &axes[i],
                                    tenon_rw_type(rw, x)->dims[1 + i], size[i]);
    x = tenon_tfl_index(rw, x, &at, 1, 1 + i, NULL);
  }
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, quant));
}

static tenon_status in_integers(tenon_rewriter *rw, const tenon_node *node,
                                const tenon_tfl_resize_bilinear_attrs *a,
                                const tenon_dim size[2]) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_type y = *rw->api->result(rw, node, 0);
  const tenon_dim dims[] = {y.dims[0], size[0], size[1], y.dims[3]};
  y.dims = dims;
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_make(
          rw, "core::resize_bilinear", &x, 1,
          TENON_ARGS(
              tenon_arg_dims("size", size, 2),
              tenon_arg_bool("align_corners", a->align_corners),
              tenon_arg_bool("half_pixel_centers", a->half_pixel_centers)),
          &y));
}

tenon_status tenon_tfl_resize_bilinear_lower(tenon_rewriter *rw,
                                             const tenon_node *node) {
  const tenon_tfl_resize_bilinear_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim size[2];
  axis axes[2];
  bool is_known = tfl_resize_axes_of(rw, node, a->align_corners,
                                     a->half_pixel_centers, size, axes);
  if (t->quant) return in_integers(rw, node, a, size);
  if (!tenon_tfl_is_float(t)) return tenon_tfl_refuse(rw, t);
  for (int i = 0; i < 2; ++i) {
    tenon_value *in[3] = {x};
    if (is_known)
      pairs(rw, &axes[i], &in[1], &in[2]);
    else
      between_computed(rw, &axes[i], tenon_rw_type(rw, x)->dims[1 + i], size[i],
                       &in[1], &in[2]);
    x = tenon_rw_op(rw, "core::resample", in, 3,
                    TENON_ARGS(tenon_arg_int("axis", 1 + i)));
  }
  return tenon_rw_replace(rw, node, x);
}
