// quant_conv.c - convolutions of integers whose results are floats, on
// integers.
//
// Whether a result is quantised again shows behind a convolution, so this is a
// pass of its own: when it runs, quant_fold.c has taken what is. The windows of
// images in one group are rows of a product (quant_dynamic.c), so its kernels
// do; groups and volumes have an operator of their own.
#include "ops/quant/fold/quant_conv.h"

#include "kern/product/conv.h"
#include "kern/product/volume.h"
#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_dynamic.h"

// A convolution as core::conv3d has it; images have one layer.
typedef struct conv {
  tenon_value *q, *scale, *zero;  // [n, ..., c] of s8; zero: of s32, or null
  tenon_value *w, *w_scale;       // w of s8, as the operator has it
  tenon_value *bias;
  const tenon_type *y;
  int64_t stride[3], pad[6], dilation[3], groups;
} conv;

// --- Arguments ---------------------------------------------------------------

static void take_images(tenon_ints stride, tenon_ints pad, tenon_ints dilation,
                        conv *c) {
  c->stride[0] = c->dilation[0] = 1;
  c->pad[0] = c->pad[3] = 0;
  for (int i = 0; i < 2; ++i) {
    c->stride[1 + i] = stride.data[i];
    c->dilation[1 + i] = dilation.data[i];
    c->pad[1 + i] = pad.data[i];
    c->pad[4 + i] = pad.data[2 + i];
  }
}

// False: limits, which are merged into convolutions afterwards.
static bool take_args(tenon_rewriter *rw, const tenon_node *n, conv *c) {
  const void *attrs = rw->api->attrs(rw, n);
  if (tenon_quant_is_op(rw, n, "core::conv3d")) {
    const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)attrs;
    for (int i = 0; i < 3; ++i) {
      c->stride[i] = a->stride.data[i];
      c->dilation[i] = a->dilation.data[i];
      c->pad[i] = a->pad.data[i];
      c->pad[3 + i] = a->pad.data[3 + i];
    }
    c->groups = a->groups;
    return true;
  }
  if (tenon_quant_is_op(rw, n, "core::conv")) {
    const tenon_conv_attrs *a = (const tenon_conv_attrs *)attrs;
    take_images(a->stride, a->pad, a->dilation, c);
    c->groups = a->groups;
    return !a->lo.has && !a->hi.has;
  }
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)attrs;
  const tenon_type *x = tenon_aten_known(rw, rw->api->operand(rw, n, 0));
  take_images(a->stride, a->pad, a->dilation, c);
  c->groups = x->dims[3].value;
  return !a->lo.has && !a->hi.has;
}

// --- Operands ----------------------------------------------------------------

static bool is_single(tenon_rewriter *rw, tenon_value *v) {
  const tenon_type *t = tenon_aten_known(rw, v);
  for (int i = 0; i < t->rank; ++i)
    if (!tenon_aten_is(t->dims[i], 1)) return false;
  return true;
}

// Images of integers with one scale, in the order that the convolution reads.
static bool take_x(tenon_rewriter *rw, tenon_value *x, conv *c) {
  tenon_quant_links l;
  tenon_quant_rows r = {0};
  x = tenon_quant_climb(rw, x, TENON_QUANT_VIEWS | TENON_QUANT_MOVES, false,
                        &l);
  if (!tenon_quant_find_rows(rw, x, &r) || !is_single(rw, r.scale) ||
      (r.zero && !is_single(rw, r.zero)))
    return false;
  const tenon_type *t = tenon_aten_known(rw, x);
  c->zero = r.zero ? tenon_aten_cast(rw, r.zero, TENON_S32) : NULL;
  if (tenon_aten_known(rw, r.q)->dtype != TENON_S8) {
    r.q =
        tenon_aten_cast(rw, tenon_quant_less_128(rw, r.q, TENON_S16), TENON_S8);
    c->zero = c->zero ? tenon_quant_less_128(rw, c->zero, TENON_S32)
                      : tenon_aten_real(rw, TENON_S32, -128);
  }
  c->scale = tenon_aten_cast(rw, r.scale, TENON_F32);
  c->q =
      tenon_quant_follow(rw, &l, tenon_aten_reshape(rw, r.q, t->dims, t->rank));
  return c->q != NULL;
}

// Constant integers, with a scale for all or for each output, which are along
// `outputs`.
static bool take_w(tenon_rewriter *rw, tenon_value *w, int outputs, conv *c) {
  tenon_quant_links l;
  int axis = 0;
  w = tenon_quant_climb(rw, w, TENON_QUANT_VIEWS, false, &l);
  const tenon_type *t = tenon_aten_known(rw, w), *before = t;
  tenon_quant_scaled s = {.dtype = TENON_F32, .k = 1};
  for (int i = 0; i < t->rank; ++i)
    if (t->dims[i].symbol || t->dims[i].value < 1) return false;
  for (int i = l.n; i-- > 0 && axis >= 0;) {
    const tenon_type *after = tenon_aten_known(rw, l.made[i]);
    axis = tenon_quant_axis_behind(rw, l.node[i], before, after, axis);
    before = after;
  }
  if (t->rank < 2 || axis != outputs) return false;
  s.n = t->dims[0].value;
  for (int i = 1; i < t->rank; ++i)
    s.k *= t->dims[i].value;
  if (s.k > TENON_QUANT_MOST_PRODUCTS || !tenon_quant_find_channels(rw, w, &s))
    return false;
  w = tenon_quant_plain_weights(rw, &s);
  c->w_scale = s.scale;
  if (w) w = tenon_aten_reshape(rw, w, t->dims, t->rank);
  c->w = tenon_quant_follow(rw, &l, w);
  return c->w != NULL;
}

