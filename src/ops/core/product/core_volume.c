// core_volume.c - core::conv3d, core::conv_transpose3d, and the same of scaled
// integers: core::dynamic_conv3d, core::dynamic_conv_transpose3d;
// core::depthwise_conv3d.
#include "kern/product/volume.h"

#include <inttypes.h>

#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/product/core_integer_linear.h"

// What all of them have: how windows lie.
static tenon_status core_volume_check_window(tenon_infer *c, tenon_ints stride,
                                             tenon_ints pad,
                                             tenon_ints dilation,
                                             int64_t least_pad) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (x->rank != 5 || w->rank != 5)
    return tenon_infer_fail(c, "x has rank %d and w %d, expected 5", x->rank,
                            w->rank);
  for (int d = 0; d < 5; ++d) {
    if (w->dims[d].symbol)
      return tenon_infer_fail(c, "dimension %d of w must be known", d);
  }
  TENON_TRY(tenon_core_check_ints(c, "stride", stride, 3, 1));
  TENON_TRY(tenon_core_check_ints(c, "pad", pad, 6, least_pad));
  return tenon_core_check_ints(c, "dilation", dilation, 3, 1);
}

// `bias_at`: which operand the bias is.
static tenon_status core_volume_check(tenon_infer *c,
                                      const tenon_conv3d_attrs *a,
                                      int64_t least_pad, int bias_at) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  const tenon_type *bias = tenon_infer_in(c, bias_at);
  TENON_TRY(
      core_volume_check_window(c, a->stride, a->pad, a->dilation, least_pad));
  if (a->groups < 1 || w->dims[0].value % a->groups)
    return tenon_infer_fail(c,
                            "%" PRId64 " output channels in %" PRId64 " groups",
                            w->dims[0].value, a->groups);
  if (!tenon_core_equal(c, x->dims[4],
                        tenon_core_dim(w->dims[4].value * a->groups)))
    return tenon_infer_fail(c, "x has %" PRId64 " channels, w is for %" PRId64,
                            x->dims[4].value, w->dims[4].value * a->groups);
  if (bias &&
      (bias->rank != 1 || !tenon_core_equal(c, bias->dims[0], w->dims[0])))
    return tenon_infer_fail(
        c, "bias must have one entry for each of %" PRId64 " channels",
        w->dims[0].value);
  return TENON_OK;
}

// A result of so many channels.
static tenon_status slide_dims(tenon_infer *c, tenon_ints stride,
                               tenon_ints pad, tenon_ints dilation,
                               tenon_dim channels, tenon_dim dims[5]) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  dims[0] = x->dims[0];
  dims[4] = channels;
  for (int i = 0; i < 3; ++i)
    TENON_TRY(tenon_core_slide(c, x->dims[1 + i], w->dims[1 + i].value,
                               dilation.data[i], stride.data[i],
                               pad.data[i] + pad.data[i + 3], &dims[1 + i]));
  return TENON_OK;
}

static tenon_status window_dims(tenon_infer *c, int bias_at,
                                tenon_dim dims[5]) {
  const tenon_conv3d_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(core_volume_check(c, a, 0, bias_at));
  return slide_dims(c, a->stride, a->pad, a->dilation,
                    tenon_infer_in(c, 1)->dims[0], dims);
}

static tenon_status conv3d_infer(tenon_infer *c) {
  tenon_dim dims[5];
  TENON_TRY(window_dims(c, 2, dims));
  return tenon_core_result(c, dims, 5, tenon_infer_in(c, 0), false);
}

static tenon_status core_volume_check_one(tenon_infer *c, int i,
                                          const char *what) {
  const tenon_type *t = tenon_infer_in(c, i);
  for (int d = 0; t && d < t->rank; ++d)
    if (t->dims[d].symbol || t->dims[d].value != 1)
      return tenon_infer_fail(c, "%s is not one number", what);
  return TENON_OK;
}

// Of the scaled forms: what a number stands for, and the result's type.
static tenon_status dynamic_result(tenon_infer *c, const tenon_dim dims[5]) {
  const tenon_type *w = tenon_infer_in(c, 1), *scale = tenon_infer_in(c, 4);
  TENON_TRY(core_volume_check_one(c, 2, "x_scale"));
  TENON_TRY(core_volume_check_one(c, 3, "x_zero"));
  if (scale &&
      (scale->rank != 2 || !tenon_core_equal(c, scale->dims[0], w->dims[0]) ||
       !tenon_core_equal(c, scale->dims[1], tenon_core_dim(1))))
    return tenon_infer_fail(c, "scale must be [%" PRId64 ", 1]",
                            w->dims[0].value);
  return tenon_core_out(c, 0, TENON_F32, dims, 5);
}