static bool is_f32(tenon_rewriter *rw, tenon_value *v) {
  return tenon_aten_known(rw, v)->dtype == TENON_F32;
}

// --- Products of windows -----------------------------------------------------

static tenon_value *quant_conv_scaled(tenon_rewriter *rw, const conv *c,
                                      const char *op, tenon_value *x,
                                      tenon_value *w, const tenon_arg *args) {
  tenon_value *in[] = {x, w, c->scale, c->zero, c->w_scale, c->bias};
  return tenon_rw_op(rw, op, in, 6, args);
}

// x with rows or columns of one number before and behind.
static tenon_value *quant_conv_padded(tenon_rewriter *rw, tenon_value *x,
                                      int axis, int64_t before, int64_t behind,
                                      tenon_value *number) {
  const tenon_type *t = tenon_aten_known(rw, x);
  const int64_t counts[] = {before, 0, behind};
  tenon_value *parts[3];
  int n = 0;
  for (int k = 0; k < 3; ++k) {
    tenon_dim dims[TENON_MAX_RANK], ones[TENON_MAX_RANK];
    for (int i = 0; i < t->rank; ++i) {
      dims[i] = i == axis ? tenon_aten_fixed(counts[k]) : t->dims[i];
      ones[i] = tenon_aten_fixed(1);
    }
    if (k == 1)
      parts[n++] = x;
    else if (counts[k] > 0)
      parts[n++] = tenon_aten_expand(
          rw, tenon_aten_reshape(rw, number, ones, t->rank), dims, t->rank);
  }
  return tenon_rw_concat(rw, parts, n, axis);
}

// The windows of images [n, h, w, c] as rows [n, windows, c * kh * kw]. What
// stands outside of the image is the zero point, which the type holds.
static tenon_value *windows_of(tenon_rewriter *rw, const conv *c,
                               const int64_t size[2]) {
  static const int64_t first[] = {0, 3, 1, 2}, turn[] = {0, 2, 1};
  tenon_value *q = tenon_aten_permute(rw, c->q, first, 4);
  tenon_value *outside = c->zero ? tenon_aten_cast(rw, c->zero, TENON_S8)
                                 : tenon_aten_real(rw, TENON_S8, 0);
  for (int i = 0; i < 2; ++i)
    q = quant_conv_padded(rw, q, 2 + i, c->pad[1 + i], c->pad[4 + i], outside);
  q = tenon_rw_op(rw, "core::im2col", &q, 1,
                  TENON_ARGS(tenon_arg_ints("window", size, 2),
                             tenon_arg_ints("dilation", c->dilation + 1, 2),
                             tenon_arg_ints("stride", c->stride + 1, 2)));
  return tenon_aten_permute(rw, q, turn, 3);
}

static tenon_value *quant_conv_product(tenon_rewriter *rw, const conv *c) {
  static const int64_t first[] = {0, 3, 1, 2};
  const tenon_type *t = tenon_aten_known(rw, c->w);
  const int64_t size[] = {t->dims[1].value, t->dims[2].value};
  const tenon_dim dims[] = {
      t->dims[0], tenon_aten_fixed(size[0] * size[1] * t->dims[3].value)};
  bool is_pixel = true;  // its windows are the pixels, as they lie
  for (int i = 0; i < 2; ++i)
    is_pixel = is_pixel && size[i] == 1 && c->stride[1 + i] == 1 &&
               c->pad[1 + i] == 0 && c->pad[4 + i] == 0;
  tenon_value *w = is_pixel ? c->w : tenon_aten_permute(rw, c->w, first, 4);
  tenon_value *x = is_pixel ? c->q : windows_of(rw, c, size);
  return quant_conv_scaled(rw, c, "core::dynamic_linear", x,
                           tenon_aten_reshape(rw, w, dims, 2), NULL);
}

// --- Volumes -----------------------------------------------------------------

// [n, h, w, c] with one layer, and volumes as they are.
static tenon_value *layered(tenon_rewriter *rw, tenon_value *v) {
  const tenon_type *t = tenon_aten_known(rw, v);
  if (t->rank == 5) return v;
  const tenon_dim dims[] = {t->dims[0], tenon_aten_fixed(1), t->dims[1],
                            t->dims[2], t->dims[3]};
  return tenon_aten_reshape(rw, v, dims, 5);
}