static tenon_status dynamic_infer(tenon_infer *c) {
  tenon_dim dims[5];
  TENON_TRY(window_dims(c, 5, dims));
  return dynamic_result(c, dims);
}

// (size - 1) * stride + reach - padding, which may be cut or added to behind.
static tenon_status transposed_dims(tenon_infer *c, int bias_at,
                                    tenon_dim dims[5]) {
  const tenon_conv3d_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  TENON_TRY(core_volume_check(c, a, INT32_MIN, bias_at));
  dims[0] = x->dims[0];
  dims[4] = w->dims[0];
  for (int i = 0; i < 3; ++i) {
    const int64_t reach = (w->dims[1 + i].value - 1) * a->dilation.data[i] + 1;
    const int64_t more = reach - a->pad.data[i] - a->pad.data[i + 3];
    tenon_dim n =
        c->api->dim(c, TENON_DIM_ADD, x->dims[1 + i], tenon_core_dim(-1));
    n = c->api->dim(c, TENON_DIM_MUL, n, tenon_core_dim(a->stride.data[i]));
    n = c->api->dim(c, TENON_DIM_ADD, n, tenon_core_dim(more));
    if (!n.symbol && n.value < 0)
      return tenon_infer_fail(c, "dimension %d would have %" PRId64 " elements",
                              1 + i, n.value);
    dims[1 + i] = n;
  }
  return TENON_OK;
}

static tenon_status transpose_infer(tenon_infer *c) {
  tenon_dim dims[5];
  TENON_TRY(transposed_dims(c, 2, dims));
  return tenon_core_result(c, dims, 5, tenon_infer_in(c, 0), false);
}

static tenon_status dynamic_transpose_infer(tenon_infer *c) {
  tenon_dim dims[5];
  TENON_TRY(transposed_dims(c, 5, dims));
  return dynamic_result(c, dims);
}

static tenon_status depthwise3d_infer(tenon_infer *c) {
  const tenon_depthwise_conv3d_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[5];
  TENON_TRY(core_volume_check_window(c, a->stride, a->pad, a->dilation, 0));
  if (w->dims[0].value != 1)
    return tenon_infer_fail(c, "w begins with %" PRId64 ", expected 1",
                            w->dims[0].value);
  if (!tenon_core_equal(c, x->dims[4], w->dims[4]))
    return tenon_infer_fail(c, "x has %" PRId64 " channels, w is for %" PRId64,
                            x->dims[4].value, w->dims[4].value);
  TENON_TRY(slide_dims(c, a->stride, a->pad, a->dilation, w->dims[4], dims));
  TENON_TRY(tenon_core_check_tail(c, dims[4]));
  return tenon_core_result(c, dims, 5, x, false);
}

static int64_t core_volume_row_items(const tenon_call *c) {
  const int32_t *y = c->out[0].dims;
  return tenon_count(&c->out[0]) ? (int64_t)y[0] * y[1] * y[2] : 0;
}

static int64_t taps(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return (int64_t)w[1] * w[2] * w[3] * w[4];
}
static int64_t conv3d_macs(const tenon_call *c) {
  return tenon_core_items(c) * taps(c);
}
static int64_t depthwise3d_macs(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return tenon_core_items(c) * w[1] * w[2] * w[3];
}
static int64_t depthwise3d_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return (int64_t)c->out[0].dims[3] * c->out[0].dims[4];
}
static int64_t transpose_macs(const tenon_call *c) {
  int64_t channels = c->in[0].dims[4] ? c->in[0].dims[4] : 1;
  return (int64_t)tenon_count(&c->in[0]) / channels * c->out[0].dims[4] *
         taps(c);
}

#define KERNEL(name, t)                                      \
  CORE_KERNEL_RANGE(name##_##t##_ref, core_volume_row_items, \
                    #t ", " #t ", " #t "? -> " #t)
KERNEL(conv3d, f32);
KERNEL(conv3d, f64);
KERNEL(conv3d, s64);
KERNEL(conv_transpose3d, f32);
KERNEL(conv_transpose3d, f64);
KERNEL(conv_transpose3d, s64);

// Weights of bytes may have a zero point, which files in u8 have.
static bool stored_match(const tenon_call *c) {
  return tenon_core_match_weights(&c->in[1], 0, c->in[0].dtype == TENON_S8);
}

static tenon_status factors_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  const bool is_single =
      ((const tenon_conv_transpose3d_attrs *)c->attrs)->single_scale;
  tenon_core_pack_requant(
      &c->in[0], &c->in[1], &c->out[0], none, none,
      is_single ? TENON_CORE_TWICE_SINGLE : TENON_CORE_TWICE, packed);
  return TENON_OK;
}