static tenon_value *volume(tenon_rewriter *rw, const conv *c,
                           bool is_depthwise) {
  static const int64_t order[] = {3, 1, 2, 0};  // [1, kh, kw, oc]
  tenon_value *w = is_depthwise ? tenon_aten_permute(rw, c->w, order, 4) : c->w;
  return quant_conv_scaled(
      rw, c, "core::dynamic_conv3d", layered(rw, c->q), layered(rw, w),
      TENON_ARGS(tenon_arg_ints("stride", c->stride, 3),
                 tenon_arg_ints("pad", c->pad, 6),
                 tenon_arg_ints("dilation", c->dilation, 3),
                 tenon_arg_int("groups", c->groups)));
}

static tenon_status quant_conv_lower(tenon_rewriter *rw, const tenon_node *n) {
  const bool is_depthwise = tenon_quant_is_op(rw, n, "core::depthwise_conv");
  tenon_value *x = rw->api->operand(rw, n, 0), *w = rw->api->operand(rw, n, 1);
  int at = 0;
  conv c = {.y = tenon_aten_result(rw, n, 0)};
  if (rw->api->group(rw, n, 2, &at) == 1) c.bias = rw->api->operand(rw, n, at);
  if (!c.y || c.y->dtype != TENON_F32 || !is_f32(rw, x) || !is_f32(rw, w) ||
      !take_args(rw, n, &c) || !take_w(rw, w, is_depthwise ? 3 : 0, &c) ||
      !take_x(rw, x, &c))
    return TENON_OK;
  const tenon_type *t = tenon_aten_known(rw, x);
  const bool is_product = t->rank == 4 && c.groups == 1 && !is_depthwise &&
                          !t->dims[1].symbol && !t->dims[2].symbol;
  tenon_value *y =
      is_product ? quant_conv_product(rw, &c) : volume(rw, &c, is_depthwise);
  return tenon_rw_replace(rw, n,
                          tenon_aten_reshape(rw, y, c.y->dims, c.y->rank));
}

// --- Transposed --------------------------------------------------------------

static tenon_status lower_transposed(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = rw->api->operand(rw, n, 0), *w = rw->api->operand(rw, n, 1);
  const tenon_conv3d_attrs *a =
      (const tenon_conv3d_attrs *)rw->api->attrs(rw, n);
  const tenon_type *t = tenon_aten_known(rw, w);
  int at = 0;
  conv c = {.y = tenon_aten_result(rw, n, 0)};
  if (rw->api->group(rw, n, 2, &at) == 1) c.bias = rw->api->operand(rw, n, at);
  const int64_t count = tenon_core_type_count(t);
  if (!c.y || c.y->dtype != TENON_F32 || !is_f32(rw, x) || !is_f32(rw, w) ||
      count < 1 || count / t->dims[0].value > TENON_QUANT_MOST_PRODUCTS)
    return TENON_OK;
  c.w = tenon_quant_weights(rw, w, false, 0);
  if (!c.w || !take_x(rw, x, &c)) return TENON_OK;
  c.w_scale = tenon_quant_column(rw, tenon_aten_known(rw, c.w)->quant,
                                 t->dims[0].value);
  const tenon_type plain = tenon_quant_stored_as(t, TENON_S8, NULL);
  c.w = tenon_quant_make(rw, "core::reinterpret", &c.w, 1, NULL, &plain);
  if (!c.w || !c.w_scale) return TENON_OK;
  return tenon_rw_replace(
      rw, n,
      quant_conv_scaled(
          rw, &c, "core::dynamic_conv_transpose3d", c.q, c.w,
          TENON_ARGS(tenon_arg_ints("stride", a->stride.data, 3),
                     tenon_arg_ints("pad", a->pad.data, 6),
                     tenon_arg_ints("dilation", a->dilation.data, 3),
                     tenon_arg_int("groups", a->groups))));
}

// --- The pass ----------------------------------------------------------------

const tenon_pass_desc tenon_quant_integers = {
    .struct_size = sizeof(tenon_pass_desc),
    .flags = TENON_PASS_OPTIONAL,
    .name = "integers",
    .doc =
        "computes what is left of quantised convolutions on integers, if "
        "numbers may change",
    .after = "lower",
};

#define CONV(ident, its_op, function)                           \
  const tenon_lowering_desc tenon_quant_integer_##ident = {     \
      .struct_size = sizeof(tenon_lowering_desc),               \
      .flags = TENON_LOWERING_INEXACT,                          \
      .name = "quant " its_op " to integers",                   \
      .op = "core::" its_op,                                    \
      .pass = "integers",                                       \
      .to = TENON_QUANT_DYNAMIC_BUILDS                          \
      " core::dynamic_conv3d core::dynamic_conv_transpose3d "   \
      "core::im2col core::permute core::concat core::expand "   \
      "core::reinterpret core::slice core::index core::gather", \
      .lower = function}
CONV(conv, "conv", quant_conv_lower);
CONV(depthwise, "depthwise_conv", quant_conv_lower);
CONV(conv3d, "conv3d", quant_conv_lower);
CONV(transposed, "conv_transpose3d", lower_transposed);