#define STORED_KERNEL(t, its_types)                                    \
  CORE_KERNEL_RANGE(conv_transpose3d_##t##_ref, core_volume_row_items, \
                    its_types, .match = stored_match,                  \
                    .pack_size = tenon_core_factors_size,              \
                    .pack = factors_pack)
STORED_KERNEL(s8, "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q");
STORED_KERNEL(s16q, "s16q, s8q|s8qc, s64|s64q|s64qc? -> s16q");

#define SCHEMA(more)                                                    \
  "(Tensor x, Tensor w, Tensor? bias=None, *, int[3] stride=1, int[6] " \
  "pad=0, int[3] dilation=1, int groups=1" more ") -> Tensor"

#define DYNAMIC_SCHEMA                                                 \
  "(Tensor x, Tensor w, Tensor x_scale, Tensor? x_zero=None, Tensor? " \
  "scale=None, Tensor? bias=None, *, int[3] stride=1, int[6] pad=0, "  \
  "int[3] dilation=1, int groups=1) -> Tensor"

CORE_OPERATOR(conv3d, conv3d_infer,
              (CORE_K(conv3d_f32_ref), CORE_K(conv3d_f64_ref),
               CORE_K(conv3d_s64_ref)),
              SCHEMA(""),
              "Convolves volumes with channels last.\n"
              "x is [n, d, h, w, c], w is [oc, kd, kh, kw, c / groups]; pad is "
              "three sizes before and three behind.",
              CORE_MEMBERS(tenon_conv3d_attrs, stride, pad, dilation, groups),
              .macs = conv3d_macs);

CORE_OPERATOR(conv_transpose3d, transpose_infer,
              (CORE_K(conv_transpose3d_f32_ref),
               CORE_K(conv_transpose3d_f64_ref),
               CORE_K(conv_transpose3d_s64_ref),
               CORE_K(conv_transpose3d_s8_ref),
               CORE_K(conv_transpose3d_s16q_ref)),
              SCHEMA(", bool single_scale=False"),
              "The transpose of a convolution of volumes, channels last.\n"
              "As core::conv3d; pad is cut from the result, and added to it "
              "where negative. `single_scale` is as in core::conv.",
              CORE_MEMBERS(tenon_conv_transpose3d_attrs, stride, pad, dilation,
                           groups, single_scale),
              .macs = transpose_macs);

CORE_KERNEL_RANGE(dynamic_conv3d_s8_ref, core_volume_row_items,
                  TENON_DYNAMIC_LINEAR_TYPES);
CORE_OPERATOR(dynamic_conv3d, dynamic_infer, (CORE_K(dynamic_conv3d_s8_ref)),
              DYNAMIC_SCHEMA,
              "Convolves volumes of scaled integers, to floats.\n"
              "As core::conv3d; x stands for (x - x_zero) * x_scale, with one "
              "of each, and w for w * scale, with scales [oc, 1]. Sums are "
              "exact, and wrap at 32 bits.",
              CORE_MEMBERS(tenon_conv3d_attrs, stride, pad, dilation, groups),
              .macs = conv3d_macs);

CORE_KERNEL_RANGE(dynamic_conv_transpose3d_s8_ref, core_volume_row_items,
                  TENON_DYNAMIC_LINEAR_TYPES);
CORE_OPERATOR(
    dynamic_conv_transpose3d, dynamic_transpose_infer,
    (CORE_K(dynamic_conv_transpose3d_s8_ref)), DYNAMIC_SCHEMA,
    "The transpose of a convolution of volumes of scaled integers, to floats.\n"
    "As core::conv_transpose3d, of what core::dynamic_conv3d takes.",
    CORE_MEMBERS(tenon_conv3d_attrs, stride, pad, dilation, groups),
    .macs = transpose_macs);

CORE_KERNEL_RANGE(depthwise_conv3d_f32_ref, core_volume_row_items,
                  "f32, f32, f32?, f32?, f32? -> f32",
                  .extent = depthwise3d_extent);
CORE_OPERATOR(
    depthwise_conv3d, depthwise3d_infer, (CORE_K(depthwise_conv3d_f32_ref)),
    "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
    "shift=None, *, int[3] stride=1, int[6] pad=0, int[3] dilation=1, float? "
    "lo=None, float? hi=None) -> Tensor",
    "Convolves every channel of volumes on its own.\n"
    "x is [n, d, h, w, c], w is [1, kd, kh, kw, c]; pad is three sizes before "
    "and three behind. Bias, scale and shift are as in core::conv.",
    CORE_MEMBERS(tenon_depthwise_conv3d_attrs, stride, pad, dilation, lo, hi),
    .macs = depthwise3d_macs);
